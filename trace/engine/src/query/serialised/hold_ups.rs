//! The last constraint of each command.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::api::SerialReason;
use syclscope_language::event::QueueOrder;

use super::ready::Ready;
use crate::graph::commands::{Commands, Step};
use crate::id::{StringId, some};
use crate::query::findings::run::{Command, Execution, Run};
use crate::query::findings::touches::{Memory, Touched, Touches, share};
use crate::store::table::Table as _;

#[derive(Clone, Copy, Debug)]
pub(in crate::query) struct Pair {
    pub(in crate::query) reason: SerialReason,
    pub(in crate::query) first: Command,
    pub(in crate::query) second: Command,
    pub(in crate::query) overlap_ns: u64,
    /// Row of the buffer or image used by both.
    pub(in crate::query) object: Option<u32>,
    /// Slice of the wait between them.
    pub(in crate::query) wait: Option<u32>,
}

/// A command that may have delayed another, and the time from which the other could have run.
struct Candidate {
    reason: SerialReason,
    /// Index among the run's commands.
    first: usize,
    free_at: u64,
    object: Option<u32>,
    wait: Option<u32>,
}

/// Results of [`HoldUps::last_waited_for`] by step of a wait. A wait may be for thousands of commands, and be followed
/// by thousands.
type Waited = FxHashMap<u32, Option<usize>>;

pub(super) struct HoldUps<'r> {
    run: &'r Run<'r>,
    graph: &'r Commands,
    ready: &'r Ready,
    touched: Vec<Touched>,
    /// By node: its index among the run's commands.
    place: FxHashMap<u32, usize>,
    /// By process and device: executions by end, with the command's index.
    ended: FxHashMap<(u32, StringId), Vec<(u64, usize)>>,
    /// By command: the previous one on its in-order queue.
    before: Vec<Option<usize>>,
    /// By command: true if the one before it on its in-order queue has no time, and may have run until it began.
    is_behind_untimed: Vec<bool>,
}

impl<'r> HoldUps<'r> {
    pub(super) fn new(run: &'r Run<'r>, graph: &'r Commands, ready: &'r Ready, mut touches: Touches) -> Self {
        let touched = run.whole().iter().map(|command| touches.get(run, command)).collect();
        let place = run.whole().iter().enumerate().map(|(place, command)| (command.node, place)).collect();
        let mut held = Self {
            run,
            graph,
            ready,
            touched,
            place,
            ended: FxHashMap::default(),
            before: vec![None; run.whole().len()],
            is_behind_untimed: vec![false; run.whole().len()],
        };
        let mut last: FxHashMap<u32, usize> = FxHashMap::default();
        let mut untimed: FxHashSet<u32> = FxHashSet::default();
        for (place, command) in run.whole().iter().enumerate() {
            let Some(execution) = command.execution else {
                // A command of a graph runs with the graph.
                let is_own = run.trace.command_graphs.memberships(command.node).is_empty();
                if is_own && command.kind.is_device_work() && held.is_in_order(command) {
                    untimed.insert(command.queue);
                }
                continue;
            };
            held.is_behind_untimed[place] = untimed.remove(&command.queue);
            if let Some(device) = held.device(command) {
                held.ended.entry(device).or_default().push((execution.end, place));
            }
            if held.is_in_order(command) {
                held.before[place] = last.insert(command.queue, place);
            }
        }
        held.ended.values_mut().for_each(|executions| executions.sort_unstable());
        held
    }

    /// Calls `tell` with each pair whose second command started in a range, by its submission. Returns the number of
    /// pairs left out for unknown memory accesses, which may have had to wait for one another.
    pub(super) fn pairs(&self, range: Range<u64>, mut tell: impl FnMut(&Pair)) -> u64 {
        let mut unknown = 0;
        let mut waited = Waited::default();
        for (place, second) in self.run.whole().iter().enumerate() {
            let Some(execution) = second.execution.filter(|ran| range.contains(&ran.start)) else { continue };
            if self.is_behind_untimed[place] {
                continue;
            }
            let ready = self.ready.at(second.node);
            let candidates = [
                self.false_dependence(place),
                self.in_order(place),
                self.host_wait(second, &mut waited),
                self.same_engine(place, execution),
            ];
            // The candidate that ended last delayed the command; of equal ones the first is the most specific.
            let mut best: Option<(u64, Pair)> = None;
            let mut uncertain = None;
            for candidate in candidates.into_iter().flatten() {
                let first = self.run.whole()[candidate.first];
                let Some(before) = first.execution else { continue };
                let free_at = candidate.free_at.max(ready);
                let overlap_ns = overlap(before, execution, free_at);
                if before.end <= ready || overlap_ns == 0 {
                    continue;
                }
                let may_share =
                    matches!(candidate.reason, SerialReason::InOrderQueue | SerialReason::HostWait);
                if may_share {
                    match self.are_apart(candidate.first, place) {
                        Some(true) => {}
                        Some(false) => continue,
                        // Queue and host may both order the same two commands.
                        None => {
                            unknown += u64::from(uncertain.replace(candidate.first) != Some(candidate.first));
                            continue;
                        }
                    }
                }
                if best.as_ref().is_none_or(|(end, _)| before.end > *end) {
                    let Candidate { reason, object, wait, .. } = candidate;
                    best =
                        Some((before.end, Pair { reason, first, second: *second, overlap_ns, object, wait }));
                }
            }
            if let Some((_, pair)) = &best {
                tell(pair);
            }
        }
        unknown
    }

    /// True if two commands touch different memory; `None` if it is unknown.
    fn are_apart(&self, first: usize, second: usize) -> Option<bool> {
        let touched = |place: usize| -> Option<&[(Memory, bool)]> { self.touched[place].as_deref() };
        Some(!share(touched(first)?, touched(second)?))
    }

    fn false_dependence(&self, place: usize) -> Option<Candidate> {
        let second = &self.run.whole()[place];
        let sources = self.ready.false_sources(second.node);
        let known = sources.filter_map(|(node, object)| {
            let first = *self.place.get(&node)?;
            Some((self.run.whole()[first].execution?.end, first, object))
        });
        let (_, first, object) = known.max()?;
        // On an in-order queue, the second command had to wait for the first anyway.
        if self.before[place] == Some(first) {
            return None;
        }
        Some(Candidate {
            reason: SerialReason::FalseDependence,
            first,
            free_at: second.submitted,
            object: Some(object),
            wait: None,
        })
    }

    fn in_order(&self, place: usize) -> Option<Candidate> {
        Some(Candidate {
            reason: SerialReason::InOrderQueue,
            first: self.before[place]?,
            free_at: self.run.whole()[place].submitted,
            object: None,
            wait: None,
        })
    }

    /// Returns the wait right before the submission, and the last command that it waited for. Without the wait, the
    /// submission could have started at the wait's start.
    fn host_wait(&self, second: &Command, waited: &mut Waited) -> Option<Candidate> {
        let trace = self.run.trace;
        let steps = &self.graph.steps;
        let mut waits = steps.incoming(second.node).filter_map(|arc| match self.graph.step(arc.source) {
            Step::Wait(slice) => Some((arc.source, slice)),
            Step::Node(_) | Step::Thread(_) | Step::Join(_) => None,
        });
        let (step, slice) = waits.next()?;
        let first = (*waited.entry(step).or_insert_with(|| self.last_waited_for(step)))?;
        let block = trace.blocking().of_slice(slice)?;
        let submitted = block.begin.saturating_add(second.submitted.checked_sub(block.end)?);
        Some(Candidate {
            reason: SerialReason::HostWait,
            first,
            free_at: submitted,
            object: None,
            wait: Some(slice),
        })
    }

    /// Returns the awaited command that ended last.
    fn last_waited_for(&self, wait: u32) -> Option<usize> {
        let commands = self.graph.steps.incoming(wait).filter_map(|arc| match self.graph.step(arc.source) {
            Step::Node(node) => {
                let first = *self.place.get(&node)?;
                Some((self.run.whole()[first].execution?.end, first))
            }
            Step::Wait(_) | Step::Thread(_) | Step::Join(_) => None,
        });
        commands.max().map(|(_, first)| first)
    }

    /// Returns the last command of the same device that ended while this one could have run.
    fn same_engine(&self, place: usize, execution: Execution) -> Option<Candidate> {
        let second = &self.run.whole()[place];
        let ended = self.ended.get(&self.device(second)?)?;
        let before = ended.partition_point(|(end, _)| *end <= execution.start);
        let first = ended[..before].iter().rev().map(|(_, first)| *first).find(|first| *first != place)?;
        // On its own in-order queue, a command has to wait for the previous one.
        let queued = self.before[place].and_then(|before| self.run.whole()[before].execution);
        Some(Candidate {
            reason: SerialReason::SameEngine,
            first,
            free_at: second.submitted.max(queued.map_or(0, |execution| execution.end)),
            object: None,
            wait: None,
        })
    }

    fn device(&self, command: &Command) -> Option<(u32, StringId)> {
        let queue = self.run.trace.queues.get(some(command.queue)?)?;
        Some((command.process, queue.title))
    }

    fn is_in_order(&self, command: &Command) -> bool {
        let queue = some(command.queue).and_then(|queue| self.run.trace.queues.get(queue));
        queue.is_some_and(|queue| queue.order == QueueOrder::InOrder)
    }
}

/// Returns the time that the second could have overlapped the first, had it started when it was free.
fn overlap(first: Execution, second: Execution, free_at: u64) -> u64 {
    let together = first.end.min(second.start).saturating_sub(free_at.max(first.start));
    together.min(second.duration())
}
