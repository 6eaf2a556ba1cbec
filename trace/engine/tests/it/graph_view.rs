//! Folded graphs hold every node and edge once, whatever is folded; views of a small program are what a person expects.

use proptest::prelude::*;
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

    /// A command that takes so long and moves so many bytes; returns its number.
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

/// Copy in; ten times: stencil, twice smooth, and what they wait for; copy out.
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
    // The whole chain is critical, but for the way from the first to the last copy.
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
    // What is named under a folded group is passed over, and counts again once that is unfolded.
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
    // Without the accessors' edges, no other way says the same.
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

/// Place, queue and duration of each.
type Commands = Vec<(u32, u64, u64)>;
type Pairs = Vec<(usize, usize)>;

/// Programs of a few places, with edges forward in time.
fn programs() -> impl Strategy<Value = (Commands, Pairs)> {
    (1..60_usize).prop_flat_map(|count| {
        let commands = prop::collection::vec((0..5_u32, 1..3_u64, 0..500_u64), count);
        (commands, prop::collection::vec((0..count, 0..count), 0..90))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_node_and_edge_is_there_once(
        (commands, edges) in programs(),
        opened in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let mut program = Program::new();
        for (place, queue, ns) in &commands {
            program.command(NodeKind::Kernel, ["a", "b", "c", "d", "e"][*place as usize], *place, *queue, (*ns, *ns));
        }
        let mut pairs: Vec<(u64, u64)> =
            edges.iter().filter(|(a, b)| a != b).map(|(a, b)| (1 + *a.min(b) as u64, 1 + *a.max(b) as u64)).collect();
        for (source, target) in &pairs {
            program.edge(*source, *target, EdgeReason::Event, "");
        }
        let trace = program.build();
        let slack = trace.slack();
        for level in ["source", "kernels", "iterations", "full"] {
            // Unfolds some of what there is, one after the other.
            let mut open: Vec<String> = Vec::new();
            let mut question = format!("graph?level={level}");
            let mut view: GraphView = ask(&trace, &question);
            for index in &opened {
                open.push(index.get(&view.nodes).id.clone());
                question = format!("graph?level={level}&open={}", open.join("."));
                view = ask(&trace, &question);
            }
            let of_nodes = |value: fn(&ViewNode) -> u64| view.nodes.iter().map(value).sum::<u64>();
            prop_assert_eq!(of_nodes(|node| node.count), commands.len() as u64, "{}", question);
            let total: u64 = commands.iter().map(|(_, _, ns)| ns).sum();
            prop_assert_eq!((of_nodes(|node| node.total_ns), of_nodes(|node| node.bytes)), (total, total));
            // Every member is in one group, and what is said of the group follows from its members.
            let mut group_of = vec![usize::MAX; commands.len() + 1];
            for (at, node) in view.nodes.iter().enumerate() {
                let page: GraphMembers = ask(&trace, &format!("graph_members?level={level}&group={}", node.id));
                prop_assert_eq!(page.members.len() as u64, node.count);
                prop_assert_eq!(page.members[0].node.node, node.node);
                for member in &page.members {
                    let place = &mut group_of[member.node.node as usize];
                    prop_assert_eq!(std::mem::replace(place, at), usize::MAX);
                }
                let least = page.members.iter().map(|member| slack[member.node.node as usize - 1].slack_ns).min();
                prop_assert_eq!(least, Some(node.slack_ns));
                let longest = page.members.iter().map(|member| member.duration_ns).max();
                prop_assert_eq!(longest, Some(node.max_ns));
                prop_assert_eq!(node.critical, page.members.iter().filter(|member| member.is_critical).count() as u64);
            }
            let mut expected: Vec<(u32, u32)> = pairs
                .iter()
                .map(|(source, target)| (group_of[*source as usize] as u32, group_of[*target as usize] as u32))
                .collect();
            expected.sort_unstable();
            let told = view.edges.iter().flat_map(|edge| vec![(edge.source, edge.target); edge.count as usize]);
            prop_assert_eq!(told.collect::<Vec<_>>(), expected);
        }
        pairs.sort_unstable();
        pairs.dedup();
        let full: GraphView = ask(&trace, "graph?level=full");
        prop_assert_eq!(full.edges.len(), pairs.len());
    }

    #[test]
    fn unfolding_moves_nothing_past_anything((commands, edges) in programs()) {
        unfolding_keeps_the_order(&commands, &edges);
    }
}

fn unfolding_keeps_the_order(commands: &[(u32, u64, u64)], edges: &[(usize, usize)]) {
    let mut program = Program::new();
    for (place, queue, ns) in commands {
        let name = ["a", "b", "c", "d", "e"][*place as usize];
        program.command(NodeKind::Kernel, name, *place, *queue, (*ns, 0));
    }
    for (a, b) in edges.iter().filter(|(a, b)| a != b) {
        program.edge(1 + *a.min(b) as u64, 1 + *a.max(b) as u64, EdgeReason::Event, "");
    }
    let trace = program.build();
    let before: GraphView = ask(&trace, "graph?level=source");
    for opened in &before.nodes {
        let after: GraphView = ask(&trace, &format!("graph?level=source&open={}", opened.id));
        let find = |node: &ViewNode| after.nodes.iter().find(|known| known.id == node.id);
        for a in &before.nodes {
            for b in before.nodes.iter().filter(|b| b.y == a.y && b.x > a.x) {
                if let (Some(now_a), Some(now_b)) = (find(a), find(b))
                    && now_a.y == now_b.y
                {
                    assert!(now_a.x < now_b.x, "{} came past {} when {} opened", a.id, b.id, opened.id);
                }
            }
        }
    }
}

#[test]
fn a_part_that_stood_between_the_nodes_of_another_is_not_moved_past_them() {
    let commands = [
        (1, 1, 0),
        (0, 1, 0),
        (4, 1, 0),
        (0, 1, 0),
        (0, 1, 0),
        (4, 1, 0),
        (1, 1, 0),
        (0, 1, 0),
        (0, 1, 3),
        (1, 1, 250),
        (1, 1, 428),
        (4, 1, 198),
        (1, 2, 495),
        (1, 2, 110),
        (4, 2, 160),
        (4, 2, 168),
        (2, 1, 384),
        (1, 2, 185),
        (4, 2, 358),
        (3, 1, 274),
        (1, 1, 331),
    ];
    let edges = [(11, 12), (5, 20), (10, 15), (3, 9), (11, 16), (17, 13), (6, 19), (5, 15), (2, 12), (11, 8)];
    unfolding_keeps_the_order(&commands, &edges);
}

#[test]
fn partitions_of_one_command_graph_stand_together_without_an_edge() {
    let mut program = Program::new();
    // Three graphs; the commands of the second lie in two partitions that nothing joins.
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
