//! Idle time of devices by its recorded cause, for trees by call stack.

use std::ops::Range;

use syclscope_language::api::{CriticalStep, GapClass, StepKind};

use super::{Explain, Parts, stretches};
use crate::graph::path::{Piece, PieceKind};
use crate::query::QueryError;
use crate::store::Trace;

/// A part of an idle stretch.
pub(in crate::query) struct Idle {
    /// Track of the device.
    pub(in crate::query) device: u32,
    pub(in crate::query) ns: u64,
    pub(in crate::query) cause: IdleCause,
}

pub(in crate::query) enum IdleCause {
    /// Activity of a thread in a range of time.
    Thread(u32, Range<u64>),
    /// A wait or a call, by slice.
    Slice(u32),
    /// The launch of a command, or a host task before it, by node.
    Command(u32, GapClass),
    Other(GapClass),
}

impl Trace {
    /// Returns the idle time of all devices in a range, in parts. Their sums by class are those of [`Trace::gaps`].
    pub(in crate::query) fn idle_by_cause(&self, range: &Range<u64>) -> Result<Vec<Idle>, QueryError> {
        let graph = self.run_graph();
        let mut explain = Explain::new(self, &graph);
        let mut found = Vec::new();
        for stretch in stretches::find(self, None, &(range.start..range.end.min(self.duration_ns)))? {
            let device = stretch.track;
            let mut parts = Parts::default();
            for (piece, next) in explain.recorded_pieces(&stretch, &mut parts) {
                if let PieceKind::Thread(track) = piece.kind {
                    let cause = IdleCause::Thread(track, piece.from..piece.to);
                    found.push(Idle { device, ns: piece.to - piece.from, cause });
                    continue;
                }
                for step in explain.steps_of(&piece, next.as_ref(), &stretch) {
                    let class = explain.classes.classify(&piece, next.as_ref(), &step, &stretch);
                    found.push(Idle {
                        device,
                        ns: step.duration_ns,
                        cause: cause(&piece, next, &step, class),
                    });
                }
            }
            let others = parts.list.into_iter();
            found.extend(others.map(|part| Idle {
                device,
                ns: part.step.duration_ns,
                cause: IdleCause::Other(part.class),
            }));
        }
        Ok(found)
    }
}

fn cause(piece: &Piece, next: Option<Piece>, step: &CriticalStep, class: GapClass) -> IdleCause {
    match (piece.kind, next.map(|next| next.kind)) {
        (PieceKind::Wait(slice), _)
        | (PieceKind::Command(_) | PieceKind::Native(_), Some(PieceKind::Wait(slice))) => {
            IdleCause::Slice(slice)
        }
        (PieceKind::Launch(node) | PieceKind::HostTask(node), _) => match &step.at {
            Some(at) if step.kind == StepKind::Call => IdleCause::Slice(at.slice),
            _ => IdleCause::Command(node, class),
        },
        _ => IdleCause::Other(class),
    }
}
