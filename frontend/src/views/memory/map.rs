pub mod attributes;
pub mod axis;
pub mod pack;
pub mod survey;
pub mod tiles;
