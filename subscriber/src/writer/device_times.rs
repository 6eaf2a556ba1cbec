//! Delivery of device times and device properties to the model.

use syclscope_language::event::EventSink;
use syclscope_language::time::Timestamp;

use super::status::Status;
use super::{Drain, Model};
use crate::buffer::{Channel, ThreadBuffers};
use crate::clock::Pair;
use crate::device_time::messages::{self, DeviceMessage};
use crate::device_time::{DeviceAnswers, Outstanding, Reading};
use crate::os;
use crate::record::device::DeviceTimes;

/// Results that are not due yet: the record of their command, or of the program's own query, arrives later.
pub(super) struct Arrivals {
    source: Source,
    device_answers: Vec<(u64, DeviceAnswers)>,
    /// Results of commands, with the times of reading.
    answers: Vec<(u64, DeviceTimes)>,
    is_exiting: bool,
}

enum Source {
    /// In this process, which is the program.
    Here(Box<Outstanding>),
    /// In the program, which is another process: they arrive as records. The channel has its messages.
    There(Box<Channel>),
}

impl Arrivals {
    pub(super) fn begin(start: Pair, channel: Option<Channel>) -> Self {
        let source = match channel {
            None => Source::Here(Box::new(Outstanding::begin(start))),
            Some(channel) => Source::There(Box::new(channel)),
        };
        Self { source, device_answers: Vec::new(), answers: Vec::new(), is_exiting: false }
    }

    /// Reads finished times until the end, and handles the program's messages.
    pub(super) fn read(
        &mut self,
        buffers: &ThreadBuffers,
        (drain, is_over): (Drain, bool),
        status: &mut Status,
        sink: &mut dyn EventSink,
    ) {
        let Self { source, device_answers, answers, .. } = self;
        match source {
            Source::There(channel) => channel.receive(|message| match messages::decode(message, sink) {
                Some(DeviceMessage::DeviceAnswers(device)) => {
                    device_answers.push((os::monotonic_ns(), device))
                }
                Some(DeviceMessage::Note(note)) => status.note(&note),
                Some(DeviceMessage::Failure(why)) => status.error(&why),
                None => {}
            }),
            Source::Here(outstanding) => {
                self.is_exiting |= drain != Drain::HoldBack;
                match drain {
                    // Commands submitted after the end are no longer read.
                    Drain::HoldBack if is_over => outstanding.give_up(buffers),
                    Drain::HoldBack if self.is_exiting => {}
                    Drain::HoldBack => outstanding.read(Reading::Front, buffers, sink),
                    Drain::Exit => outstanding.read(Reading::All, buffers, sink),
                    Drain::Finish => {
                        outstanding.read(Reading::AllAtExit, buffers, sink);
                        outstanding.give_up(buffers);
                    }
                }
                let now = os::monotonic_ns();
                device_answers
                    .extend(outstanding.take_device_answers().into_iter().map(|device| (now, device)));
                answers.extend(outstanding.take_answers().into_iter().map(|answer| (now, answer)));
            }
        }
    }

    /// Passes to the model the results from before the time up to which records have been handled.
    pub(super) fn deliver(
        &mut self,
        until_ns: u64,
        drain: Drain,
        model: &mut Model,
        sink: &mut dyn EventSink,
    ) {
        let at = model.timestamp(os::monotonic_ns());
        self.answers.retain(|(since, answer)| {
            let is_due = *since <= until_ns;
            let is_known = is_due && model.device_times(at, answer, sink);
            // At the exit, their records may still arrive.
            !is_due || (!is_known && drain == Drain::Exit)
        });
        let due = self.device_answers.partition_point(|(since, _)| *since <= until_ns);
        for (_, device) in self.device_answers.drain(..due) {
            model.add_device_answers(at, device, sink);
        }
    }

    /// Records the number of pairs behind each device clock's mapping, if known here.
    pub(super) fn state_clocks(&mut self, at: Timestamp, sink: &mut dyn EventSink) {
        if let Source::Here(outstanding) = &mut self.source {
            outstanding.announce_clocks(at, sink);
        }
    }
}
