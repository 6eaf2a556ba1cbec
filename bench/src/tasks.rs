//! A solver's task graph of any size, and queries on it; shared by the benchmarks of the graph, native and wasm.

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::graph::Links;
use syclscope_engine::graph::layout::{Layout, Plan};
use syclscope_engine::store::Trace;
use syclscope_language::event::{
    Edge, EdgeReason, Event, EventSink as _, Execution, Node, NodeKind, Process, Queue, QueueOrder,
    SourceLocation, Value,
};
use syclscope_language::question::Size;
use syclscope_language::time::Timestamp;

use crate::large::Random;

/// Number of commands in a round of the solver, without the copy of the residual.
const ROUND: u64 = 25;
/// Parts of the grid that the commands of a round work on.
const PARTS: u64 = 8;
/// Number of rounds for each copy of the residual to the host.
const CHECKED: u64 = 10;

/// Measured queries, with names for people.
pub const QUESTIONS: [(&str, &str); 6] = [
    ("by place", "graph?level=source"),
    ("by rounds", "graph?level=iterations"),
    ("by place, one group unfolded", "graph?level=source&open="),
    ("neighbourhood of 3", "graph?level=full&width=3&around="),
    ("2,000 of all", "graph?level=full"),
    ("all, redundant ones marked", "graph?level=full&limit=50000&redundant=mark"),
];

/// Returns a trace with about `nodes` nodes: rounds of a solver on a grid in parts, whose borders depend on their
/// neighbours.
pub fn trace(nodes: u64) -> Trace {
    let mut builder = TraceBuilder::new();
    builder.event(&Event::Process(Process {
        pid: 1,
        name: "bench",
        recorder: "bench",
        ..Process::default()
    }));
    builder.event(&Event::Queue(Queue {
        queue: 1,
        at: Timestamp(0),
        runtime_id: 1,
        handle: 1,
        order: QueueOrder::OutOfOrder,
        device: "a device",
        device_type: "GPU",
        device_handle: 1,
        context: 2,
    }));
    let mut random = Random(7);
    // Last node that wrote each part.
    let mut written = [None; PARTS as usize];
    let mut last = 0;
    let mut add = |builder: &mut TraceBuilder, kind, name: &str, line, waits_for: &[Option<u64>]| {
        last += 1;
        let (node, at) = (last, Timestamp(last * 1_000));
        let location =
            SourceLocation { function: "solve", file: "/home/user/solver/src/solve.cpp", line, column: 5 };
        builder.event(&Event::Node(Node {
            node,
            at,
            kind,
            name,
            queue: Some(1),
            tid: 1,
            location,
            args: &[],
        }));
        let start = Timestamp(last * 1_000 + 200);
        let end = Timestamp(start.0 + 100 + random.below(2_000));
        builder.event(&Event::Execution(Execution {
            node,
            queue: 1,
            kind,
            name,
            queued: None,
            submitted: None,
            start,
            end,
            args: &[("bytes", Value::Uint(4096))],
        }));
        for source in waits_for.iter().flatten().copied() {
            let (target, reason, access_mode) = (node, EdgeReason::Accessor, "read_write");
            builder.event(&Event::Edge(Edge { at, source, target, reason, access_mode, memory_object: 0 }));
        }
        Some(node)
    };
    let coefficients = add(&mut builder, NodeKind::Copy, "copy coefficients", 10, &[]);
    for round in 0..nodes / ROUND {
        let before = written;
        for part in 0..PARTS as usize {
            let neighbour = |step: usize| before[(part + step) % PARTS as usize];
            let near = [neighbour(PARTS as usize - 1), neighbour(0), neighbour(1), coefficients];
            let stencil = add(&mut builder, NodeKind::Kernel, "Stencil", 20, &near);
            let smooth = add(&mut builder, NodeKind::Kernel, "Smooth", 21, &[stencil]);
            written[part] = add(&mut builder, NodeKind::Kernel, "Halo", 22, &[smooth, stencil]);
        }
        let norm = add(&mut builder, NodeKind::Kernel, "Norm", 30, &written);
        if round % CHECKED == 0 {
            add(&mut builder, NodeKind::Copy, "copy residual", 31, &[norm]);
        }
    }
    builder.event(&Event::Finish { at: Timestamp((last + 10) * 1_000) });
    builder.build()
}

/// Returns the text of query `number` for a trace with `nodes` nodes.
pub fn question(number: usize, nodes: u64) -> String {
    let (_, text) = QUESTIONS[number];
    let group = || {
        // The group of all norms, named by the first of its kind in the first round.
        format!("{}x{}", 1 + PARTS * 3 + 1, nodes / ROUND)
    };
    match text {
        text if text.ends_with("open=") => format!("{text}{}", group()),
        text if text.ends_with("around=") => format!("{text}{}", nodes / 2),
        text => text.to_owned(),
    }
}

/// Runs a query and returns the length of its answer in bytes.
pub fn ask(trace: &Trace, question: &str) -> usize {
    let question = question.parse().expect("a question");
    trace.answer(&question).expect("an answer").len()
}

/// A whole graph without its trace, for the bare layout.
pub struct Plain {
    sizes: Vec<Size>,
    pairs: Vec<(u32, u32)>,
}

impl Plain {
    /// Creates the graph of a trace from [`trace`].
    pub fn new(trace: &Trace) -> Self {
        let question = "graph?level=full&limit=50000".parse().expect("a question");
        let syclscope_language::question::Question::Graph(question) = question else {
            unreachable!("it is a graph")
        };
        let view = trace.graph_view(&question).expect("a graph");
        Self {
            sizes: view.nodes.iter().map(|node| Size { width: node.width, height: node.height }).collect(),
            pairs: view.edges.iter().map(|edge| (edge.source, edge.target)).collect(),
        }
    }

    /// Returns the numbers of nodes and edges.
    pub fn counts(&self) -> (usize, usize) {
        (self.sizes.len(), self.pairs.len())
    }

    /// Draws the graph and returns the number of crossings.
    pub fn draw(&self) -> u64 {
        Layout::new(&Plan { sizes: &self.sizes, links: &self.pairs, before: &[], together: &[] }).crossings
    }

    /// Walks over the graph from sources to targets and returns the number of nodes: the lower bound for any work on
    /// the whole graph.
    pub fn walk(&self) -> usize {
        Links::new(self.sizes.len(), self.pairs.clone()).topological_order().len()
    }
}
