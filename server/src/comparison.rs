//! A comparison for people and for CI: as text, as Markdown, as JUnit's XML and as a picture; and the gate that judges it.

pub(crate) mod gate;
mod junit;
mod markdown;
mod picture;
mod text;
mod words;

pub(crate) use self::junit::junit;
pub(crate) use self::markdown::{history_markdown, markdown};
pub(crate) use self::picture::{history_picture, picture};
pub(crate) use self::text::{history_lines, lines};
pub(crate) use self::words::{in_unit, no_step, series_name};
