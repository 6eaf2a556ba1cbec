//! `iterations`: the rounds of a run's main loop.

use super::forms::{LIMIT, limit, optional, usual};

/// `iterations?region=NAME&command=NAME&offset=0&limit=100`: iterations and their times.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IterationsQuestion {
    /// `region`: iterations are the regions of this name; numbers in a name are equal, unless a thread has several of
    /// exactly this name.
    pub region: Option<String>,
    /// `command`: iterations begin where commands of this name start.
    pub command: Option<String>,
    /// `offset`: iterations before the list.
    pub offset: u32,
    /// `limit`: maximum iterations in the list.
    pub limit: u32,
}

parameters! {
    IterationsQuestion {
        region: optional("region", "a name"),
        command: optional("command", "a name"),
        offset: usual("offset", "a number of iterations"),
        limit: limit("limit"),
    }
}

impl Default for IterationsQuestion {
    fn default() -> Self {
        Self { region: None, command: None, offset: 0, limit: LIMIT }
    }
}
