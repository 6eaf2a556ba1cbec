//! Reading of device times, for the model: in this process, or in the program from another one.

use std::collections::{BTreeMap, VecDeque};

use syclscope_language::event::{Event, EventSink, NoTime, Untimed};
use syclscope_language::time::Timestamp;

use super::outstanding::{Asked, Counts, Kept, Outstanding, Reading, Wait};
use super::told::{self, Question, Told};

/// Where the times of commands are read.
pub(crate) enum Timing {
    /// In this process, which is the program.
    Here(Outstanding),
    /// In the program, which is another process: it is asked, and tells.
    There(There),
}

/// What the program was asked for.
#[derive(Default)]
pub(crate) struct There {
    /// What it is still to be asked for.
    pub(crate) questions: VecDeque<Vec<u8>>,
    /// How many times of each node have not been told: a copy of rows is a command for each of them.
    awaited: BTreeMap<u64, u64>,
    counts: Counts,
    /// The clock of a device is known, and of one that it is not the host's.
    has_clock: bool,
    has_other_clock: bool,
    /// Impossible times that the program has met.
    impossible: u64,
}

impl Timing {
    /// A command whose event is held.
    pub(crate) fn push(&mut self, kept: Kept) {
        match self {
            Self::Here(outstanding) => outstanding.push(kept),
            Self::There(there) => {
                *there.awaited.entry(kept.node).or_default() += 1;
                there.questions.push_back(Question::Times(Box::new(kept)).to_bytes());
            }
        }
    }

    /// Whether waits of the program may say anything: not where all devices count on the host's clock.
    pub(crate) fn wants_waits(&self) -> bool {
        match self {
            Self::Here(outstanding) => outstanding.wants_waits(),
            Self::There(there) => there.has_other_clock || !there.has_clock,
        }
    }

    /// The program has waited for commands.
    pub(crate) fn waited(&mut self, wait: Wait) {
        match self {
            Self::Here(outstanding) => outstanding.waited(&wait),
            Self::There(there) => there.questions.push_back(Question::Wait(wait).to_bytes()),
        }
    }

    /// A command whose begin was lost: its event is released, its times are missing.
    pub(crate) fn forget(&mut self, event: u64, is_retained: bool) {
        match self {
            Self::Here(outstanding) => outstanding.forget(event, is_retained),
            Self::There(there) => {
                there.counts.missing += 1;
                there.counts.nameless += 1;
                if is_retained {
                    there.questions.push_back(Question::GiveBack(event).to_bytes());
                }
            }
        }
    }

    /// A command has no times.
    pub(crate) fn untimed(&mut self, node: u64, at: Timestamp, reason: NoTime, sink: &mut dyn EventSink) {
        match self {
            Self::Here(outstanding) => outstanding.untimed(node, at, reason, sink),
            Self::There(there) => there.untimed(node, at, reason, sink),
        }
    }

    /// Reads the times of commands that are done, if that is done here; gives devices that were asked.
    pub(crate) fn read(&mut self, reading: Reading, start_ns: u64, sink: &mut dyn EventSink) -> Vec<Asked> {
        match self {
            Self::Here(outstanding) => {
                outstanding.read(reading, start_ns, sink);
                outstanding.take_asked()
            }
            Self::There(_) => Vec::new(),
        }
    }

    /// Says on how much the mapping of each device's clock rests.
    pub(crate) fn announce_clocks(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        if let Self::Here(outstanding) = self {
            outstanding.announce_clocks(at, sink);
        }
    }

    /// Gives up on what is outstanding: the process ends before it does.
    pub(crate) fn give_up(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        match self {
            Self::Here(outstanding) => outstanding.give_up(at, sink),
            Self::There(there) => {
                for (node, times) in std::mem::take(&mut there.awaited) {
                    (0..times).for_each(|_| there.untimed(node, at, NoTime::Unread, sink));
                }
            }
        }
    }

    /// Takes in what the program tells.
    pub(crate) fn take(&mut self, message: &[u8], sink: &mut dyn EventSink) -> Option<Told> {
        let Self::There(there) = self else { return None };
        let mut counting = Counting { there, behind: sink };
        let told = told::take(message, &mut counting)?;
        if let Told::Impossible(count) = told {
            there.impossible = count;
        }
        Some(told)
    }

    pub(crate) fn counts(&self) -> Counts {
        match self {
            Self::Here(outstanding) => outstanding.counts,
            Self::There(there) => {
                Counts { impossible: there.counts.impossible + there.impossible, ..there.counts }
            }
        }
    }

    /// For what others count.
    pub(crate) fn counts_mut(&mut self) -> &mut Counts {
        match self {
            Self::Here(outstanding) => &mut outstanding.counts,
            Self::There(there) => &mut there.counts,
        }
    }
}

impl There {
    /// Whether times of a node are awaited; from now on fewer by one.
    fn is_awaited(&mut self, node: u64) -> bool {
        let Some(times) = self.awaited.get_mut(&node) else { return false };
        *times -= 1;
        if *times == 0 {
            self.awaited.remove(&node);
        }
        true
    }

    fn untimed(&mut self, node: u64, at: Timestamp, reason: NoTime, sink: &mut dyn EventSink) {
        self.counts.missing += 1;
        sink.event(&Event::Untimed(Untimed { node, at, reason }));
    }
}

/// Counts what the program tells.
struct Counting<'a> {
    there: &'a mut There,
    behind: &'a mut dyn EventSink,
}

impl EventSink for Counting<'_> {
    fn event(&mut self, event: &Event<'_>) {
        let there = &mut *self.there;
        match event {
            // What was given up has been told.
            Event::Execution(execution) if there.is_awaited(execution.node) => {
                there.counts.read += 1;
                there.counts.records += 1;
            }
            Event::Untimed(untimed) if there.is_awaited(untimed.node) => there.counts.missing += 1,
            Event::Execution(_) | Event::Untimed(_) => return,
            Event::DeviceClock(clock) => {
                there.has_clock = true;
                there.has_other_clock |= (clock.offset_ns, clock.drift_ppb) != (0, 0);
            }
            _ => {}
        }
        self.behind.event(event);
    }
}
