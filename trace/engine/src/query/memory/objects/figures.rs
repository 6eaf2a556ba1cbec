//! Metrics of an object's use.

use syclscope_language::api::{Amount, ObjectEventKind, ObjectProblem, ObjectWhat};

use super::Row;
use crate::id::NONE;
use crate::query::memory::activity::Touch;
use crate::store::Trace;

/// An object is released late if its idle time at the end is at least 1 / this of the run, and half of its life.
const LATE_PARTS: u64 = 10;

pub(super) struct Figures<'t> {
    trace: &'t Trace,
    row: Row,
    pub(super) touches: &'t [Touch],
    /// True if all accesses to the object are known.
    pub(super) uses_known: bool,
}

impl<'t> Figures<'t> {
    pub(super) fn new(trace: &'t Trace, id: u32, row: &Row) -> Self {
        let activity = trace.memory_activity();
        let is_blind = || activity.blind.any_within(row.process, row.made, row.released.unwrap_or(u64::MAX));
        let uses_known = activity.is_whole_of(row.process)
            && trace.has_life(row.process, row.made, row.released)
            && match row.what {
                ObjectWhat::Buffer | ObjectWhat::Image => id < trace.owners().objects(),
                ObjectWhat::Device => !is_blind(),
                // Accessors to a part are reported for the whole, and the host's own accesses are not recorded.
                ObjectWhat::SubBuffer | ObjectWhat::Shared | ObjectWhat::Host | ObjectWhat::Other => false,
            };
        Self { trace, row: *row, touches: activity.touches.get(id), uses_known }
    }

    pub(super) fn copies(&self, kind: ObjectEventKind) -> Amount {
        let mut amount = Amount::default();
        self.touches
            .iter()
            .filter(|touch| touch.kind == kind)
            .for_each(|touch| amount.add(touch.bytes.unwrap_or(0)));
        amount
    }

    /// Returns the bytes copied in and out.
    pub(super) fn copied(&self) -> u64 {
        let of = |kind| self.copies(kind).bytes;
        of(ObjectEventKind::CopyIn).saturating_add(of(ObjectEventKind::CopyOut))
    }

    pub(super) fn commands(&self) -> u64 {
        // A copy within the object touches it twice.
        let commands = self.touches.iter().filter(|touch| touch.kind != ObjectEventKind::HostAccess);
        let mut last = None;
        commands.filter(|touch| last.replace(touch.slice) != Some(touch.slice) || touch.slice == NONE).count()
            as u64
    }

    /// Returns the start of the first known use.
    pub(super) fn first_use(&self) -> Option<u64> {
        self.touches.first().map(|touch| touch.start)
    }

    /// Returns the end of the last known use; `None` if unknown.
    pub(super) fn last_use(&self) -> Option<u64> {
        self.touches.iter().map(|touch| touch.end).max().filter(|end| *end != u64::MAX)
    }

    /// True if the object was never used; `None` if unknown.
    pub(super) fn unused(&self) -> Option<bool> {
        if self.touches.is_empty() { self.uses_known.then_some(true) } else { Some(false) }
    }

    /// Returns the bytes that no command touched; `None` if unknown.
    pub(super) fn untouched(&self) -> Option<u64> {
        let size = self.row.size_bytes;
        if !self.uses_known || size == 0 {
            return None;
        }
        let mut spans: Vec<(u64, u64)> = Vec::with_capacity(self.touches.len());
        for touch in self.touches {
            match (touch.offset, touch.bytes) {
                _ if touch.kind == ObjectEventKind::Unmap => {}
                (Some(offset), Some(bytes)) => {
                    spans.push((offset.min(size), offset.saturating_add(bytes).min(size)))
                }
                _ => return None,
            }
        }
        spans.sort_unstable();
        let (mut covered, mut until) = (0, 0);
        for (from, to) in spans {
            covered += to.saturating_sub(from.max(until));
            until = until.max(to);
        }
        Some(size - covered)
    }

    /// Returns the time from the last use to the object's end; `None` if unknown.
    pub(super) fn idle(&self) -> Option<u64> {
        let is_over = self.row.released.is_some() || self.trace.has_end(self.row.process);
        let last = self.last_use().filter(|_| self.uses_known && is_over)?;
        Some(self.row.end(self.trace).saturating_sub(last))
    }

    pub(super) fn problems(&self) -> Vec<ObjectProblem> {
        let Row { size_bytes, made, released, .. } = self.row;
        let mut problems = Vec::new();
        if self.unused() == Some(true) {
            problems.push(ObjectProblem::Unused);
        } else if self.untouched().is_some_and(|untouched| untouched > 0 && untouched < size_bytes) {
            problems.push(ObjectProblem::Oversize);
        }
        // An object that the file does not declare may lack its end, too.
        let is_known = self.row.what != ObjectWhat::Other || self.row.size_bytes > 0;
        if released.is_none() && is_known && self.trace.has_end(self.row.process) {
            problems.push(ObjectProblem::Unreleased);
        }
        let life = self.row.end(self.trace) - made;
        let is_late = |idle: u64| idle >= self.trace.duration_ns / LATE_PARTS && idle > life / 2;
        if released.is_some() && self.idle().is_some_and(is_late) {
            problems.push(ObjectProblem::ReleasedLate);
        }
        problems
    }
}
