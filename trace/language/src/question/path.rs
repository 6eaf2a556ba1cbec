//! `critical_path`: the chain that determined the duration of a run or a part of it.

use super::forms::{from, optional, to};

/// `critical_path?from=NS&to=NS&limit=N`: steps of the critical path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PathQuestion {
    /// `from`: start of the range; the trace's start if omitted. Steps are cut at the range.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
    /// `limit`: maximum steps in the list, longest first; 20,000 if omitted.
    pub limit: Option<u32>,
}

parameters! {
    PathQuestion {
        from_ns: from(),
        to_ns: to(),
        limit: optional("limit", "a number of steps"),
    }
}
