//! Named entities.

use serde::{Deserialize, Serialize};

use super::SliceRef;

/// Slices, lines and objects that match a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matches {
    /// Best matches, best first.
    pub matches: Vec<Match>,
    /// Number of other matches.
    pub more: u64,
}

/// A matching entity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// Kind of the match.
    pub kind: MatchKind,
    /// Name; for a line its file.
    pub name: String,
    /// Number of slices with this name, or at this line.
    pub count: u64,
    /// The longest slice, if there are any.
    pub at: Option<SliceRef>,
    /// Id of an object, or number of a line.
    pub id: u32,
}

answer_words! {
    /// Kinds of entities.
    #[derive(Default)]
    MatchKind {
        /// Calls of the runtime or of the native API.
        Call = "call",
        /// Other slices of the host or a device.
        #[default]
        Slice = "slice",
        /// A buffer, an image or USM.
        Object = "object",
        /// A source line with events.
        Line = "line",
    }
}
