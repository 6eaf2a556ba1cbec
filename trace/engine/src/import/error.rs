//! Why bytes are no trace.

use crate::budget::{Spent, in_words};

/// Why bytes are no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// There are no bytes.
    #[error(
        "the file is empty: a recording that was killed in its first moment looks like this; record it again"
    )]
    Empty,
    /// The bytes are a trace or something else in a compressed form.
    #[error("the file is compressed ({found}): decompress it first with `{remedy}`, then open the result")]
    Compressed {
        /// Kind of compression.
        found: &'static str,
        /// Command that undoes it.
        remedy: &'static str,
    },
    /// Compressed data holds compressed data that holds compressed data.
    #[error("the file is compressed more than twice (inside is {found}): unpack it first")]
    PackedAgain {
        /// Kind of the innermost compression.
        found: &'static str,
    },
    /// A trace in a format that is known and not read.
    #[error("the file is {found}, an unsupported format: {instead}")]
    Unread {
        /// Format of the file.
        found: &'static str,
        /// Remedy.
        instead: &'static str,
    },
    /// The import takes more memory than it may.
    #[error(
        "{0}: record a shorter part of the run or fewer streams, or open it on a machine with more memory"
    )]
    Memory(#[from] Spent),
    /// More comes out of the compressed data than may.
    #[error("it unpacks to more than the limit of {}", in_words(*allowed_bytes))]
    Unpacked {
        /// Limit of unpacked bytes.
        allowed_bytes: u64,
    },
    /// The caller cancelled the import.
    #[error("the import was cancelled")]
    Cancelled,
    /// The bytes are something else.
    #[error(
        "the file is no trace but {found}: expected a Perfetto trace (.pftrace) or a Chrome JSON trace (.json) as \
         `syclscope record` writes them"
    )]
    NotATrace {
        /// Likely format of the file.
        found: String,
    },
}
