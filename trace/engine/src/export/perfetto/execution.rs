//! Executions on a device: GPU render stages, whose queue and kernel are interned specifications.

use syclscope_language::event::{Execution, Queue, QueueOrder, Value};

use super::Writer;
use crate::convention::{EXECUTION_KEYS, escape_key, queue_description, stage_description, stage_text};
use crate::proto::encode::{message, text, uint};
use crate::proto::fields::{packet, stage};

#[derive(Clone, Debug)]
pub(super) struct QueueSpecification {
    name: String,
    description: String,
    gpu: u64,
}

impl Writer {
    pub(super) fn announce_queue(&mut self, queue: &Queue<'_>) {
        let gpu = self.device_of_queue(queue);
        let order = match queue.order {
            QueueOrder::InOrder => " · in-order",
            QueueOrder::OutOfOrder => " · out-of-order",
            QueueOrder::Other => "",
        };
        let name = format!("queue {}{order} · {}", queue.queue, queue.device);
        let description = queue_description(queue.queue);
        self.queues.insert(queue.queue, QueueSpecification { name, description, gpu: gpu as u64 });
    }

    pub(super) fn execution(&mut self, execution: &Execution<'_>) {
        let context = self.context_iid();
        let Self { body, interning, queues, waits, .. } = self;
        let queue = queues.entry(execution.queue).or_insert_with(|| QueueSpecification {
            name: format!("queue {}", execution.queue),
            description: queue_description(execution.queue),
            gpu: 0,
        });
        let queue_iid = interning.specification(&queue.name, [&queue.description, ""], None);
        let description = stage_description(execution.kind);
        let stage_iid = interning.specification(execution.name, description, Some(execution.kind));
        uint(body, stage::EVENT_ID, execution.node);
        uint(body, stage::DURATION, execution.end.since(execution.start).0);
        uint(body, stage::CONTEXT, context);
        uint(body, stage::SUBMISSION_ID, execution.node & u64::from(u32::MAX));
        uint(body, stage::GPU_ID, queue.gpu);
        uint(body, stage::HW_QUEUE_IID, queue_iid);
        uint(body, stage::STAGE_IID, stage_iid);
        for source in waits.take(execution.node) {
            uint(body, stage::EVENT_WAIT_IDS, *source);
        }
        let queued = execution.queued.map(|at| ("queued_ns", Value::Uint(at.0)));
        let submitted = execution.submitted.map(|at| ("submitted_ns", Value::Uint(at.0)));
        let (mut scratch, mut written) = (String::new(), String::new());
        for (key, value) in queued.iter().chain(&submitted) {
            extra_data(body, key, value, &mut written);
        }
        for (key, value) in execution.args {
            extra_data(body, escape_key(key, EXECUTION_KEYS, &mut scratch), value, &mut written);
        }
        self.packet(Some(execution.start), packet::GPU_RENDER_STAGE_EVENT);
    }
}

fn extra_data(out: &mut Vec<u8>, key: &str, value: &Value<'_>, written: &mut String) {
    written.clear();
    stage_text(value, written);
    message(out, stage::EXTRA_DATA, |out| {
        text(out, stage::EXTRA_NAME, key);
        text(out, stage::EXTRA_VALUE, written);
    });
}
