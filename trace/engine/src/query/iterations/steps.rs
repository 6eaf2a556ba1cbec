//! The critical path in iterations, by step.

use std::ops::Range;
use std::sync::Arc;

use syclscope_language::api::IterationStep;

use crate::cancel;
use crate::graph::RunGraph;
use crate::graph::path::PieceKind;
use crate::query::graph::PieceSteps;
use crate::query::step_sums::StepSums;
use crate::store::Trace;

pub(in crate::query) struct Steps<'t> {
    words: PieceSteps<'t>,
    graph: Arc<RunGraph>,
    /// The first piece that may overlap the next range.
    next: usize,
    all: StepSums,
    slow: StepSums,
}

impl<'t> Steps<'t> {
    pub(in crate::query) fn new(trace: &'t Trace) -> Self {
        let (words, graph) = (PieceSteps::new(trace), trace.run_graph());
        // Regions of a framework without a command, a call or a wait form no path.
        let has_path =
            graph.path.pieces.iter().any(|piece| !matches!(piece.kind, PieceKind::Start | PieceKind::End));
        let next = if has_path { 0 } else { graph.path.pieces.len() };
        Self { words, graph, next, all: StepSums::default(), slow: StepSums::default() }
    }

    /// Adds the steps of a range, which starts after the earlier ones. Slow iterations are also summed up separately.
    pub(in crate::query) fn add(&mut self, range: Range<u64>, is_slow: bool) {
        let pieces = &self.graph.path.pieces;
        while pieces.get(self.next).is_some_and(|piece| piece.to <= range.start) {
            self.next += 1;
        }
        let mut steps = Vec::new();
        for number in self.next..pieces.len() {
            cancel::spend(1);
            let Some(piece) = pieces[number].within(&range) else { break };
            self.words.add(&piece, pieces.get(number + 1), &mut steps);
        }
        if is_slow {
            steps.iter().for_each(|step| self.slow.add(step.clone()));
        }
        steps.into_iter().for_each(|step| self.all.add(step));
    }

    /// Returns the steps, most time first.
    pub(in crate::query) fn into_list(self) -> Vec<IterationStep> {
        let step = |sum| IterationStep {
            slowest_ns: self.slow.total_ns(&sum),
            kind: sum.kind,
            name: sum.name,
            location: sum.location,
            total_ns: sum.total_ns,
        };
        self.all.into_list().into_iter().map(step).collect()
    }
}
