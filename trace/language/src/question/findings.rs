//! `findings`: problems found in a run or a part of it.

use super::forms::{from, optional, to};

/// `findings?from=NS&to=NS&limit=N`: findings, in descending order of importance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FindingsQuestion {
    /// `from`: start of the range; the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
    /// `limit`: maximum findings in the list; all if omitted.
    pub limit: Option<u32>,
}

parameters! {
    FindingsQuestion {
        from_ns: from(),
        to_ns: to(),
        limit: optional("limit", "a number of findings"),
    }
}
