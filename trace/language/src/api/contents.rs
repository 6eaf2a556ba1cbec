//! Contents of a trace that its owner may not want to share.

use serde::{Deserialize, Serialize};

use crate::contents::ContentKind;

/// Every kind of private thing that a trace has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    /// The kinds of which there is something, in the order of [`ContentKind::ALL`].
    pub kinds: Vec<KindContents>,
}

/// Contents of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindContents {
    /// The kind.
    pub kind: ContentKind,
    /// Number of distinct values.
    pub count: u64,
    /// Some of them, long ones cut.
    pub examples: Vec<String>,
}
