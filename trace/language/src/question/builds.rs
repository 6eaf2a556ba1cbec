//! `builds`: builds of device code.

use super::forms::{LIMIT, from, limit, to};

/// `builds?from=NS&to=NS&limit=100`: builds of device code, sorted by start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BuildsQuestion {
    /// `from`: only builds with some time in the range; from the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
    /// `limit`: maximum builds in the list.
    pub limit: u32,
}

parameters! {
    BuildsQuestion {
        from_ns: from(),
        to_ns: to(),
        limit: limit("limit"),
    }
}

impl Default for BuildsQuestion {
    fn default() -> Self {
        Self { from_ns: None, to_ns: None, limit: LIMIT }
    }
}
