//! Copies, why they were made, and whether they were needed.

use serde::{Deserialize, Serialize};

use super::Side;
use crate::api::{LocationInfo, SliceRef};

answer_words! {
    /// Need of a copy.
    #[derive(Default)]
    Need {
        /// Its data was new, and was read.
        Needed = "needed",
        /// Its data was there already: neither end was written to since the copy before.
        Unchanged = "unchanged",
        /// Its data was overwritten or released before anything read it.
        NeverRead = "never_read",
        /// The recording can't tell.
        #[default]
        #[serde(other)]
        Unknown = "unknown",
    }
}

/// A part of the list of a run's copies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TransferList {
    /// All that were asked for.
    pub total: TransferSums,
    /// Needed copies.
    pub needed: TransferSums,
    /// Copies of data that was there already.
    pub unchanged: TransferSums,
    /// Copies whose result no command or host access read.
    pub never_read: TransferSums,
    /// Copies for which the recording proves nothing.
    pub unknown: TransferSums,
    /// Copies before these, in the order asked for.
    pub offset: u64,
    /// These.
    pub transfers: Vec<Transfer>,
    /// Where those that were to be marked are in that order: the first 10,000.
    #[serde(default)]
    pub marked: Vec<u64>,
}

/// Some copies, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TransferSums {
    /// Number of copies.
    pub count: u64,
    /// Bytes of those whose size is known.
    pub bytes: u64,
    /// Device time of those that have one.
    pub total_ns: u64,
    /// Rate of those whose size and time are known, in bytes a nanosecond (which is GB/s); 0 if none is.
    pub bytes_per_ns: f64,
}

/// A copy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// Its place in the order of time among all copies of the trace.
    pub transfer: u32,
    /// Number of its command.
    pub node: Option<u64>,
    /// Name of its command.
    pub name: String,
    /// Its execution.
    pub at: Option<SliceRef>,
    /// The call that put it on its queue.
    pub call: Option<SliceRef>,
    /// When it began: on the device, else when it was submitted.
    pub start_ns: u64,
    /// Device time.
    pub duration_ns: Option<u64>,
    /// Where from.
    pub from: Side,
    /// Where to.
    pub to: Side,
    /// Source, an id of an object; `None` for the host's own memory.
    pub from_object: Option<u32>,
    /// Target, an id of an object; `None` for the host's own memory.
    pub to_object: Option<u32>,
    /// Address or handle that it took from, 0 if not known.
    pub from_pointer: u64,
    /// Address or handle that it brought to.
    pub to_pointer: u64,
    /// Bytes, if they are known.
    pub bytes: Option<u64>,
    /// Bytes a nanosecond (which is GB/s), if size and time are known.
    pub bytes_per_ns: Option<f64>,
    /// Why it was made.
    pub cause: TransferCause,
    /// Need, which follows from the next two.
    pub need: Need,
    /// True if its data was there already; `None` if unknown.
    #[serde(default)]
    pub unchanged: Option<bool>,
    /// True if anything read its data; `None` if unknown.
    #[serde(default)]
    pub read: Option<bool>,
    /// Why that is so, in words.
    pub why: String,
    /// The copy before with the same content, where it was not needed; or what overwrote it.
    pub evidence: Option<SliceRef>,
    /// Source code that caused it: its own, else that of its cause.
    pub location: Option<LocationInfo>,
}

answer_words! {
    /// The runtime's reason for a copy.
    #[derive(Default)]
    TransferCauseKind {
        /// The program asked for it: `memcpy`, `copy`, `update_host`.
        Program = "program",
        /// A command's accessor needs the data where it runs.
        Accessor = "accessor",
        /// A host accessor needs them on the host.
        HostAccessor = "host_accessor",
        /// A buffer that ends writes back.
        WriteBack = "write_back",
        /// The recording does not say.
        #[default]
        #[serde(other)]
        Unknown = "unknown",
    }
}

/// Why a copy was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransferCause {
    /// Kind of reason.
    pub kind: TransferCauseKind,
    /// Number of the command that needed the data.
    pub node: Option<u64>,
    /// Its name; or the name of the call.
    pub name: String,
    /// Mode of the accessor, empty if not known.
    pub mode: String,
    /// Where to jump: that command.
    pub at: Option<SliceRef>,
    /// Source code of the accessor or of the command.
    pub location: Option<LocationInfo>,
}
