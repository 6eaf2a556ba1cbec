//! Reads GPU render stages: our executions, or slices on a track for each hardware queue of another program.

use super::interned::Sequence;
use super::{Packet, Reader};
use crate::convention::{
    EXECUTION_KEYS, kind_of_description, queue_of_description, split_facts, stage_value,
};
use crate::diagnostics::DiagnosticKind;
use crate::event::{
    Category, Event, EventSink, Execution, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind,
};
use crate::proto::fields::{specification, stage};
use crate::proto::walk::{Fields, Value};
use crate::time::{Duration, Timestamp};

/// Tracks made up for hardware queues count from here.
const FIRST_MADE_UP_TRACK: u64 = 0x4750_5551_0000_0000;

#[derive(Default)]
struct Stage<'a> {
    event: u64,
    duration: u64,
    queue: u64,
    stage: Option<u64>,
    gpu: u64,
    name: &'a str,
}

impl<'a, S: EventSink> Reader<'a, '_, S> {
    pub(super) fn gpu_stage(&mut self, sequence: &Sequence<'a>, packet: &Packet<'a>, body: &'a [u8]) {
        let Some(read) = self.read_stage(sequence, body) else {
            return self.count(DiagnosticKind::MalformedPacket);
        };
        let start = self.time(sequence, packet);
        let end = start.after(Duration(read.duration));
        let queue = sequence.specifications.get(read.queue).unwrap_or_default();
        let stage = match read.stage {
            Some(iid) => self.resolve(sequence.specifications.get(iid)),
            None => Default::default(),
        };
        let ours = queue_of_description(queue.description).zip(kind_of_description(stage.description));
        let Some((queue_number, kind)) = ours.filter(|_| self.own) else {
            let name = if read.name.is_empty() { stage.name } else { read.name };
            let category =
                if stage.category == specification::COMPUTE { Category::Kernel } else { Category::Command };
            return self.foreign_stage(&read, (start, end), queue.name, name, category);
        };
        let (facts, args) = split_facts(&mut self.args, EXECUTION_KEYS);
        let execution = Execution {
            node: read.event,
            queue: queue_number,
            kind,
            name: stage.name,
            queued: facts.number("queued_ns").map(Timestamp),
            submitted: facts.number("submitted_ns").map(Timestamp),
            start,
            end,
            args,
        };
        self.sink.event(&Event::Execution(execution));
    }

    fn read_stage(&mut self, sequence: &Sequence<'a>, body: &'a [u8]) -> Option<Stage<'a>> {
        let mut read = Stage::default();
        self.args.clear();
        for field in Fields::new(body) {
            let field = field.ok()?;
            match (field.number, field.value) {
                (stage::EVENT_ID, Value::Varint(value)) => read.event = value,
                (stage::DURATION, Value::Varint(value)) => read.duration = value,
                (stage::HW_QUEUE_IID | stage::HW_QUEUE_ID, Value::Varint(value)) => read.queue = value,
                (stage::STAGE_IID, Value::Varint(value)) => read.stage = Some(value),
                (stage::GPU_ID, Value::Varint(value)) => read.gpu = value,
                (stage::NAME, Value::Bytes(bytes)) => read.name = self.text(bytes),
                (stage::NAME_IID, Value::Varint(iid)) => read.name = self.resolve(sequence.names.get(iid)),
                (stage::EXTRA_DATA, Value::Bytes(body)) => self.extra_data(body),
                _ => {}
            }
        }
        Some(read)
    }

    fn extra_data(&mut self, body: &'a [u8]) {
        let (mut key, mut value) = ("", "");
        for field in Fields::new(body).flatten() {
            match (field.number, field.value) {
                (stage::EXTRA_NAME, Value::Bytes(bytes)) => key = self.text(bytes),
                (stage::EXTRA_VALUE, Value::Bytes(bytes)) => value = self.text(bytes),
                _ => {}
            }
        }
        self.args.push((key, stage_value(value)));
    }

    fn foreign_stage(
        &mut self,
        read: &Stage<'a>,
        (start, end): (Timestamp, Timestamp),
        queue: &str,
        name: &str,
        category: Category,
    ) {
        let next = FIRST_MADE_UP_TRACK + self.hardware_queues.len() as u64;
        let track = *self.hardware_queues.entry((read.gpu, read.queue)).or_insert_with(|| {
            let made_up = format!("GPU {} queue {}", read.gpu, read.queue);
            let name = if queue.is_empty() { &made_up } else { queue };
            let track = Track { track: next, parent: None, kind: TrackKind::Queue, name, tid: 0 };
            self.sink.event(&Event::Track(track));
            next
        });
        let location = SourceLocation::default();
        let args = &self.args;
        let begin = SliceBegin { track, at: start, category, name, node: None, location, args };
        self.sink.event(&Event::SliceBegin(begin));
        self.sink.event(&Event::SliceEnd(SliceEnd { track, at: end, args: &[] }));
    }
}
