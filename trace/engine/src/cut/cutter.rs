//! Copy of the events of a recording that touch a part of its time.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Event, EventSink, Process};
use syclscope_language::time::Timestamp;

use super::Plan;
use crate::numbers::{Numbers, for_each_time};

pub(super) struct Cutter<'p, S> {
    plan: &'p Plan,
    sink: S,
    numbers: Numbers,
    slices: usize,
    allocations: usize,
    samples: usize,
    pauses: usize,
    bindings: usize,
    handles: usize,
    /// For each track, true for each open slice that was copied.
    open: FxHashMap<u64, Vec<bool>>,
    /// Live allocations by number of processes so far and address; true if copied.
    live: FxHashMap<(usize, u64), bool>,
    /// Process and time of the first count of lost events after the part.
    lost_after: Option<(usize, Timestamp)>,
    /// Number of processes so far. Times count from the start of the first one; the starts of the others are facts.
    processes: usize,
    /// True for another tool's trace, in which a slice's start has the arguments of its end, and one process represents
    /// all.
    is_foreign: bool,
}

impl<'p, S: EventSink> Cutter<'p, S> {
    pub(super) fn new(plan: &'p Plan, is_foreign: bool, sink: S) -> Self {
        let (open, live) = (FxHashMap::default(), FxHashMap::default());
        Self {
            plan,
            sink,
            numbers: Numbers::counted_anew(is_foreign),
            slices: 0,
            allocations: 0,
            samples: 0,
            pauses: 0,
            bindings: 0,
            handles: 0,
            open,
            live,
            lost_after: None,
            processes: 0,
            is_foreign,
        }
    }

    pub(super) fn into_sink(self) -> S {
        self.sink
    }

    /// Counts an element; true if it is in the part.
    fn next(count: &mut usize, has: impl Fn(usize) -> bool) -> bool {
        *count += 1;
        has(*count - 1)
    }

    /// Returns the remaining part of an event; `None` if it is removed.
    fn cut<'e>(&mut self, event: &Event<'e>) -> Option<Event<'e>> {
        let Plan { part, touched } = self.plan;
        let node = |node: u64| touched.nodes.contains(&node);
        let object = |object: u64| touched.objects.contains(&object);
        let graph = |graph: u64| touched.graphs.contains(&graph);
        let mut left = match *event {
            // What the process did after the part is unknown.
            Event::Finish { at } if at.0 >= part.end => Event::PartEnd { at },
            event => event,
        };
        let is_in = match &mut left {
            // Events with a duration, or belonging to one.
            Event::SliceBegin(slice) => {
                let is_in = Self::next(&mut self.slices, |slice| touched.slices.has(slice));
                self.open.entry(slice.track).or_default().push(is_in);
                // Arguments that may be known only after the part are left out.
                if self.is_foreign && !touched.ended.has(self.slices - 1) {
                    slice.args = &[];
                }
                slice.node = slice.node.filter(|id| node(*id));
                is_in
            }
            Event::SliceEnd(end) => {
                // Data known only after the part is left out.
                if end.at.0 > part.end {
                    end.args = &[];
                }
                self.open.get_mut(&end.track).and_then(Vec::pop) == Some(true)
            }
            Event::Execution(run) => part.meets(run.start, run.end),
            Event::Allocation(allocation) => {
                let is_in = Self::next(&mut self.allocations, |number| touched.allocations.has(number));
                self.live.insert((self.processes, allocation.pointer), is_in);
                is_in
            }
            Event::Release(release) => {
                self.live.remove(&(self.processes, release.pointer)) == Some(true) && part.holds(release.at)
            }
            Event::Counter(_) => Self::next(&mut self.samples, |number| touched.samples.has(number)),
            Event::Node(made) => node(made.node),
            Event::Edge(edge) => node(edge.source) && node(edge.target),
            Event::Untimed(untimed) => node(untimed.node),
            // Events at one moment.
            Event::Instant(instant) => {
                instant.node = instant.node.filter(|id| node(*id));
                part.holds(instant.at)
            }
            Event::Accessor(made) => {
                made.node = made.node.filter(|id| node(*id));
                // A command that runs in the part may have been submitted before it.
                let is_used = made.node.is_some() && made.at.0 < part.start;
                object(made.object) && (part.holds(made.at) || is_used)
            }
            Event::Flow(flow) => part.holds(flow.at),
            Event::Sample(sample) => part.holds(sample.at),
            Event::Pause(_) => Self::next(&mut self.pauses, |number| touched.pauses.has(number)),
            Event::MemoryObject(made) => object(made.object),
            Event::ObjectBinding(bound) => {
                let is_in = Self::next(&mut self.bindings, |number| touched.bindings.has(number));
                is_in && object(bound.object)
            }
            Event::ObjectDestroy(gone) => object(gone.object) && part.holds(gone.at),
            Event::CommandGraph(made) => graph(made.graph),
            // A graph that runs in the part may have been recorded before it.
            Event::GraphCommand(added) => graph(added.graph) && node(added.node) && added.at.0 < part.end,
            Event::GraphChange(change) => graph(change.graph) && part.holds(change.at),
            // A run may have been submitted before the part in which it still executes.
            Event::GraphRun(run) => graph(run.graph) && node(run.node) && run.at.0 < part.end,
            Event::NativeHandle(_) => Self::next(&mut self.handles, |number| touched.handles.has(number)),
            Event::NativeHandleRelease(handle) => part.holds(handle.at),
            // Objects without a relevant time of their own.
            Event::Process(process) => {
                if !self.is_there(process) {
                    (process.name, process.command_line, process.host) = ("", "", "");
                }
                // Times count from the first process's start, which moves to the part's start.
                let by = if self.processes == 0 { part.start.saturating_sub(process.start_ns) } else { 0 };
                let lacks_start = process.from_ns.is_some() || process.start_ns < part.start;
                let from = Timestamp(process.from_ns.unwrap_or(0));
                process.from_ns = lacks_start.then(|| part.clipped(from).0);
                process.start_unix_ns = later(process.start_unix_ns, by);
                process.start_monotonic_ns = later(process.start_monotonic_ns, by);
                process.start_ns = process.start_ns.saturating_sub(part.start);
                true
            }
            Event::Track(track) => touched.tracks.contains(&track.track),
            Event::TrackOrder(order) => touched.tracks.contains(&order.track),
            Event::Queue(queue) => touched.queues.contains(&queue.queue),
            Event::QueueDestroy { at, queue } => touched.queues.contains(queue) && part.holds(*at),
            Event::Device(device) if self.is_foreign => touched.tracks.contains(&device.device),
            Event::Device(_) | Event::Fact(_) => self.has_process(),
            Event::SourceFile(file) => touched.files.contains(file.name),
            Event::StackFrame(frame) => touched.frames.contains(&frame.frame),
            Event::Finish { .. } | Event::PartEnd { .. } => true,
            // Lost events are counted after their loss.
            Event::Dropped(lost) if lost.at.0 >= part.start && self.has_process() => {
                part.holds(lost.at) || self.is_first_after(lost.at)
            }
            Event::Dropped(_) | Event::DeviceClock(_) => false,
        };
        for_each_time(&mut left, |at| *at = part.clipped(*at));
        is_in.then_some(left)
    }

    /// True if this is the first time after the part at which the process counts lost events. Several kinds may have it.
    fn is_first_after(&mut self, at: Timestamp) -> bool {
        let count = (self.processes, at);
        let is_of_other = self.lost_after.is_none_or(|(process, _)| process != self.processes);
        if is_of_other {
            self.lost_after = Some(count);
        }
        self.lost_after == Some(count)
    }

    fn has_process(&self) -> bool {
        self.plan.touched.processes.has(self.processes.saturating_sub(1))
    }

    /// True if the next process of the file has an event in the part.
    fn is_there(&self, process: &Process<'_>) -> bool {
        let Plan { touched, .. } = self.plan;
        if !self.is_foreign {
            return touched.processes.has(self.processes);
        }
        // If a tool does not name the program, its process has the machine's name.
        touched.process_names.iter().any(|name| {
            let is_of_host = !process.host.is_empty() && name.contains(process.host);
            if process.name.is_empty() { is_of_host } else { **name == *process.name }
        })
    }
}

/// Returns a time of a running clock, shifted; 0 means unknown.
fn later(time: u64, by: u64) -> u64 {
    if time == 0 { 0 } else { time.saturating_add(by) }
}

impl<S: EventSink> EventSink for Cutter<'_, S> {
    fn event(&mut self, event: &Event<'_>) {
        if let Some(event) = self.cut(event) {
            self.numbers.pass(&event, 0, &mut self.sink);
        }
        self.processes += usize::from(matches!(event, Event::Process(_)));
    }
}
