//! Gains of findings: the shortening of the replayed run without their cause.

use std::cmp::Reverse;
use std::hash::{Hash as _, Hasher as _};

use rustc_hash::{FxHashMap, FxHasher};
use syclscope_language::api::{Finding, FindingIterations, Gain};

use super::run::{Draft, Run};
use crate::graph::RunGraph;
use crate::graph::commands::Change;
use crate::id::LocationId;
use crate::query::iterations::SteadyIterations;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of replayed findings of the whole run, and of its steady iterations. The replayed ones have the
/// longest affected times.
const MAX_REPLAYS: usize = 20;
/// Maximum number of steps of the replays of the whole run, and of those of its steady iterations. At least one finding
/// is replayed.
const MAX_STEPS: usize = 4 << 20;

/// Identity of a finding: kind, process, source location and filter.
type Key = (&'static str, u32, LocationId, String);

fn key(draft: &Draft) -> Key {
    let Draft { kind, process, location, filter, .. } = draft;
    match *kind {
        // A process has one such finding, with the location of an example.
        "build_inside_run" => (kind, *process, LocationId(0), String::new()),
        // In a part of the run, most of the same waits may be for one kernel.
        "wait_between_kernels" => ("wait_after_kernel", *process, *location, filter.clone()),
        _ => (kind, *process, *location, filter.clone()),
    }
}

/// Returns a hash of a finding's evidence.
fn evidence(draft: &Draft) -> u64 {
    let mut hasher = FxHasher::default();
    (draft.count, draft.touches_ns, &draft.slices, &draft.nodes).hash(&mut hasher);
    hasher.finish()
}

struct Replays<'r, 't> {
    run: &'r Run<'t>,
    graph: &'r RunGraph,
    left: usize,
    most: usize,
}

impl Replays<'_, '_> {
    fn gain_ns(&self, change: &Change) -> u64 {
        self.graph.replay_ns().saturating_sub(self.graph.changed_ns(self.run.trace, change))
    }

    fn replay(&mut self, change: &Result<Change, &'static str>) -> Result<u64, String> {
        let change = match change {
            Ok(change) if !self.graph.is_refused() => change,
            Ok(_) => {
                let (recorded_ns, replay_ns) = (self.graph.recorded_ns, self.graph.replay_ns());
                let thousandths = recorded_ns.abs_diff(replay_ns) * 1_000 / recorded_ns.max(1);
                let (percent, tenths) = (thousandths / 10, thousandths % 10);
                return Err(format!(
                    "The recording can't be simulated well enough: the replay is {percent}.{tenths} % off."
                ));
            }
            Err(reason) => return Err((*reason).to_owned()),
        };
        if self.left == 0 {
            return Err(format!("Only the {} findings that touch most are replayed.", self.most));
        }
        self.left -= 1;
        Ok(self.gain_ns(change))
    }
}

/// Returns the findings of the run and of its steady iterations with their gains, and the gain (ns) of removing all.
pub(super) fn replayed(
    run: &Run<'_>,
    drafts: Vec<Draft>,
    steady: Option<(SteadyIterations, Vec<Draft>)>,
) -> (Vec<Finding>, u64) {
    let (steady, in_steady) = steady.map_or((None, Vec::new()), |(steady, drafts)| (Some(steady), drafts));
    if drafts.is_empty() && in_steady.is_empty() {
        return (Vec::new(), 0);
    }
    let graph = run.trace.run_graph();
    let most = (MAX_STEPS / graph.commands.steps.len().max(1)).clamp(1, MAX_REPLAYS);
    let mut replays = Replays { run, graph: &graph, left: most, most };
    let (mut all, mut count, mut most_ns) = (Change::default(), 0, 0);
    let mut add = |draft: Draft, gain: Result<u64, String>| {
        if let (Ok(change), Ok(ns)) = (&draft.change, &gain) {
            all.add(change);
            count += 1;
            most_ns = (*ns).max(most_ns);
        }
        let gain = gain.map(|ns| Gain { ns, bytes: draft.bytes, how: draft.how.to_owned() });
        run.finding(draft, gain)
    };
    let mut findings: Vec<Finding> = Vec::new();
    let mut places: FxHashMap<Key, Option<(usize, u64)>> = FxHashMap::default();
    for draft in by_touched(drafts) {
        // Findings that can't be distinguished have no counterpart in iterations.
        let place = (findings.len(), evidence(&draft));
        places.entry(key(&draft)).and_modify(|known| *known = None).or_insert(Some(place));
        let gain = replays.replay(&draft.change);
        findings.push(add(draft, gain));
    }
    replays.left = most;
    let steady = steady.unwrap_or_default();
    for draft in by_touched(in_steady) {
        let whole = match places.get(&key(&draft)) {
            Some(None) => continue,
            whole => whole.copied().flatten(),
        };
        let gain = match whole {
            // The finding lies completely inside these iterations.
            Some((place, whole)) if whole == evidence(&draft) => {
                findings[place].gain.as_ref().map(|gain| gain.ns).ok_or_else(String::new)
            }
            _ => replays.replay(&draft.change),
        };
        let part = FindingIterations {
            iterations: steady.count(),
            mean_ns: steady.mean_ns(),
            count: draft.count,
            touches_ns: draft.touches_ns,
            gain_ns: gain.as_ref().ok().copied(),
        };
        let place = whole.map_or(findings.len(), |(place, _)| place);
        if whole.is_none() {
            findings.push(add(draft, gain));
        }
        findings[place].iterations = Some(part);
    }
    let together_ns = if count > 1 { replays.gain_ns(&all).max(most_ns) } else { most_ns };
    (findings, together_ns)
}

fn by_touched(mut drafts: Vec<Draft>) -> impl Iterator<Item = Draft> {
    drafts.arrange_by_cached_key(|draft| (Reverse(draft.touches_ns), key(draft)));
    drafts.into_iter()
}
