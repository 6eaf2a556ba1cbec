//! `report`: the summary of a run or a part of it.

use super::forms::{from, to};

/// `report?from=NS&to=NS`: kernels, copies, waits, memory, queues, the critical path and findings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ReportQuestion {
    /// `from`: start of the range; the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
}

parameters! {
    ReportQuestion {
        from_ns: from(),
        to_ns: to(),
    }
}
