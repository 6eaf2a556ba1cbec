//! Flows: arrows between slices.

use syclscope_language::event::{Args, Event, EventSink, Flow, FlowBinding, FlowStep, Value};
use syclscope_language::time::Timestamp;

use super::Reader;
use super::record::Record;
use crate::import::async_slices::identity;
use crate::import::producers;

impl<S: EventSink> Reader<S> {
    pub(super) fn flow_event(&mut self, phase: u8, category: &str, record: &Record<'_>) {
        // The device's own slice already named its launch by number.
        if category == "ac2g" && self.correlates && self.on_device(record).0 {
            return;
        }
        let (at, track) = (self.time(record.time), self.track(record));
        let step = match phase {
            b's' => FlowStep::Start,
            b't' => FlowStep::Step,
            _ => FlowStep::End,
        };
        // Only an end may refer to the next slice.
        let next = phase == b'f' && !record.binds_to_enclosing;
        let binding = if next { FlowBinding::Next } else { FlowBinding::Enclosing };
        let name = record.resolve(record.name);
        let (id, is_local) = record.id.or(record.bind_id.map(|id| (id, false))).unwrap_or_default();
        let process = if is_local { record.pid } else { 0 };
        let flow = identity(&[category, name, record.resolve(record.scope)], &[id, process]);
        self.sink.event(&Event::Flow(Flow { at, flow, track, step, binding, name }));
    }

    /// Adds a flow's point that links a launch to its command by their common number; true if they have one.
    pub(super) fn correlation(&mut self, track: u64, at: Timestamp, step: FlowStep, args: Args<'_>) -> bool {
        let Some(producer) = self.producer else { return false };
        let key = producers::correlation_key(producer);
        let number = args.iter().find_map(|(known, value)| match value {
            _ if *known != key => None,
            Value::Uint(number) => Some(*number),
            Value::Str(text) => text.parse().ok(),
            _ => None,
        });
        let Some(number) = number.filter(|number| *number != 0) else { return false };
        // Kineto draws arrows with the same number: both are one flow.
        let name = "ac2g";
        let flow = identity(&[name, name, ""], &[number, 0]);
        self.sink.event(&Event::Flow(Flow { at, flow, track, step, binding: FlowBinding::Latest, name }));
        true
    }

    /// Adds the flow's point of the slice just reported.
    pub(super) fn flow_of_slice(&mut self, track: u64, at: Timestamp, record: &Record<'_>) {
        let Some(id) = record.bind_id.filter(|_| record.flow_in || record.flow_out) else { return };
        let step = match (record.flow_in, record.flow_out) {
            (false, _) => FlowStep::Start,
            (true, true) => FlowStep::Step,
            (true, false) => FlowStep::End,
        };
        let flow = identity(&["bind"], &[id]);
        self.sink.event(&Event::Flow(Flow { at, flow, track, step, binding: FlowBinding::Latest, name: "" }));
    }
}
