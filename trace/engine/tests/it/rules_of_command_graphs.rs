//! Command graphs that are no faster than their commands: iterations of known times, with other work in them, and of
//! other sizes.

use syclscope_language::api::Finding;
use syclscope_language::event::{
    Category, CommandGraph, Event, GraphCommand, GraphRun, Node, NodeKind, QueueOrder, SliceBegin, SliceEnd,
    SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run, place};

const MICRO: u64 = 1_000;

fn found(run: Run) -> Option<Finding> {
    run.trace().report().findings.into_iter().find(|finding| finding.kind == "graph_without_gain")
}

/// Iterations with two kernels one by one, and then with a command graph of both; each ends with a wait.
#[derive(Clone, Copy)]
struct GraphRounds {
    single_ns: u64,
    graph_ns: fn(u64) -> u64,
    /// Launch ranges of the single kernels, and of the kernels in the graph.
    ranges: [Option<&'static str>; 2],
    /// True if the vendor's library times both commands of a graph.
    is_timed: bool,
    rounds: u64,
    runs: u64,
    /// Work of the host between a run of the graph and its wait.
    work_ns: u64,
    has_copy: bool,
}

const PLAIN: GraphRounds = GraphRounds {
    single_ns: 20 * MICRO,
    graph_ns: |_| 24 * MICRO,
    ranges: [Some("1024"); 2],
    is_timed: false,
    rounds: 20,
    runs: 1,
    work_ns: 0,
    has_copy: false,
};

impl GraphRounds {
    fn run(self) -> Run {
        let mut run = Run::new(QueueOrder::InOrder);
        let (track, kind, name) = (9, TrackKind::Other, "stream 7 · device");
        run.event(&Event::Track(Track { track, parent: None, kind, name, tid: 0 }));
        let mut at = 10 * MICRO;
        for _ in 0..20 {
            for (begin, ran) in [(at, 5), (at + 3 * MICRO, 6)] {
                self.kernel(&mut run, begin, (at + ran * MICRO, at + (ran + 1) * MICRO));
            }
            run.wait_for_queue(1, at + 6 * MICRO, at + self.single_ns);
            at += self.single_ns + 2 * MICRO;
        }
        let graph = 1;
        run.event(&Event::CommandGraph(CommandGraph {
            graph,
            at: Timestamp(at),
            group: graph,
            handle: 0x5000,
            tid: 1,
            location: place(33),
            ..CommandGraph::default()
        }));
        for position in 0..2 {
            let (node, kind, name) = (run.next_node(), NodeKind::Kernel, NodeKind::Kernel.as_str());
            let range = self.ranges[1].map(|range| ("global_size", Value::Str(range)));
            let (queue, tid, location, args) = (None, 1, place(10), range.as_slice());
            let at = Timestamp(at + position);
            run.event(&Event::Node(Node { node, at, kind, name, queue, tid, location, args }));
            run.event(&Event::GraphCommand(GraphCommand { graph, at, position, node, sync_point: None }));
        }
        at += 10 * MICRO;
        for round in 0..self.rounds {
            for number in 0..self.runs {
                self.run_of_graph(&mut run, graph, at + number * MICRO);
            }
            let mut done = at + (self.runs - 1) * MICRO + 2 * MICRO;
            if self.has_copy {
                run.copy(done, (done + 5 * MICRO, done + 9 * MICRO), 0x9000_0000, 0x10_0000, 4_096);
                done += 3 * MICRO;
            }
            let end = at + (self.graph_ns)(round) + self.work_ns;
            run.wait_for_queue(1, done + self.work_ns, end);
            at = end + 2 * MICRO;
        }
        run
    }

    fn kernel(&self, run: &mut Run, at: u64, ran: (u64, u64)) {
        let (node, kind, submission_ns) = (run.next_node(), NodeKind::Kernel, 2 * MICRO);
        let range = self.ranges[0].map(|range| ("global_size", Value::Str(range)));
        let (name, location, args) = (kind.as_str(), place(10), range.as_slice());
        run.submit(Command {
            node,
            kind,
            name,
            queue: 1,
            location,
            at,
            submission_ns,
            ran,
            args,
            ..Command::default()
        });
    }

    fn run_of_graph(&self, run: &mut Run, graph: u64, at: u64) {
        let (node, kind, name) = (run.next_node(), NodeKind::CommandGraph, "command_graph");
        let (tid, queue, location) = (1, Some(1), SourceLocation::default());
        let made = Node { node, at: Timestamp(at), kind, name, queue, tid, location, args: &[] };
        run.event(&Event::Node(made));
        run.event(&Event::GraphRun(GraphRun { graph, at: Timestamp(at), node }));
        run.slice(Category::Call, "urEnqueueCommandBufferExp", at, at + MICRO, Some(node), &[]);
        if !self.is_timed {
            return;
        }
        // The vendor's library reports both commands, in addition to the run as a whole.
        run.ran(Command { node, kind, name, ran: (at + 2 * MICRO, at + 4 * MICRO), ..Command::default() });
        for from in [at + 2 * MICRO, at + 3 * MICRO] {
            let (track, category, location, args) = (9, Category::Kernel, SourceLocation::default(), &[][..]);
            let (name, node, begin) = ("kernel", Some(node), Timestamp(from));
            run.event(&Event::SliceBegin(SliceBegin {
                track,
                at: begin,
                category,
                name,
                node,
                location,
                args,
            }));
            run.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(from + MICRO), args }));
        }
    }
}

#[test]
fn a_command_graph_that_is_no_faster_than_its_commands_is_found() {
    let finding = found(PLAIN.run()).expect("a finding");
    assert_eq!((finding.count, finding.touches_ns), (20, 20 * 24 * MICRO));
    assert_eq!((finding.location.clone().expect("a place").line, finding.gain.clone()), (33, None));
    assert!(
        finding
            .message
            .contains("take 24 µs (median of 20), and the commands with their wait 20 µs (median of 20)"),
        "{}",
        finding.message
    );
    assert_eq!(
        finding.evidence[0],
        "20 of 20 runs of it take at least as long as the median of the commands one by one."
    );
}

fn has_no_finding(rounds: GraphRounds) {
    assert_eq!(found(rounds.run()), None);
}

#[test]
fn command_graphs_that_gain_or_vary_or_are_timed_piece_by_piece_are_not() {
    has_no_finding(GraphRounds { graph_ns: |_| 19 * MICRO, ..PLAIN });
    // Six of 20 runs are faster.
    let graph_ns = |round| if round < 6 { 15 * MICRO } else { 24 * MICRO };
    has_no_finding(GraphRounds { graph_ns, ..PLAIN });
    has_no_finding(GraphRounds { is_timed: true, ..PLAIN });
    has_no_finding(GraphRounds { rounds: 15, ..PLAIN });
}

#[test]
fn rounds_of_command_graphs_with_other_work_are_not_compared() {
    has_no_finding(GraphRounds { runs: 2, ..PLAIN });
    has_no_finding(GraphRounds { work_ns: 5 * MICRO, ..PLAIN });
    has_no_finding(GraphRounds { has_copy: true, ..PLAIN });
}

#[test]
fn command_graphs_of_other_or_unknown_sizes_are_not_compared() {
    for ranges in [[Some("1024"), Some("4096")], [None, Some("1024")], [Some("1024"), None], [None; 2]] {
        has_no_finding(GraphRounds { ranges, ..PLAIN });
    }
    let other = GraphRounds { ranges: [Some("4096"); 2], ..PLAIN };
    assert!(found(other.run()).is_some());
}
