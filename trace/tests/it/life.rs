//! The life of a command and the dependences around it, of a small run that a person can reckon through.

use syclscope_trace::api::{Dependences, PhaseKind};
use syclscope_trace::builder::TraceBuilder;
use syclscope_trace::event::{
    Category, Edge, EdgeReason, Event, EventSink as _, Execution, Node, NodeKind, Queue, QueueOrder,
    SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_trace::source::{DependenceQuestion, QueryError, TileKey, TileView, TraceSource as _, Way};
use syclscope_trace::store::Trace;
use syclscope_trace::time::Timestamp;

fn at(ns: u64) -> Timestamp {
    Timestamp(ns)
}

/// Submits for 10 ns and runs; what the device was told of it comes 5 ns before the start.
fn submit(builder: &mut TraceBuilder, node: u64, name: &str, begin: u64, (start, end): (u64, u64)) {
    let location = SourceLocation::default();
    let (kind, args) = (NodeKind::Kernel, &[]);
    let queue = Some(1);
    builder.event(&Event::Node(Node { node, at: at(begin), kind, name, queue, tid: 5, location, args }));
    let category = Category::Submission;
    let begun = SliceBegin { track: 1, at: at(begin), category, name, node: Some(node), location, args };
    builder.event(&Event::SliceBegin(begun));
    builder.event(&Event::SliceEnd(SliceEnd { track: 1, at: at(begin + 10), args }));
    builder.event(&Event::Execution(Execution {
        node,
        queue: 1,
        kind,
        name,
        queued: None,
        submitted: Some(at(start - 5)),
        start: at(start),
        end: at(end),
        args,
    }));
}

/// `step` three times in a row, the last one 100 ns longer; a wait for the queue after the second.
fn run() -> Trace {
    let mut builder = TraceBuilder::new();
    let (kind, name) = (TrackKind::Thread, "worker");
    builder.event(&Event::Track(Track { track: 1, parent: None, kind, name, tid: 5 }));
    builder.event(&Event::Queue(Queue {
        queue: 1,
        at: at(0),
        runtime_id: 0,
        handle: 1,
        order: QueueOrder::OutOfOrder,
        device: "device",
        device_type: "GPU",
        device_handle: 1,
        context: 1,
    }));
    submit(&mut builder, 1, "step", 100, (130, 230));
    submit(&mut builder, 2, "step", 120, (250, 350));
    let args = &[("queue", Value::Uint(1))][..];
    let (category, location) = (Category::Wait, SourceLocation::default());
    let begun =
        SliceBegin { track: 1, at: at(140), category, name: "queue.wait", node: None, location, args };
    builder.event(&Event::SliceBegin(begun));
    builder.event(&Event::SliceEnd(SliceEnd { track: 1, at: at(380), args: &[] }));
    submit(&mut builder, 3, "step", 400, (450, 650));
    for (source, target, reason) in [(1, 2, EdgeReason::Accessor), (2, 3, EdgeReason::Event)] {
        let edge = Edge { at: at(400), source, target, reason, access_mode: "read_write", memory_object: 0 };
        builder.event(&Event::Edge(edge));
    }
    builder.event(&Event::Finish { at: at(700) });
    builder.build()
}

/// The slice of the execution that starts then.
fn execution(trace: &Trace, start_ns: u64) -> u32 {
    let of_slice = |slice: &u32| trace.slice(*slice).is_ok_and(|detail| detail.at.start_ns == start_ns);
    (0..20).find(of_slice).unwrap()
}

#[test]
fn a_life_has_its_phases_one_after_the_other() {
    let trace = run();
    let life = trace.life(execution(&trace, 250)).unwrap();
    let phases: Vec<_> =
        life.phases.iter().map(|phase| (phase.kind, phase.from_ns, phase.to_ns, phase.median_ns)).collect();
    let expected = [
        (PhaseKind::Submission, 120, 130, Some(10)),
        // It waited for the first, which ended at 230.
        (PhaseKind::Dependences, 130, 230, Some(0)),
        (PhaseKind::HandOver, 230, 245, Some(15)),
        (PhaseKind::Start, 245, 250, Some(5)),
        (PhaseKind::Execution, 250, 350, Some(100)),
        // The wait for the queue returned at 380.
        (PhaseKind::Return, 350, 380, Some(30)),
    ];
    assert_eq!(phases, expected);
    assert_eq!((life.name.as_str(), life.node, life.samples, life.same), ("step", 2, 3, 3));
    assert_eq!(life.wait.map(|wait| (wait.start_ns, wait.duration_ns)), Some((140, 240)));
}

#[test]
fn a_command_nobody_waited_for_has_no_return() {
    let trace = run();
    let life = trace.life(execution(&trace, 450)).unwrap();
    assert_eq!(life.phases.last().map(|phase| phase.kind), Some(PhaseKind::Execution));
    assert_eq!(life.wait, None);
    assert_eq!(trace.life(99), Err(QueryError::NoSlice(99)));
    let wait = execution(&trace, 140);
    assert_eq!(trace.life(wait), Err(QueryError::NoCommand(wait)));
}

fn edges(found: &Dependences) -> Vec<(bool, u32, u64, u64, EdgeReason)> {
    let edge = |edge: &syclscope_trace::api::Dependence| {
        (edge.before, edge.hop, edge.from.start_ns, edge.to.start_ns, edge.reason)
    };
    found.edges.iter().map(edge).collect()
}

#[test]
fn dependences_are_walked_hop_by_hop() {
    use EdgeReason::{Accessor, Event};
    let trace = run();
    let near = DependenceQuestion::near(execution(&trace, 450));
    let ask = |question: &DependenceQuestion| trace.dependences(question).unwrap();
    assert_eq!(edges(&ask(&near)), [(true, 1, 250, 450, Event)]);
    let chain = DependenceQuestion { hops: 9, ..near.clone() };
    assert_eq!(edges(&ask(&chain)), [(true, 1, 250, 450, Event), (true, 2, 130, 250, Accessor)]);
    assert_eq!(ask(&chain).edges[1].access_mode, "read_write");
    let only = DependenceQuestion { reasons: Some(vec![Accessor]), ..chain.clone() };
    assert_eq!(edges(&ask(&only)), [], "the way leads over an event");
    let cut = ask(&DependenceQuestion { limit: 1, ..chain.clone() });
    assert_eq!((cut.edges.len(), cut.more), (1, 1));
    let after = DependenceQuestion { way: Some(Way::After), ..chain };
    assert_eq!(edges(&ask(&after)), []);
    let middle = DependenceQuestion { way: None, ..DependenceQuestion::near(execution(&trace, 250)) };
    assert_eq!(edges(&ask(&middle)), [(true, 1, 130, 250, Accessor), (false, 1, 250, 450, Event)]);
}

#[test]
fn executions_of_a_kernel_lie_on_lanes_of_their_own() {
    let trace = run();
    assert_eq!(trace.kernel_lanes(), [1], "they follow each other");
    let tile = |level| {
        let key = TileKey { view: TileView::Kernel, track: 0, level, index: 0 };
        trace.kernel_tile(key).unwrap()
    };
    let fine = tile(0);
    assert_eq!(fine.names, ["step"]);
    assert_eq!((&fine.lanes[0].start_ns, &fine.lanes[0].count), (&vec![130, 250, 450], &vec![1, 1, 1]));
    // All of them start in one bucket; the longest stands for them.
    let coarse = tile(12);
    let lane = &coarse.lanes[0];
    assert_eq!((&lane.start_ns, &lane.count, &lane.total_ns), (&vec![450], &vec![3], &vec![400]));
    let beyond = TileKey { view: TileView::Kernel, track: 1, level: 0, index: 0 };
    assert_eq!(trace.kernel_tile(beyond), Err(QueryError::NoTrack(1)));
}
