//! The calling thread's way to its lane.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use super::{Entry, Lane};
use crate::control;
use crate::record::Kind;
use crate::recorder::{self, Recorder};
use crate::xpti::sys;

thread_local! {
    // None of these has a destructor: notifications still come after a thread's destructors have run.
    static LANE: Cell<Option<&'static Lane>> = const { Cell::new(None) };
    static GENERATION: Cell<usize> = const { Cell::new(0) };
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
    /// Says when the thread ends.
    static FAREWELL: Farewell = const { Farewell };
}

struct Farewell;

impl Drop for Farewell {
    fn drop(&mut self) {
        // Another thread may get the lane from now on. A notification that still comes to this one opens a new one.
        if let Some(lane) = LANE.take() {
            lane.has_exited.store(true, Ordering::Release);
        }
    }
}

/// The right to write to the calling thread's lane, for the length of one notification.
pub(crate) struct Producer {
    lane: &'static Lane,
    /// When the notification came.
    at: u64,
}

impl Producer {
    /// Enters a handler; nothing if one is already running on this thread (a call of ours that comes back to us), or if
    /// nothing is being recorded.
    #[inline]
    pub(crate) fn enter() -> Option<Self> {
        if IS_INSIDE.replace(true) {
            return None;
        }
        let lane = match LANE.get() {
            Some(lane) if GENERATION.get() == recorder::generation() && !recorder::is_off() => Some(lane),
            _ => Self::open_lane(),
        };
        if lane.is_none() {
            IS_INSIDE.set(false);
        }
        lane.map(|lane| Self { lane, at: sys::monotonic_ns() })
    }

    #[cold]
    fn open_lane() -> Option<&'static Lane> {
        if recorder::is_off() {
            return None;
        }
        let generation = recorder::generation();
        let lane = Recorder::current()?.lanes.open()?;
        GENERATION.set(generation);
        LANE.set(Some(lane));
        // Fails on a thread whose destructors have run: then the lane is simply never given to another.
        let _ = FAREWELL.try_with(|_| ());
        Some(lane)
    }

    /// Writes a record of this notification, or counts that it did not fit. False if it is not there: while the recording
    /// is paused most are not, see [`Kind::is_kept_while_paused`].
    #[inline]
    pub(crate) fn write(&self, kind: Kind, detail: u32, fill: impl FnOnce(&mut Entry<'_>)) -> bool {
        if control::is_paused() && !kind.is_kept_while_paused() {
            return false;
        }
        self.write_even_paused(kind, detail, fill)
    }

    /// Writes a record whether or not the recording is paused.
    #[inline]
    pub(crate) fn write_even_paused(
        &self,
        kind: Kind,
        detail: u32,
        fill: impl FnOnce(&mut Entry<'_>),
    ) -> bool {
        let fits = self.lane.ring.write(kind, detail, self.at, fill);
        if !fits {
            self.lane.count_dropped(kind);
        }
        fits
    }
}

impl Drop for Producer {
    #[inline]
    fn drop(&mut self) {
        IS_INSIDE.set(false);
    }
}

/// Runs `work` with the calling thread's notifications kept out: its calls to the runtime are ours, not the program's.
pub(crate) fn keep_out<T>(work: impl FnOnce() -> T) -> T {
    let before = IS_INSIDE.replace(true);
    let result = work();
    IS_INSIDE.set(before);
    result
}
