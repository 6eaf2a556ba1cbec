//! Reports of command graphs recorded as a whole or node by node, and the time that this recording adds to them.

use proptest::prelude::*;
use syclscope_language::event::{
    Category, CommandGraph, EdgeReason, Event, GraphCommand, GraphRun, Node, NodeKind, QueueOrder,
    SliceBegin, SliceEnd, SourceLocation, Track, TrackKind,
};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run};
use crate::streams::{Piece, STREAMS, graph_run, kernels, piece, with_streams};

#[test]
fn a_graph_without_times_of_its_nodes_is_one_command() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.submit(Command {
        node: 1,
        kind: NodeKind::CommandGraph,
        name: "command graph",
        at: 0,
        ran: (100, 300),
        ..Command::default()
    });
    run.node(NodeKind::CommandGraph, 400);
    for node in [1, 2] {
        run.event(&Event::GraphRun(GraphRun { graph: 1, at: Timestamp(0), node }));
    }
    let report = run.trace().report();
    assert_eq!(report.covered.device_ns, 200);
    assert_eq!(report.commands.len(), 1);
    assert_eq!(
        report.unseen,
        [
            "1 execution of command graphs without device times: counted as idle",
            "1 execution of command graphs as one command each: the times of the kernels and copies in them are not recorded"
        ]
    );
}

#[test]
fn a_graph_as_a_whole_is_one_command_on_its_queue_and_beside_it() {
    let whole = |ran| Piece { stream: STREAMS[0], kind: NodeKind::CommandGraph, name: "command graph", ran };
    let mut run = with_streams(QueueOrder::InOrder);
    graph_run(&mut run, 1, &[whole((100, 300))]);
    // A graph that the program submitted to the driver itself.
    piece(&mut run, None, &whole((400, 450)));
    let report = run.trace().report();
    assert_eq!(report.covered.device_ns, 250);
    let commands: Vec<_> = report.commands.iter().map(|group| (group.kind, group.count)).collect();
    assert_eq!(commands, [(NodeKind::CommandGraph, 2)]);
    assert!(report.unseen.concat().starts_with("1 execution of command graphs as one command each: "));
}

#[test]
fn a_graph_of_short_kernels_says_that_recording_changes_it() {
    let said = |length: u64| {
        let mut run = with_streams(QueueOrder::InOrder);
        graph_run(&mut run, 1, &kernels(8, "step", length));
        run.trace().report().unseen.concat()
    };
    // The dependences of the commands are unknown: one alone could have taken the whole time.
    let expected = "by at most 35 µs of 40 µs, if it makes no kernel itself longer";
    assert!(said(5_000).contains(expected), "{}", said(5_000));
    assert_eq!(said(20_000), "");
}

/// A command of a graph whose execution was recorded: its kernel's number, its dependences among the earlier commands,
/// its duration, and its delay.
type Recorded = (usize, Vec<prop::sample::Index>, u64, u64);

fn recorded() -> impl Strategy<Value = Vec<Recorded>> {
    let one = (0..3_usize, prop::collection::vec(any::<prop::sample::Index>(), 0..3), 1..30_u64, 0..20_u64);
    prop::collection::vec(one, 1..10)
}

/// Returns the report's bound for the time that recording added to an execution, and the added time. `None` if one
/// piece takes the whole execution.
fn added(commands: &[Recorded], name: impl Fn(usize) -> String) -> Option<(u64, u64)> {
    let mut run = Run::new(QueueOrder::InOrder);
    run.event(&Event::CommandGraph(CommandGraph { graph: 1, group: 1, ..CommandGraph::default() }));
    let (mut nodes, mut bare, mut pieces): (Vec<u64>, Vec<u64>, Vec<(u64, u64)>) = Default::default();
    for (number, (kernel, sources, duration, late)) in commands.iter().enumerate() {
        let (node, at) = (run.next_node(), Timestamp(number as u64));
        let (kind, position, location) = (NodeKind::Kernel, number as u64, SourceLocation::default());
        let name = name(if *kernel == 0 { 100 + number } else { *kernel });
        run.event(&Event::Node(Node {
            node,
            at,
            kind,
            name: &name,
            queue: None,
            tid: 1,
            location,
            args: &[],
        }));
        run.event(&Event::GraphCommand(GraphCommand { graph: 1, at, position, node, sync_point: None }));
        let sources: Vec<usize> =
            sources.iter().filter(|_| number > 0).map(|source| source.index(number)).collect();
        sources.iter().for_each(|source| run.edge(nodes[*source], node, EdgeReason::Event));
        let latest = |ends: &mut dyn Iterator<Item = u64>| ends.max();
        let start = latest(&mut sources.iter().map(|source| pieces[*source].1)).unwrap_or(1_000) + late;
        bare.push(latest(&mut sources.iter().map(|source| bare[*source])).unwrap_or(0) + duration);
        pieces.push((start, start + duration));
        nodes.push(node);
    }
    let start = pieces.iter().map(|piece| piece.0).min().unwrap();
    let end = pieces.iter().map(|piece| piece.1).max().unwrap();
    let (kind, node) = (NodeKind::CommandGraph, run.next_node());
    run.submit(Command {
        node,
        kind,
        name: "command graph",
        at: 900,
        ran: (start, end),
        ..Command::default()
    });
    run.event(&Event::GraphRun(GraphRun { graph: 1, at: Timestamp(900), node }));
    for (number, ((kernel, ..), ran)) in commands.iter().zip(&pieces).enumerate() {
        let (stream, at) = (200 + number as u64, Timestamp(ran.0));
        let name = name(if *kernel == 0 { 100 + number } else { *kernel });
        let (parent, kind) = (None, TrackKind::Other);
        run.event(&Event::Track(Track { track: stream, parent, kind, name: "stream 11 · device", tid: 0 }));
        let (category, location) = (Category::Kernel, SourceLocation::default());
        run.event(&Event::SliceBegin(SliceBegin {
            track: stream,
            at,
            category,
            name: &name,
            node: Some(node),
            location,
            args: &[],
        }));
        run.event(&Event::SliceEnd(SliceEnd { track: stream, at: Timestamp(ran.1), args: &[] }));
    }
    let unseen = run.trace().report().unseen.concat();
    let (_, said) = unseen.split_once("by at most ")?;
    let said = said.split_once(" ns of ").expect(&unseen).0.parse().expect(&unseen);
    Some((said, end - start - bare.iter().max().unwrap()))
}

proptest! {
    /// Kernels with unchanged durations on a device with capacity for all: recording only delays each start.
    #[test]
    fn recording_adds_no_more_to_a_graph_than_the_report_says(commands in recorded()) {
        let found = added(&commands, |kernel| format!("kernel {kernel}"));
        prop_assume!(found.is_some());
        prop_assert!(found.is_some_and(|(said, truth)| said >= truth), "{found:?}");
    }

    #[test]
    fn the_bound_is_what_recording_added_where_each_kernel_has_a_name(mut commands in recorded()) {
        commands.iter_mut().for_each(|command| command.0 = 0);
        let found = added(&commands, |kernel| format!("kernel {kernel}"));
        prop_assume!(found.is_some());
        prop_assert!(found.is_some_and(|(said, truth)| said == truth), "{found:?}");
    }
}
