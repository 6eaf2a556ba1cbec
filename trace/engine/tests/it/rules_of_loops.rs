//! Rules about loops: parts of one buffer, numbers that the host reads in each iteration, command graphs that run once.

use syclscope_language::api::Finding;
use syclscope_language::event::{
    AllocationKind, Category, CommandGraph, Event, GraphChange, GraphChangeKind, GraphCommand, GraphRun,
    NodeKind, Pause, QueueOrder, SourceLocation, Value,
};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run, place};
use crate::serialised::parts;

const MICRO: u64 = 1_000;
const DEVICE_MEMORY: u64 = 0x10_0000;
const HOST_MEMORY: u64 = 0x9000_0000;

fn found(run: Run, kind: &str) -> Option<Finding> {
    run.trace().report().findings.into_iter().find(|finding| finding.kind == kind)
}

/// Offsets of the parts that eight kernels use in turn.
const BY_TURNS: [u64; 8] = [0, 128, 0, 128, 0, 128, 0, 128];

#[test]
fn kernels_on_parts_of_one_buffer_are_found() {
    let finding = found(parts(&BY_TURNS), "false_dependence").expect("a finding");
    assert_eq!(
        (finding.count, finding.touches_ns),
        (7, 7 * 30 * MICRO),
        "each but the first could have run beside the one before"
    );
    assert_eq!(finding.nodes, [2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(finding.location.expect("a place").line, NodeKind::Kernel as u32 + 10);
    assert!(finding.message.contains("7 times kernel at main.cpp"), "{}", finding.message);
}

#[test]
fn parts_that_overlap_and_few_pairs_are_not() {
    assert_eq!(found(parts(&BY_TURNS.map(|origin| origin / 2)), "false_dependence"), None, "they overlap");
    assert_eq!(found(parts(&BY_TURNS[..4]), "false_dependence"), None, "three pairs");
}

/// Returns iterations of two kernels and a copy of `bytes`, with or without a wait of the host; the device idles 15 µs
/// in each.
fn reading(rounds: u64, bytes: u64, waits: bool, to_host: bool) -> Run {
    let mut run = Run::new(QueueOrder::InOrder);
    run.allocate(1, DEVICE_MEMORY, 1 << 20, AllocationKind::Device);
    for round in 0..rounds {
        let at = 10 * MICRO + round * 100 * MICRO;
        run.kernel(at, (at + 5 * MICRO, at + 50 * MICRO));
        run.kernel(at + 2 * MICRO, (at + 50 * MICRO, at + 80 * MICRO));
        let (from, to) = if to_host { (DEVICE_MEMORY, HOST_MEMORY) } else { (HOST_MEMORY, DEVICE_MEMORY) };
        sized(&mut run, at + 4 * MICRO, (at + 80 * MICRO, at + 90 * MICRO), (from, to, bytes));
        if waits {
            run.slice(Category::Wait, "event.wait", at + 7 * MICRO, at + 95 * MICRO, None, &[]);
        }
    }
    run
}

fn sized(run: &mut Run, at: u64, ran: (u64, u64), (from, to, bytes): (u64, u64, u64)) {
    let node = run.next_node();
    let args = [("bytes", Value::Uint(bytes))];
    let (kind, name, location, submission_ns) = (NodeKind::Copy, "copy", place(20), 2_000);
    run.submit(Command {
        node,
        kind,
        name,
        location,
        at,
        submission_ns,
        ran,
        args: &args,
        ..Command::default()
    });
    let args = [("pDst", Value::Pointer(to)), ("pSrc", Value::Pointer(from)), ("size", Value::Uint(bytes))];
    run.slice(Category::Call, "urEnqueueUSMMemcpy", at + 10, at + 20, Some(node), &args);
}

#[test]
fn numbers_that_the_host_reads_in_each_round_are_found() {
    let finding = found(reading(10, 8, true, true), "blocking_read").expect("a finding");
    // From the end of a copy to the first kernel of the next iteration; nothing follows the last copy.
    assert_eq!((finding.count, finding.touches_ns), (10, 9 * 15 * MICRO));
    assert!(finding.gain.expect("a gain").ns > 9 * 10 * MICRO);
    assert_eq!(
        finding.location.expect("a place").line,
        20,
        "where event.wait is called, no runtime says: it is the copy's line"
    );
    assert_eq!(finding.nodes[..2], [3, 6]);
}

#[test]
fn results_few_numbers_and_copies_that_hold_nobody_are_not() {
    assert_eq!(found(reading(7, 8, true, true), "blocking_read"), None, "seven");
    assert_eq!(found(reading(10, 257, true, true), "blocking_read"), None, "that is a result");
    assert_eq!(found(reading(10, 8, false, true), "blocking_read"), None, "nobody waits");
    assert_eq!(found(reading(10, 8, true, false), "blocking_read"), None, "they go to the device");
}

/// Returns command graphs with two commands, each run `runs` times; the host builds each in 30 µs, and a kernel runs
/// between them.
fn graphs(count: u64, runs: u64) -> Run {
    recorded(count, runs, false)
}

/// Returns the same; the runtime reports the submission of the first command of each graph, or of none.
fn recorded(count: u64, runs: u64, is_submitted: bool) -> Run {
    let mut run = Run::new(QueueOrder::InOrder);
    let mut at = 10 * MICRO;
    for graph in 1..=count {
        let made = at;
        run.event(&Event::CommandGraph(CommandGraph {
            graph,
            at: Timestamp(made),
            group: graph,
            handle: 0x5000 + graph,
            tid: 1,
            location: SourceLocation { function: "main", file: "main.cpp", line: 33, column: 0 },
            ..CommandGraph::default()
        }));
        for position in 0..2 {
            let node = run.node(NodeKind::Kernel, made + 10 + position);
            let at = Timestamp(made + 10 + position);
            if is_submitted && position == 0 {
                run.slice(Category::Submission, "layer", made + 10, made + 11, Some(node), &[]);
            }
            run.event(&Event::GraphCommand(GraphCommand { graph, at, position, node, sync_point: None }));
        }
        at += 30 * MICRO;
        let change = GraphChangeKind::Finalized;
        run.event(&Event::GraphChange(GraphChange { graph, at: Timestamp(at), change, args: &[] }));
        for _ in 0..runs {
            let node = run.node(NodeKind::CommandGraph, at);
            run.event(&Event::GraphRun(GraphRun { graph, at: Timestamp(at), node }));
            run.kernel(at, (at + 5 * MICRO, at + 20 * MICRO));
            at += 20 * MICRO;
        }
    }
    run
}

#[test]
fn command_graphs_that_run_once_are_found() {
    let finding = found(graphs(10, 1), "graph_built_for_one_run").expect("a finding");
    // Time before the first command does not count: of the first graph, only the way of its command to the device does.
    assert_eq!((finding.count, finding.touches_ns), (10, 9 * 30 * MICRO + 5 * MICRO));
    assert_eq!(finding.gain.expect("a gain").ns, 9 * 30 * MICRO);
    assert_eq!(finding.location.expect("a place").line, 33);
    assert_eq!(finding.nodes.len(), 10);
    assert!(finding.message.contains("(20 commands)"), "{}", finding.message);
}

#[test]
fn a_command_graph_leads_to_its_first_command_where_its_run_has_no_submission() {
    let finding = found(recorded(10, 1, true), "graph_built_for_one_run").expect("a finding");
    assert_eq!(finding.slices.len(), 10);
    assert!(finding.slices.iter().all(|submission| submission.duration_ns == 1), "{:?}", finding.slices);
    assert_eq!(finding.at, finding.slices.first().copied());
}

#[test]
fn few_graphs_and_those_that_run_again_are_not() {
    assert_eq!(found(graphs(7, 1), "graph_built_for_one_run"), None);
    assert_eq!(found(graphs(10, 2), "graph_built_for_one_run"), None);
    // They may have run while the recording was paused.
    let mut run = graphs(10, 1);
    for (at, is_paused) in [(505 * MICRO, true), (506 * MICRO, false)] {
        run.event(&Event::Pause(Pause { at: Timestamp(at), is_paused, reason: "program" }));
    }
    assert_eq!(found(run, "graph_built_for_one_run"), None);
}
