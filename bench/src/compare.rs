//! Runs of a solver of any size, with and without edits, for comparisons.

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::store::Trace;
use syclscope_language::event::{
    Category, Edge, EdgeReason, Event, EventSink as _, Execution, Node, NodeKind, Process, Queue, QueueOrder,
    SliceBegin, SliceEnd, SourceLocation, Track, TrackKind,
};
use syclscope_language::time::Timestamp;

use crate::large::Random;

/// Number of threads, each with its own queue.
const THREADS: u64 = 4;
/// Commands of a round of a thread.
const ROUND: u64 = 20;

/// Differences of the second run from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edits {
    /// Both runs are the same.
    None,
    /// A kernel is renamed, another is slower, and one command in a thousand is left out and one added.
    Some,
    /// Commands are in random order: nothing repeats, and no name is unique.
    Chaos,
}

/// Returns a run with about `commands` commands, each with a submission, an execution and a dependence.
pub fn trace(commands: u64, edits: Edits, seed: u64) -> Trace {
    let mut run = Run { builder: TraceBuilder::new(), number: 0, random: Random(seed) };
    run.builder.event(&Event::Process(Process {
        pid: 1,
        name: "solver",
        recorder: "bench",
        ..Process::default()
    }));
    for thread in 0..THREADS {
        let (track, tid) = (1 + thread, 1 + thread as u32);
        let track = Track { track, parent: None, kind: TrackKind::Thread, name: "worker", tid };
        run.builder.event(&Event::Track(track));
        run.builder.event(&Event::Queue(Queue {
            queue: 1 + thread,
            at: Timestamp(0),
            runtime_id: thread,
            handle: 1 + thread,
            order: QueueOrder::InOrder,
            device: "a device",
            device_type: "GPU",
            device_handle: 1,
            context: 2,
        }));
    }
    for thread in 0..THREADS {
        run.thread(thread, commands / THREADS, edits);
    }
    run.builder.build()
}

struct Run {
    builder: TraceBuilder,
    number: u64,
    random: Random,
}

impl Run {
    fn thread(&mut self, thread: u64, commands: u64, edits: Edits) {
        let names: Vec<String> = (0..ROUND).map(|kernel| format!("Kernel{kernel}<float>")).collect();
        let (mut at, mut free) = (1_000, 0);
        for place in 0..commands {
            let kernel = if edits == Edits::Chaos { self.random.below(ROUND) } else { place % ROUND };
            let is_edited = edits == Edits::Some;
            if is_edited && self.random.below(1_000) == 0 {
                continue;
            }
            let name = if is_edited && kernel == 7 { "Kernel7New<float>" } else { &names[kernel as usize] };
            let ns = 5_000 + self.random.below(500) + if is_edited && kernel == 3 { 1_000 } else { 0 };
            self.command(thread, (name, kernel as u32), at, &mut free, ns);
            if is_edited && self.random.below(1_000) == 0 {
                self.command(thread, ("Inserted", 99), at + 1_000, &mut free, 3_000);
            }
            at += 2_000;
        }
    }

    fn command(&mut self, thread: u64, (name, line): (&str, u32), at: u64, free: &mut u64, ns: u64) {
        self.number += 1;
        let (node, queue, track) = (self.number, 1 + thread, 1 + thread);
        let location =
            SourceLocation { function: "step", file: "/src/solver.cpp", line: 10 + line, column: 5 };
        let builder = &mut self.builder;
        builder.event(&Event::Node(Node {
            node,
            at: Timestamp(at),
            kind: NodeKind::Kernel,
            name,
            queue: Some(queue),
            tid: 1 + thread as u32,
            location,
            args: &[],
        }));
        if *free > 0 {
            builder.event(&Event::Edge(Edge {
                at: Timestamp(at),
                source: node - 1,
                target: node,
                reason: EdgeReason::Event,
                access_mode: "",
                memory_object: 0,
            }));
        }
        let (category, node) = (Category::Submission, Some(node));
        let begin = SliceBegin { track, at: Timestamp(at), category, name, node, location, args: &[] };
        builder.event(&Event::SliceBegin(begin));
        builder.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(at + 800), args: &[] }));
        let start = (*free).max(at + 1_500);
        *free = start + ns;
        builder.event(&Event::Execution(Execution {
            node: self.number,
            queue,
            kind: NodeKind::Kernel,
            name,
            queued: None,
            submitted: None,
            start: Timestamp(start),
            end: Timestamp(*free),
            args: &[],
        }));
    }
}
