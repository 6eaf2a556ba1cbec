//! Passes on what of a recording touches a part of its time.

use rustc_hash::FxHashMap;
use syclscope_language::event::{
    Accessor, Allocation, CommandGraph, CounterSample, Device, Edge, Event, EventSink, Execution, Fact, Flow,
    GraphChange, GraphCommand, GraphRun, Instant, MemoryObject, NativeHandle, NativeHandleRelease, Node,
    ObjectBinding, ObjectDestroy, Pause, Process, Queue, Release, Sample, SliceBegin, SliceEnd, SourceFile,
    StackFrame, TrackOrder, Untimed,
};
use syclscope_language::time::Timestamp;

use super::Plan;
use crate::numbers::Numbers;

/// Passes events of the part on to `sink`.
pub(super) struct Cutter<'p, S> {
    plan: &'p Plan,
    sink: S,
    numbers: Numbers,
    slices: usize,
    allocations: usize,
    samples: usize,
    /// Of the slices that are open on each track, whether they were passed on.
    open: FxHashMap<u64, Vec<bool>>,
    /// Addresses of live allocations that were passed on.
    live: FxHashMap<u64, bool>,
    /// Processes so far. Times count from the start of the first one; of the others it is a fact.
    processes: usize,
    /// Of another tool's trace, which has the arguments of a slice's end at its begin, and one process that stands for all.
    is_foreign: bool,
}

impl<'p, S: EventSink> Cutter<'p, S> {
    pub(super) fn new(plan: &'p Plan, is_foreign: bool, sink: S) -> Self {
        let (open, live) = (FxHashMap::default(), FxHashMap::default());
        Self {
            plan,
            sink,
            numbers: Numbers::counted_anew(),
            slices: 0,
            allocations: 0,
            samples: 0,
            open,
            live,
            processes: 0,
            is_foreign,
        }
    }

    pub(super) fn into_sink(self) -> S {
        self.sink
    }

    /// Whether the next of the things that are counted is in the part.
    fn next(count: &mut usize, has: impl Fn(usize) -> bool) -> bool {
        *count += 1;
        has(*count - 1)
    }

    /// What is left of a thing that lasts, or belongs to one that does.
    fn lasting<'e>(&mut self, event: &Event<'e>) -> Option<Event<'e>> {
        let Plan { part, touched } = self.plan;
        let at = |time: Timestamp| part.clipped(time);
        let node = |node: Option<u64>| node.filter(|node| touched.nodes.contains(node));
        Some(match *event {
            Event::SliceBegin(slice) => {
                let is_in = Self::next(&mut self.slices, |slice| touched.slices.has(slice));
                self.open.entry(slice.track).or_default().push(is_in);
                // What may be known only later is none of the part's.
                let is_known = !self.is_foreign || touched.ended.has(self.slices - 1);
                let args = if is_known { slice.args } else { &[] };
                let slice = SliceBegin { at: at(slice.at), node: node(slice.node), args, ..slice };
                is_in.then_some(Event::SliceBegin(slice))?
            }
            Event::SliceEnd(end) => {
                let is_in = self.open.get_mut(&end.track).and_then(Vec::pop)?;
                // What is known only later is none of the part's.
                let args = if end.at.0 <= part.end { end.args } else { &[] };
                is_in.then_some(Event::SliceEnd(SliceEnd { at: at(end.at), args, ..end }))?
            }
            Event::Execution(run) => {
                let run = part.meets(run.start, run.end).then_some(run)?;
                let (queued, submitted) = (run.queued.map(at), run.submitted.map(at));
                let (start, end) = (at(run.start), at(run.end));
                Event::Execution(Execution { queued, submitted, start, end, ..run })
            }
            Event::Allocation(allocation) => {
                let is_in = Self::next(&mut self.allocations, |number| touched.allocations.has(number));
                self.live.insert(allocation.pointer, is_in);
                is_in.then_some(Event::Allocation(Allocation { at: at(allocation.at), ..allocation }))?
            }
            Event::Release(release) => {
                let is_in = self.live.remove(&release.pointer).unwrap_or(false) && part.holds(release.at);
                is_in.then_some(Event::Release(Release { at: at(release.at), ..release }))?
            }
            Event::Counter(sample) => {
                let is_in = Self::next(&mut self.samples, |number| touched.samples.has(number));
                is_in.then_some(Event::Counter(CounterSample { at: at(sample.at), ..sample }))?
            }
            Event::Node(made) => {
                let made = touched.nodes.contains(&made.node).then_some(made)?;
                Event::Node(Node { at: at(made.at), ..made })
            }
            Event::Edge(edge) => {
                let is_in = touched.nodes.contains(&edge.source) && touched.nodes.contains(&edge.target);
                is_in.then_some(Event::Edge(Edge { at: at(edge.at), ..edge }))?
            }
            _ => return None,
        })
    }

    /// A thing of one moment, where that is in the part and what it refers to is, too.
    fn momentary<'e>(&self, event: &Event<'e>) -> Option<Event<'e>> {
        let Plan { part, touched } = self.plan;
        let at = |time: Timestamp| part.holds(time).then(|| part.clipped(time));
        let node = |node: u64| touched.nodes.contains(&node);
        let object = |object: u64| touched.objects.contains(&object);
        let graph = |graph: u64| touched.graphs.contains(&graph);
        Some(match *event {
            Event::Instant(instant) => Event::Instant(Instant {
                at: at(instant.at)?,
                node: instant.node.filter(|id| node(*id)),
                ..instant
            }),
            Event::Flow(flow) => Event::Flow(Flow { at: at(flow.at)?, ..flow }),
            Event::Sample(sample) => Event::Sample(Sample { at: at(sample.at)?, ..sample }),
            Event::Pause(pause) => Event::Pause(Pause { at: at(pause.at)?, ..pause }),
            Event::Untimed(untimed) if node(untimed.node) => {
                Event::Untimed(Untimed { at: part.clipped(untimed.at), ..untimed })
            }
            Event::MemoryObject(made) => Event::MemoryObject(MemoryObject { at: at(made.at)?, ..made }),
            Event::ObjectBinding(bound) if object(bound.object) => {
                Event::ObjectBinding(ObjectBinding { at: at(bound.at)?, ..bound })
            }
            Event::ObjectDestroy(gone) if object(gone.object) => {
                Event::ObjectDestroy(ObjectDestroy { at: at(gone.at)?, ..gone })
            }
            Event::Accessor(made) if object(made.object) => {
                Event::Accessor(Accessor { at: at(made.at)?, node: made.node.filter(|id| node(*id)), ..made })
            }
            Event::CommandGraph(made) => Event::CommandGraph(CommandGraph { at: at(made.at)?, ..made }),
            Event::GraphCommand(added) if graph(added.graph) && node(added.node) => {
                Event::GraphCommand(GraphCommand { at: at(added.at)?, ..added })
            }
            Event::GraphChange(change) if graph(change.graph) => {
                Event::GraphChange(GraphChange { at: at(change.at)?, ..change })
            }
            Event::GraphRun(run) if graph(run.graph) && node(run.node) => {
                Event::GraphRun(GraphRun { at: at(run.at)?, ..run })
            }
            Event::NativeHandle(handle) => Event::NativeHandle(NativeHandle { at: at(handle.at)?, ..handle }),
            Event::NativeHandleRelease(handle) => {
                Event::NativeHandleRelease(NativeHandleRelease { at: at(handle.at)?, ..handle })
            }
            _ => return None,
        })
    }

    /// True if the current process has an event in the part.
    fn has_process(&self) -> bool {
        self.plan.touched.processes.has(self.processes.saturating_sub(1))
    }

    /// True if the next process of the file has an event in the part.
    fn is_there(&self, process: &Process<'_>) -> bool {
        let Plan { touched, .. } = self.plan;
        if !self.is_foreign {
            return touched.processes.has(self.processes);
        }
        // Where a tool does not name the program, the name of its process names the machine.
        touched.named_processes.iter().any(|name| {
            let is_of_host = !process.host.is_empty() && name.contains(process.host);
            if process.name.is_empty() { is_of_host } else { **name == *process.name }
        })
    }

    /// What has no time of its own that matters.
    fn timeless<'e>(&self, event: &Event<'e>) -> Option<Event<'e>> {
        let Plan { part, touched } = self.plan;
        let at = |time: Timestamp| part.clipped(time);
        Some(match *event {
            Event::Process(process) => {
                let process = if self.is_there(&process) {
                    process
                } else {
                    Process { name: "", command_line: "", host: "", ..process }
                };
                // The part's times count from the first process's start.
                let by = if self.processes == 0 { part.start.saturating_sub(process.start_ns) } else { 0 };
                Event::Process(Process {
                    start_unix_ns: later(process.start_unix_ns, by),
                    start_monotonic_ns: later(process.start_monotonic_ns, by),
                    start_ns: process.start_ns.saturating_sub(part.start),
                    ..process
                })
            }
            Event::Track(track) => touched.tracks.contains(&track.track).then_some(Event::Track(track))?,
            Event::TrackOrder(order) if touched.tracks.contains(&order.track) => {
                Event::TrackOrder(TrackOrder { at: at(order.at), ..order })
            }
            Event::Queue(queue) if touched.queues.contains(&queue.queue) => {
                Event::Queue(Queue { at: at(queue.at), ..queue })
            }
            Event::QueueDestroy { at: time, queue }
                if touched.queues.contains(&queue) && part.holds(time) =>
            {
                Event::QueueDestroy { at: at(time), queue }
            }
            Event::Device(device) if self.has_process() => {
                Event::Device(Device { at: at(device.at), ..device })
            }
            Event::Fact(fact) if self.has_process() => Event::Fact(Fact { at: at(fact.at), ..fact }),
            Event::SourceFile(file) if touched.files.contains(file.name) => {
                Event::SourceFile(SourceFile { at: at(file.at), ..file })
            }
            Event::StackFrame(frame) if touched.frames.contains(&frame.frame) => {
                Event::StackFrame(StackFrame { at: at(frame.at), ..frame })
            }
            Event::Finish { at: time } => Event::Finish { at: at(time) },
            _ => return None,
        })
    }
}

/// A time of a clock that goes on; 0 says that it is not known.
fn later(time: u64, by: u64) -> u64 {
    if time == 0 { 0 } else { time.saturating_add(by) }
}

impl<S: EventSink> EventSink for Cutter<'_, S> {
    fn event(&mut self, event: &Event<'_>) {
        let left = self.lasting(event).or_else(|| self.momentary(event)).or_else(|| self.timeless(event));
        if let Some(event) = left {
            self.numbers.pass(&event, 0, &mut self.sink);
        }
        self.processes += usize::from(matches!(event, Event::Process(_)));
    }
}
