//! Errors of an import.

use super::limits::MAX_ZSTD_WINDOW_BYTES;
use crate::budget::{Spent, in_words};

/// Reason why bytes are not a trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// There are no bytes.
    #[error(
        "the file is empty: a recording that was killed in its first moment looks like this; record it again"
    )]
    Empty,
    /// Compressed data in an unsupported format.
    #[error("the file is compressed ({found}): decompress it first with `{remedy}`, then open the result")]
    Compressed {
        /// Kind of compression.
        found: &'static str,
        /// Command that decompresses it.
        remedy: &'static str,
    },
    /// Compressed data is nested too deeply.
    #[error("the file is compressed more than twice (inside is {found}): unpack it first")]
    PackedAgain {
        /// Kind of the innermost compression.
        found: &'static str,
    },
    /// A trace in a known but unsupported format.
    #[error("the file is {found}, an unsupported format: {instead}")]
    Unread {
        /// Format of the file.
        found: &'static str,
        /// Remedy.
        instead: &'static str,
    },
    /// The import exceeds its memory budget.
    #[error(
        "{0}: record a shorter part of the run or fewer streams, or open it on a machine with more memory"
    )]
    Memory(#[from] Spent),
    /// The compressed data contains more than allowed.
    #[error("it unpacks to more than the limit of {}", in_words(*allowed_bytes))]
    Unpacked {
        /// Limit of decompressed bytes.
        allowed_bytes: u64,
    },
    /// Decompression takes more memory at once than allowed.
    #[error(
        "the file is compressed by zstd with a window of {}, more than the limit of {}: decompress it first with \
         `zstd -d --long=31`, then open the result",
        in_words(*window_bytes),
        in_words(MAX_ZSTD_WINDOW_BYTES)
    )]
    LargeWindow {
        /// The window, in bytes.
        window_bytes: u64,
    },
    /// The bytes are in another format.
    #[error(
        "the file is no trace but {found}: expected a Perfetto trace (.pftrace) or a Chrome JSON trace (.json) as \
         `syclscope record` writes them"
    )]
    NotATrace {
        /// Likely format of the file.
        found: String,
    },
}
