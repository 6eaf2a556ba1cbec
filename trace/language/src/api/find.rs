//! Things that bear a name.

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

/// A thing that fits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// Kind of the match.
    pub kind: MatchKind,
    /// Name; of a line its file.
    pub name: String,
    /// Slices of this name, or at this line.
    pub count: u64,
    /// The longest of them, where there are some.
    pub at: Option<SliceRef>,
    /// Id of an object, number of a line.
    pub id: u32,
}

answer_words! {
    /// Kinds of things.
    #[derive(Default)]
    MatchKind {
        /// Calls of the runtime, or below it.
        Call = "call",
        /// Other slices of the host or a device.
        #[default]
        Slice = "slice",
        /// A buffer, an image or USM.
        Object = "object",
        /// A line of the source code at which something happened.
        Line = "line",
    }
}
