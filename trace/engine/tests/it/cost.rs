//! Recorded costs of recording: on threads, and subtracted from reported launches.

use proptest::prelude::*;
use syclscope_language::event::{
    Category, Cost, Event, Fact, FactKind, Node, NodeKind, Notified, QueueOrder, SliceBegin, SliceEnd,
    SourceLocation,
};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run};

const LAUNCHES: u64 = 60;
const STEP_NS: u64 = 50_000;

fn state(run: &mut Run, costs: &[(Notified, Cost)]) {
    for (notified, cost) in costs {
        let (at, name, value) = (Timestamp(0), notified.as_str(), cost.to_string());
        run.event(&Event::Fact(Fact { at, kind: FactKind::Cost, name, value: &value }));
    }
}

fn slice(run: &mut Run, category: Category, span: (u64, u64), node: Option<u64>, calls: u64) {
    let (name, location) = ("slice", SourceLocation::default());
    let begin = |at, category, node| {
        let at = Timestamp(at);
        Event::SliceBegin(SliceBegin { track: 1, at, category, name, node, location, args: &[] })
    };
    let end = |at| Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(at), args: &[] });
    run.event(&begin(span.0, category, node));
    for call in 0..calls {
        run.event(&begin(span.0 + 10 + call * 20, Category::Call, node));
        run.event(&end(span.0 + 20 + call * 20));
    }
    run.event(&end(span.1));
}

/// Returns kernels of 100 ns, each submitted in `launch_ns` with `calls` calls inside.
fn launches(costs: &[(Notified, Cost)], launch_ns: u64, calls: u64) -> Run {
    let mut run = Run::new(QueueOrder::InOrder);
    state(&mut run, costs);
    for launch in 0..LAUNCHES {
        let at = 1_000 + launch * STEP_NS;
        let node = run.next_node();
        let (kind, name, location) = (NodeKind::Kernel, "short", SourceLocation::default());
        let made = Node { node, at: Timestamp(at), kind, name, queue: Some(1), tid: 1, location, args: &[] };
        run.event(&Event::Node(made));
        slice(&mut run, Category::Submission, (at, at + launch_ns), Some(node), calls);
        run.ran(Command { node, name, ran: (at + launch_ns, at + launch_ns + 100), ..Command::default() });
    }
    run
}

fn costs() -> impl Strategy<Value = Vec<(Notified, Cost)>> {
    let cost =
        (1..300_u64, 0..2_000_u64).prop_map(|(least_ns, more)| Cost { least_ns, most_ns: least_ns + more });
    prop::collection::vec(cost, Notified::ALL.len())
        .prop_map(|costs| Notified::ALL.iter().copied().zip(costs).collect())
}

fn sum(costs: &[(Notified, Cost)], of: impl Fn(&Cost) -> u64, kinds: &[Notified]) -> u64 {
    costs.iter().filter(|(notified, _)| kinds.contains(notified)).map(|(_, cost)| of(cost)).sum()
}

proptest! {
    #[test]
    fn what_recording_takes_is_what_is_notified_times_what_that_costs(
        costs in costs(), launch_ns in 1_000..40_000_u64, calls in 0..20_u64,
    ) {
        use Notified::{CallBegins, CallEnds, Node, Signal, SubmissionBegins, SubmissionEnds};
        let report = launches(&costs, launch_ns, calls).trace().report();
        let recording = report.recording.unwrap();
        prop_assert_eq!(recording.notifications, LAUNCHES * (4 + 2 * calls));
        let (own, nested) = ([Node, SubmissionBegins, Signal, SubmissionEnds], [CallBegins, CallEnds]);
        let all = |of: fn(&Cost) -> u64| LAUNCHES * (sum(&costs, of, &own) + calls * sum(&costs, of, &nested));
        prop_assert_eq!(recording.least_ns, all(|cost| cost.least_ns));
        prop_assert_eq!(recording.most_ns, all(|cost| cost.most_ns));
        prop_assert_eq!(recording.thread_ns, (LAUNCHES - 1) * STEP_NS + launch_ns);
        prop_assert_eq!(recording.thread, "main");

        // The cost within a launch is subtracted, but no cost before or after it.
        let within = |of: fn(&Cost) -> u64| {
            sum(&costs, of, &[SubmissionBegins, Signal]) + calls * sum(&costs, of, &nested)
        };
        let left_ns = launch_ns.saturating_sub(within(|cost| cost.least_ns));
        let short = report.findings.iter().find(|finding| finding.kind == "kernels_too_short");
        // The device is idle meanwhile; a gain of less than a hundredth of the run is left out.
        let gain_ns = LAUNCHES * left_ns.saturating_sub(100);
        let is_worth = gain_ns > 0 && gain_ns >= ((LAUNCHES - 1) * STEP_NS + launch_ns + 100) / 100;
        prop_assert_eq!(short.is_some(), is_worth, "{} ns are left", left_ns);
        if let Some(short) = short {
            prop_assert_eq!(short.touches_ns, gain_ns);
            prop_assert!(short.evidence[1].contains("without the"), "{:?}", short.evidence);
        }
    }
}

#[test]
fn a_recording_without_its_cost_says_that_it_is_not_known() {
    let report = launches(&[], 20_000, 2).trace().report();
    assert_eq!(report.recording, None);
    let short = report.findings.iter().find(|finding| finding.kind == "kernels_too_short").unwrap();
    assert!(short.evidence[1].contains("the overhead of recording in it is unknown"), "{:?}", short.evidence);
}

#[test]
fn values_of_costs_are_read_as_they_are_written_and_others_are_not() {
    let cost = Cost { least_ns: 38, most_ns: 210 };
    assert_eq!(cost.to_string(), "38 to 210 ns");
    assert_eq!(Cost::from_text("38 to 210 ns"), Some(cost));
    for text in ["", "38 ns", "38 to 210", "210 to 38 ns", "-1 to 2 ns", "a to b ns", "1 to 2 ns "] {
        assert_eq!(Cost::from_text(text), None, "{text}");
    }
}

#[test]
fn small_costs_are_not_worth_a_word() {
    let cost = |notified| (notified, Cost { least_ns: 10, most_ns: 80 });
    let costs: Vec<_> = Notified::ALL.iter().copied().map(cost).collect();
    let words = |launch_ns, calls| {
        let recording = launches(&costs, launch_ns, calls).trace().report().recording.unwrap();
        recording.words(|number| number.to_string())
    };
    // 4 notifications of 80 ns in 50 µs, then 24.
    assert_eq!(words(1_000, 0), None);
    assert_eq!(
        words(1_000, 10).unwrap(),
        "recording took 0.5 to 3.9 % of the time of main in the recorder's own code (1440 notifications of 10 to 80 ns); the overhead of the runtime's tracing and of a vendor's device records is unknown"
    );
}
