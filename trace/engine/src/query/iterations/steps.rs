//! The critical path in iterations, by step.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use syclscope_language::api::{IterationStep, LocationInfo, StepKind};

use crate::cancel;
use crate::graph::AsItRan;
use crate::query::graph::PieceSteps;
use crate::store::Trace;

type Key = (StepKind, String, Option<(String, u32)>);

/// Sums of steps of the critical path.
pub(super) struct Steps<'t> {
    words: PieceSteps<'t>,
    ran: Arc<AsItRan>,
    /// The first piece that does not end before the ranges so far.
    next: usize,
    sums: FxHashMap<Key, IterationStep>,
}

impl<'t> Steps<'t> {
    pub(super) fn new(trace: &'t Trace) -> Self {
        Self { words: PieceSteps::new(trace), ran: trace.as_it_ran(), next: 0, sums: FxHashMap::default() }
    }

    /// Adds the steps of a range, which begins behind those before.
    pub(super) fn add(&mut self, range: Range<u64>, is_slowest: bool) {
        let pieces = &self.ran.path.pieces;
        while pieces.get(self.next).is_some_and(|piece| piece.to <= range.start) {
            self.next += 1;
        }
        let mut steps = Vec::new();
        for number in self.next..pieces.len() {
            cancel::spend(1);
            let Some(piece) = pieces[number].within(&range) else { break };
            self.words.add(&piece, pieces.get(number + 1), &mut steps);
        }
        for step in steps {
            let place = |place: &LocationInfo| (place.file.clone(), place.line);
            let key = (step.kind, step.name, step.location.as_ref().map(place));
            let sum = self.sums.entry(key).or_insert_with_key(|(kind, name, _)| IterationStep {
                kind: *kind,
                name: name.clone(),
                location: step.location.clone(),
                total_ns: 0,
                slowest_ns: 0,
            });
            sum.total_ns += step.duration_ns;
            sum.slowest_ns += if is_slowest { step.duration_ns } else { 0 };
        }
    }

    /// Steps, most time first.
    pub(super) fn into_list(self) -> Vec<IterationStep> {
        let mut list: Vec<_> = self.sums.into_iter().collect();
        list.sort_by(|(one_key, one), (other_key, other)| {
            Reverse(one.total_ns).cmp(&Reverse(other.total_ns)).then_with(|| one_key.cmp(other_key))
        });
        list.into_iter().map(|(_, step)| step).collect()
    }
}
