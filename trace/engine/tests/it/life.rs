//! The life of a command and the dependences around it, of a small run computed by hand.

use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::{Dependences, PhaseKind};
use syclscope_language::event::{EdgeReason, Event, QueueOrder};
use syclscope_language::question::{DependenceQuestion, TileKey, TileView, Way};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run};

/// Submits a command for 10 ns and runs it; its submission to the device is 5 ns before its start.
fn submit(run: &mut Run, node: u64, at: u64, ran: (u64, u64)) {
    let (name, submitted) = ("step", Some(ran.0 - 5));
    run.submit(Command { node, name, at, submitted, ran, ..Command::default() });
}

/// Returns a run of three commands `step` in a row, the last one 100 ns longer, with a wait for the queue after the
/// second.
fn run() -> Trace {
    let mut run = Run::new(QueueOrder::OutOfOrder);
    submit(&mut run, 1, 100, (130, 230));
    submit(&mut run, 2, 120, (250, 350));
    run.wait_for_queue(1, 140, 380);
    submit(&mut run, 3, 400, (450, 650));
    run.edge_by(1, 2, EdgeReason::Accessor, "read_write", 0);
    run.edge(2, 3, EdgeReason::Event);
    run.event(&Event::Finish { at: Timestamp(700) });
    run.trace()
}

fn execution(trace: &Trace, start_ns: u64) -> u32 {
    let of_slice = |slice: &u32| trace.slice(*slice).is_ok_and(|detail| detail.at.start_ns == start_ns);
    (0..200).find(of_slice).unwrap()
}

#[test]
fn a_life_has_its_phases_one_after_the_other() {
    let trace = run();
    let life = trace.life(execution(&trace, 250)).unwrap();
    let phases: Vec<_> =
        life.phases.iter().map(|phase| (phase.kind, phase.from_ns, phase.to_ns, phase.median_ns)).collect();
    let expected = [
        (PhaseKind::Submission, 120, 130, Some(10)),
        // It waited for the first command, which ended at 230.
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
    let edge = |edge: &syclscope_language::api::Dependence| {
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

/// A command in the middle of a long chain.
#[test]
fn a_limit_of_dependences_leaves_the_nearest_of_both_ways() {
    let mut run = Run::new(QueueOrder::OutOfOrder);
    for node in 1..=41 {
        submit(&mut run, node, node * 100, (node * 100 + 20, node * 100 + 90));
        if node > 1 {
            run.edge(node - 1, node, EdgeReason::Event);
        }
    }
    let trace = run.trace();
    let middle = DependenceQuestion::near(execution(&trace, 21 * 100 + 20));
    for limit in 1..=50 {
        let question = DependenceQuestion { hops: 50, way: None, limit, ..middle.clone() };
        let found = trace.dependences(&question).unwrap();
        assert_eq!(
            (found.edges.len() as u64, found.edges.len() as u64 + found.more),
            (u64::from(limit.min(40)), 40)
        );
        for (position, edge) in (0..).zip(&found.edges) {
            assert_eq!((edge.hop, edge.before), (position / 2 + 1, position % 2 == 0), "{limit}");
        }
    }
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
    // All slices start in one bucket; the longest represents them.
    let coarse = tile(12);
    let lane = &coarse.lanes[0];
    assert_eq!((&lane.start_ns, &lane.count, &lane.total_ns), (&vec![450], &vec![3], &vec![400]));
    let beyond = TileKey { view: TileView::Kernel, track: 1, level: 0, index: 0 };
    assert_eq!(trace.kernel_tile(beyond), Err(QueryError::NoTrack(1)));
}
