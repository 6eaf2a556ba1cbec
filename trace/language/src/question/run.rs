//! Queries about a run, or a range of it.

use super::forms::{LIMIT, TIME, from, limit, optional, to, usual};

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

/// `regions?from=NS&to=NS&limit=100`: regions by path, most time first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RegionsQuestion {
    /// `from`: start of the range; the trace's start if omitted.
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
