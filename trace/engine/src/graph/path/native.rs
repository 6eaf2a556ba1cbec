//! Native work that a program submitted to the driver itself: no recorded call shows which wait it delayed, but its
//! times do.

use super::{Piece, PieceKind};
use crate::graph::{devices_of_queues, queues_of_tracks};
use crate::id::some;
use crate::store::Trace;

struct Work {
    start: u64,
    end: u64,
    slice: u32,
    process: u32,
    device: Option<usize>,
}

/// Native work by end.
pub(super) struct NativeWork {
    work: Vec<Work>,
    devices: Vec<usize>,
}

impl NativeWork {
    pub(super) fn new(trace: &Trace) -> Self {
        let (queues, (devices, _)) = (queues_of_tracks(trace), devices_of_queues(trace));
        let native = trace.device_work().filter(|row| some(trace.slices.node.at(*row)).is_none());
        let mut work: Vec<Work> = native
            .map(|row| {
                let track = trace.tracks.of_lane(trace.slices.lane_of(row));
                Work {
                    start: trace.slices.start.at(row),
                    end: trace.slices.end(row),
                    slice: row as u32,
                    process: trace.tracks.process.at(track),
                    device: some(queues[track]).map(|queue| devices[queue as usize]),
                }
            })
            .collect();
        work.sort_unstable_by_key(|work| (work.end, work.slice));
        Self { work, devices }
    }

    /// Returns the pieces. Unexplained waits, launches and the time after the last event are attributed to native work
    /// that ended within them.
    pub(super) fn put_into(&self, trace: &Trace, pieces: Vec<Piece>) -> Vec<Piece> {
        if self.work.is_empty() {
            return pieces;
        }
        let mut all = Vec::with_capacity(pieces.len());
        for piece in pieces {
            match piece.kind {
                PieceKind::Wait(slice) => {
                    let process = trace
                        .blocking()
                        .of_slice(slice)
                        .map(|block| trace.tracks.process.at(block.track as usize));
                    self.split(piece, |work| Some(work.process) == process, &mut all);
                }
                PieceKind::Launch(node) => {
                    let queue = some(trace.nodes.queue.at(node as usize));
                    let device = queue.map(|queue| self.devices[queue as usize]);
                    self.split(piece, |work| device.is_some() && work.device == device, &mut all);
                }
                PieceKind::End => self.split(piece, |_| true, &mut all),
                _ => all.push(piece),
            }
        }
        all
    }

    /// Splits a piece among the native work that ran in it: each gets the rest of its time after the earlier work.
    fn split(&self, piece: Piece, is_it: impl Fn(&Work) -> bool, all: &mut Vec<Piece>) {
        let over = |end: u64| self.work.partition_point(|work| work.end <= end);
        let mut over: Vec<&Work> =
            self.work[over(piece.from)..over(piece.to)].iter().filter(|work| is_it(work)).collect();
        over.sort_unstable_by_key(|work| (work.start, work.slice));
        let mut at = piece.from;
        let mut up_to = |kind: PieceKind, to: u64| {
            if at < to {
                all.push(Piece { kind, from: at, to });
                at = to;
            }
        };
        for work in over {
            up_to(piece.kind, work.start);
            up_to(PieceKind::Native(work.slice), work.end);
        }
        up_to(piece.kind, piece.to);
    }
}
