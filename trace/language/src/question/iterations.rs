//! `iterations`: the rounds of a run's main loop.

use super::forms::{LIMIT, from, limit, optional, to, usual};

/// `iterations?region=NAME&command=NAME&from=NS&to=NS&offset=0&limit=100`: iterations and their times.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IterationsQuestion {
    /// `region`: iterations are the regions of this name; numbers in a name are equal, unless a thread has several of
    /// exactly this name.
    pub region: Option<String>,
    /// `command`: iterations begin where commands of this name start.
    pub command: Option<String>,
    /// `from`: begin of a range, of which only the iterations that lie in it as a whole count.
    pub from_ns: Option<u64>,
    /// `to`: end of the range.
    pub to_ns: Option<u64>,
    /// `offset`: iterations before the list.
    pub offset: u32,
    /// `limit`: maximum iterations in the list.
    pub limit: u32,
}

parameters! {
    IterationsQuestion {
        region: optional("region", "a name"),
        command: optional("command", "a name"),
        from_ns: from(),
        to_ns: to(),
        offset: usual("offset", "a number of iterations"),
        limit: limit("limit"),
    }
}

impl Default for IterationsQuestion {
    fn default() -> Self {
        Self { region: None, command: None, from_ns: None, to_ns: None, offset: 0, limit: LIMIT }
    }
}
