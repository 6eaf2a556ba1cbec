//! Why a text is no question.

use crate::filter::FilterError;
use crate::question::TileKeyError;

/// Why a text is not a question about a trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuestionError {
    /// Nothing is asked by that name.
    #[error("no query `{0}`; docs/QUERIES.md lists them")]
    Unknown(String),
    /// What should be the number of something is none.
    #[error("not a {what} number: {text}")]
    NotANumber {
        /// What it should be the number of.
        what: &'static str,
        /// What stands there.
        text: String,
    },
    /// Not the name of a tile.
    #[error(transparent)]
    Tile(#[from] TileKeyError),
    /// Not the name of a tile of memory.
    #[error(
        "not a tile of memory: {} (expected track/level/index/address_level/address_index with levels from 0 to {})",
        .0.0, crate::question::MAX_LEVEL
    )]
    Memory(TileKeyError),
    /// Not a filter.
    #[error("invalid `where`: {0}")]
    Where(#[from] FilterError),
    /// A parameter means nothing.
    #[error("invalid `{name}`: {text} (expected {expected})")]
    Param {
        /// Its name.
        name: &'static str,
        /// What stands there.
        text: String,
        /// What could.
        expected: &'static str,
    },
    /// The question has no such parameter.
    #[error("this query has no parameter `{name}`{}", if known.is_empty() { String::new() } else { format!(" (it has {known})") })]
    NoParam {
        /// The name that stands there.
        name: String,
        /// Those that could, with commas.
        known: String,
    },
    /// A parameter is given more than once.
    #[error("the parameter `{0}` is given twice")]
    Twice(String),
    /// A parameter is not percent-encoded UTF-8.
    #[error("not percent-encoded text: {0}")]
    NotEncoded(String),
}
