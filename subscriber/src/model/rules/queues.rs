//! Rules for queues: creation and destruction.

use syclscope_language::event::{Event, EventSink, QueueOrder};
use syclscope_language::time::Timestamp;

use crate::model::Model;
use crate::model::queues::QueueState;
use crate::record::Tracepoint;

impl Model {
    pub(super) fn queue_create(
        &mut self,
        at: Timestamp,
        tracepoint: &Tracepoint<'_>,
        sink: &mut dyn EventSink,
    ) {
        let handle = tracepoint.number("queue_handle").unwrap_or(0);
        let runtime_id = tracepoint.number("queue_id").unwrap_or(0);
        let state = *self.queues.entry(handle);
        let order = match tracepoint.number("is_inorder") {
            Some(0) => QueueOrder::OutOfOrder,
            Some(_) => QueueOrder::InOrder,
            None => state.order,
        };
        let device =
            if state.device != 0 { state.device } else { tracepoint.number("sycl_device").unwrap_or(0) };
        let context =
            if state.context != 0 { state.context } else { tracepoint.number("sycl_context").unwrap_or(0) };
        let name = tracepoint.string("sycl_device_name").unwrap_or_default();
        self.queues.set_device_name(device, &name);
        self.devices.mark_used(device, &name);
        let state = QueueState { queue: 0, order, device, context, last: None };
        self.queues.announce(at, handle, state, runtime_id, sink);
    }

    pub(super) fn queue_destroy(
        &mut self,
        at: Timestamp,
        tracepoint: &Tracepoint<'_>,
        sink: &mut dyn EventSink,
    ) {
        let handle = tracepoint.number("queue_handle").unwrap_or(0);
        if let Some(queue) = self.queues.remove(handle) {
            sink.event(&Event::QueueDestroy { at, queue });
        }
    }
}
