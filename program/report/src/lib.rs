//! Reports of traces as text, Markdown and pictures: the overview of one, and the comparison of many with its gate.

pub mod comparison;
mod drawing;
pub mod overview;
mod png;
mod svg;

pub use self::drawing::Picture;
