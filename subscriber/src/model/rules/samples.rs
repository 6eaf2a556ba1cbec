//! Rules for samples of threads, and of process and machine, which arrive without a record.

use syclscope_language::event::{CounterSample, Event, EventSink, Sample};
use syclscope_language::time::Timestamp;

use crate::model::Model;
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

    pub(crate) fn sampled(&mut self, at: Timestamp, name: &str, value: f64, sink: &mut dyn EventSink) {
        let track = self.counters.track(name, &mut self.threads, sink);
        sink.event(&Event::Counter(CounterSample { track, at, value }));
    }
}
