//! GPU render stages: executions in our files; in other tools' files, slices on a track for each hardware queue.

use rustc_hash::FxHashMap;
use syclscope_language::event::{
    Category, Device, Event, EventSink, Execution, Flow, FlowBinding, FlowStep, SliceBegin, SliceEnd,
    SourceLocation, Track, TrackKind, Value as ArgValue,
};
use syclscope_language::time::{Duration, Timestamp};

use super::annotation::Annotations;
use super::interned::{Sequence, Specification};
use super::{Packet, Reader};
use crate::convention::{
    EXECUTION_KEYS, kind_of_description, queue_of_description, split_facts, stage_value,
};
use crate::diagnostics::DiagnosticKind;
use crate::import::async_slices::identity;
use crate::import::{producers, reuse};
use crate::proto::fields::{specification, stage};
use crate::proto::walk::{Fields, Value};

/// First id of the tracks created for hardware queues.
const FIRST_MADE_UP_TRACK: u64 = 0x4750_5551_0000_0000;

/// First id of the tracks created for devices.
const FIRST_MADE_UP_DEVICE: u64 = 0x4750_5544_0000_0000;

/// First number of flows created from stages' waits.
const FIRST_WAIT: u64 = 0x5741_4954_0000_0000;

/// Maximum number of stored stages that other stages may wait for.
const MAX_REMEMBERED: usize = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct GpuStages {
    /// Tracks of queues, by device and [`queue_key`].
    queues: FxHashMap<(i32, u64), u64>,
    devices: FxHashMap<i32, u64>,
    /// Track and start of the stages with an id, by sequence and id.
    starts: FxHashMap<(u64, u64), (u64, Timestamp)>,
    waits: u64,
}

#[derive(Default)]
struct Stage<'p> {
    sequence: u64,
    event: u64,
    duration: u64,
    queue: Specification,
    queue_number: u64,
    is_queue_listed: bool,
    stage: Specification,
    gpu: i32,
    name: &'p str,
}

impl GpuStages {
    pub(super) fn has_any(&self) -> bool {
        !self.queues.is_empty()
    }
}

impl<S: EventSink> Reader<S> {
    /// Stores the lists of queues and stages in an event for later events.
    pub(super) fn gpu_lists(&mut self, sequence: &mut Sequence, body: &[u8]) {
        for field in Fields::new(body).readable() {
            let (stage::SPECIFICATIONS, Value::Bytes(body)) = (field.number, field.value) else { continue };
            sequence.listed_queues.clear();
            sequence.listed_stages.clear();
            for field in Fields::new(body).readable() {
                match (field.number, field.value) {
                    (stage::LISTED_QUEUES, Value::Bytes(body)) => {
                        let read = self.listed_specification(sequence, body);
                        sequence.listed_queues.push(read);
                    }
                    (stage::LISTED_STAGES, Value::Bytes(body)) => {
                        let read = self.listed_specification(sequence, body);
                        sequence.listed_stages.push(read);
                    }
                    _ => {}
                }
            }
        }
    }

    pub(super) fn gpu_stage(&mut self, sequence: &Sequence, packet: &Packet<'_>, body: &[u8]) {
        self.rare.ids.clear();
        let args = reuse(std::mem::take(&mut self.args));
        let mut found = Annotations { args, json: String::new(), nested: Vec::new() };
        let read = self.read_stage(sequence, body, &mut found);
        if let Some(read) = read {
            let read = Stage { sequence: packet.sequence, ..read };
            let clock = packet.clock.unwrap_or(sequence.clock);
            if let Some(start) = self.time(clock, packet) {
                self.add_stage(sequence, &read, start, &mut found.args);
            }
        } else {
            self.count(DiagnosticKind::MalformedPacket);
        }
        self.args = reuse(found.args);
    }

    fn add_stage<'p>(
        &mut self,
        sequence: &'p Sequence,
        read: &Stage<'p>,
        start: Timestamp,
        args: &mut Vec<(&'p str, ArgValue<'p>)>,
    ) {
        let end = start.after(Duration(read.duration));
        let queue = sequence.text(read.queue.description);
        let stage = sequence.text(read.stage.description);
        let ours = queue_of_description(queue).zip(kind_of_description(stage));
        let Some((queue_number, kind)) = ours.filter(|_| self.own) else {
            return self.foreign_stage(sequence, read, (start, end), args);
        };
        let (facts, args) = split_facts(args, EXECUTION_KEYS);
        let execution = Execution {
            node: read.event,
            queue: queue_number,
            kind,
            name: sequence.text(read.stage.name),
            queued: facts.number("queued_ns").map(Timestamp),
            submitted: facts.number("submitted_ns").map(Timestamp),
            start,
            end,
            args,
        };
        self.sink.event(&Event::Execution(execution));
    }

    fn read_stage<'p>(
        &mut self,
        sequence: &'p Sequence,
        body: &'p [u8],
        found: &mut Annotations<'p>,
    ) -> Option<Stage<'p>> {
        let mut read = Stage::default();
        let listed = |list: &[Specification], position: u64| {
            usize::try_from(position)
                .ok()
                .and_then(|position| list.get(position).copied())
                .unwrap_or_default()
        };
        for field in Fields::new(body) {
            let field = field.ok()?;
            match (field.number, field.value) {
                (stage::EVENT_ID, Value::Varint(value)) => read.event = value,
                (stage::DURATION, Value::Varint(value)) => read.duration = value,
                (stage::HW_QUEUE_IID, Value::Varint(iid)) => {
                    read.queue_number = iid;
                    read.queue = sequence.specifications.get(iid).unwrap_or_default();
                }
                (stage::HW_QUEUE_ID, Value::Varint(position)) => {
                    (read.queue_number, read.is_queue_listed) = (position, true);
                    read.queue = listed(&sequence.listed_queues, position);
                }
                (stage::STAGE_IID, Value::Varint(iid)) => {
                    read.stage = self.resolve(sequence.specifications.get(iid));
                }
                (stage::STAGE_ID, Value::Varint(position)) => {
                    read.stage = listed(&sequence.listed_stages, position);
                }
                (stage::GPU_ID, Value::Varint(value)) => read.gpu = value as i32,
                (stage::NAME, Value::Bytes(bytes)) => read.name = self.text(bytes),
                (stage::NAME_IID, Value::Varint(iid)) => {
                    read.name = sequence.text(self.resolve(sequence.names.get(iid)));
                }
                (stage::EVENT_WAIT_IDS, value) => value.push_to(&mut self.rare.ids),
                (stage::EXTRA_DATA, Value::Bytes(body)) => {
                    let arg = self.extra_data(body);
                    found.args.push(arg);
                }
                _ => {}
            }
        }
        Some(read)
    }

    fn extra_data<'p>(&mut self, body: &'p [u8]) -> (&'p str, ArgValue<'p>) {
        let (mut key, mut value) = ("", "");
        for field in Fields::new(body).readable() {
            match (field.number, field.value) {
                (stage::EXTRA_NAME, Value::Bytes(bytes)) => key = self.text(bytes),
                (stage::EXTRA_VALUE, Value::Bytes(bytes)) => value = self.text(bytes),
                _ => {}
            }
        }
        (key, stage_value(value))
    }

    fn foreign_stage<'p>(
        &mut self,
        sequence: &'p Sequence,
        read: &Stage<'p>,
        (start, end): (Timestamp, Timestamp),
        args: &mut Vec<(&'p str, ArgValue<'p>)>,
    ) {
        let Self { sink, gpu, rare, .. } = self;
        let next = FIRST_MADE_UP_TRACK + gpu.queues.len() as u64;
        let queue_name = sequence.text(read.queue.name);
        let track = *gpu.queues.entry((read.gpu, queue_key(read, queue_name))).or_insert_with(|| {
            // A file may give its devices any numbers.
            let next_device = FIRST_MADE_UP_DEVICE + gpu.devices.len() as u64;
            let device = *gpu.devices.entry(read.gpu).or_insert_with(|| {
                let name = format!("GPU {}", read.gpu);
                let (device, kind) = (next_device, TrackKind::Device);
                sink.event(&Event::Track(Track { track: device, parent: None, kind, name: &name, tid: 0 }));
                sink.event(&Event::Device(Device {
                    device,
                    at: start,
                    name: &name,
                    handle: device,
                    device_type: "GPU",
                    platform: "",
                    driver: "",
                    args: &[],
                }));
                device
            });
            let made_up = format!("queue {}", read.queue_number);
            let name = if queue_name.is_empty() { &made_up } else { queue_name };
            let (parent, kind) = (Some(device), TrackKind::Queue);
            sink.event(&Event::Track(Track { track: next, parent, kind, name, tid: 0 }));
            next
        });
        let location = SourceLocation::default();
        let name = if read.name.is_empty() { sequence.text(read.stage.name) } else { read.name };
        let is_kernel = read.stage.category == specification::COMPUTE;
        let category = match producers::of_command(name) {
            Category::Kernel if !is_kernel => Category::Command,
            category => category,
        };
        let sides = producers::details(category, name, args).sides.unwrap_or_default();
        let sides = [("from", sides.0), ("to", sides.1)].into_iter().filter(|(_, side)| !side.is_empty());
        args.extend(sides.map(|(key, side)| (key, ArgValue::Str(side))));
        let begin = SliceBegin { track, at: start, category, name, node: None, location, args };
        sink.event(&Event::SliceBegin(begin));
        sink.event(&Event::SliceEnd(SliceEnd { track, at: end, args: &[] }));
        for waits_for in rare.ids.drain(..) {
            let Some((source, source_start)) = gpu.starts.get(&(read.sequence, waits_for)) else { continue };
            let flow = FIRST_WAIT + gpu.waits;
            gpu.waits += 1;
            let point = |track, at, step, binding| Flow { at, flow, track, step, binding, name: "wait" };
            // At its end the next stage of the queue may start.
            let from = point(*source, (*source_start).min(start), FlowStep::Start, FlowBinding::Enclosing);
            sink.event(&Event::Flow(from));
            sink.event(&Event::Flow(point(track, start, FlowStep::End, FlowBinding::Latest)));
        }
        if read.event != 0 && gpu.starts.len() < MAX_REMEMBERED {
            gpu.starts.insert((read.sequence, read.event), (track, start));
        }
    }
}

/// Returns a file-wide number for a queue. The number of an interned queue is valid only in its sequence, until the
/// state is cleared; its name is valid in the file. A list may contain a name at several positions.
fn queue_key(read: &Stage<'_>, name: &str) -> u64 {
    match (name.is_empty(), read.is_queue_listed) {
        (true, _) => read.queue_number,
        (false, true) => identity(&[name], &[read.queue_number]),
        (false, false) => identity(&[name], &[]),
    }
}
