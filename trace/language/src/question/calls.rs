//! Selection and grouping of calls.

use super::Selection;
use super::forms::{Several, from, limit, required, to, usual_word};

words! {
    /// Unit with a separate call tree.
    #[derive(Default)]
    CallGrouping {
        /// Everything together.
        #[default]
        All = "all",
        /// Each process.
        Process = "process",
        /// Each thread.
        Thread = "thread",
    }
}

words! {
    /// Time or bytes of a call tree.
    #[derive(Default)]
    CallWeight {
        /// Duration of the calls.
        #[default]
        Calls = "calls",
        /// Device time of commands, by the recorded call stacks of their submissions.
        Device = "device",
        /// Time of waits, by their recorded call stacks. Waits within a wait are part of it.
        Waits = "waits",
        /// Idle time of devices, by the call stack of what the next command waited for. The filter has no part in it.
        Idle = "idle",
        /// Time of host threads by their samples: an estimate. The filter has no part in it.
        Samples = "samples",
        /// Bytes of allocations, by the recorded call stacks that made them.
        Allocated = "allocated",
        /// Bytes that are live at the peak of memory in use, by the same stacks.
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
    /// `from`: only calls with some of their time in the range; from the trace's start if omitted.
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
    /// The slices. Slices that the filter excludes are not in the tree: their content counts for the slice around them.
    pub selection: Selection,
    /// `by`: unit with a separate tree.
    pub by: CallGrouping,
    /// `weight`: time or bytes in the tree. Time of devices has no threads: each process has a tree then.
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
    /// `limit`: maximum nodes above, and below.
    pub limit: u32,
}

parameters! {
    SandwichQuestion {
        name: required("name", "the name of a call"),
        selection: Several,
        limit: limit("limit"),
    }
}
