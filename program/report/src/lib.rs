//! Reports of traces as text, Markdown and pictures: the overview of one, and the comparison of many with its gate.

pub mod comparison;
pub mod overview;
mod svg;
