//! Search for the events of a recording that touch a part of its time.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::{
    Args, Event, EventSink, GraphChange, GraphRun, HandleDirection, SourceLocation, TrackKind,
};
use syclscope_language::time::Timestamp;

use super::{Part, Plan};
use crate::numbers::{frame_of, queue_of};

/// Contents of the part. Objects without ids are numbered in file order.
#[derive(Debug, Default)]
pub(super) struct PartContents {
    /// Processes with anything in the part, by their index in the file.
    pub(super) processes: Marks,
    pub(super) process_names: FxHashSet<Box<str>>,
    pub(super) slices: Marks,
    pub(super) ended: Marks,
    pub(super) allocations: Marks,
    pub(super) samples: Marks,
    pub(super) pauses: Marks,
    pub(super) bindings: Marks,
    pub(super) handles: Marks,
    pub(super) tracks: FxHashSet<u64>,
    pub(super) queues: FxHashSet<u64>,
    pub(super) nodes: FxHashSet<u64>,
    pub(super) objects: FxHashSet<u64>,
    pub(super) graphs: FxHashSet<u64>,
    pub(super) files: FxHashSet<Box<str>>,
    pub(super) frames: FxHashSet<u64>,
}

/// A set of small numbers.
#[derive(Debug, Default)]
pub(super) struct Marks(Vec<bool>);

impl Marks {
    /// Counts one more; returns its number.
    fn push(&mut self) -> usize {
        self.0.push(false);
        self.0.len() - 1
    }

    /// Marks a number. Ignores numbers that were not counted.
    fn mark(&mut self, number: usize) {
        if let Some(mark) = self.0.get_mut(number) {
            *mark = true;
        }
    }

    /// Returns the number counted last; 0 before the first one.
    fn last(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    pub(super) fn has(&self, number: usize) -> bool {
        self.0.get(number).copied().unwrap_or(false)
    }
}

#[derive(Debug)]
struct Open {
    number: usize,
    process: usize,
    start: Timestamp,
    queue: Option<u64>,
    file: Option<u32>,
    frame: Option<u64>,
}

#[derive(Debug)]
struct Creation {
    queue: Option<u64>,
    file: Option<u32>,
    frame: Option<u64>,
}

pub(super) struct Survey {
    part: Part,
    touched: PartContents,
    parents: FxHashMap<u64, u64>,
    /// Names of the track groups of processes.
    groups: FxHashMap<u64, Box<str>>,
    open: FxHashMap<u64, Vec<Open>>,
    /// Live allocations by process and address.
    live: FxHashMap<(usize, u64), Open>,
    /// Process and creation of each memory object that has not been destroyed.
    objects: FxHashMap<u64, (usize, Timestamp)>,
    /// The bindings from before the part that still apply, by object and handle.
    bound: FxHashMap<(u64, u64), usize>,
    /// Process of each command graph.
    graphs: FxHashMap<u64, usize>,
    /// The graph of each run that was submitted before the part, by the run's node.
    runs: FxHashMap<u64, u64>,
    /// Nodes of the commands of each graph.
    commands: FxHashMap<u64, Vec<u64>>,
    /// Graphs that run in the part.
    running: FxHashSet<u64>,
    /// The handles that the program received before the part and that are not released, by process and handle.
    handles: FxHashMap<(usize, u64), Vec<usize>>,
    /// Number and start of the open pause of a process.
    paused: FxHashMap<usize, (usize, Timestamp)>,
    /// The last sample of a counter before the part: it is the counter's value at the start of the part.
    before: FxHashMap<u64, usize>,
    nodes: FxHashMap<u64, Creation>,
    /// Node and file of the accessors from before the part.
    accessors: FxHashSet<(u64, u32)>,
    /// Caller and file of each frame of a stack.
    frames: FxHashMap<u64, (Option<u64>, Option<u32>)>,
    files: FxHashMap<Box<str>, u32>,
    touched_files: FxHashSet<u32>,
}

impl Survey {
    pub(super) fn new(part: Part) -> Self {
        Self {
            part,
            touched: PartContents::default(),
            parents: FxHashMap::default(),
            groups: FxHashMap::default(),
            open: FxHashMap::default(),
            live: FxHashMap::default(),
            objects: FxHashMap::default(),
            bound: FxHashMap::default(),
            graphs: FxHashMap::default(),
            runs: FxHashMap::default(),
            commands: FxHashMap::default(),
            running: FxHashSet::default(),
            handles: FxHashMap::default(),
            paused: FxHashMap::default(),
            before: FxHashMap::default(),
            nodes: FxHashMap::default(),
            accessors: FxHashSet::default(),
            frames: FxHashMap::default(),
            files: FxHashMap::default(),
            touched_files: FxHashSet::default(),
        }
    }

    pub(super) fn plan(mut self) -> Plan {
        let end = Timestamp(u64::MAX);
        for (track, slices) in std::mem::take(&mut self.open) {
            for slice in slices {
                self.slice(track, &slice, end);
            }
        }
        for (_, allocation) in std::mem::take(&mut self.live) {
            self.allocation(&allocation, end);
        }
        for (object, made) in std::mem::take(&mut self.objects) {
            self.object(object, made, end);
        }
        for (process, (number, at)) in std::mem::take(&mut self.paused) {
            self.pause(process, &[number], (at, end));
        }
        for (node, graph) in std::mem::take(&mut self.runs) {
            if self.touched.nodes.contains(&node) {
                self.graph(graph);
                self.running.insert(graph);
            }
        }
        // A run of a graph runs the graph's commands.
        for graph in &self.running {
            self.touched.nodes.extend(self.commands.get(graph).into_iter().flatten());
        }
        for sample in self.before.into_values() {
            self.touched.samples.mark(sample);
        }
        for binding in self.bound.into_values() {
            self.touched.bindings.mark(binding);
        }
        for ((process, _), handles) in self.handles {
            handles.into_iter().for_each(|handle| self.touched.handles.mark(handle));
            self.touched.processes.mark(process);
        }
        for node in &self.touched.nodes {
            if let Some(Creation { queue, file, frame }) = self.nodes.get(node) {
                self.touched.queues.extend(*queue);
                self.touched_files.extend(*file);
                self.touched.frames.extend(*frame);
            }
        }
        for (node, file) in self.accessors {
            if self.touched.nodes.contains(&node) {
                self.touched_files.insert(file);
            }
        }
        for frame in self.touched.frames.clone() {
            let mut next = Some(frame);
            while let Some((caller, file)) = next.and_then(|frame| self.frames.get(&frame)) {
                self.touched_files.extend(*file);
                next = caller.filter(|caller| self.touched.frames.insert(*caller));
            }
        }
        // The parents of a track stay with the track.
        let mut tracks: Vec<u64> = self.touched.tracks.iter().copied().collect();
        while let Some(track) = tracks.pop() {
            if let Some(parent) = self.parents.get(&track)
                && self.touched.tracks.insert(*parent)
            {
                tracks.push(*parent);
            }
        }
        let groups = self.groups.into_iter().filter(|(track, _)| self.touched.tracks.contains(track));
        self.touched.process_names = groups.map(|(_, name)| name).collect();
        let touched = self.touched_files;
        let files = self.files.into_iter().filter(|(_, number)| touched.contains(number));
        self.touched.files = files.map(|(name, _)| name).collect();
        Plan { part: self.part, touched: self.touched }
    }

    fn file(&mut self, location: &SourceLocation<'_>) -> Option<u32> {
        if location.file.is_empty() {
            return None;
        }
        if let Some(number) = self.files.get(location.file) {
            return Some(*number);
        }
        let number = u32::try_from(self.files.len()).ok()?;
        self.files.insert(location.file.into(), number);
        Some(number)
    }

    fn place(&mut self, location: &SourceLocation<'_>) {
        let file = self.file(location);
        self.touched_files.extend(file);
        self.current_process();
    }

    fn current_process(&mut self) {
        self.touched.processes.mark(self.touched.processes.last());
    }

    fn slice(&mut self, track: u64, slice: &Open, end: Timestamp) {
        if self.part.meets(slice.start, end) {
            self.touched.slices.mark(slice.number);
            if end.0 <= self.part.end {
                self.touched.ended.mark(slice.number);
            }
            self.touched.processes.mark(slice.process);
            self.touched.tracks.insert(track);
            self.touched.queues.extend(slice.queue);
            self.touched_files.extend(slice.file);
            self.touched.frames.extend(slice.frame);
        }
    }

    fn allocation(&mut self, allocation: &Open, end: Timestamp) {
        if self.part.meets(allocation.start, end) {
            self.touched.allocations.mark(allocation.number);
            self.touched.processes.mark(allocation.process);
            self.touched_files.extend(allocation.file);
        }
    }

    fn object(&mut self, object: u64, (process, made): (usize, Timestamp), end: Timestamp) {
        if self.part.meets(made, end) {
            self.touched.objects.insert(object);
            self.touched.processes.mark(process);
        }
    }

    fn graph(&mut self, graph: u64) {
        if let Some(process) = self.graphs.get(&graph) {
            self.touched.graphs.insert(graph);
            self.touched.processes.mark(*process);
        }
    }

    fn pause(&mut self, process: usize, events: &[usize], (start, end): (Timestamp, Timestamp)) {
        if self.part.meets(start, end) {
            events.iter().for_each(|number| self.touched.pauses.mark(*number));
            self.touched.processes.mark(process);
        }
    }

    fn sample(&mut self, track: u64, at: Timestamp) {
        let number = self.touched.samples.push();
        if at.0 < self.part.start {
            self.before.insert(track, number);
        } else if self.part.holds(at) {
            self.touched.samples.mark(number);
        } else {
            return;
        }
        self.touched.tracks.insert(track);
        self.current_process();
    }
}

impl EventSink for Survey {
    fn event(&mut self, event: &Event<'_>) {
        let part = self.part;
        match event {
            Event::Process(_) => drop(self.touched.processes.push()),
            Event::Track(track) => {
                self.parents.extend(track.parent.map(|parent| (track.track, parent)));
                if track.kind == TrackKind::Process {
                    self.groups.insert(track.track, track.name.into());
                }
            }
            Event::SliceBegin(slice) => {
                let number = self.touched.slices.push();
                self.touched.ended.push();
                let (file, process) = (self.file(&slice.location), self.touched.processes.last());
                let (queue, frame) = (queue_of(slice), frame(slice.args));
                let open = Open { number, process, start: slice.at, queue, file, frame };
                self.open.entry(slice.track).or_default().push(open);
            }
            Event::SliceEnd(end) => {
                if let Some(slice) = self.open.get_mut(&end.track).and_then(Vec::pop) {
                    self.slice(end.track, &slice, end.at);
                }
            }
            Event::Instant(instant) if part.holds(instant.at) => {
                self.touched.tracks.insert(instant.track);
                self.place(&instant.location);
                self.touched.frames.extend(frame(instant.args));
            }
            Event::Sample(sample) if part.holds(sample.at) => {
                self.touched.tracks.insert(sample.track);
                self.touched.frames.extend(sample.stack);
                self.current_process();
            }
            Event::Node(node) => {
                let file = self.file(&node.location);
                self.nodes.insert(node.node, Creation { queue: node.queue, file, frame: frame(node.args) });
                if part.holds(node.at) {
                    self.touched.nodes.insert(node.node);
                    self.current_process();
                }
            }
            Event::StackFrame(frame) => {
                let file = self.file(&frame.location);
                self.frames.insert(frame.frame, (frame.caller, file));
            }
            Event::Execution(run) if part.meets(run.start, run.end) => {
                self.touched.nodes.insert(run.node);
                self.touched.queues.insert(run.queue);
                self.current_process();
            }
            Event::Allocation(allocation) => {
                let number = self.touched.allocations.push();
                let (file, process) = (self.file(&allocation.location), self.touched.processes.last());
                let (start, queue, frame) = (allocation.at, None, None);
                let open = Open { number, process, start, queue, file, frame };
                if let Some(before) = self.live.insert((process, allocation.pointer), open) {
                    self.allocation(&before, allocation.at);
                }
            }
            Event::Release(release) => {
                if let Some(allocation) = self.live.remove(&(self.touched.processes.last(), release.pointer))
                {
                    self.allocation(&allocation, release.at);
                }
            }
            Event::Pause(pause) => {
                let (process, number) = (self.touched.processes.last(), self.touched.pauses.push());
                if pause.is_paused {
                    self.paused.entry(process).or_insert((number, pause.at));
                } else if let Some((start, at)) = self.paused.remove(&process) {
                    self.pause(process, &[start, number], (at, pause.at));
                }
            }
            Event::Counter(sample) => self.sample(sample.track, sample.at),
            Event::MemoryObject(object) => {
                self.objects.insert(object.object, (self.touched.processes.last(), object.at));
                if part.holds(object.at) {
                    self.place(&object.location);
                }
            }
            Event::ObjectBinding(bound) => {
                let (key, number) = ((bound.object, bound.handle), self.touched.bindings.push());
                if part.holds(bound.at) {
                    self.touched.bindings.mark(number);
                } else if bound.at.0 < part.start {
                    self.bound.remove(&key);
                    self.bound.extend(bound.is_bound.then_some((key, number)));
                }
            }
            Event::ObjectDestroy(gone) => {
                if let Some(made) = self.objects.remove(&gone.object) {
                    self.object(gone.object, made, gone.at);
                }
            }
            Event::CommandGraph(graph) => {
                self.graphs.insert(graph.graph, self.touched.processes.last());
                if part.holds(graph.at) {
                    self.graph(graph.graph);
                    self.place(&graph.location);
                }
            }
            Event::GraphCommand(command) if command.at.0 < part.end => {
                self.commands.entry(command.graph).or_default().push(command.node);
            }
            Event::GraphChange(GraphChange { graph, at, .. })
            | Event::GraphRun(GraphRun { graph, at, .. })
                if part.holds(*at) =>
            {
                self.graph(*graph);
                if matches!(event, Event::GraphRun(_)) {
                    self.running.insert(*graph);
                }
            }
            Event::GraphRun(run) if run.at.0 < part.start => {
                self.runs.insert(run.node, run.graph);
            }
            Event::Accessor(accessor) if part.holds(accessor.at) => self.place(&accessor.location),
            Event::Accessor(accessor) if accessor.at.0 < part.start => {
                let file = self.file(&accessor.location);
                self.accessors.extend(accessor.node.zip(file));
            }
            Event::NativeHandle(handle) => {
                let (process, number) = (self.touched.processes.last(), self.touched.handles.push());
                if part.holds(handle.at) {
                    self.touched.handles.mark(number);
                    self.place(&handle.location);
                } else if handle.at.0 < part.start && handle.direction == HandleDirection::Leaves {
                    self.handles.entry((process, handle.handle)).or_default().push(number);
                }
            }
            Event::NativeHandleRelease(release) if release.at.0 <= part.start => {
                self.handles.remove(&(self.touched.processes.last(), release.handle));
            }
            _ => {}
        }
    }
}

fn frame(args: Args<'_>) -> Option<u64> {
    args.iter().find_map(frame_of)
}
