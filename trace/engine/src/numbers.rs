//! Numbers assigned by recordings: made unique in a merged one, assigned anew in a part of one.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::{
    Accessor, CALL_STACK, Category, CommandGraph, CounterSample, Device, Edge, Event, EventSink, Execution,
    Flow, GraphChange, GraphCommand, GraphRun, Instant, MemoryObject, Node, ObjectBinding, ObjectDestroy,
    Queue, Sample, SliceBegin, SliceEnd, StackFrame, Track, TrackOrder, Untimed, Value,
};
use syclscope_language::time::{Duration, Timestamp};

/// Limit of a recorder's numbers, which count from 1. Larger numbers are replaced one by one.
const MAX_COUNTED: u64 = 1 << 40;

/// First of the replacements that are assigned one by one.
const FIRST_REPLACEMENT: u64 = 1 << 63;

#[derive(Debug)]
struct Space {
    /// Offset of this input's numbers.
    base: u64,
    highest: u64,
    /// Numbers of this input outside of 1 to [`MAX_COUNTED`], or all if `is_counted_anew`, and their replacements.
    given: FxHashMap<u64, u64>,
    /// Numbers of the first input outside of 1 to [`MAX_COUNTED`]; they stay unchanged.
    uncounted: FxHashSet<u64>,
    next_replacement: u64,
    is_first: bool,
    is_counted_anew: bool,
}

impl Default for Space {
    fn default() -> Self {
        Self {
            base: 0,
            highest: 0,
            given: FxHashMap::default(),
            uncounted: FxHashSet::default(),
            next_replacement: FIRST_REPLACEMENT,
            is_first: true,
            is_counted_anew: false,
        }
    }
}

impl Space {
    fn next_input(&mut self, is_first: bool) {
        self.base = self.highest;
        self.given.clear();
        self.is_first = is_first;
    }

    fn number(&mut self, number: u64) -> u64 {
        if self.is_counted_anew {
            let next = self.given.len() as u64 + 1;
            return *self.given.entry(number).or_insert(next);
        }
        let counted = (1..=MAX_COUNTED).contains(&number);
        if self.is_first {
            if counted {
                self.highest = self.highest.max(number);
            } else {
                self.uncounted.insert(number);
            }
            return number;
        }
        if counted
            && let Some(moved) = self.base.checked_add(number).filter(|moved| *moved < FIRST_REPLACEMENT)
        {
            self.highest = self.highest.max(moved);
            return moved;
        }
        let Self { given, uncounted, next_replacement, .. } = self;
        *given.entry(number).or_insert_with(|| {
            while uncounted.contains(next_replacement) {
                *next_replacement += 1;
            }
            *next_replacement += 1;
            *next_replacement - 1
        })
    }

    fn optional(&mut self, number: Option<u64>) -> Option<u64> {
        number.map(|number| self.number(number))
    }
}

#[derive(Debug, Default)]
pub(crate) struct Numbers {
    inputs: u64,
    /// True for another tool's trace, whose arguments have numbers of its own.
    is_foreign: bool,
    tracks: Space,
    queues: Space,
    nodes: Space,
    devices: Space,
    objects: Space,
    graphs: Space,
    flows: Space,
    frames: Space,
}

impl Numbers {
    /// Returns a state that assigns numbers in order of appearance, so that they don't reveal the amount of removed
    /// data.
    pub(crate) fn counted_anew(is_foreign: bool) -> Self {
        let space = || Space { is_counted_anew: true, ..Space::default() };
        Self {
            inputs: 0,
            is_foreign,
            tracks: space(),
            queues: space(),
            nodes: space(),
            devices: space(),
            objects: space(),
            graphs: space(),
            flows: space(),
            frames: space(),
        }
    }

    /// Starts the next input, which belongs to another process.
    pub(crate) fn next_input(&mut self) {
        self.inputs += 1;
        let Self { inputs, tracks, queues, nodes, devices, objects, graphs, flows, frames, .. } = self;
        for space in [tracks, queues, nodes, devices, objects, graphs, flows, frames] {
            space.next_input(*inputs == 1);
        }
    }

    /// Passes an event to `sink` with the numbers and times of the merged recording.
    pub(crate) fn pass(&mut self, event: &Event<'_>, shift: u64, sink: &mut impl EventSink) {
        let args = match event {
            Event::SliceBegin(SliceBegin { args, .. })
            | Event::Instant(Instant { args, .. })
            | Event::Node(Node { args, .. })
            | Event::MemoryObject(MemoryObject { args, .. }) => *args,
            _ => &[],
        };
        if !args.iter().any(|arg| self.space(event, arg).is_some()) {
            return sink.event(&self.renumber(event, shift));
        }
        let mut args = args.to_vec();
        for arg in &mut args {
            if let Some((space, number)) = self.space(event, arg) {
                arg.1 = Value::Uint(space.number(number));
            }
        }
        let mut event = self.renumber(event, shift);
        match &mut event {
            Event::SliceBegin(SliceBegin { args: own, .. })
            | Event::Instant(Instant { args: own, .. })
            | Event::Node(Node { args: own, .. })
            | Event::MemoryObject(MemoryObject { args: own, .. }) => *own = &args,
            _ => {}
        }
        sink.event(&event);
    }

    /// Returns the number in an argument that the recording has assigned, with the space of such numbers.
    fn space(&mut self, event: &Event<'_>, arg: &(&str, Value<'_>)) -> Option<(&mut Space, u64)> {
        let (key, Value::Uint(number)) = *arg else { return None };
        let space = match event {
            Event::SliceBegin(_) | Event::Instant(_) | Event::Node(_) if key == CALL_STACK => {
                &mut self.frames
            }
            Event::SliceBegin(SliceBegin {
                category: Category::Call | Category::Wait | Category::Barrier,
                ..
            }) if key == "queue" && !self.is_foreign => &mut self.queues,
            Event::MemoryObject(_) if key == "sub_buffer_of" => &mut self.objects,
            _ => return None,
        };
        Some((space, number))
    }

    /// Returns the event with the numbers and times of the merged recording, except for numbers in its arguments.
    fn renumber<'a>(&mut self, event: &Event<'a>, shift: u64) -> Event<'a> {
        let Self { tracks, queues, nodes, devices, objects, graphs, flows, frames, is_foreign, .. } = self;
        let mut event = *event;
        match &mut event {
            Event::Track(Track { track, parent, .. }) => {
                *track = tracks.number(*track);
                *parent = tracks.optional(*parent);
            }
            Event::Queue(Queue { queue, .. }) | Event::QueueDestroy { queue, .. } => {
                *queue = queues.number(*queue)
            }
            Event::SliceBegin(SliceBegin { track, node, .. })
            | Event::Instant(Instant { track, node, .. }) => {
                *track = tracks.number(*track);
                *node = nodes.optional(*node);
            }
            Event::SliceEnd(SliceEnd { track, .. }) | Event::Counter(CounterSample { track, .. }) => {
                *track = tracks.number(*track);
            }
            Event::Node(Node { node, queue, .. }) => {
                *node = nodes.number(*node);
                *queue = queues.optional(*queue);
            }
            Event::Edge(Edge { source, target, .. }) => {
                *source = nodes.number(*source);
                *target = nodes.number(*target);
            }
            Event::Execution(Execution { node, queue, .. }) => {
                *node = nodes.number(*node);
                *queue = queues.number(*queue);
            }
            // In another tool's trace and in its conversion, number and handle of a device are its track's number.
            Event::Device(Device { device, handle, .. }) if *is_foreign || *device == *handle => {
                *device = tracks.number(*device);
                *handle = *device;
            }
            Event::Device(Device { device, .. }) => *device = devices.number(*device),
            Event::MemoryObject(MemoryObject { object, .. })
            | Event::ObjectBinding(ObjectBinding { object, .. })
            | Event::ObjectDestroy(ObjectDestroy { object, .. }) => *object = objects.number(*object),
            Event::Accessor(Accessor { object, node, .. }) => {
                *object = objects.number(*object);
                *node = nodes.optional(*node);
            }
            Event::CommandGraph(CommandGraph { graph, group, .. }) => {
                *graph = graphs.number(*graph);
                *group = graphs.number(*group);
            }
            Event::GraphCommand(GraphCommand { graph, node, .. })
            | Event::GraphRun(GraphRun { graph, node, .. }) => {
                *graph = graphs.number(*graph);
                *node = nodes.number(*node);
            }
            Event::Untimed(Untimed { node, .. }) => *node = nodes.number(*node),
            Event::GraphChange(GraphChange { graph, .. }) => *graph = graphs.number(*graph),
            Event::Flow(Flow { flow, track, .. }) => {
                *flow = flows.number(*flow);
                *track = tracks.number(*track);
            }
            Event::StackFrame(StackFrame { frame, caller, .. }) => {
                *caller = frames.optional(*caller);
                *frame = frames.number(*frame);
            }
            Event::Sample(Sample { track, stack, .. }) => {
                *track = tracks.number(*track);
                *stack = frames.optional(*stack);
            }
            Event::TrackOrder(TrackOrder { track, .. }) => *track = tracks.number(*track),
            Event::Process(_)
            | Event::Allocation(_)
            | Event::Release(_)
            | Event::Dropped(_)
            | Event::DeviceClock(_)
            | Event::Fact(_)
            | Event::SourceFile(_)
            | Event::Pause(_)
            | Event::NativeHandle(_)
            | Event::NativeHandleRelease(_)
            | Event::Finish { .. }
            | Event::PartEnd { .. } => {}
        }
        for_each_time(&mut event, |at| *at = at.after(Duration(shift)));
        event
    }
}

pub(crate) fn frame_of((key, value): &(&str, Value<'_>)) -> Option<u64> {
    match value {
        Value::Uint(frame) if *key == CALL_STACK => Some(*frame),
        _ => None,
    }
}

/// Returns the queue that a slice of our recordings waits for or works on.
pub(crate) fn queue_of(slice: &SliceBegin<'_>) -> Option<u64> {
    if !matches!(slice.category, Category::Call | Category::Wait | Category::Barrier) {
        return None;
    }
    slice.args.iter().find_map(|(key, value)| match value {
        Value::Uint(queue) if *key == "queue" => Some(*queue),
        _ => None,
    })
}

pub(crate) fn for_each_time(event: &mut Event<'_>, mut change: impl FnMut(&mut Timestamp)) {
    match event {
        Event::Process(_) | Event::Track(_) => {}
        Event::Execution(execution) => {
            let Execution { queued, submitted, start, end, .. } = execution;
            queued.iter_mut().chain(submitted).chain([start, end]).for_each(change);
        }
        Event::QueueDestroy { at, .. } | Event::Finish { at } | Event::PartEnd { at } => change(at),
        Event::Queue(event) => change(&mut event.at),
        Event::SliceBegin(event) => change(&mut event.at),
        Event::SliceEnd(event) => change(&mut event.at),
        Event::Instant(event) => change(&mut event.at),
        Event::Node(event) => change(&mut event.at),
        Event::Edge(event) => change(&mut event.at),
        Event::Allocation(event) => change(&mut event.at),
        Event::Release(event) => change(&mut event.at),
        Event::Counter(event) => change(&mut event.at),
        Event::Dropped(event) => change(&mut event.at),
        Event::Device(event) => change(&mut event.at),
        Event::DeviceClock(event) => change(&mut event.at),
        Event::Fact(event) => change(&mut event.at),
        Event::SourceFile(event) => change(&mut event.at),
        Event::Pause(event) => change(&mut event.at),
        Event::MemoryObject(event) => change(&mut event.at),
        Event::ObjectBinding(event) => change(&mut event.at),
        Event::ObjectDestroy(event) => change(&mut event.at),
        Event::Accessor(event) => change(&mut event.at),
        Event::CommandGraph(event) => change(&mut event.at),
        Event::GraphCommand(event) => change(&mut event.at),
        Event::GraphChange(event) => change(&mut event.at),
        Event::GraphRun(event) => change(&mut event.at),
        Event::Untimed(event) => change(&mut event.at),
        Event::NativeHandle(event) => change(&mut event.at),
        Event::NativeHandleRelease(event) => change(&mut event.at),
        Event::Flow(event) => change(&mut event.at),
        Event::StackFrame(event) => change(&mut event.at),
        Event::Sample(event) => change(&mut event.at),
        Event::TrackOrder(event) => change(&mut event.at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_inputs_follow_each_other_and_the_first_keeps_its_own() {
        let mut space = Space::default();
        space.next_input(true);
        assert_eq!(
            [3, 1, 0, u64::MAX, FIRST_REPLACEMENT].map(|number| space.number(number)),
            [3, 1, 0, u64::MAX, FIRST_REPLACEMENT]
        );
        space.next_input(false);
        assert_eq!([1, 2, 1].map(|number| space.number(number)), [4, 5, 4]);
        let strange = [0, u64::MAX, 0].map(|number| space.number(number));
        assert_eq!(strange, [FIRST_REPLACEMENT + 1, FIRST_REPLACEMENT + 2, FIRST_REPLACEMENT + 1]);
        space.next_input(false);
        assert_eq!([1, u64::MAX].map(|number| space.number(number)), [6, FIRST_REPLACEMENT + 3]);
    }

    #[test]
    fn what_is_counted_anew_counts_from_1() {
        let mut numbers = Numbers::counted_anew(false);
        let mut nodes =
            |node| match numbers.renumber(&Event::Untimed(Untimed { node, ..Untimed::default() }), 0) {
                Event::Untimed(untimed) => untimed.node,
                other => panic!("{other:?}"),
            };
        assert_eq!([700, 3, 700, 0, u64::MAX].map(&mut nodes), [1, 2, 1, 3, 4]);
    }
}
