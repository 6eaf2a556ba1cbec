//! Gains of work in threads that the main thread creates and waits for; no runtime records either.

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::store::Trace;
use syclscope_language::event::{
    Category, Event, EventSink as _, Execution, Node, NodeKind, Process, Queue, QueueOrder, SliceBegin,
    SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::question::WhatIfQuestion;
use syclscope_language::time::Timestamp;

const MICRO: u64 = 1_000;
const KERNEL_NS: u64 = 40 * MICRO;
const ROUNDS: u64 = 20;

/// A recording with a queue for each thread, which has the thread's number.
struct Recording {
    builder: TraceBuilder,
    node: u64,
}

impl Recording {
    fn new(threads: u64) -> Self {
        let mut recording = Self { builder: TraceBuilder::new(), node: 0 };
        recording.event(&Event::Process(Process { pid: 1, name: "program", ..Process::default() }));
        for number in 1..=threads {
            let (kind, name) = (TrackKind::Thread, if number == 1 { "main" } else { "worker" });
            let (parent, tid) = (None, number as u32);
            recording.event(&Event::Track(Track { track: number, parent, kind, name, tid }));
            recording.event(&Event::Queue(Queue {
                queue: number,
                at: Timestamp(0),
                runtime_id: number,
                handle: number,
                order: QueueOrder::InOrder,
                device: "device",
                device_type: "GPU",
                device_handle: 100 + number,
                context: 8,
            }));
        }
        recording
    }

    fn event(&mut self, event: &Event<'_>) {
        self.builder.event(event);
    }

    fn slice(
        &mut self,
        (thread, category, name): (u64, Category, &str),
        (from, to): (u64, u64),
        node: Option<u64>,
        args: &[(&str, Value<'_>)],
    ) {
        let (track, location) = (thread, SourceLocation::default());
        let begin = SliceBegin { track, at: Timestamp(from), category, name, node, location, args };
        self.event(&Event::SliceBegin(begin));
        self.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(to), args: &[] }));
    }

    /// Adds a kernel with its submission of 5 µs and a wait for it, whose return takes 5 µs. Returns the wait's end.
    fn round(&mut self, thread: u64, name: &str, from: u64) -> u64 {
        self.node += 1;
        let (node, at, kind, queue) = (self.node, Timestamp(from), NodeKind::Kernel, thread);
        let (start, end) = (from + 5 * MICRO, from + 5 * MICRO + KERNEL_NS);
        let (tid, location, args) = (thread as u32, SourceLocation::default(), &[][..]);
        self.event(&Event::Node(Node { node, at, kind, name, queue: Some(queue), tid, location, args }));
        self.slice((thread, Category::Submission, name), (from, start), Some(node), &[]);
        self.event(&Event::Execution(Execution {
            node,
            queue,
            kind,
            name,
            queued: None,
            submitted: None,
            start: Timestamp(start),
            end: Timestamp(end),
            args,
        }));
        let of_queue = [("queue", Value::Uint(queue))];
        self.slice((thread, Category::Wait, "queue.wait"), (start, end + 5 * MICRO), None, &of_queue);
        end + 5 * MICRO
    }

    /// Adds the life of a thread. Returns its end.
    fn live(&mut self, thread: u64, from: u64) -> u64 {
        (0..ROUNDS).fold(from, |at, _| self.round(thread, "step", at))
    }

    fn finish(mut self, at: u64) -> Trace {
        self.event(&Event::Finish { at: Timestamp(at) });
        self.builder.build()
    }
}

/// Returns the time that kernels of a thousandth of their time save.
fn saved_ns(trace: &Trace) -> u64 {
    let (kernel, faster) = (Some("step".to_owned()), Some("1000".parse().unwrap()));
    let question = WhatIfQuestion { kernel, faster, without_copies: false, ..WhatIfQuestion::default() };
    let answer = trace.what_if(&question).unwrap();
    assert!(!answer.is_refused && answer.path_ns == answer.recorded_ns, "{answer:?}");
    answer.path_ns - answer.changed_path_ns
}

const SAVED_NS: u64 = ROUNDS * (KERNEL_NS - KERNEL_NS / 1_000);

#[test]
fn the_main_thread_gains_what_its_threads_gain() {
    let mut recording = Recording::new(3);
    recording.slice((1, Category::Call, "urContextCreate"), (0, 50 * MICRO), None, &[]);
    recording.live(2, 100 * MICRO);
    let last = recording.live(3, 120 * MICRO);
    let end = recording.round(1, "sum", last + 80 * MICRO);
    assert_eq!(saved_ns(&recording.finish(end)), SAVED_NS);
}

#[test]
fn threads_that_begin_after_others_have_ended_gain_as_much_again() {
    let mut recording = Recording::new(5);
    recording.slice((1, Category::Call, "urContextCreate"), (0, 50 * MICRO), None, &[]);
    let mut at = 100 * MICRO;
    for first in [2, 4] {
        recording.live(first, at);
        at = recording.live(first + 1, at + 20 * MICRO) + 30 * MICRO;
    }
    let end = recording.round(1, "sum", at);
    assert_eq!(saved_ns(&recording.finish(end)), 2 * SAVED_NS);
}

#[test]
fn a_thread_that_runs_beside_the_main_thread_holds_nothing_up() {
    let mut recording = Recording::new(2);
    recording.slice((1, Category::Call, "urContextCreate"), (0, 50 * MICRO), None, &[]);
    let last = recording.live(2, 100 * MICRO);
    // A call of the main thread in the middle of the other's life.
    recording.slice((1, Category::Call, "urQueueFlush"), (300 * MICRO, 310 * MICRO), None, &[]);
    let end = recording.round(1, "sum", last + 80 * MICRO);
    assert_eq!(saved_ns(&recording.finish(end)), 0);
}

#[test]
fn a_thread_that_has_ended_waits_for_no_other() {
    // The main thread requests no commands: of the others, the first one counts as the first of the process.
    let mut recording = Recording::new(4);
    recording.slice((1, Category::Call, "urContextCreate"), (0, 50 * MICRO), None, &[]);
    let first = recording.round(2, "sum", 100 * MICRO);
    let last = recording.live(3, first + 10 * MICRO);
    let end = recording.round(4, "sum", last + 10 * MICRO);
    assert_eq!(saved_ns(&recording.finish(end)), 0);
}
