//! The call stack of a thread, for the record that follows.

use std::cell::Cell;

use crate::buffer::{Entry, Kind, Producer, write_once};
use crate::config::{Stacks, stacks};
use crate::os::python;
use crate::os::stack::{ReturnAddresses, mixed, modules_of};
use crate::record::stack::{write_native, write_python};

thread_local! {
    /// Number of the thread's open waits. Counted only if stacks are recorded.
    static WAITS: Cell<u32> = const { Cell::new(0) };
}

/// Handles the start of a wait of SYCL on this thread: calls inside it don't get their own stacks.
#[inline]
pub(super) fn wait_begins() {
    if stacks() != Stacks::Off {
        WAITS.set(WAITS.get() + 1);
    }
}

#[inline]
pub(super) fn wait_ends() {
    if stacks() != Stacks::Off {
        WAITS.set(WAITS.get().saturating_sub(1));
    }
}

/// Handles the creation of a node: an exception has ended any wait that is still open on this thread. If the wait does
/// continue, one stack more than needed is recorded.
#[inline]
pub(super) fn on_node() {
    if stacks() != Stacks::Off {
        WAITS.set(0);
    }
}

pub(super) fn is_waiting() -> bool {
    WAITS.get() > 0
}

/// Writes the number of the calling thread's stack, if stacks are recorded, with the time of the record that follows
/// it.
#[inline]
pub(super) fn on_record(producer: &Producer, followed_by: Kind) {
    on_record_that(producer, followed_by, || true);
}

/// Writes the number like [`on_record`], but only if `has_stack` returns true.
#[inline]
pub(super) fn on_record_that(producer: &Producer, followed_by: Kind, has_stack: impl FnOnce() -> bool) {
    let stacks = stacks();
    if stacks == Stacks::Off {
        return;
    }
    let is_followed = !producer.is_paused() || followed_by.is_kept_while_paused();
    if is_followed && has_stack() {
        write(producer, stacks);
    }
}

#[inline(never)]
fn write(producer: &Producer, stacks: Stacks) {
    let native = if stacks.has_native() { native(producer) } else { 0 };
    let python = if stacks.has_python() && python::is_found() { of_python(producer) } else { 0 };
    if (native, python) != (0, 0) {
        producer.write_even_paused(Kind::Stack, 0, |entry| {
            entry.word(native);
            entry.word(python);
        });
    }
}

/// Returns the number of the thread's native stack; 0 without one.
fn native(producer: &Producer) -> u64 {
    ReturnAddresses::here(|stack| {
        if stack.addresses().is_empty() {
            return 0;
        }
        let number = stack.number();
        write_once(number, || {
            let modules = modules_of(stack.addresses());
            let write = |entry: &mut Entry<'_>| write_native(entry, number, stack, &modules);
            producer.write_even_paused(Kind::NativeStack, 0, write)
        })
    })
}

/// Returns the number of the thread's Python stack; 0 without one.
fn of_python(producer: &Producer) -> u64 {
    let mut number = 0;
    for frame in python::stack().into_iter().flatten() {
        number = mixed(number, frame.hash());
    }
    if number == 0 {
        return 0;
    }
    write_once(number, || {
        producer.write_even_paused(Kind::PythonStack, 0, |entry| {
            write_python(entry, number, python::stack().into_iter().flatten());
        })
    })
}
