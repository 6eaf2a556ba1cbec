//! A directed graph of steps with durations, and arcs that may have lags.

use super::Links;
use crate::store::cache::cached;

/// A constraint: `target` starts no earlier than `lag_ns` after `source` has ended, and never before `source` starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// Step that must end first.
    pub source: u32,
    /// Step that must wait.
    pub target: u32,
    /// Time between the two, in nanoseconds; negative if they overlap.
    pub lag_ns: i64,
}

/// Steps with durations, and arcs between them by either end. Arcs from a step to itself, or whose ends don't exist,
/// are left out.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    durations_ns: Vec<u64>,
    lags_ns: Vec<i64>,
    links: Links,
}

cached!(Steps { durations_ns, lags_ns, links });

impl Steps {
    /// Returns a graph of steps with these durations in nanoseconds.
    pub fn new(durations_ns: Vec<u64>, mut arcs: Vec<Arc>) -> Self {
        let count = durations_ns.len();
        let exists = |step: u32| (step as usize) < count;
        arcs.retain(|arc| exists(arc.source) && exists(arc.target) && arc.source != arc.target);
        let lags_ns = arcs.iter().map(|arc| arc.lag_ns).collect();
        let links = Links::new(count, arcs.iter().map(|arc| (arc.source, arc.target)).collect());
        Self { durations_ns, lags_ns, links }
    }

    /// Returns the number of steps.
    pub fn len(&self) -> usize {
        self.durations_ns.len()
    }

    /// True if there are no steps.
    pub fn is_empty(&self) -> bool {
        self.durations_ns.is_empty()
    }

    /// Returns the duration of a step in nanoseconds.
    pub fn duration_ns(&self, step: u32) -> u64 {
        self.durations_ns.get(step as usize).copied().unwrap_or_default()
    }

    /// Returns the incoming arcs of a step.
    pub fn incoming(&self, step: u32) -> impl Iterator<Item = Arc> {
        self.links.incoming(step).iter().map(|link| self.arc(*link as usize))
    }

    /// Returns the outgoing arcs of a step.
    pub fn outgoing(&self, step: u32) -> impl Iterator<Item = Arc> {
        self.links.outgoing(step).iter().map(|link| self.arc(*link as usize))
    }

    /// Returns the time from the start of an arc's source to the earliest start of its target, in nanoseconds.
    pub fn until_ns(&self, arc: Arc) -> u64 {
        self.duration_ns(arc.source).saturating_add_signed(arc.lag_ns)
    }

    /// Returns the arcs without their lags.
    pub fn links(&self) -> &Links {
        &self.links
    }

    fn arc(&self, link: usize) -> Arc {
        let (source, target) = self.links.pairs()[link];
        Arc { source, target, lag_ns: self.lags_ns[link] }
    }
}
