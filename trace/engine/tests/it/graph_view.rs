//! Folded graphs: they contain every node and edge once; views of a small program.

mod folding;

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::store::Trace;
use syclscope_language::api::{GraphComponents, GraphMembers, GraphView, ViewNode, WhatIf};
use syclscope_language::event::{
    CommandGraph, Edge, EdgeReason, Event, EventSink as _, Execution, GraphCommand, Node, NodeKind, Process,
    Queue, QueueOrder, SourceLocation, Value,
};
use syclscope_language::question::Question;
use syclscope_language::time::Timestamp;

/// A program's commands; times follow from their order.
struct Program {
    builder: TraceBuilder,
    nodes: u64,
}

fn queue_event(queue: u64, order: QueueOrder) -> Event<'static> {
    Event::Queue(Queue {
        queue,
        at: Timestamp(0),
        runtime_id: 0,
        handle: queue,
        order,
        device: "device",
        device_type: "GPU",
        device_handle: 1,
        context: 1,
    })
}

impl Program {
    fn new() -> Self {
        let mut builder = TraceBuilder::new();
        builder.event(&Event::Process(Process { name: "program", ..Process::default() }));
        for (queue, order) in [(1, QueueOrder::OutOfOrder), (2, QueueOrder::InOrder)] {
            builder.event(&queue_event(queue, order));
        }
        Self { builder, nodes: 0 }
    }

    /// Adds a command with a duration and a number of moved bytes; returns its number.
    fn command(&mut self, kind: NodeKind, name: &str, line: u32, queue: u64, (ns, bytes): (u64, u64)) -> u64 {
        self.nodes += 1;
        let (node, begin) = (self.nodes, self.nodes * 1_000);
        let location = SourceLocation { function: "main", file: "main.cpp", line, column: 1 };
        let (args, at) = (&[], Timestamp(begin));
        let queue_of = Some(queue);
        self.builder.event(&Event::Node(Node {
            node,
            at,
            kind,
            name,
            queue: queue_of,
            tid: 5,
            location,
            args,
        }));
        if ns > 0 {
            self.builder.event(&Event::Execution(Execution {
                node,
                queue,
                kind,
                name,
                queued: None,
                submitted: None,
                start: Timestamp(begin + 100),
                end: Timestamp(begin + 100 + ns),
                args: &[("bytes", Value::Uint(bytes))],
            }));
        }
        node
    }

    fn edge(&mut self, source: u64, target: u64, reason: EdgeReason, access_mode: &str) {
        let at = Timestamp(self.nodes * 1_000);
        let edge = Edge { at, source, target, reason, access_mode, memory_object: 0 };
        self.builder.event(&Event::Edge(edge));
    }

    fn build(mut self) -> Trace {
        self.builder.event(&Event::Finish { at: Timestamp((self.nodes + 2) * 1_000) });
        self.builder.build()
    }
}

/// Returns a copy in, ten times a stencil and two smoothing kernels in a chain of dependences, and a copy out.
fn solver() -> Trace {
    let mut program = Program::new();
    let mut last = program.command(NodeKind::Copy, "in", 10, 1, (300, 4096));
    let first = last;
    for _ in 0..10 {
        let stencil = program.command(NodeKind::Kernel, "stencil", 20, 1, (500, 0));
        program.edge(last, stencil, EdgeReason::Accessor, "read");
        last = stencil;
        for _ in 0..2 {
            let smooth = program.command(NodeKind::Kernel, "smooth", 21, 1, (200, 0));
            program.edge(last, smooth, EdgeReason::Accessor, "read_write");
            last = smooth;
        }
    }
    let out = program.command(NodeKind::Copy, "out", 30, 1, (400, 4096));
    program.edge(last, out, EdgeReason::Event, "");
    program.edge(first, out, EdgeReason::Event, "");
    program.build()
}

fn ask<T: serde::de::DeserializeOwned>(trace: &Trace, question: &str) -> T {
    let question: Question = question.parse().unwrap_or_else(|error| panic!("{question}: {error}"));
    let answer = trace.answer(&question).unwrap();
    assert_eq!(answer, trace.answer(&question).unwrap(), "the same question has the same answer");
    serde_json::from_str(&answer).unwrap()
}

fn text(view: &GraphView) -> String {
    let name = |node: &ViewNode| format!("{} {}", view.names[node.name as usize], node.id);
    let nodes = view.nodes.iter().map(|node| format!("{} ns {}", name(node), node.total_ns));
    let edges = view.edges.iter().map(|edge| {
        let ends = [edge.source, edge.target].map(|end| name(&view.nodes[end as usize]));
        let reasons: Vec<String> =
            edge.reasons.iter().map(|(reason, count)| format!("{} {count}", reason.as_str())).collect();
        let redundant = if edge.redundant { " redundant" } else { "" };
        format!("{} -> {}: {}{redundant}", ends[0], ends[1], reasons.join(", "))
    });
    nodes.chain(edges).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_loop_folds_by_place_and_by_round() {
    let trace = solver();
    let folded = "in 1 ns 300\n\
                  stencil 2x10 ns 5000\n\
                  smooth 3x20 ns 4000\n\
                  out 32 ns 400\n\
                  in 1 -> stencil 2x10: accessor 1\n\
                  in 1 -> out 32: event 1\n\
                  stencil 2x10 -> smooth 3x20: accessor 10\n\
                  smooth 3x20 -> stencil 2x10: accessor 9\n\
                  smooth 3x20 -> smooth 3x20: accessor 10\n\
                  smooth 3x20 -> out 32: event 1";
    for level in ["source", "kernels", "iterations"] {
        assert_eq!(text(&ask(&trace, &format!("graph?level={level}"))), folded, "{level}");
    }
    let view: GraphView = ask(&trace, "graph?level=iterations");
    let times: Vec<_> = view.loops.iter().map(|known| (known.parent, known.times)).collect();
    assert_eq!(times, [(None, 10), (Some(0), 20)]);
    assert_eq!(
        view.nodes.iter().map(|node| node.in_loop).collect::<Vec<_>>(),
        [None, Some(0), Some(1), None]
    );
    let (copy, smooth) = (&view.nodes[0], &view.nodes[2]);
    assert_eq!((copy.bytes, copy.begin_ns, copy.end_ns, copy.queue), (4096, 1_100, 1_400, Some(1)));
    assert_eq!((smooth.count, smooth.max_ns, smooth.begin_ns, smooth.end_ns), (20, 200, 3_100, 31_300));
    assert_eq!(view.locations[smooth.location.unwrap() as usize].line, 21);
    assert_eq!(view.names[smooth.device.unwrap() as usize], "device");
    // The whole chain is critical, except for the edge from the first to the last copy.
    assert!(view.nodes.iter().all(|node| node.critical == node.count && node.slack_ns == 0));
    assert_eq!(view.edges.iter().map(|edge| edge.critical).collect::<Vec<_>>(), [1, 0, 10, 9, 10, 1]);
}

#[test]
fn threads_with_equal_numbers_in_two_processes_fold_by_themselves() {
    let mut builder = TraceBuilder::new();
    let (mut number, mut queue) = (0, 0);
    let mut process = |builder: &mut TraceBuilder, name: &str, commands: &[(&str, u64)]| {
        queue += 1;
        builder.event(&Event::Process(Process { name, ..Process::default() }));
        builder.event(&queue_event(queue, QueueOrder::OutOfOrder));
        for (name, at) in commands {
            number += 1;
            builder.event(&Event::Node(Node {
                node: number,
                at: Timestamp(*at),
                kind: NodeKind::Kernel,
                name,
                queue: Some(queue),
                tid: 5,
                location: SourceLocation { function: "main", file: "main.cpp", line: 1, column: 1 },
                args: &[],
            }));
        }
        builder.event(&Event::Finish { at: Timestamp(1_000) });
    };
    let rounds = |names: &[&'static str], step: u64| -> Vec<(&'static str, u64)> {
        (0..10)
            .flat_map(|round| {
                names
                    .iter()
                    .zip(0..)
                    .map(move |(name, place)| (*name, round * step + place))
                    .collect::<Vec<_>>()
            })
            .collect()
    };
    process(&mut builder, "first", &rounds(&["x", "y"], 20));
    process(&mut builder, "second", &rounds(&["p", "q", "r"], 17));
    let view: GraphView = ask(&builder.build(), "graph?level=iterations");
    let mut folded: Vec<_> =
        view.nodes.iter().map(|node| (view.names[node.name as usize].as_str(), node.count)).collect();
    folded.sort_unstable();
    assert_eq!(folded, [("p", 10), ("q", 10), ("r", 10), ("x", 10), ("y", 10)]);
    assert_eq!(
        view.loops.iter().map(|known| (known.parent, known.times)).collect::<Vec<_>>(),
        [(None, 10); 2]
    );
}

#[test]
fn groups_unfold_one_at_a_time() {
    let trace = solver();
    let view: GraphView = ask(&trace, "graph?level=source&open=2x10");
    assert_eq!(view.nodes.len(), 3 + 10);
    assert_eq!(view.nodes.iter().map(|node| node.count).sum::<u64>(), 32);
    let inside = |view: &GraphView, group| {
        view.nodes.iter().filter(|node| node.inside.as_deref() == Some(group)).count()
    };
    assert_eq!((inside(&view, "2x10"), inside(&view, "3x7")), (10, 0), "each says what folds it again");
    // A name inside a folded group has no effect until that group is unfolded.
    assert_eq!(view, ask(&trace, "graph?level=source&open=2x10.3x7"));
    let both: GraphView = ask(&trace, "graph?level=source&open=2x10.3x20");
    assert_eq!(both.nodes.len(), 32);
    let full: GraphView = ask(&trace, "graph?level=full");
    let edges = |view: &GraphView| {
        let name = |node: u32| view.nodes[node as usize].id.clone();
        let mut edges: Vec<_> =
            view.edges.iter().map(|edge| (name(edge.source), name(edge.target), edge.count)).collect();
        edges.sort();
        edges
    };
    assert_eq!(edges(&both), edges(&full));
    let page: GraphMembers = ask(&trace, "graph_members?level=source&group=3x20&from=18&count=5");
    let numbers: Vec<u64> = page.members.iter().map(|member| member.node.node).collect();
    assert_eq!((page.count, page.from, numbers), (20, 18, vec![30, 31]));
    assert_eq!(page.members[0].duration_ns, 200);
}

#[test]
fn large_groups_unfold_in_steps() {
    let mut program = Program::new();
    for _ in 0..1_000 {
        program.command(NodeKind::Kernel, "kernel", 1, 1, (10, 0));
    }
    let trace = program.build();
    let ids = |question: &str| -> Vec<String> {
        ask::<GraphView>(&trace, question).nodes.into_iter().map(|node| node.id).collect()
    };
    assert_eq!(ids("graph?level=source"), ["1x1000"]);
    let parts = ids("graph?level=source&open=1x1000");
    assert_eq!((parts.len(), parts[0].as_str(), parts[49].as_str()), (50, "1x20", "981x20"));
    let nodes = ids("graph?level=source&open=1x1000.21x20");
    assert_eq!((nodes.len(), nodes[1].as_str()), (69, "21"));
    let view: GraphView = ask(&trace, "graph?level=source&open=1x1000.21x20");
    let innermost = [0, 1, 20, 21].map(|at| view.nodes[at].inside.as_deref());
    assert_eq!(innermost, [Some("1x1000"), Some("21x20"), Some("21x20"), Some("1x1000")]);
    let members: GraphMembers = ask(&trace, "graph_members?level=source&group=21x20");
    assert_eq!((members.count, members.members[0].node.node), (20, 21));
    let question: Question = "graph_members?level=source&group=21x21".parse().unwrap();
    assert!(trace.answer(&question).unwrap_err().to_string().contains("no group 21x21"));
}

#[test]
fn a_part_of_the_graph_says_what_is_left_out() {
    let trace = solver();
    let view: GraphView = ask(&trace, "graph?level=full&around=10&width=2");
    let numbers: Vec<u64> = view.nodes.iter().map(|node| node.node).collect();
    assert_eq!(numbers, [8, 9, 10, 11, 12]);
    assert_eq!(view.nodes.iter().map(|node| node.hidden_edges).collect::<Vec<_>>(), [1, 0, 0, 0, 1]);
    assert_eq!((view.left_out.nodes, view.left_out.edges), (0, 2));
    let view: GraphView = ask(&trace, "graph?level=full&limit=5");
    assert_eq!((view.nodes.len(), view.left_out.nodes), (5, 27));
    assert!(view.left_out.notes[0].starts_with("Nodes not drawn: 27 "), "{:?}", view.left_out.notes);
    let view: GraphView = ask(&trace, "graph?level=full&kinds=copy");
    assert_eq!(text(&view), "in 1 ns 300\nout 32 ns 400\nin 1 -> out 32: event 1");
    let question: Question = "graph?around=99".parse().unwrap();
    assert_eq!(trace.answer(&question).unwrap_err().to_string(), "the trace has no such command: 99");
}

#[test]
fn redundant_edges_are_marked_or_hidden() {
    let trace = solver();
    let marked: GraphView = ask(&trace, "graph?level=source&redundant=mark");
    let redundant = |view: &GraphView| view.edges.iter().filter(|edge| edge.redundant).count();
    assert_eq!((marked.edges.len(), redundant(&marked)), (6, 1));
    assert!(text(&marked).contains("in 1 -> out 32: event 1 redundant"));
    let hidden: GraphView = ask(&trace, "graph?level=source&redundant=hide");
    assert_eq!((hidden.edges.len(), redundant(&hidden), hidden.left_out.redundant_edges), (5, 0, 1));
    // Without the accessors' edges, no other path implies these edges.
    let events: GraphView = ask(&trace, "graph?level=source&redundant=mark&reasons=event");
    assert_eq!((events.edges.len(), redundant(&events)), (2, 0));
}

#[test]
fn the_order_of_a_queue_is_an_edge_if_asked_for() {
    let mut program = Program::new();
    let a = program.command(NodeKind::Kernel, "a", 1, 2, (10, 0));
    let b = program.command(NodeKind::Kernel, "b", 2, 2, (10, 0));
    program.command(NodeKind::Kernel, "c", 3, 2, (10, 0));
    program.edge(a, b, EdgeReason::InOrder, "");
    let trace = program.build();
    assert_eq!(ask::<GraphView>(&trace, "graph?level=full").edges.len(), 1);
    let view: GraphView = ask(&trace, "graph?level=full&order=1");
    let edges: Vec<_> =
        view.edges.iter().map(|edge| (edge.source, edge.target, edge.count, edge.implied)).collect();
    assert_eq!(edges, [(0, 1, 1, 0), (1, 2, 1, 1)]);
}

#[test]
fn components_and_what_would_be_if() {
    let mut program = Program::new();
    let alone = program.command(NodeKind::Kernel, "alone", 1, 1, (700, 0));
    let copy = program.command(NodeKind::Copy, "copy", 2, 1, (400, 64));
    let kernel = program.command(NodeKind::Kernel, "kernel", 3, 1, (600, 0));
    program.edge(copy, kernel, EdgeReason::Event, "");
    let trace = program.build();
    let components: GraphComponents = ask(&trace, "components");
    let listed: Vec<_> = components
        .components
        .iter()
        .map(|known| (known.node, known.nodes, known.edges, known.total_ns, known.bytes))
        .collect();
    assert_eq!(listed, [(copy, 2, 1, 1_000, 64), (alone, 1, 0, 700, 0)]);
    assert_eq!((components.count, components.single), (2, 1));
    let part: GraphView = ask(&trace, "graph?level=source&component=3");
    assert_eq!(part.nodes.iter().map(|node| node.node).collect::<Vec<_>>(), [copy, kernel]);
    let answer: WhatIf = ask(&trace, "what_if?kernel=kernel&faster=4&copies=0");
    assert_eq!((answer.unlimited_ns, answer.changed_unlimited_ns), (1_000, 700));
    assert_eq!((answer.device_ns, answer.changed_device_ns, answer.changed), (1_700, 850, 2));
    let answer: WhatIf = ask(&trace, "what_if?kernel=kernel");
    assert_eq!(answer.changed_unlimited_ns, 700);
}

#[test]
fn partitions_of_one_command_graph_stand_together_without_an_edge() {
    let mut program = Program::new();
    // Three graphs; the commands of the second are in two partitions without links between them.
    let mut inside = Vec::new();
    for (graph, group) in [(1, 1), (2, 2), (3, 2), (4, 4)] {
        let at = Timestamp(program.nodes * 1_000);
        program.builder.event(&Event::CommandGraph(CommandGraph {
            graph,
            at,
            group,
            ..CommandGraph::default()
        }));
        let node = program.command(NodeKind::Kernel, "step", 10, 1, (0, 0));
        program.builder.event(&Event::GraphCommand(GraphCommand {
            graph,
            at,
            position: 0,
            node,
            sync_point: None,
        }));
        if group == 2 {
            inside.push(node);
        }
        for _ in 0..6 {
            program.command(NodeKind::Copy, "alone", 20, 1, (100, 64));
        }
    }
    let view: GraphView = ask(&program.build(), "graph?level=full");
    assert_eq!(view.frames.iter().map(|frame| frame.graph).collect::<Vec<_>>(), [1, 2, 2, 4]);
    let spot = |node: u64| {
        let found = view.nodes.iter().find(|shown| shown.node == node).unwrap();
        (found.x, found.y)
    };
    let ((ax, ay), (bx, by)) = (spot(inside[0]), spot(inside[1]));
    let strangers = view.nodes.iter().filter(|node| !inside.contains(&node.node));
    let within = |node: &&ViewNode| {
        (ax.min(bx)..=ax.max(bx)).contains(&node.x) && (ay.min(by)..=ay.max(by)).contains(&node.y)
    };
    assert_eq!(strangers.filter(within).map(|node| node.node).collect::<Vec<_>>(), [0; 0]);
}
