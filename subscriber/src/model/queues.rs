//! Queues.

use std::collections::HashMap;

use syclscope_trace::event::{Event, EventSink, Queue, QueueOrder};
use syclscope_trace::time::Timestamp;

use super::Model;
use crate::record::Tracepoint;

/// Queues that are alive, by handle.
#[derive(Default)]
pub(super) struct Queues {
    count: u64,
    by_handle: HashMap<u64, Known>,
    by_runtime_id: HashMap<u64, u64>,
    /// Names of devices, by handle, as queues tell them.
    devices: HashMap<u64, String>,
    /// Types of devices, by handle, as the runtime has asked for them.
    device_types: HashMap<u64, &'static str>,
}

/// A queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// Our own number, 0 as long as it was not announced.
    pub(super) queue: u64,
    pub(super) order: QueueOrder,
    pub(super) device: u64,
    pub(super) context: u64,
    /// The node that was submitted last.
    pub(super) last: Option<u64>,
}

impl Queues {
    /// Our own number of a queue by the runtime's.
    pub(super) fn of_runtime_id(&self, runtime_id: u64) -> Option<u64> {
        self.by_runtime_id.get(&runtime_id).copied().filter(|_| runtime_id != 0)
    }

    /// Whether there has been one.
    pub(super) fn has_any(&self) -> bool {
        self.count > 0
    }

    /// A call made a queue: the handle is a new one from now on.
    pub(super) fn made(&mut self, handle: u64, device: u64, context: u64, order: QueueOrder) {
        self.by_handle.insert(handle, Known { queue: 0, order, device, context, last: None });
    }

    /// What was submitted last is not known any more.
    pub(super) fn forget_order(&mut self) {
        self.by_handle.values_mut().for_each(|known| known.last = None);
    }

    /// Our own number of the queue of a handle, if it was announced.
    pub(super) fn number(&self, handle: u64) -> Option<u64> {
        self.by_handle.get(&handle).map(|known| known.queue).filter(|queue| *queue != 0)
    }

    /// Name of a device; empty if no queue has told it.
    pub(super) fn device_name(&self, device: u64) -> &str {
        self.devices.get(&device).map_or("", String::as_str)
    }

    /// The runtime has asked for a device's type (`ur_device_type_t`).
    pub(super) fn device_type(&mut self, device: u64, device_type: u64) {
        let name = match device_type {
            3 => "GPU",
            4 => "CPU",
            5 => "FPGA",
            6 | 7 => "ACCELERATOR",
            8 => "CUSTOM",
            _ => return,
        };
        self.device_types.insert(device, name);
    }

    /// The queue of a handle, as far as it is known.
    pub(super) fn known(&mut self, handle: u64) -> &mut Known {
        self.by_handle.entry(handle).or_default()
    }
}

/// `UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE`
pub(super) fn order_of_flags(flags: u64) -> QueueOrder {
    if flags & 1 != 0 { QueueOrder::OutOfOrder } else { QueueOrder::InOrder }
}

impl Model {
    /// The runtime announces a queue that it has just made.
    pub(super) fn queue_create(
        &mut self,
        at: Timestamp,
        tracepoint: &Tracepoint<'_>,
        sink: &mut dyn EventSink,
    ) {
        let handle = tracepoint.number("queue_handle").unwrap_or(0);
        let runtime_id = tracepoint.number("queue_id").unwrap_or(0);
        let known = self.queues.by_handle.get(&handle).copied().unwrap_or_default();
        let order = match tracepoint.number("is_inorder") {
            Some(0) => QueueOrder::OutOfOrder,
            Some(_) => QueueOrder::InOrder,
            None => known.order,
        };
        let device =
            if known.device != 0 { known.device } else { tracepoint.number("sycl_device").unwrap_or(0) };
        let context =
            if known.context != 0 { known.context } else { tracepoint.number("sycl_context").unwrap_or(0) };
        let name = tracepoint.string("sycl_device_name").unwrap_or_default();
        self.queues.devices.insert(device, name.to_string());
        self.devices.used(device, &name);
        let queue = self.announce_queue(
            at,
            handle,
            Known { queue: 0, order, device, context, last: None },
            runtime_id,
            sink,
        );
        self.queues.by_runtime_id.insert(runtime_id, queue);
    }

    fn announce_queue(
        &mut self,
        at: Timestamp,
        handle: u64,
        known: Known,
        runtime_id: u64,
        sink: &mut dyn EventSink,
    ) -> u64 {
        self.queues.count += 1;
        let queue = self.queues.count;
        sink.event(&Event::Queue(Queue {
            queue,
            at,
            runtime_id,
            handle,
            order: known.order,
            device: self.queues.devices.get(&known.device).map_or("", String::as_str),
            device_type: self.queues.device_types.get(&known.device).copied().unwrap_or_default(),
            device_handle: known.device,
            context: known.context,
        }));
        self.queues.by_handle.insert(handle, Known { queue, ..known });
        queue
    }

    /// The queue of a command: announced now if the runtime did not (it has queues of its own).
    pub(super) fn queue_of_command(&mut self, at: Timestamp, handle: u64, sink: &mut dyn EventSink) -> Known {
        let known = *self.queues.known(handle);
        if known.queue == 0 {
            self.announce_queue(at, handle, known, 0, sink);
        }
        *self.queues.known(handle)
    }

    /// The runtime says that a queue is gone.
    pub(super) fn queue_destroy(
        &mut self,
        at: Timestamp,
        tracepoint: &Tracepoint<'_>,
        sink: &mut dyn EventSink,
    ) {
        let handle = tracepoint.number("queue_handle").unwrap_or(0);
        if let Some(queue) = self.queues.number(handle) {
            self.queues.by_handle.remove(&handle);
            self.queues.by_runtime_id.retain(|_, known| *known != queue);
            sink.event(&Event::QueueDestroy { at, queue });
        }
    }
}
