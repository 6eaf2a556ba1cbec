//! The critical path of a run as recorded: from its last event backwards, always to the latest event that had to happen
//! before (as in Böhme, Wolf et al., "Scalable critical-path based performance analysis", 2012). Its pieces are
//! recorded times that follow one another without a gap, so that they add up to the run. No piece is a bound or an
//! estimate.

mod native;
mod threads;
mod walk;

use std::ops::Range;

use syclscope_language::event::Category;

use super::launches::Launches;
use crate::store::Trace;
use crate::store::cache::cached;
use crate::store::table::Table as _;

/// Pieces of recorded time, first to last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub(crate) pieces: Vec<Piece>,
}

cached!(Path { pieces });

impl Path {
    pub(crate) fn new(trace: &Trace, launches: &Launches) -> Self {
        let mut pieces = walk::Walk::new(trace, launches).pieces();
        pieces.reverse();
        Self { pieces: native::NativeWork::new(trace).put_into(trace, pieces) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) kind: PieceKind,
    pub(crate) from: u64,
    pub(crate) to: u64,
}

impl Piece {
    /// Returns the part of the piece within a range; `None` if that is empty.
    pub(crate) fn within(&self, range: &Range<u64>) -> Option<Self> {
        let (from, to) = (self.from.max(range.start), self.to.min(range.end));
        (from < to).then_some(Self { from, to, ..*self })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// Before the first recorded event.
    Start,
    /// Recorded events without a link to their successor.
    Unknown,
    /// A thread between two waits, by track.
    Thread(u32),
    /// A wait, by slice, after the awaited commands had ended; the whole wait if none ended during it.
    Wait(u32),
    /// A command that was ready but had not started, by node.
    Launch(u32),
    /// A command on its device, by node.
    Command(u32),
    /// Native work that the program submitted to the driver itself, by slice of its device: a thread or command waited
    /// for its end.
    Native(u32),
    /// A host task, by node, from the end of the command before it, or from the request of the command behind it: its
    /// own times are not recorded.
    HostTask(u32),
    /// After the last recorded event.
    End,
}

/// Causes of idle time: pieces of the path that leads to the next command.
pub(crate) struct Causes<'t> {
    trace: &'t Trace,
    walk: walk::Walk<'t>,
    native: native::NativeWork,
}

impl<'t> Causes<'t> {
    pub(crate) fn new(trace: &'t Trace, launches: &'t Launches) -> Self {
        Self { trace, walk: walk::Walk::new(trace, launches), native: native::NativeWork::new(trace) }
    }

    /// Returns the pieces of a range that ends where a command starts, or where the recording ends, first to last.
    /// Keeps the last `limit` pieces.
    pub(crate) fn pieces(&mut self, range: Range<u64>, next: Option<u32>, limit: usize) -> Path {
        let mut pieces = match next {
            Some(node) => self.walk.before_command(node, range, limit),
            None => self.walk.before_end(range.start, limit),
        };
        pieces.reverse();
        Path { pieces: self.native.put_into(self.trace, pieces) }
    }
}

/// Calls `found` with the outermost submissions and calls of a thread in a range of time, by time, each clipped to the
/// range. Markers of the program or another tool are not calls.
pub(crate) fn each_call(
    trace: &Trace,
    track: u32,
    range: Range<u64>,
    mut found: impl FnMut(usize, Range<u64>),
) {
    let Some(row) = trace.tracks.get(track) else { return };
    let lanes = row.lane_range();
    let slices = &trace.slices;
    // A range of a lane, and its remaining slices. The depth comes from the file, so this does not recurse.
    let level = |lane: usize, range: Range<u64>| {
        let rows = slices.lane(lane);
        let starts = slices.start.get(rows.clone())?;
        // The last slice that started before the range may overlap it.
        let first = starts.partition_point(|start| *start <= range.start).saturating_sub(1);
        (lane < lanes.end).then_some((lane, rows.start + first..rows.end, range))
    };
    let mut open: Vec<(usize, Range<usize>, Range<u64>)> = level(lanes.start, range).into_iter().collect();
    while let Some((lane, rows, range)) = open.last_mut() {
        let Some(slice) = rows.next().filter(|slice| slices.start.at(*slice) < range.end) else {
            open.pop();
            continue;
        };
        let part = slices.start.at(slice).max(range.start)..slices.end(slice).min(range.end);
        if part.start >= part.end {
            continue;
        }
        let lane = *lane;
        match slices.category(slice) {
            Category::Submission | Category::Call | Category::Native | Category::Memory => found(slice, part),
            _ => open.extend(level(lane + 1, part)),
        }
    }
}
