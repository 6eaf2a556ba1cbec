//! `regions`: regions of the program by path.

use super::forms::{LIMIT, from, limit, to};

/// `regions?from=NS&to=NS&limit=100`: regions by path, most time first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RegionsQuestion {
    /// `from`: begin of the range; the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
    /// `limit`: maximum paths in the list.
    pub limit: u32,
}

impl Default for RegionsQuestion {
    fn default() -> Self {
        Self { from_ns: None, to_ns: None, limit: LIMIT }
    }
}

parameters! {
    RegionsQuestion {
        from_ns: from(),
        to_ns: to(),
        limit: limit("limit"),
    }
}
