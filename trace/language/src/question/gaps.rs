//! `gaps`: idle gaps of a device, queue or thread.

use super::forms::{LIMIT, TIME, from, limit, optional, to, usual};

/// `gaps?track=3&from=NS&to=NS&at=NS&shortest=NS&limit=100`: idle gaps and their causes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GapsQuestion {
    /// `track`: track of a device, queue or thread; all devices if omitted.
    pub track: Option<u32>,
    /// `from`: start of the range; the trace's start if omitted. Gaps are cut at the range.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
    /// `at`: only the gap that contains this time.
    pub at_ns: Option<u64>,
    /// `shortest`: minimum length of a listed gap, in nanoseconds. Sums include shorter gaps.
    pub shortest_ns: u64,
    /// `limit`: maximum gaps in the list, longest first.
    pub limit: u32,
}

parameters! {
    GapsQuestion {
        track: optional("track", "the number of a track"),
        from_ns: from(),
        to_ns: to(),
        at_ns: optional("at", TIME),
        shortest_ns: usual("shortest", "a number of nanoseconds"),
        limit: limit("limit"),
    }
}

impl Default for GapsQuestion {
    fn default() -> Self {
        Self { track: None, from_ns: None, to_ns: None, at_ns: None, shortest_ns: 0, limit: LIMIT }
    }
}
