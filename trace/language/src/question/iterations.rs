//! `iterations`: iterations of a run's main loop.

use super::forms::{LIMIT, from, limit, optional, to, usual};

/// `iterations?region=NAME&command=NAME&from=NS&to=NS&offset=0&limit=100`: iterations and their times.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IterationsQuestion {
    /// `region`: the regions with this name are the iterations. Names that differ only in numbers are equal, unless a
    /// thread has several regions with exactly this name.
    pub region: Option<String>,
    /// `command`: each start of a command with this name starts an iteration.
    pub command: Option<String>,
    /// `from`: start of a range; only iterations that lie completely in it are included.
    pub from_ns: Option<u64>,
    /// `to`: end of the range.
    pub to_ns: Option<u64>,
    /// `offset`: number of skipped iterations.
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
