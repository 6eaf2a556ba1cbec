//! Errors of the query parser.

use crate::filter::FilterError;
use crate::question::TileKeyError;
use crate::similar::similar;

/// Parse error of a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuestionError {
    /// No query has this name.
    #[error("no query `{name}`{}; docs/QUERIES.md lists them", meant.map_or_else(String::new, |meant| format!(" (did you mean `{meant}`?)")))]
    Unknown {
        /// The unknown name.
        name: String,
        /// Most similar name of a query.
        meant: Option<&'static str>,
    },
    /// A number is expected.
    #[error("not a {what} number: {text}")]
    NotANumber {
        /// Meaning of the number.
        what: &'static str,
        /// The text that is not a number.
        text: String,
    },
    /// Not a tile name.
    #[error(transparent)]
    Tile(#[from] TileKeyError),
    /// Not the name of a memory tile.
    #[error(
        "not a tile of memory: {} (expected track/level/index/address_level/address_index with levels from 0 to {})",
        .0.0, crate::question::MAX_LEVEL
    )]
    Memory(TileKeyError),
    /// Not a filter.
    #[error("invalid `where`: {0}")]
    Where(#[from] FilterError),
    /// A parameter has an invalid value, or is missing.
    #[error("{} (expected {expected})", fault(name, text))]
    Param {
        /// Name of the parameter.
        name: &'static str,
        /// The invalid value; empty if it is missing.
        text: String,
        /// Description of valid values.
        expected: &'static str,
    },
    /// Two parameters are given of which a query takes one.
    #[error("`{0}` and `{1}` exclude each other: give one of them")]
    Both(&'static str, &'static str),
    /// A range ends before it starts.
    #[error("`from` ({from}) is after `to` ({to}): a range begins before it ends")]
    Reversed {
        /// Start in nanoseconds.
        from: u64,
        /// End in nanoseconds.
        to: u64,
    },
    /// A part of a run is given both as a time range and as iterations.
    #[error("choose a part of the run by times, or by `iterations` and `region`, and not by both")]
    TwoParts,
    /// The query has no such parameter.
    #[error("this query has no parameter `{name}`{}", if known.is_empty() { String::new() } else { format!(" (it has {known})") })]
    NoParam {
        /// Name of the parameter.
        name: String,
        /// Valid names, separated by commas.
        known: String,
    },
    /// A parameter is given more than once.
    #[error("the parameter `{0}` is given twice")]
    Twice(String),
    /// A parameter is not percent-encoded UTF-8.
    #[error("not percent-encoded text: {0}")]
    NotEncoded(String),
}

impl QuestionError {
    pub(super) fn unknown(name: &str, names: &[&'static str]) -> Self {
        Self::Unknown { name: name.to_owned(), meant: similar(name, names.iter().copied()) }
    }
}

/// Names the fault of a parameter's value.
fn fault(name: &str, text: &str) -> String {
    if text.is_empty() {
        format!("`{name}` is missing or empty")
    } else {
        format!("invalid `{name}`: {text}")
    }
}
