//! Rules for samples of process and machine, which come without a record.

use syclscope_language::event::{CounterSample, Event, EventSink};
use syclscope_language::time::Timestamp;

use crate::model::Model;

impl Model {
    pub(crate) fn sampled(&mut self, at: Timestamp, name: &str, value: f64, sink: &mut dyn EventSink) {
        let track = self.counters.track(name, &mut self.threads, sink);
        sink.event(&Event::Counter(CounterSample { track, at, value }));
    }
}
