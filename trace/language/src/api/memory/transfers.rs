//! Copies, with their causes and whether they were needed.

use serde::{Deserialize, Serialize};

use super::Side;
use crate::api::{LocationInfo, SliceRef};

answer_words! {
    /// Need of a copy.
    #[derive(Default)]
    Need {
        /// Its data was new, and was read.
        Needed = "needed",
        /// Its data was already at the destination: neither end was written since the previous copy.
        Unchanged = "unchanged",
        /// Its data was overwritten or released before it was read.
        NeverRead = "never_read",
        /// Unknown.
        #[default]
        #[serde(other)]
        Unknown = "unknown",
    }
}

/// A page of the list of a run's copies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TransferList {
    /// All requested copies.
    pub total: TransferSums,
    /// Needed copies.
    pub needed: TransferSums,
    /// Copies of data that was already at the destination.
    pub unchanged: TransferSums,
    /// Copies whose result no command or host access read.
    pub never_read: TransferSums,
    /// Copies whose need the recording does not show.
    pub unknown: TransferSums,
    /// Number of copies before this page, in the requested order.
    pub offset: u64,
    /// The copies of this page.
    pub transfers: Vec<Transfer>,
    /// Positions of marked copies in that order: the first 10,000.
    #[serde(default)]
    pub marked: Vec<u64>,
}

/// Sums over copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TransferSums {
    /// Number of copies.
    pub count: u64,
    /// Bytes of the copies with a known size.
    pub bytes: u64,
    /// Device time of the copies that have one.
    pub total_ns: u64,
    /// Rate of the copies with known size and time, in bytes per nanosecond (GB/s); 0 without such copies.
    pub bytes_per_ns: f64,
}

/// A copy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// Its index among all copies of the trace, by time.
    pub transfer: u32,
    /// Number of its command.
    pub node: Option<u64>,
    /// Name of its command.
    pub name: String,
    /// Its execution.
    pub at: Option<SliceRef>,
    /// The call that enqueued it.
    pub call: Option<SliceRef>,
    /// Its start: on the device, else its submission.
    pub start_ns: u64,
    /// Device time.
    pub duration_ns: Option<u64>,
    /// Source side.
    pub from: Side,
    /// Destination side.
    pub to: Side,
    /// Id of the source object; `None` for the host's own memory.
    pub from_object: Option<u32>,
    /// Id of the destination object; `None` for the host's own memory.
    pub to_object: Option<u32>,
    /// Source address or handle, 0 if unknown.
    pub from_pointer: u64,
    /// Destination address or handle, 0 if unknown.
    pub to_pointer: u64,
    /// Number of bytes, if known.
    pub bytes: Option<u64>,
    /// Bytes per nanosecond (GB/s), if size and time are known.
    pub bytes_per_ns: Option<f64>,
    /// Cause of the copy.
    pub cause: TransferCause,
    /// Need, derived from the next two fields.
    pub need: Need,
    /// True if its data was already at the destination; `None` if unknown.
    #[serde(default)]
    pub unchanged: Option<bool>,
    /// True if its data was read; `None` if unknown.
    #[serde(default)]
    pub read: Option<bool>,
    /// Explanation of the need.
    pub why: String,
    /// The previous copy of the same contents, if it was not needed; or the command that overwrote it.
    pub evidence: Option<SliceRef>,
    /// Source location that caused it, or else the location of its cause.
    pub location: Option<LocationInfo>,
}

answer_words! {
    /// The runtime's reason for a copy.
    #[derive(Default)]
    TransferCauseKind {
        /// Requested by the program: `memcpy`, `copy`, `update_host`.
        Program = "program",
        /// A command's accessor needs the data where it runs.
        Accessor = "accessor",
        /// A host accessor needs the data on the host.
        HostAccessor = "host_accessor",
        /// A buffer's destructor writes the data back.
        WriteBack = "write_back",
        /// Unknown.
        #[default]
        #[serde(other)]
        Unknown = "unknown",
    }
}

/// Cause of a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransferCause {
    /// Kind of cause.
    pub kind: TransferCauseKind,
    /// Number of the command that needed the data.
    pub node: Option<u64>,
    /// Its name; or the name of the call.
    pub name: String,
    /// Mode of the accessor, empty if unknown.
    pub mode: String,
    /// Position of that command.
    pub at: Option<SliceRef>,
    /// Source code of the accessor or of the command.
    pub location: Option<LocationInfo>,
}
