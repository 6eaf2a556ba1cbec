//! Memory that is never released, memory that grows, and memory that is used wrongly.

use serde::{Deserialize, Serialize};

use super::Amount;
use crate::api::{LocationInfo, SliceRef};
use crate::event::AllocationKind;

/// Errors in the use of memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Leaks {
    /// True if the file has the orderly end of every process, and no event was lost. If not, memory live at the end of
    /// the file may have been released later, or unseen.
    pub complete: bool,
    /// Memory live at the end.
    pub at_end: Amount,
    /// Memory live at the end by source location, most bytes first; the first ones if there are many.
    pub places: Vec<LeakPlace>,
    /// Number of source locations that are not listed.
    pub more_places: u64,
    /// Source locations whose live memory grows from iteration to iteration, most bytes first; the first ones if there
    /// are many.
    pub growth: Vec<Growth>,
    /// Number of growing source locations that are not listed.
    #[serde(default)]
    pub more_growth: u64,
    /// Wrong releases, and uses after a release, by time; the first ones if there are many.
    pub misuse: Vec<Misuse>,
    /// Number of misuses that are not listed.
    pub more_misuse: u64,
}

/// Memory of one source location that is live at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeakPlace {
    /// Its process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: u32,
    /// Kind of memory.
    pub kind: AllocationKind,
    /// Name of the device that owns it, empty if there is none or it is unknown.
    pub device: String,
    /// Source location that allocated it, or that created the buffer or image that it belongs to.
    pub location: Option<LocationInfo>,
    /// Live memory.
    pub live: Amount,
    /// All allocations of the source location.
    pub made: Amount,
    /// Time of the first live allocation.
    pub first_ns: u64,
    /// Time of the last live allocation.
    pub last_ns: u64,
    /// Ids in `objects` of the first twenty live allocations.
    pub objects: Vec<u32>,
}

/// Growing memory of one source location.
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
    /// Number of examined iterations: those of the loop around the allocations, if the thread's allocations repeat;
    /// else each allocation of the source location is one.
    pub rounds: u64,
    /// True if these are iterations of a loop.
    pub is_loop: bool,
    /// Source location of that loop's first allocation.
    pub loop_location: Option<LocationInfo>,
    /// Mean number of bytes that each iteration leaves behind.
    pub bytes_per_round: f64,
    /// Mean number of allocations that each iteration leaves behind.
    pub count_per_round: f64,
    /// Ends of at most 64 iterations.
    pub at_ns: Vec<u64>,
    /// Live memory of the source location at these ends.
    pub live: Vec<Amount>,
}

answer_words! {
    /// Kind of misuse.
    #[derive(Default)]
    MisuseKind {
        /// Memory was released twice without being allocated again.
        DoubleRelease = "double_release",
        /// An address was released at which no memory was allocated during the recording.
        UnknownRelease = "unknown_release",
        /// An address within memory, not at its start, was released.
        InnerRelease = "inner_release",
        /// A command or call got memory that had been released.
        UseAfterRelease = "use_after_release",
        /// Memory was released before a command that uses it had ended.
        ReleaseDuringUse = "release_during_use",
        /// A kind of a newer version.
        #[default]
        #[serde(other)]
        Other = "other",
    }
}

/// A misuse of memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Misuse {
    /// Kind of misuse.
    pub kind: MisuseKind,
    /// Description and remedy.
    pub message: String,
    /// Its process.
    pub process: u32,
    /// Time of the misuse.
    pub at_ns: u64,
    /// The address.
    pub pointer: u64,
    /// Source location of the misuse.
    pub location: Option<LocationInfo>,
    /// True if the recording proves it. If not, the address may have been reused for unrecorded memory: a device that
    /// works in the host's memory shares its addresses with the program's own memory.
    #[serde(default)]
    pub certain: bool,
    /// Position of the call or command.
    pub at: Option<SliceRef>,
    /// Id in `objects` of the last memory at the address.
    pub object: Option<u32>,
    /// Source code that allocated that memory.
    pub allocated_location: Option<LocationInfo>,
    /// Time of its release.
    pub released_ns: Option<u64>,
    /// Source code that released it.
    pub released_location: Option<LocationInfo>,
    /// Position of the call that released it.
    pub released_at: Option<SliceRef>,
    /// The error that the call returned, empty if it succeeded.
    pub result: String,
}
