//! The life of a command: its phases, compared with those of other commands with the same name.

mod waits;

use syclscope_language::api::{Life, Phase, PhaseKind};

use self::waits::Waits;
use super::detail::{node_of, slice_ref};
use super::percentile::percentile;
use crate::id::some;
use crate::query::QueryError;
use crate::store::Trace;
use crate::store::graph::NodeRow;
use crate::store::table::Table as _;

/// Maximum number of commands in a median.
const MAX_SAMPLES: usize = 2_000;

impl Trace {
    /// Returns the life of a slice's command. Walks over the columns of kinds and names.
    ///
    /// # Errors
    /// Returns an error if the slice does not exist or belongs to no command.
    pub fn life(&self, slice: u32) -> Result<Life, QueryError> {
        if slice as usize >= self.slices.len() {
            return Err(QueryError::NoSlice(slice));
        }
        let row = node_of(self, slice as usize).ok_or(QueryError::NoCommand(slice))?;
        let node = self.nodes.get(row).ok_or(QueryError::NoCommand(slice))?;
        let waits = Waits::new(self);
        let same: Vec<u32> = (0..self.nodes.len() as u32)
            .filter(|other| {
                let other = *other as usize;
                self.nodes.name.at(other) == node.name && self.nodes.kind.at(other) == node.kind
            })
            .collect();
        let stride = same.len().div_ceil(MAX_SAMPLES).max(1);
        let samples: Vec<Vec<(PhaseKind, u64, u64)>> =
            same.iter().step_by(stride).map(|row| self.phases(*row, &waits)).collect();
        let phases = self.phases(row, &waits).into_iter().map(|(kind, from_ns, to_ns)| Phase {
            kind,
            from_ns,
            to_ns,
            median_ns: median(kind, &samples),
        });
        Ok(Life {
            node: node.number,
            name: self.strings.get(node.name).to_owned(),
            phases: phases.collect(),
            wait: waits.find(self, row).map(|wait| slice_ref(self, wait.slice)),
            samples: samples.len() as u32,
            same: same.len() as u64,
        })
    }

    /// Returns the known phases of a node's life, in order.
    fn phases(&self, row: u32, waits: &Waits) -> Vec<(PhaseKind, u64, u64)> {
        let Some(node) = self.nodes.get(row) else { return Vec::new() };
        let mut phases = Vec::new();
        let submission = some(node.submission).map(|slice| slice as usize);
        let mut until = submission.map_or(node.created, |slice| self.slices.start.at(slice));
        let mut phase = |kind, end: Option<u64>| {
            if let Some(end) = end {
                // A device that was faster than the host's call leaves no time between.
                let end = end.max(until);
                phases.push((kind, until, end));
                until = end;
            }
        };
        let execution = some(node.execution);
        let started = execution.map(|slice| self.slices.start.at(slice as usize));
        let submitted_end = submission.map(|slice| self.slices.end(slice));
        // Only the part of the submission before the start delays it.
        let before_start = |end: u64| started.map_or(end, |started| end.min(started));
        phase(PhaseKind::Submission, submitted_end.map(before_start));
        phase(PhaseKind::Dependences, self.last_dependence_end(row).map(before_start));
        let handed = execution.and_then(|slice| self.executions.get(slice)?.submitted);
        phase(PhaseKind::HandOver, handed.map(before_start));
        phase(PhaseKind::Start, started);
        phase(PhaseKind::Execution, execution.map(|slice| self.slices.end(slice as usize)));
        if execution.is_some() {
            phase(PhaseKind::Return, waits.find(self, row).map(|wait| wait.end));
        }
        phases
    }

    fn last_dependence_end(&self, row: u32) -> Option<u64> {
        let end = |node: NodeRow| some(node.execution).map(|slice| self.slices.end(slice as usize));
        self.edges.incoming(row).filter_map(|edge| end(self.nodes.get(edge.source)?)).max()
    }
}

fn median(kind: PhaseKind, samples: &[Vec<(PhaseKind, u64, u64)>]) -> Option<u64> {
    let of_kind = |phases: &Vec<(PhaseKind, u64, u64)>| {
        phases.iter().find(|(known, ..)| *known == kind).map(|(_, from, to)| to - from)
    };
    let mut durations: Vec<u64> = samples.iter().filter_map(of_kind).collect();
    durations.sort_unstable();
    (!durations.is_empty()).then(|| percentile(&durations, 50))
}
