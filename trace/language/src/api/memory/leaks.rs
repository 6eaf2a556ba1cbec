//! Memory that is never given back, memory that grows, and memory that is used wrongly.

use serde::{Deserialize, Serialize};

use super::Amount;
use crate::api::{LocationInfo, SliceRef};
use crate::event::AllocationKind;

/// Errors in the use of memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Leaks {
    /// True if every process ended in an orderly way. If not, memory that is live at the end of the recording may have
    /// been released afterwards.
    pub complete: bool,
    /// Memory live at the end.
    pub at_end: Amount,
    /// The same by place, most bytes first; the first ones if there are many.
    pub places: Vec<LeakPlace>,
    /// Places beyond those listed.
    pub more_places: u64,
    /// Places whose live memory grows from round to round, most bytes first.
    pub growth: Vec<Growth>,
    /// Releases that are wrong, and uses after a release, by time; the first ones if there are many.
    pub misuse: Vec<Misuse>,
    /// Misuse beyond what is listed.
    pub more_misuse: u64,
}

/// Memory of one place that is live at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeakPlace {
    /// Its process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: u32,
    /// Kind of memory.
    pub kind: AllocationKind,
    /// Name of the device that owns it, empty if it belongs to none or it is not known.
    pub device: String,
    /// Source code that allocated it, or that made the buffer or image whose memory it is.
    pub location: Option<LocationInfo>,
    /// Live memory.
    pub live: Amount,
    /// All that the place ever allocated.
    pub made: Amount,
    /// When the first that is live was made.
    pub first_ns: u64,
    /// When the last was.
    pub last_ns: u64,
    /// Ids in `objects` of the first twenty.
    pub objects: Vec<u32>,
}

/// Memory of one place that grows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// Its process.
    pub process: u32,
    /// Kind of memory.
    pub kind: AllocationKind,
    /// Name of the device.
    pub device: String,
    /// Source code that allocates it.
    pub location: Option<LocationInfo>,
    /// Rounds that were looked at. A round is one of the loop around the allocations, where what the thread allocates
    /// repeats; else each allocation of the place is one.
    pub rounds: u64,
    /// True if rounds are those of a loop.
    pub is_loop: bool,
    /// Source code of that loop's first allocation.
    pub loop_location: Option<LocationInfo>,
    /// Bytes that each round leaves behind, on average.
    pub bytes_per_round: f64,
    /// Allocations that each round leaves behind, on average.
    pub count_per_round: f64,
    /// Ends of rounds, at most 64 of them.
    pub at_ns: Vec<u64>,
    /// Live memory of the place at the end of these rounds.
    pub live: Vec<Amount>,
}

answer_words! {
    /// Kind of misuse.
    #[derive(Default)]
    MisuseKind {
        /// Memory was released that had been released before, and was not allocated again since.
        DoubleRelease = "double_release",
        /// An address was released at which no memory was ever allocated while recording.
        UnknownRelease = "unknown_release",
        /// An address was released that lies within memory, not at its begin.
        InnerRelease = "inner_release",
        /// A command or call was given memory that had been released.
        UseAfterRelease = "use_after_release",
        /// Memory was released while a command that uses it was not over.
        ReleaseDuringUse = "release_during_use",
        /// Something that a newer version tells.
        #[default]
        #[serde(other)]
        Other = "other",
    }
}

/// Something that was done wrongly with memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Misuse {
    /// Kind of misuse.
    pub kind: MisuseKind,
    /// In words, with the remedy.
    pub message: String,
    /// Its process.
    pub process: u32,
    /// When.
    pub at_ns: u64,
    /// The address.
    pub pointer: u64,
    /// Source code that did it.
    pub location: Option<LocationInfo>,
    /// Whether the recording proves it. If not, the address may have been given to something else since, of which the
    /// recording does not tell: a device on the host's memory shares its addresses with the program's own memory.
    #[serde(default)]
    pub certain: bool,
    /// Where to jump: the call or command that did it.
    pub at: Option<SliceRef>,
    /// Id in `objects` of the memory that had the address last.
    pub object: Option<u32>,
    /// Source code that allocated that memory.
    pub allocated_location: Option<LocationInfo>,
    /// When it had been released.
    pub released_ns: Option<u64>,
    /// Source code that released it.
    pub released_location: Option<LocationInfo>,
    /// Where to jump: the call that released it.
    pub released_at: Option<SliceRef>,
    /// The error that the call returned, empty if it succeeded.
    pub result: String,
}
