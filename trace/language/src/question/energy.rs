//! `energy`: energy used by devices, by command.

use super::forms::{LIMIT, from, limit, to};

/// `energy?from=NS&to=NS&limit=100`: energy by command, in descending order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EnergyQuestion {
    /// `from`: start of the range; the trace's start if omitted.
    pub from_ns: Option<u64>,
    /// `to`: end of the range; the trace's end if omitted.
    pub to_ns: Option<u64>,
    /// `limit`: maximum number of commands listed for each counter.
    pub limit: u32,
}

impl Default for EnergyQuestion {
    fn default() -> Self {
        Self { from_ns: None, to_ns: None, limit: LIMIT }
    }
}

parameters! {
    EnergyQuestion {
        from_ns: from(),
        to_ns: to(),
        limit: limit("limit"),
    }
}
