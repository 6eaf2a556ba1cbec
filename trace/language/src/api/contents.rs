//! Private data of a trace.

use serde::{Deserialize, Serialize};

use crate::contents::ContentKind;

/// The private data of a trace, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// The kinds that occur, in the order of [`ContentKind::ALL`].
    pub kinds: Vec<KindContents>,
}

/// Private data of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindContents {
    /// The kind.
    pub kind: ContentKind,
    /// Number of distinct values.
    pub count: u64,
    /// Some examples; long ones are truncated.
    pub examples: Vec<String>,
}
