//! Reports of a comparison for people and for CI: text, Markdown, JUnit XML and a picture; and the gate that
//! judges it.

pub mod gate;
mod iterations;
mod junit;
mod markdown;
mod picture;
mod text;
pub(crate) mod words;

pub use self::junit::junit;
pub use self::markdown::{MAX_ROWS, history_markdown, markdown};
pub use self::picture::{history_picture, picture};
pub use self::text::{history_lines, lines};
pub use self::words::{in_unit, no_step, series_name};
