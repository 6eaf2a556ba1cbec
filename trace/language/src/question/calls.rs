//! Selection and grouping of calls.

use super::Selection;
use super::forms::{Several, from, limit, required, to, usual_word};

words! {
    /// Grouping into call trees.
    #[derive(Default)]
    CallGrouping {
        /// One tree for everything.
        #[default]
        All = "all",
        /// One tree per process.
        Process = "process",
        /// One tree per thread.
        Thread = "thread",
    }
}

words! {
    /// Measure of a call tree.
    #[derive(Default)]
    CallWeight {
        /// Duration of the calls.
        #[default]
        Calls = "calls",
        /// Device time of commands, by the call stacks of their submissions.
        Device = "device",
        /// Time of waits, by their call stacks. Nested waits count as part of the outer wait.
        Waits = "waits",
        /// Idle time of devices, by the call stack of the cause that delayed the next command. The filter does not
        /// apply.
        Idle = "idle",
        /// Time of host threads, estimated from samples. The filter does not apply.
        Samples = "samples",
        /// Bytes allocated, by the call stacks of the allocations.
        Allocated = "allocated",
        /// Bytes in use at the memory peak, by the call stacks of the allocations.
        Peak = "peak",
    }
}

impl CallWeight {
    /// True for bytes, false for time.
    pub fn is_bytes(self) -> bool {
        matches!(self, Self::Allocated | Self::Peak)
    }
}

/// `calls?from=NS&to=NS`: calls by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallsQuestion {
    /// `from`: only calls with some time in the range; from the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
}

parameters! {
    CallsQuestion {
        from_ns: from(),
        to_ns: to(),
    }
}

/// `calltree?…`: the call tree of a selection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CallTreeQuestion {
    /// The slices. A slice that the filter excludes is not in the tree; its content counts for the enclosing slice.
    pub selection: Selection,
    /// `by`: grouping of the slices into trees.
    pub by: CallGrouping,
    /// `weight`: measure of the tree. Device time belongs to no thread, so that there is at most one tree per process.
    pub weight: CallWeight,
    /// `limit`: maximum nodes.
    pub limit: u32,
}

parameters! {
    CallTreeQuestion {
        selection: Several,
        by: usual_word("by"),
        weight: usual_word("weight"),
        limit: limit("limit"),
    }
}

/// `sandwich?name=…`: callers and callees of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SandwichQuestion {
    /// Full name.
    pub name: String,
    /// Slices to search.
    pub selection: Selection,
    /// `limit`: maximum nodes of each of the two trees.
    pub limit: u32,
}

parameters! {
    SandwichQuestion {
        name: required("name", "the name of a call"),
        selection: Several,
        limit: limit("limit"),
    }
}
