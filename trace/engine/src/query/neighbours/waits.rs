//! Links of the critical path's graph around one step.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use syclscope_language::api::{CriticalStep, WaitLink, WaitReason, Waits};
use syclscope_language::event::{EdgeReason, QueueOrder};
use syclscope_language::question::{WaitDirection, WaitQuestion, WaitStart};

use crate::graph::commands::{Commands, Step};
use crate::graph::{RunGraph, Schedule};
use crate::id::some;
use crate::query::QueryError;
use crate::query::detail::node_of;
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

pub(super) fn waits(trace: &Trace, question: &WaitQuestion) -> Result<Waits, QueryError> {
    let start = match question.start {
        WaitStart::Slice(slice) => {
            trace.existing(slice)?;
            Ok(slice)
        }
        WaitStart::Node(number) => {
            let row = trace.nodes.number.iter().position(|known| known == number);
            Err(row.ok_or(QueryError::NoNode(number))? as u32)
        }
    };
    let run_graph = trace.run_graph();
    let RunGraph { commands, schedule, .. } = &*run_graph;
    let step = match start {
        Ok(slice) => commands.wait(trace, slice).or_else(|| node_of(trace, slice as usize)),
        Err(node) => Some(node),
    };
    let Some(step) = step else { return Ok(Waits::default()) };
    let graph = Graph { trace, commands, schedule };
    let (links, more) = match question.direction {
        WaitDirection::Chain => graph.chain(step, question.limit as usize),
        WaitDirection::For => graph.walk(step, true, question.hops, question.limit as usize),
        WaitDirection::By => graph.walk(step, false, question.hops, question.limit as usize),
    };
    Ok(Waits { step: Some(graph.step(step)), links, more })
}

struct Graph<'t> {
    trace: &'t Trace,
    commands: &'t Commands,
    schedule: &'t Schedule,
}

impl Graph<'_> {
    /// Walks back from a step, always to the step that determined the start of the later one.
    fn chain(&self, step: u32, limit: usize) -> (Vec<WaitLink>, u64) {
        let mut links = Vec::new();
        let mut more = 0;
        let (mut target, mut hop) = (step, 0_u32);
        while let Some(source) = self.schedule.decided_by(target) {
            hop += 1;
            if links.len() < limit {
                let lag_ns = self.lag_ns(source, target);
                let of = hop.checked_sub(2);
                links.push(self.link(source, (source, target), hop, of, lag_ns));
            } else {
                more += 1;
            }
            target = source;
        }
        (links, more)
    }

    /// Returns all steps that a step waited for, or that waited for it, within `hops` (0: any number), each once.
    fn walk(&self, step: u32, upstream: bool, hops: u32, limit: usize) -> (Vec<WaitLink>, u64) {
        let mut links = Vec::new();
        let mut more = 0;
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        seen.insert(step);
        let mut next = VecDeque::from([(step, 0_u32, None)]);
        while let Some((step, hop, of)) = next.pop_front() {
            if hops > 0 && hop == hops {
                continue;
            }
            for (other, lag_ns) in self.neighbours(step, upstream) {
                if !seen.insert(other) {
                    continue;
                }
                let ends = if upstream { (other, step) } else { (step, other) };
                let place = if links.len() < limit {
                    links.push(self.link(other, ends, hop + 1, of, lag_ns));
                    Some(links.len() as u32 - 1)
                } else {
                    more += 1;
                    None
                };
                next.push_back((other, hop + 1, place));
            }
        }
        (links, more)
    }

    /// Returns the distinct steps at the other ends of a step's arcs, with their lags.
    fn neighbours(&self, step: u32, upstream: bool) -> Vec<(u32, u64)> {
        let steps = &self.commands.steps;
        let mut found: Vec<(u32, i64)> = if upstream {
            steps.incoming(step).map(|arc| (arc.source, arc.lag_ns)).collect()
        } else {
            steps.outgoing(step).map(|arc| (arc.target, arc.lag_ns)).collect()
        };
        // Of several lags between two steps, the longest counts.
        found.arrange_by_key(|(other, lag_ns)| (*other, std::cmp::Reverse(*lag_ns)));
        found.dedup_by_key(|(other, _)| *other);
        let mut found: Vec<(u32, u64)> =
            found.into_iter().map(|(other, lag_ns)| (other, unsigned(lag_ns))).collect();
        found.arrange_by_key(|(other, _)| {
            let ends = if upstream { (*other, step) } else { (step, *other) };
            let begin = self.schedule.earliest_ns(*other);
            let time = if upstream { !begin.saturating_add(steps.duration_ns(*other)) } else { begin };
            (!self.decided(ends), time, *other)
        });
        found
    }

    fn decided(&self, (source, target): (u32, u32)) -> bool {
        self.schedule.decided_by(target) == Some(source)
    }

    fn lag_ns(&self, source: u32, target: u32) -> u64 {
        let arcs = self.commands.steps.incoming(target).filter(|arc| arc.source == source);
        unsigned(arcs.map(|arc| arc.lag_ns).max().unwrap_or_default())
    }

    fn link(
        &self,
        other: u32,
        (source, target): (u32, u32),
        hop: u32,
        of: Option<u32>,
        lag_ns: u64,
    ) -> WaitLink {
        let mut link = WaitLink {
            step: self.step(other),
            hop,
            of,
            reason: WaitReason::Host,
            edge: None,
            object: None,
            lag_ns,
            decided: self.decided((source, target)),
        };
        match (self.commands.step(source), self.commands.step(target)) {
            (Step::Node(source), Step::Node(target)) => {
                let between = self.trace.edges.incoming(target).filter(|edge| edge.source == source);
                let told = between.min_by_key(|edge| edge.reason == EdgeReason::InOrder);
                link.reason = match told {
                    Some(_) => WaitReason::Edge,
                    None if self.are_in_order(source, target) => WaitReason::QueueOrder,
                    None => WaitReason::DeviceOrder,
                };
                link.edge = told.map(|edge| edge.reason);
                let object = told.and_then(|edge| self.trace.objects.rows.get(some(edge.object)?));
                link.object = object.map(|object| object.number);
            }
            (Step::Node(_), Step::Wait(_)) => link.reason = WaitReason::HostWait,
            _ => {}
        }
        link
    }

    /// True if two commands are on one queue that is not out-of-order.
    fn are_in_order(&self, source: u32, target: u32) -> bool {
        let queue = |node: u32| some(self.trace.nodes.queue.at(node as usize));
        queue(source).filter(|queue_of_source| Some(*queue_of_source) == queue(target)).is_some_and(|queue| {
            self.trace.queues.get(queue).is_some_and(|queue| queue.order != QueueOrder::OutOfOrder)
        })
    }

    fn step(&self, step: u32) -> CriticalStep {
        self.trace.critical_step(self.commands.step(step), self.commands.steps.duration_ns(step))
    }
}

/// Returns the time between two steps; 0 if they overlap.
fn unsigned(lag_ns: i64) -> u64 {
    lag_ns.try_into().unwrap_or_default()
}
