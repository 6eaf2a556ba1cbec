//! Reports of traces as text, Markdown, HTML and pictures: the overview of a trace, the comparison of several
//! with its gate, and the ledger of tries.

pub mod comparison;
mod drawing;
pub mod overview;
mod png;
mod svg;
pub mod trial;

pub use self::drawing::Picture;
