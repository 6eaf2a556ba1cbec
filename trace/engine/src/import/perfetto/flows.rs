//! Flows that track events name.

use syclscope_language::event::{Event, EventSink, Flow, FlowBinding, FlowStep};
use syclscope_language::time::Timestamp;

use super::Reader;
use crate::proto::fields::event;
use crate::proto::walk::Value;

impl<S: EventSink> Reader<S> {
    pub(super) fn note_flows(&mut self, number: u32, value: Value<'_>) {
        let ids = &mut self.rare.ids;
        ids.clear();
        match number {
            event::FLOW_IDS | event::TERMINATING_FLOW_IDS => value.push_fixed_to(ids),
            _ => value.push_to(ids),
        }
        let ends = matches!(number, event::TERMINATING_FLOW_IDS | event::TERMINATING_FLOW_IDS_OLD);
        let step = if ends { FlowStep::End } else { FlowStep::Step };
        self.rare.flows.extend(ids.drain(..).map(|id| (id, step)));
    }

    /// Adds the flows of the event just reported.
    pub(super) fn flows(&mut self, track: u64, at: Timestamp, binding: FlowBinding) {
        for (flow, step) in self.rare.flows.drain(..) {
            self.sink.event(&Event::Flow(Flow { at, flow, track, step, binding, name: "" }));
        }
    }
}
