//! Messages from the program's threads to the recorder's thread of the same process, besides their records: commands
//! whose events can be polled.
//!
//! Their number is not limited: the runtime holds an event for each command, which is far larger. Waits are sent only
//! if they bound the end of commands, and are taken every few milliseconds.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

/// A message. Times are ticks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Report {
    /// A queue was created on a device.
    QueueMade {
        queue: u64,
        device: u64,
        at: u64,
    },
    Submitted(Submitted),
    Waited(Waited),
}

/// A command was enqueued by the call with this instance. The recorder has a reference to the command's event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Submitted {
    pub(crate) event: u64,
    pub(crate) instance: u64,
    pub(crate) queue: u64,
    /// Start of the call, 0 if unknown, and its return.
    pub(crate) called: u64,
    pub(crate) returned: u64,
    /// True if the call returned after the command had ended.
    pub(crate) is_blocking: bool,
}

/// The program has waited for a queue or for an event; the field of the other is 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waited {
    pub(crate) queue: u64,
    pub(crate) event: u64,
    pub(crate) begun: u64,
    pub(crate) returned: u64,
}

pub(super) struct Reports {
    sender: Sender<Report>,
    receiver: Mutex<Receiver<Report>>,
}

impl Reports {
    pub(super) fn new() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver: Mutex::new(receiver) }
    }

    #[inline]
    pub(super) fn send(&self, report: Report) {
        // Sending can't fail: the receiver is a field of the same struct.
        let _ = self.sender.send(report);
    }

    pub(super) fn take(&self, reports: &mut Vec<Report>) {
        if let Ok(receiver) = self.receiver.lock() {
            reports.extend(receiver.try_iter());
        }
    }
}
