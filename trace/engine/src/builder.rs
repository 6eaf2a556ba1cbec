//! The builder, the only way to create a [`Trace`]. It takes events in the order of a file, pairs starts with ends and
//! interns texts; at the end it sorts, assigns lanes, derives the memory counters and computes the sums.

mod chunks;
mod command_graphs;
mod contradicted;
mod flows;
mod foreign_queues;
mod graph;
mod handles;
mod lanes;
mod layout;
mod machine;
mod memory;
mod objects;
mod processes;
mod queues;
mod same_named;
mod samples;
mod stacks;
mod streams;
mod times;
mod titles;
mod track;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use syclscope_language::api::{DiagnosticInfo, Severity};
use syclscope_language::event::{
    Args, Event, EventSink, NO_DEVICE_TIME, SourceLocation, Track, TrackKind, Value,
};

use self::command_graphs::CommandGraphBuilder;
use self::flows::FlowBuilder;
use self::graph::GraphBuilder;
use self::handles::HandleBuilder;
use self::machine::MachineBuilder;
use self::memory::MemoryBuilder;
use self::objects::ObjectBuilder;
use self::processes::Processes;
use self::queues::QueueBuilder;
use self::samples::SampleBuilder;
use self::stacks::StackBuilder;
use self::times::Times;
use self::track::TrackBuilder;
use crate::budget::{Budget, Spent};
use crate::diagnostics::{DiagnosticKind, Diagnostics};
use crate::id::{ArgsId, LocationId, NONE, StringId};
use crate::numbers::frame_of;
use crate::store::Trace;
use crate::store::args::ArgInterner;
use crate::store::locations::LocationInterner;
use crate::strings::StringInterner;

/// Builds a [`Trace`] from events.
#[derive(Debug, Default)]
pub struct TraceBuilder {
    strings: StringInterner,
    locations: LocationInterner,
    args: ArgInterner,
    packed: Vec<u8>,
    tracks: Vec<TrackBuilder>,
    track_rows: FxHashMap<u64, u32>,
    /// The previous event's track, which is most often this event's too.
    last_track: (u64, u32),
    queues: QueueBuilder,
    graph: GraphBuilder,
    flows: FlowBuilder,
    memory: MemoryBuilder,
    objects: ObjectBuilder,
    command_graphs: CommandGraphBuilder,
    handles: HandleBuilder,
    stacks: StackBuilder,
    host_samples: SampleBuilder,
    machine: MachineBuilder,
    processes: Processes,
    dropped: BTreeMap<String, u64>,
    diagnostics: Diagnostics,
    times: Times,
    slices: u64,
    samples: u64,
    calls: u64,
    native_calls: u64,
    regions: u64,
    lost: u64,
}

impl TraceBuilder {
    /// Returns an empty builder.
    pub fn new() -> Self {
        Self { last_track: (0, NONE), ..Self::default() }
    }

    /// Makes the earliest event the start of the trace: for files whose times have another origin.
    pub fn start_at_first_event(&mut self) {
        self.times.start_at_first_event = true;
    }

    /// Adds the problems found by an importer.
    pub fn report(&mut self, diagnostics: &Diagnostics) {
        self.diagnostics.merge(diagnostics);
    }

    /// Returns the trace of the events so far.
    pub fn build(self) -> Trace {
        // Without a budget nothing is refused.
        self.build_within(&Budget::unlimited()).unwrap_or_default()
    }

    /// Returns the trace like [`Self::build`], within the budget of an import.
    ///
    /// # Errors
    /// Returns an error if the budget is used up.
    pub(crate) fn build_within(mut self, budget: &Budget) -> Result<Trace, Spent> {
        if self.times.start_at_first_event {
            self.move_to_start();
        }
        let complete =
            self.processes.all_finished() && self.diagnostics.get(DiagnosticKind::TruncatedFile) == 0;
        self.diagnostics.count_many(DiagnosticKind::PartOfRun, self.processes.parts());
        Ok(Trace { complete, ..self.lay_out(budget)? })
    }

    fn move_to_start(&mut self) {
        let origin = self.times.origin();
        self.tracks.iter_mut().for_each(|track| track.shift(origin));
        self.queues.shift(origin);
        self.graph.shift(origin);
        self.flows.shift(origin);
        self.memory.shift(origin);
        self.host_samples.shift(origin);
        self.times.last = self.times.last.saturating_sub(origin);
    }

    fn diagnostic_infos(&mut self) -> Vec<DiagnosticInfo> {
        let mut dropped = std::mem::take(&mut self.dropped);
        let unexplained = dropped.remove(NO_DEVICE_TIME).unwrap_or_default();
        let untimed = self.graph.untimed_by_reason(unexplained).into_iter().map(|(reason, count)| {
            let commands =
                if count == 1 { "1 command has".to_owned() } else { format!("{count} commands have") };
            let each = if count == 1 { "" } else { "for each of them, " };
            let message = format!("{commands} no device times: {each}{}.", reason.words());
            ("no_device_time".to_owned(), message, count)
        });
        let lost = dropped.into_iter().filter(|(_, count)| *count > 0).map(|(kind, count)| {
            let message = format!(
                "The recorder lost {count} events ({}): the program made them faster than they could be written. A \
                 faster disk or fewer processes at once help.",
                kind.replace('_', " ")
            );
            (format!("dropped_{kind}"), message, count)
        });
        let info = |(kind, message, count)| DiagnosticInfo {
            severity: Severity::DataLoss,
            message,
            kind,
            count,
            first_offset: None,
        };
        untimed.chain(lost).map(info).chain(self.diagnostics.infos()).collect()
    }

    fn announce_track(&mut self, track: &Track<'_>) {
        let name = match track.kind {
            TrackKind::Thread if track.tid != 0 => self.thread_name(track),
            _ => self.strings.intern(track.name),
        };
        let row = self.track_row(track.track, true) as usize;
        let process = self.processes.number();
        if let Some(known) = self.tracks.get_mut(row) {
            known.announce(track, process, name);
        }
    }

    /// Returns the displayed name of a thread: its own name, or its id if it only has the program's name (Linux cuts
    /// that to 15 bytes and gives it to every thread).
    fn thread_name(&mut self, track: &Track<'_>) -> StringId {
        let process = self.processes.current();
        let (name, program) = (track.name.as_bytes(), process.name.as_bytes());
        // A cleaned copy has the program's whole name, not its first 15 bytes.
        if name != program && name != &program[..program.len().min(15)] {
            return self.strings.intern(track.name);
        }
        if track.tid == process.pid {
            return self.strings.intern("main thread");
        }
        self.strings.intern(&format!("thread {}", track.tid))
    }

    /// Returns the row of a track; adds a placeholder for a track that was not announced.
    fn track_row(&mut self, id: u64, announced: bool) -> u32 {
        if self.last_track.1 != NONE && self.last_track.0 == id {
            return self.last_track.1;
        }
        let row = match self.track_rows.get(&id) {
            Some(row) => *row,
            None => {
                let name = if announced {
                    StringId::default()
                } else {
                    self.diagnostics.count(DiagnosticKind::UnknownTrack);
                    self.strings.intern(&format!("track {id}"))
                };
                let row = self.tracks.len() as u32;
                self.tracks.push(TrackBuilder::new(id, self.processes.number(), TrackKind::Other, name));
                self.track_rows.insert(id, row);
                row
            }
        };
        self.last_track = (id, row);
        row
    }

    fn location(&mut self, place: &SourceLocation<'_>) -> LocationId {
        self.locations.intern(place, &mut self.strings)
    }

    fn pack(&mut self, args: Args<'_>, packed: &mut Vec<u8>) {
        for (key, value) in args {
            let frame = frame_of(&(key, *value)).map(|frame| self.stacks.row_of(frame));
            let value = frame.map_or(*value, |row| Value::Uint(row.into()));
            self.args.encode(key, &value, &mut self.strings, packed);
        }
    }

    fn args(&mut self, args: Args<'_>) -> ArgsId {
        let mut packed = std::mem::take(&mut self.packed);
        packed.clear();
        self.pack(args, &mut packed);
        let id = self.packed_args(&packed);
        self.packed = packed;
        id
    }

    fn packed_args(&mut self, packed: &[u8]) -> ArgsId {
        self.args.intern(packed).unwrap_or_else(|| {
            self.diagnostics.count(DiagnosticKind::TooManyArguments);
            ArgsId::default()
        })
    }

    /// Counts a slice. Returns false if the table is full.
    fn count_slice(&mut self) -> bool {
        let room = self.slices < u64::from(NONE);
        if room {
            self.slices += 1;
        } else {
            self.diagnostics.count(DiagnosticKind::TooManySlices);
        }
        room
    }

    fn node_row(&mut self, node: Option<u64>) -> u32 {
        node.map_or(NONE, |node| self.graph.row(node))
    }
}

impl EventSink for TraceBuilder {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Process(process) => self.processes.begin(process),
            Event::Track(track) => self.announce_track(track),
            Event::Queue(queue) => self.queue(queue),
            Event::QueueDestroy { at, queue } => self.queue_destroy(*at, *queue),
            Event::SliceBegin(slice) => self.slice_begin(slice),
            Event::SliceEnd(end) => self.slice_end(end),
            Event::Instant(instant) => self.instant(instant),
            Event::Node(node) => self.node(node),
            Event::Edge(edge) => self.edge(edge),
            Event::Execution(execution) => self.execution(execution),
            Event::Allocation(allocation) => self.allocation(allocation),
            Event::Release(release) => self.release(release),
            Event::Counter(sample) => self.sample(sample),
            Event::Dropped(dropped) => {
                self.time(dropped.at);
                let count = self.dropped.entry(dropped.kind.to_owned()).or_default();
                *count = count.saturating_add(dropped.count);
                if dropped.kind != NO_DEVICE_TIME {
                    self.lost = self.lost.saturating_add(dropped.count);
                }
            }
            Event::Flow(flow) => self.flow(flow),
            Event::TrackOrder(order) => {
                let row = self.track_row(order.track, false) as usize;
                self.tracks[row].rank = order.rank;
            }
            Event::Finish { at } => {
                self.time(*at);
                self.processes.finish();
            }
            Event::PartEnd { at } => {
                self.time(*at);
                self.processes.end_part(*at);
            }
            Event::Device(device) => self.device(device),
            Event::DeviceClock(clock) => self.device_clock(clock),
            Event::Fact(fact) => self.fact(fact),
            Event::SourceFile(file) => self.source_file(file),
            Event::Pause(pause) => self.pause(pause),
            Event::MemoryObject(object) => self.memory_object(object),
            Event::ObjectBinding(binding) => self.object_binding(binding),
            Event::ObjectDestroy(destroy) => self.object_destroy(destroy),
            Event::Accessor(accessor) => self.accessor(accessor),
            Event::CommandGraph(graph) => self.command_graph(graph),
            Event::GraphCommand(command) => self.graph_command(command),
            Event::GraphChange(change) => self.graph_change(change),
            Event::GraphRun(run) => self.graph_run(run),
            Event::Untimed(untimed) => self.untimed(untimed),
            Event::NativeHandle(handle) => self.native_handle(handle),
            Event::NativeHandleRelease(release) => self.native_handle_release(release),
            Event::StackFrame(frame) => self.stack_frame(frame),
            Event::Sample(sample) => self.host_sample(sample),
        }
    }
}
