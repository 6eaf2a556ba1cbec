//! Queues: their numbers, devices and last commands.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Event, EventSink, Queue, QueueOrder};
use syclscope_language::time::Timestamp;

#[derive(Default)]
pub(super) struct Queues {
    count: u64,
    by_handle: FxHashMap<u64, QueueState>,
    by_runtime_id: FxHashMap<u64, u64>,
    /// Names of devices, by handle, as given with queues.
    devices: FxHashMap<u64, String>,
    /// Types of devices, by handle, as queried by the runtime.
    device_types: FxHashMap<u64, &'static str>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct QueueState {
    /// Our own number, 0 until it is announced.
    pub(super) queue: u64,
    pub(super) order: QueueOrder,
    pub(super) device: u64,
    pub(super) context: u64,
    /// The last submitted node.
    pub(super) last: Option<u64>,
}

impl Queues {
    pub(super) fn of_runtime_id(&self, runtime_id: u64) -> Option<u64> {
        self.by_runtime_id.get(&runtime_id).copied().filter(|_| runtime_id != 0)
    }

    pub(super) fn has_any(&self) -> bool {
        self.count > 0
    }

    /// Notes a queue created by a call: its handle denotes this queue from now on.
    pub(super) fn create(&mut self, handle: u64, device: u64, context: u64, order: QueueOrder) {
        self.by_handle.insert(handle, QueueState { queue: 0, order, device, context, last: None });
    }

    pub(super) fn forget_order(&mut self) {
        self.by_handle.values_mut().for_each(|state| state.last = None);
    }

    pub(super) fn number(&self, handle: u64) -> Option<u64> {
        self.by_handle.get(&handle).map(|state| state.queue).filter(|queue| *queue != 0)
    }

    pub(super) fn set_device_name(&mut self, device: u64, name: &str) {
        self.devices.insert(device, name.to_owned());
    }

    /// Announces a queue, by the runtime's number if it has one; returns ours.
    pub(super) fn announce(
        &mut self,
        at: Timestamp,
        handle: u64,
        state: QueueState,
        runtime_id: u64,
        sink: &mut dyn EventSink,
    ) -> u64 {
        self.count += 1;
        let queue = self.count;
        sink.event(&Event::Queue(Queue {
            queue,
            at,
            runtime_id,
            handle,
            order: state.order,
            device: self.device_name(state.device),
            device_type: self.device_types.get(&state.device).copied().unwrap_or_default(),
            device_handle: state.device,
            context: state.context,
        }));
        self.by_handle.insert(handle, QueueState { queue, ..state });
        if runtime_id != 0 {
            self.by_runtime_id.insert(runtime_id, queue);
        }
        queue
    }

    /// Returns the queue of a command. Announces it if the runtime did not, as for its internal queues.
    pub(super) fn of_command(&mut self, at: Timestamp, handle: u64, sink: &mut dyn EventSink) -> QueueState {
        let state = *self.entry(handle);
        if state.queue == 0 {
            self.announce(at, handle, state, 0, sink);
        }
        *self.entry(handle)
    }

    pub(super) fn remove(&mut self, handle: u64) -> Option<u64> {
        let queue = self.number(handle)?;
        self.by_handle.remove(&handle);
        self.by_runtime_id.retain(|_, other| *other != queue);
        Some(queue)
    }

    /// Returns the name of a device; empty if no queue has named it.
    pub(super) fn device_name(&self, device: u64) -> &str {
        self.devices.get(&device).map_or("", String::as_str)
    }

    /// Notes the type of a device (`ur_device_type_t`).
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

    /// Undoes a command that was not enqueued: the one before it is still the queue's last.
    pub(super) fn not_enqueued(&mut self, handle: u64, node: Option<u64>, before: Option<u64>) {
        if let Some(state) = self.by_handle.get_mut(&handle).filter(|state| state.last == node) {
            state.last = before;
        }
    }

    pub(super) fn entry(&mut self, handle: u64) -> &mut QueueState {
        self.by_handle.entry(handle).or_default()
    }
}

/// Returns the order by the flag `UR_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE`.
pub(super) fn order_of_flags(flags: u64) -> QueueOrder {
    if flags & 1 != 0 { QueueOrder::OutOfOrder } else { QueueOrder::InOrder }
}
