//! Waits of the host: for an event or a queue, or at a barrier of the runtime.

use super::tracepoints::{UserData, copy, copy_with, refer};
use super::{python, stacks};
use crate::buffer::Kind;
use crate::buffer::Producer;
use crate::os::callers::Callers;
use crate::xpti::Notification;

/// Handles the start of a wait. The user data names the awaited object: `event.wait[handle]`, `queue.wait[handle]`.
pub(super) fn on_begin(notification: &Notification<'_>, producer: &Producer) {
    // A wait for a queue has its source line.
    let is_placed = notification.user_text().starts_with(b"queue") && notification.payload().line != 0;
    // Before the record is started: unwinding may take some time.
    let callers = if is_placed || producer.is_paused() { Callers::none() } else { Callers::here() };
    python::on_line(producer, Kind::WaitBegin);
    stacks::on_record(producer, Kind::WaitBegin);
    stacks::wait_begins();
    copy_with(notification, producer, (Kind::WaitBegin, 0), UserData::Text, [0, 0], |entry| {
        entry.word(callers.addresses().len() as u64);
        callers.addresses().iter().for_each(|address| entry.word(*address));
    });
}

pub(super) fn on_end(notification: &Notification<'_>, producer: &Producer) {
    stacks::wait_ends();
    refer(notification, producer, Kind::WaitEnd, 0);
}

/// Handles the start of a barrier. The user data gives the reason: `enqueue.barrier[Blocked by host task]`.
pub(super) fn on_barrier_begin(notification: &Notification<'_>, producer: &Producer) {
    python::on_line(producer, Kind::BarrierBegin);
    stacks::on_record(producer, Kind::BarrierBegin);
    copy(notification, producer, Kind::BarrierBegin, UserData::Text, [0, 0]);
}

pub(super) fn on_barrier_end(notification: &Notification<'_>, producer: &Producer) {
    refer(notification, producer, Kind::BarrierEnd, 0);
}
