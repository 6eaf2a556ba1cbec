//! Pairs of commands that could have overlapped, but did not, and the causes.
//!
//! For each command, the search finds its last constraint: the command before it on an in-order queue, a dependence
//! through another part of the same buffer, a wait of the host before its submission, or the device. A pair is reported
//! only if the recording shows that the second command did not need to wait for the first: its true dependences had
//! ended before, and the commands touch different memory.

mod hold_ups;
mod ready;
mod regions;
mod sum;

use syclscope_language::api::{SerialReason, Serialised};
use syclscope_language::question::SerialisedQuestion;

use self::hold_ups::HoldUps;
pub(super) use self::hold_ups::Pair;
use self::ready::Ready;
use self::sum::Sum;
use super::findings::run::Run;
use super::findings::touches::Touches;
use crate::graph::commands::Change;
use crate::store::Trace;

/// Default limit of listed groups, and the maximum.
const USUAL_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 10_000;

impl Trace {
    /// Returns the pairs of commands that ran one after the other though the program did not require it, grouped by
    /// source locations: all, or those whose second command started in a range. Walks over every slice and edge a few
    /// times.
    pub fn serialised(&self, question: &SerialisedQuestion) -> Serialised {
        let run = Run::new(self);
        let graph = self.run_graph();
        let ready = Ready::new(self, &run);
        let held = HoldUps::new(&run, &graph.commands, &ready, Touches::new(&run));
        let mut sum = Sum::default();
        let range = question.from_ns.unwrap_or(0)..question.to_ns.unwrap_or(u64::MAX);
        let unknown = held.pairs(range, |pair| sum.add(self, pair));
        let limit = question.limit.unwrap_or(USUAL_LIMIT).min(MAX_LIMIT) as usize;
        Serialised { unknown, ..sum.listed(self, limit) }
    }
}

pub(super) struct FalseDependences {
    /// Pairs separated by a false dependence, in the order of the second's submission.
    pub(super) pairs: Vec<Pair>,
    ready: Ready,
}

impl FalseDependences {
    /// Returns the change after which the given commands wait only for commands on the same parts of buffers.
    pub(super) fn removed(&self, nodes: impl Iterator<Item = u32>) -> Change {
        let mut change = Change::default();
        for node in nodes {
            change.relaxed.extend(self.ready.false_sources(node).map(|(source, _)| (source, node)));
            change.instead.extend(self.ready.on_same_parts(node).map(|source| (source, node)));
        }
        change.relaxed.sort_unstable();
        change
    }
}

/// Returns the false dependences of a run. Walks over every slice; returns early if no buffer has parts.
pub(super) fn false_dependences(run: &Run<'_>) -> FalseDependences {
    let ready = Ready::new(run.trace, run);
    let mut pairs = Vec::new();
    if ready.has_false_sources() {
        let graph = run.trace.run_graph();
        let held = HoldUps::new(run, &graph.commands, &ready, Touches::new(run));
        held.pairs(0..u64::MAX, |pair| {
            if pair.reason == SerialReason::FalseDependence {
                pairs.push(*pair);
            }
        });
    }
    FalseDependences { pairs, ready }
}
