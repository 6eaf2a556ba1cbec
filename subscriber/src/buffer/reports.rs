//! Messages from the program's threads to the recorder's thread of the same process, besides their records: commands
//! whose events can be polled.
//!
//! They have rings of their own, because a queue for several producers takes locked operations for each message, which
//! wait for all of the thread's earlier stores. Their number is not limited, because the runtime's event for each
//! command is far larger than a message. Waits are sent only if they bound the end of commands. The recorder's thread
//! takes the messages every few milliseconds.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::header::{Header, Kind};
use super::rings::Rings;

/// A message. Times are ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waited {
    pub(crate) queue: u64,
    pub(crate) event: u64,
    pub(crate) begun: u64,
    pub(crate) returned: u64,
}

/// `detail` of a message's record in a ring.
const QUEUE_MADE: u32 = 0;
const SUBMITTED: u32 = 1;
const SUBMITTED_BLOCKING: u32 = 2;
const WAITED: u32 = 3;

/// Words of the record: header, time, and the message.
const RECORD_WORDS: usize = 6;
const RECORD_BYTES: usize = RECORD_WORDS * 8;
/// Words of a thread's smallest ring, for 170 messages, and maximum words of all its rings: 512 MiB, committed only on
/// use.
const SMALLEST_WORDS: usize = 1 << 10;
const RINGS_WORDS: usize = 1 << 26;

impl Report {
    #[inline]
    fn write(&self, rings: &Rings) -> bool {
        let (detail, at, words) = match *self {
            Self::QueueMade { queue, device, at } => (QUEUE_MADE, at, [queue, device, 0, 0]),
            Self::Submitted(Submitted { event, instance, queue, called, returned, is_blocking }) => {
                let detail = if is_blocking { SUBMITTED_BLOCKING } else { SUBMITTED };
                (detail, returned, [event, instance, queue, called])
            }
            Self::Waited(Waited { queue, event, begun, returned }) => {
                (WAITED, returned, [queue, event, begun, 0])
            }
        };
        rings.write(Kind::Raw, detail, at, |entry| entry.words(words.into_iter()))
    }

    fn read(record: &[u8; RECORD_BYTES]) -> Option<Self> {
        let mut words = [0; RECORD_WORDS];
        for (word, bytes) in words.iter_mut().zip(record.as_chunks::<8>().0) {
            *word = u64::from_ne_bytes(*bytes);
        }
        let [header, at, first, second, third, fourth] = words;
        Some(match Header::unpack(header)?.detail {
            QUEUE_MADE => Self::QueueMade { queue: first, device: second, at },
            WAITED => Self::Waited(Waited { queue: first, event: second, begun: third, returned: at }),
            detail => Self::Submitted(Submitted {
                event: first,
                instance: second,
                queue: third,
                called: fourth,
                returned: at,
                is_blocking: detail == SUBMITTED_BLOCKING,
            }),
        })
    }
}

#[derive(Default)]
pub(super) struct Reports {
    /// Rings, created for the first message; `None` without memory for them.
    rings: OnceLock<Option<Rings>>,
    /// Messages that did not fit into the rings, and all later ones until they are taken.
    rest: Mutex<Vec<Report>>,
    /// True if there are such messages.
    has_rest: AtomicBool,
}

impl Reports {
    /// Sends a message, as the only sender.
    #[inline]
    pub(super) fn send(&self, report: Report) {
        let rings = if self.has_rest.load(Ordering::Relaxed) { None } else { self.rings() };
        if !rings.is_some_and(|rings| report.write(rings)) {
            self.send_rest(report);
        }
    }

    #[inline]
    fn rings(&self) -> Option<&Rings> {
        self.rings.get_or_init(|| Rings::private(SMALLEST_WORDS, RINGS_WORDS)).as_ref()
    }

    #[cold]
    fn send_rest(&self, report: Report) {
        let mut rest = self.lock_rest();
        rest.push(report);
        self.has_rest.store(true, Ordering::Release);
    }

    fn lock_rest(&self) -> MutexGuard<'_, Vec<Report>> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves all messages to the end of `reports`, as the only receiver. `bytes` is memory to work with.
    pub(super) fn take(&self, reports: &mut Vec<Report>, bytes: &mut Vec<u8>) {
        // Until `has_rest` is false again, the sender writes to no ring: the messages in the rings are older.
        let rest = self.has_rest.load(Ordering::Acquire).then(|| self.lock_rest());
        if let Some(Some(rings)) = self.rings.get() {
            bytes.clear();
            rings.drain_into(bytes);
            reports.extend(bytes.as_chunks::<RECORD_BYTES>().0.iter().filter_map(Report::read));
        }
        if let Some(mut rest) = rest {
            reports.append(&mut rest);
            self.has_rest.store(false, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control;
    use crate::shared_page::Field;

    fn submitted(number: u64) -> Report {
        Report::Submitted(Submitted {
            event: number,
            instance: number + 1,
            queue: number + 2,
            called: number + 3,
            returned: number + 4,
            is_blocking: number.is_multiple_of(2),
        })
    }

    #[test]
    fn every_message_arrives_as_it_was_sent() {
        let reports = Reports::default();
        let sent = [
            Report::QueueMade { queue: 1, device: 2, at: 3 },
            submitted(7),
            submitted(8),
            Report::Waited(Waited { queue: 0, event: 4, begun: 5, returned: 6 }),
        ];
        sent.iter().for_each(|report| reports.send(*report));
        let (mut taken, mut bytes) = (Vec::new(), Vec::new());
        reports.take(&mut taken, &mut bytes);
        reports.take(&mut taken, &mut bytes);
        assert_eq!(taken, sent);
    }

    /// Sends more than the smallest ring holds, at times while messages wait outside of the rings.
    #[test]
    fn messages_keep_their_order() {
        let reports = Reports::default();
        let (mut taken, mut bytes) = (Vec::new(), Vec::new());
        for number in 0..20_000 {
            if number % 3_001 == 3_000 {
                reports.send_rest(submitted(number));
            } else {
                reports.send(submitted(number));
            }
            if number % 7_001 == 7_000 {
                reports.take(&mut taken, &mut bytes);
            }
        }
        reports.take(&mut taken, &mut bytes);
        assert_eq!(taken, (0..20_000).map(submitted).collect::<Vec<_>>());
    }

    /// Threads wait for room for their records (`SYCLSCOPE_ON_FULL=wait`) until one has waited in vain.
    #[test]
    fn a_message_never_waits_for_room() {
        let reports = Reports::default();
        assert!(reports.rings.set(Rings::private(SMALLEST_WORDS, SMALLEST_WORDS)).is_ok());
        Field::WAITS.set(1);
        (0..1_000).for_each(|number| reports.send(submitted(number)));
        Field::WAITS.set(0);
        assert!(!control::has_given_up_waiting());
        let mut taken = Vec::new();
        reports.take(&mut taken, &mut Vec::new());
        assert_eq!(taken, (0..1_000).map(submitted).collect::<Vec<_>>());
    }
}
