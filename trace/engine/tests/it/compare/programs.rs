//! Programs for comparisons: a solver that copies, computes in a loop and copies back, with edits.

use syclscope_engine::store::Trace;
use syclscope_language::event::{Category, Event, Execution, Node, SliceBegin, SliceEnd};
use syclscope_language::event::{EdgeReason, NodeKind, QueueOrder, SourceLocation, Track, TrackKind};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) kind: NodeKind,
    pub(super) name: &'static str,
    pub(super) line: u32,
    pub(super) ns: u64,
}

pub(super) const fn kernel(name: &'static str, line: u32, ns: u64) -> Step {
    Step { kind: NodeKind::Kernel, name, line, ns }
}

pub(super) const COPY_IN: Step = Step { kind: NodeKind::Copy, name: "memory copy", line: 10, ns: 40_000 };
pub(super) const COPY_OUT: Step = Step { kind: NodeKind::Copy, name: "memory copy", line: 90, ns: 30_000 };
pub(super) const INNER: Step = kernel("Inner<float>", 31, 20_000);
pub(super) const EDGE: Step = kernel("Edge<float>", 35, 5_000);
pub(super) const NORM: Step = kernel("Norm<float>", 41, 8_000);

/// Returns the solver: `rounds` of `body` between the copies.
pub(super) fn solver(rounds: usize, body: &[Step]) -> Vec<Step> {
    [&[COPY_IN][..], &body.repeat(rounds), &[COPY_OUT]].concat()
}

pub(super) const BODY: [Step; 3] = [INNER, EDGE, NORM];

/// Returns a run of one thread that submits steps to an in-order queue, each 2 µs after the previous one, and waits at
/// the end.
pub(super) fn run(steps: &[Step]) -> Trace {
    run_on(QueueOrder::InOrder, steps)
}

/// Returns the same run on a queue of a given order.
pub(super) fn run_on(order: QueueOrder, steps: &[Step]) -> Trace {
    let mut run = Run::new(order);
    let mut free = 0;
    for (place, step) in (0..).zip(steps) {
        let at = 1_000 + place * 2_000;
        let start = free.max(at + 1_500);
        free = start + step.ns;
        submit(&mut run, place + 1, at, step, (start, free));
        if place > 0 {
            run.edge(place, place + 1, EdgeReason::Event);
        }
    }
    let last = 1_000 + steps.len() as u64 * 2_000;
    run.wait_for_queue(1, last, free.max(last) + 500);
    run.trace()
}

pub(super) fn submit(run: &mut Run, node: u64, at: u64, step: &Step, ran: (u64, u64)) {
    let location = SourceLocation { function: "solve", file: "/src/solver.cpp", line: step.line, column: 0 };
    let Step { kind, name, .. } = *step;
    run.submit(Command { node, kind, name, location, at, submission_ns: 1_000, ran, ..Command::default() });
}

pub(super) fn threads(of_threads: &[(&str, Vec<Step>)]) -> Trace {
    let mut run = Run::new(QueueOrder::InOrder);
    let mut number = 0;
    for (place, (name, steps)) in (0_u64..).zip(of_threads) {
        let (track, queue, tid) = (10 + place, 2 + place, 100 + place as u32);
        run.event(&Event::Track(Track { track, parent: None, kind: TrackKind::Thread, name, tid }));
        run.queue(queue, QueueOrder::InOrder, 0xd1, "CPU");
        let mut free = 0;
        for (step, at) in steps.iter().zip((1_000..).step_by(2_000)) {
            number += 1;
            let location = SourceLocation { function: "work", file: "work.cpp", line: step.line, column: 0 };
            let Step { kind, name, .. } = *step;
            let (node, queue) = (number, Some(queue));
            run.event(&Event::Node(Node {
                node,
                at: Timestamp(at),
                kind,
                name,
                queue,
                tid,
                location,
                args: &[],
            }));
            let category = Category::Submission;
            let node = Some(number);
            run.event(&Event::SliceBegin(SliceBegin {
                track,
                at: Timestamp(at),
                category,
                name,
                node,
                location,
                args: &[],
            }));
            run.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(at + 1_000), args: &[] }));
            let start = free.max(at + 1_500);
            free = start + step.ns;
            run.event(&Event::Execution(Execution {
                node: number,
                queue: 2 + place,
                kind,
                name,
                queued: None,
                submitted: None,
                start: Timestamp(start),
                end: Timestamp(free),
                args: &[],
            }));
        }
    }
    run.trace()
}
