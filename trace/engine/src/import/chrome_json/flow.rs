//! Flows: arrows between slices.

use syclscope_language::event::{Event, EventSink, Flow, FlowBinding, FlowStep};
use syclscope_language::time::Timestamp;

use super::Reader;
use super::record::Record;
use crate::import::async_slices::identity;

impl<S: EventSink> Reader<S> {
    /// A point of a flow that is an event of its own.
    pub(super) fn flow_event(&mut self, phase: u8, category: &str, record: &Record<'_>) {
        let (at, track) = (self.time(record.time), self.track(record));
        let step = match phase {
            b's' => FlowStep::Start,
            b't' => FlowStep::Step,
            _ => FlowStep::End,
        };
        // Only an end may mean what comes after it.
        let next = phase == b'f' && !record.binds_to_enclosing;
        let binding = if next { FlowBinding::Next } else { FlowBinding::Enclosing };
        let name = record.resolve(record.name);
        let (id, is_local) = record.id.or(record.bind_id.map(|id| (id, false))).unwrap_or_default();
        let process = if is_local { record.pid } else { 0 };
        let flow = identity(&[category, name, record.resolve(record.scope)], &[id, process]);
        self.sink.event(&Event::Flow(Flow { at, flow, track, step, binding, name }));
    }

    /// The point of a flow that the slice has which was just told of.
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
