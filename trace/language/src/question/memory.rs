//! Queries about memory.

mod objects;
mod touched;
mod transfers;

use super::forms::{
    LIMIT, Several, TIME, address, always, flag, from, limit, optional, points, text, to, usual, usual_word,
    words,
};
use crate::event::AllocationKind;

pub use objects::{ObjectOrder, ObjectQuestion, ObjectsQuestion};
pub use touched::TouchedBy;
pub use transfers::{LeaksQuestion, TransferOrder, TransfersQuestion};

const KINDS: &str = "kinds of memory, separated by dots: device host shared buffer image other";

/// Filter of memory: `process=P&kinds=device.host&device=NAME`, all optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemoryFilter {
    /// Only this process, an index into [`TraceInfo::processes`](crate::api::TraceInfo::processes).
    pub process: Option<u32>,
    /// Only these kinds.
    pub kinds: Option<Vec<AllocationKind>>,
    /// Only the device with this full name; memory without a device if empty.
    pub device: Option<String>,
}

parameters! {
    MemoryFilter {
        process: optional("process", "the number of a process"),
        kinds: words("kinds", KINDS),
        device: optional("device", "a name"),
    }
}

/// `memory_use?from=NS&to=NS&points=N&places=N`: memory in use over time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemoryUseQuestion {
    /// The filter.
    pub of: MemoryFilter,
    /// `from`: start of the range; the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// `to`: end of the range, exclusive; after the trace's end if omitted.
    pub to_ns: Option<u64>,
    /// `points`: maximum buckets.
    pub points: u32,
    /// `places`: maximum allocation sites at the peak.
    pub places: u32,
}

parameters! {
    MemoryUseQuestion {
        of: Several,
        from_ns: from(),
        to_ns: to(),
        points: points(POINTS),
        places: limit("places"),
    }
}

/// Default number of buckets.
const POINTS: u32 = 500;

impl MemoryUseQuestion {
    /// Returns the query for the whole run.
    pub fn whole() -> Self {
        Self { of: MemoryFilter::default(), from_ns: None, to_ns: None, points: POINTS, places: LIMIT }
    }
}

/// `memory_at?at=NS&to=NS&lowest=0x…&highest=0x…&merge=BYTES&offset=N&limit=N&places=N`: memory in use at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MemoryAtQuestion {
    /// The filter.
    pub of: MemoryFilter,
    /// `at`: the time.
    pub at_ns: u64,
    /// `to`: a second time; the answer then contains the differences.
    pub to_ns: Option<u64>,
    /// `lowest`: only blocks that end above this address.
    pub lowest: Option<u64>,
    /// `highest`: only blocks that start below this address.
    pub highest: Option<u64>,
    /// `merge`: blocks smaller than this that start in the same range of this size are merged; 0 disables merging.
    pub merge_bytes: u64,
    /// `offset`: number of skipped blocks.
    pub offset: u64,
    /// `limit`: maximum blocks.
    pub limit: u32,
    /// `places`: maximum allocation sites.
    pub places: u32,
}

parameters! {
    MemoryAtQuestion {
        of: Several,
        at_ns: always("at", TIME),
        to_ns: optional("to", TIME),
        lowest: address("lowest"),
        highest: address("highest"),
        merge_bytes: usual("merge", "a number of bytes"),
        offset: usual("offset", "a number of blocks"),
        limit: limit("limit"),
        places: limit("places"),
    }
}

impl MemoryAtQuestion {
    /// Returns the query for the memory in use at a time.
    pub fn at(at_ns: u64) -> Self {
        Self { at_ns, limit: LIMIT, places: LIMIT, ..Self::default() }
    }
}

words! {
    /// Order of allocations; ties by row.
    #[derive(Default)]
    AllocationOrder {
        /// Time of allocation, ascending.
        #[default]
        At = "at",
        /// Time of allocation, descending.
        AtDown = "-at",
        /// Size, ascending.
        Size = "size",
        /// Size, descending.
        SizeDown = "-size",
        /// Lifetime, ascending; up to the trace's end if never released.
        Lifetime = "lifetime",
        /// Lifetime, descending.
        LifetimeDown = "-lifetime",
        /// Address, ascending.
        Pointer = "pointer",
        /// Address, descending.
        PointerDown = "-pointer",
    }
}

/// `allocations?…`: a page of a list of allocations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AllocationsQuestion {
    /// The filter.
    pub of: MemoryFilter,
    /// `from`: only allocations in use at this time or later.
    pub from_ns: Option<u64>,
    /// `to`: only memory allocated before this time.
    pub to_ns: Option<u64>,
    /// `text`: only allocations whose file, function or device contains the text, ignoring case, or whose address
    /// equals it.
    pub text: String,
    /// `path`: only allocations in the file with this full path.
    pub path: Option<String>,
    /// `line`: only allocations at this line.
    pub line: Option<u32>,
    /// `least`: minimum size in bytes.
    pub least_bytes: Option<u64>,
    /// `most`: maximum size in bytes.
    pub most_bytes: Option<u64>,
    /// `unreleased=true`: only allocations that were never released.
    pub unreleased: bool,
    /// `sort`: order of the allocations.
    pub sort: AllocationOrder,
    /// `offset`: number of skipped allocations.
    pub offset: u64,
    /// `limit`: maximum number of allocations in the answer.
    pub limit: u32,
}

parameters! {
    AllocationsQuestion {
        of: Several,
        from_ns: from(),
        to_ns: to(),
        text: text("text"),
        path: optional("path", "a path"),
        line: optional("line", "a line number"),
        least_bytes: optional("least", "a number of bytes"),
        most_bytes: optional("most", "a number of bytes"),
        unreleased: flag("unreleased"),
        sort: usual_word("sort"),
        offset: usual("offset", "a number of allocations"),
        limit: limit("limit"),
    }
}
