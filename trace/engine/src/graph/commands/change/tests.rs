use proptest::prelude::*;
use syclscope_language::event::{
    Category, Edge, Event, EventSink as _, Execution, Node, NodeKind, Process, Queue, QueueOrder, SliceBegin,
    SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

use super::*;
use crate::builder::TraceBuilder;
use crate::store::table::Table as _;

/// A step of a program's main thread. `after` selects an earlier command on which the new one depends.
#[derive(Clone, Copy, Debug)]
enum Does {
    Submit { queue: usize, ns: u64, after: usize },
    Wait { queue: usize },
    Work { ns: u64 },
}

fn slice(
    builder: &mut TraceBuilder,
    category: Category,
    (from, to): (u64, u64),
    node: Option<u64>,
    queue: u64,
) {
    let args = [("queue", Value::Uint(queue))];
    let (name, location) = ("slice", SourceLocation::default());
    let name = if category == Category::Wait { "queue.wait" } else { name };
    let begin = SliceBegin { track: 1, at: Timestamp(from), category, name, node, location, args: &args };
    builder.event(&Event::SliceBegin(begin));
    builder.event(&Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(to), args: &[] }));
}

/// Returns the recording of a program on two in-order queues of one device.
fn trace(program: &[Does]) -> Trace {
    let mut builder = TraceBuilder::new();
    builder.event(&Event::Process(Process { pid: 1, name: "program", ..Process::default() }));
    builder.event(&Event::Track(Track {
        track: 1,
        parent: None,
        kind: TrackKind::Thread,
        name: "main",
        tid: 1,
    }));
    for queue in [1, 2] {
        builder.event(&Event::Queue(Queue {
            queue,
            at: Timestamp(0),
            runtime_id: queue,
            handle: queue,
            order: QueueOrder::InOrder,
            device: "device",
            device_type: "GPU",
            device_handle: 1,
            context: 1,
        }));
    }
    let (mut now, mut free, mut ends) = (100, [0_u64; 2], Vec::new());
    for does in program {
        match *does {
            Does::Work { ns } => now += ns,
            Does::Wait { queue } => {
                let until = now.max(free[queue]) + 20;
                slice(&mut builder, Category::Wait, (now, until), None, queue as u64 + 1);
                now = until;
            }
            Does::Submit { queue, ns, after } => {
                let node = ends.len() as u64 + 1;
                let before = after.checked_rem(ends.len());
                let depends = before.map_or(0, |before| ends[before]);
                let start = (now + 50).max(free[queue]).max(depends) + 30;
                let (kind, name, location, args) =
                    (NodeKind::Kernel, "kernel", SourceLocation::default(), &[][..]);
                let (at, queue_id) = (Timestamp(now), queue as u64 + 1);
                builder.event(&Event::Node(Node {
                    node,
                    at,
                    kind,
                    name,
                    queue: Some(queue_id),
                    tid: 1,
                    location,
                    args,
                }));
                slice(&mut builder, Category::Submission, (now, now + 50), Some(node), queue_id);
                builder.event(&Event::Execution(Execution {
                    node,
                    queue: queue_id,
                    kind,
                    name,
                    queued: None,
                    submitted: None,
                    start: Timestamp(start),
                    end: Timestamp(start + ns),
                    args,
                }));
                if let Some(before) = before {
                    builder.event(&Event::Edge(Edge {
                        at,
                        source: before as u64 + 1,
                        target: node,
                        reason: EdgeReason::Event,
                        access_mode: "",
                        memory_object: 0,
                    }));
                }
                now += 50;
                free[queue] = start + ns;
                ends.push(start + ns);
            }
        }
    }
    builder.build()
}

fn programs() -> impl Strategy<Value = Vec<Does>> {
    let does = prop_oneof![
        4 => (0..2_usize, 1..400_u64, 0..30_usize).prop_map(|(queue, ns, after)| Does::Submit { queue, ns, after }),
        1 => (0..2_usize).prop_map(|queue| Does::Wait { queue }),
        1 => (1..300_u64).prop_map(|ns| Does::Work { ns }),
    ];
    prop::collection::vec(does, 1..30)
}

proptest! {
    #[test]
    fn what_takes_something_away_never_lengthens_the_run(
        program in programs(),
        picks in prop::collection::vec((0..5_u8, 0..30_u32, 0..3_000_u64, 0..400_u64), 1..8),
    ) {
        let trace = trace(&program);
        let graph = trace.run_graph();
        let (mut all, mut last_ns) = (Change::default(), graph.replay_ns());
        for (what, which, at, ns) in picks {
            let mut change = Change::default();
            let count = trace.nodes.len() as u32;
            match what {
                0 if count > 0 => drop(change.removed.insert(which % count)),
                1 if count > 0 => drop(change.takes_ns.insert(which % count, 0)),
                2 => change.save(0, [(at, at + ns)].into_iter()),
                3 if trace.edges.rows.len() > 0 => {
                    let edge = trace.edges.rows.row(which as usize % trace.edges.rows.len());
                    change.relaxed.push((edge.source, edge.target));
                }
                _ => {
                    change.unordered.push(which % 2);
                    let blocks = trace.blocking().blocks();
                    if !blocks.is_empty() {
                        change.remove_wait(trace.blocking(), blocks[which as usize % blocks.len()].slice);
                    }
                }
            }
            prop_assert!(graph.changed_ns(&trace, &change) <= graph.replay_ns(), "{change:?}");
            all.add(&change);
            let all_ns = graph.changed_ns(&trace, &all);
            prop_assert!(all_ns <= last_ns, "{all:?}: {all_ns} of {last_ns}");
            last_ns = all_ns;
        }
    }
}
