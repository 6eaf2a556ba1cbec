//! Rules for samples of threads.

use syclscope_language::event::{Event, EventSink, Sample};

use super::Model;
use crate::record::sample::SampleRecord;

impl Model {
    pub(super) fn sample(&mut self, record: &SampleRecord, sink: &mut dyn EventSink) {
        let SampleRecord { thread, at_ns, period_ns, missed, native, python, is_blocked, system_call } =
            *record;
        let at = self.timestamp(at_ns);
        let stack = match (native, python) {
            (0, 0) => None,
            numbers => self.stacks.innermost(at, numbers, sink),
        };
        let track = self.threads.track(thread, sink);
        let system_call = system_call.map(u64::from);
        sink.event(&Event::Sample(Sample { at, track, stack, period_ns, missed, is_blocked, system_call }));
    }
}
