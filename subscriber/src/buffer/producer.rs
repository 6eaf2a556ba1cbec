//! Access of the calling thread to its buffer.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use super::header::Kind;
use super::reports::Report;
use super::ring::Entry;
use super::threads::{ThreadBuffer, ThreadBuffers};
use super::written::forget_written;
use crate::clock;
use crate::control::{self, State};
use crate::os;
use crate::shared_page::Field;

/// State of a thread. It has no destructor, because notifications still arrive after a thread's destructors.
struct Local {
    buffer: Cell<Option<&'static ThreadBuffer>>,
    /// True while a handler runs, or while the recorder calls the runtime.
    is_inside: Cell<bool>,
    /// Instance and start of the last call; 0 for one that started while the recording was paused.
    call: Cell<(u64, u64)>,
}

thread_local! {
    static LOCAL: Local = const { Local {
        buffer: Cell::new(None),
        is_inside: Cell::new(false),
        call: Cell::new((0, 0)),
    } };
    /// Value whose destructor marks the end of the thread.
    static EXIT_GUARD: ExitGuard = const { ExitGuard };
}

struct ExitGuard;

impl Drop for ExitGuard {
    fn drop(&mut self) {
        // Another thread may get the buffer from now on. A late notification on this thread opens a new one.
        if let Some(buffer) = LOCAL.with(|local| local.buffer.take()) {
            buffer.set_exited();
        }
    }
}

/// Forgets the parent's buffer in a forked child, on its only thread.
pub(crate) fn forget_buffer() {
    LOCAL.with(|local| local.buffer.set(None));
}

/// The right to write to the calling thread's buffer, for one notification.
pub(crate) struct Producer {
    buffer: &'static ThreadBuffer,
    /// Time of the notification, in ticks.
    at: u64,
    is_paused: bool,
}

/// Resets a thread's `is_inside`, even if a handler panics.
struct Inside;

impl Drop for Inside {
    #[inline(always)]
    fn drop(&mut self) {
        LOCAL.with(|local| local.is_inside.set(false));
    }
}

impl Producer {
    /// Runs a handler, unless recording has stopped, or a handler already runs on this thread and has called the
    /// runtime.
    ///
    /// `buffers` returns the buffers of the recording, which it starts if necessary. It is called for a thread's first
    /// notification only.
    #[inline(always)]
    pub(crate) fn enter(buffers: fn() -> Option<&'static ThreadBuffers>, handler: impl FnOnce(&Self)) {
        let at = clock::ticks();
        // Thread-local state is read in small steps: a handler inside `with` would not be inlined.
        let (was_inside, buffer) = LOCAL.with(|local| (local.is_inside.replace(true), local.buffer.get()));
        if was_inside {
            return;
        }
        let _inside = Inside;
        let state = control::state();
        if state == State::Off {
            return;
        }
        let Some(buffer) = buffer.or_else(|| Self::open_buffer(buffers)) else { return };
        handler(&Self { buffer, at, is_paused: state == State::Paused });
    }

    #[cold]
    #[inline(never)]
    fn open_buffer(buffers: fn() -> Option<&'static ThreadBuffers>) -> Option<&'static ThreadBuffer> {
        // Opening a file is a cancellation point, as is reading the bounds of the main thread's stack.
        let buffer = os::without_cancellation(|| {
            let Some(buffer) = buffers()?.open() else {
                Field::UNBUFFERED.word().fetch_add(1, Ordering::Relaxed);
                return None;
            };
            if os::sampling::is_on() {
                buffer.set_sampled();
            }
            Some(buffer)
        })?;
        LOCAL.with(|local| local.buffer.set(Some(buffer)));
        forget_written();
        // Fails on a thread whose destructors have run. Then the buffer is never reused.
        let _ = EXIT_GUARD.try_with(|_| ());
        Some(buffer)
    }

    /// Returns the time of the notification, in ticks.
    #[inline(always)]
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Stores the start of a call, for its end.
    #[inline(always)]
    pub(crate) fn call_begins(&self, instance: u64) {
        let at = if self.is_paused { 0 } else { self.at };
        LOCAL.with(|local| local.call.set((instance, at)));
    }

    /// Returns the start of the call with this instance in ticks, if it was the thread's last one; 0 if the recording
    /// was paused then.
    #[inline(always)]
    pub(crate) fn call_began(&self, instance: u64) -> Option<u64> {
        let (last, at) = LOCAL.with(|local| local.call.get());
        (last == instance).then_some(at)
    }

    #[inline(always)]
    pub(crate) fn report(&self, report: Report) {
        self.buffer.report(report);
    }

    /// True if the recording is paused, so that only some records are written.
    #[inline(always)]
    pub(crate) fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Writes a record of this notification, or counts it as dropped. Returns false if it was not written. During a
    /// pause only some kinds are written ([`Kind::is_kept_while_paused`]).
    #[inline(always)]
    pub(crate) fn write(&self, kind: Kind, detail: u32, fill: impl FnOnce(&mut Entry<'_>)) -> bool {
        if self.is_paused && !kind.is_kept_while_paused() {
            return false;
        }
        self.write_even_paused(kind, detail, fill)
    }

    #[inline(always)]
    pub(crate) fn write_even_paused(
        &self,
        kind: Kind,
        detail: u32,
        fill: impl FnOnce(&mut Entry<'_>),
    ) -> bool {
        let fits = self.buffer.rings.write(kind, detail, self.at, fill);
        if !fits {
            self.buffer.count_dropped(kind);
        }
        fits
    }
}

/// Runs `work` with the calling thread's notifications enabled: they are recorded although a handler is running.
pub(crate) fn with_notifications<T>(work: impl FnOnce() -> T) -> T {
    LOCAL.with(|local| {
        let before = local.is_inside.replace(false);
        let result = work();
        local.is_inside.set(before);
        result
    })
}

/// Runs `work` with the calling thread's notifications enabled, and written to another buffer than its own.
pub(crate) fn with_buffer<T>(buffer: &'static ThreadBuffer, work: impl FnOnce() -> T) -> T {
    let own = LOCAL.with(|local| local.buffer.replace(Some(buffer)));
    let result = with_notifications(work);
    LOCAL.with(|local| local.buffer.set(own));
    result
}

/// Runs `work` with the calling thread's notifications disabled, because the recorder calls the runtime, not the
/// program.
pub(crate) fn without_notifications<T>(work: impl FnOnce() -> T) -> T {
    LOCAL.with(|local| {
        let before = local.is_inside.replace(true);
        let result = work();
        local.is_inside.set(before);
        result
    })
}
