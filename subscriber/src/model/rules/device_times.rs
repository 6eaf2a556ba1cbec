//! Rules for device times of commands from their events.

use syclscope_language::event::EventSink;
use syclscope_language::time::Timestamp;

use crate::device_time::clamp_times;
use crate::model::Model;
use crate::model::commands::emit;
use crate::record::device::DeviceTimes;

impl Model {
    /// Records the result of a command. False if the command is unknown or already complete.
    pub(crate) fn device_times(
        &mut self,
        at: Timestamp,
        answer: &DeviceTimes,
        sink: &mut dyn EventSink,
    ) -> bool {
        let Some(command) = self.commands.take(answer.instance) else { return false };
        let counts = &mut self.commands.counts;
        counts.impossible += u64::from(answer.is_impossible);
        match answer.times {
            Ok(times) => {
                counts.read += 1;
                counts.records += 1;
                // The reader of the times has converted the call's start with its own readings, which differ by some
                // nanoseconds.
                let (times, _) = clamp_times(&times, (command.called_ns, u64::MAX), 0);
                emit(&command, &times, None, self.start_ns, sink);
            }
            Err(reason) => self.commands.untimed(command.node, at, reason, sink),
        }
        true
    }
}
