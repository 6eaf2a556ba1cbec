use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::compare::{
    Figure, Key, LoopMark, Sample, SampledCommand, SampledGroup, compare_samples,
};
use syclscope_language::api::ComparisonNote;
use syclscope_language::event::{
    Event, EventSink as _, Execution, Node, NodeKind, Process, Queue, QueueOrder, SliceBegin, SliceEnd,
    SourceLocation, Track, TrackKind,
};
use syclscope_language::time::Timestamp;

use super::*;

/// Judges a time by its ratio, the bounds of its interval, and the least change that counts.
fn judged((low, ratio, high): (f64, f64, f64), threshold: f64, verdict: Verdict, allowed: f64) -> Judged {
    gate(Some((low, high)), ratio, threshold, verdict, allowed).judged()
}

fn gate(interval: Option<(f64, f64)>, ratio: f64, threshold: f64, verdict: Verdict, allowed: f64) -> Gate {
    let mut gate = Gate::default();
    let (low, high) = (interval.map(|(low, _)| low), interval.map(|(_, high)| high));
    let runs = if interval.is_some() { 5 } else { 1 };
    let time = TimeChange {
        ratio: Some(ratio),
        low,
        high,
        threshold,
        verdict,
        a_runs: runs,
        b_runs: runs,
        ..TimeChange::default()
    };
    gate.time("kernel", &time, allowed);
    gate
}

#[test]
fn a_time_passes_only_where_all_of_its_interval_is_allowed() {
    let noisy = (0.9, 1.04, 1.2);
    for (allowed, expected) in [(0.0, Judged::Undecided), (0.15, Judged::Undecided), (0.2, Judged::Pass)] {
        assert_eq!(judged(noisy, 0.05, Verdict::Undecided, allowed), expected, "{allowed}");
    }
    assert_eq!(judged((0.98, 1.0, 1.04), 0.05, Verdict::Same, 0.0), Judged::Pass);
    assert_eq!(judged((0.98, 1.0, 1.04), 0.05, Verdict::Same, 0.03), Judged::Undecided);
    assert_eq!(judged((0.7, 0.8, 0.9), 0.03, Verdict::Faster, 0.0), Judged::Pass);
    for (allowed, expected) in [
        (0.0, Judged::Fail),
        (0.04, Judged::Fail),
        (0.05, Judged::Undecided),
        (0.15, Judged::Undecided),
        (0.2, Judged::Pass),
    ] {
        assert_eq!(judged((1.05, 1.1, 1.2), 0.03, Verdict::Slower, allowed), expected, "{allowed}");
    }
    // Where runs differ by a third, even an allowed change of a half decides nothing.
    for allowed in [0.0, 0.5] {
        assert_eq!(judged((0.85, 1.0, 1.25), 0.33, Verdict::Same, allowed), Judged::Undecided);
    }
}

#[test]
fn what_is_undecided_says_what_would_have_been_seen() {
    let text = |gate: Gate| gate.items[0].message.clone();
    let noisy = text(gate(Some((0.8, 1.3)), 1.0, 0.05, Verdict::Undecided, 0.05));
    assert!(noisy.ends_with("; the smallest detectable change is 25 %, and 5 % is allowed"), "{noisy}");
    for (allowed, words) in [(0.005, "0.5 %"), (0.025, "2.5 %"), (0.29, "29 %")] {
        let noisy = text(gate(Some((0.7, 1.5)), 1.0, 0.05, Verdict::Undecided, allowed));
        assert!(noisy.ends_with(&format!(", and {words} is allowed")), "{noisy}");
    }
    let noisy = text(gate(Some((0.9, 1.3)), 1.0, 0.33, Verdict::Same, 0.0));
    assert!(noisy.ends_with("; the smallest detectable change is 33 %, and 33 % is allowed"), "{noisy}");
    let single = text(gate(None, 1.0, 0.03, Verdict::Same, 0.0));
    assert!(
        single
            .ends_with("; 1 run per side can't show a significant change; 5 are needed, and 3 % is allowed"),
        "{single}"
    );
}

/// Pseudorandom numbers, the same every time.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as f64 + 0.5) / f64::from(1_u32 << 31)
    }

    /// Nearly normal: the sum of twelve uniform numbers.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

/// A shared machine: its load changes over several runs, and each run has noise of its own.
struct Machine {
    random: Random,
    noise: f64,
    load: f64,
}

impl Machine {
    /// Runs a program with three kernels, of which one takes `factor` times as long as usual.
    fn run(&mut self, factor: f64) -> Sample {
        self.load = 0.7 * self.load + 0.7 * self.random.normal();
        let slowed = (self.noise * (0.6 * self.load + 0.8 * self.random.normal())).exp();
        let mut builder = TraceBuilder::new();
        builder.event(&Event::Process(Process { pid: 1, name: "program", ..Process::default() }));
        let (kind, name) = (TrackKind::Thread, "main");
        builder.event(&Event::Track(Track { track: 1, parent: None, kind, name, tid: 1 }));
        builder.event(&Event::Queue(Queue {
            queue: 1,
            at: Timestamp(0),
            runtime_id: 1,
            handle: 1,
            order: QueueOrder::InOrder,
            device: "device",
            device_type: "GPU",
            device_handle: 1,
            context: 1,
        }));
        let mut at = 1_000;
        for number in 0..24_u64 {
            let name = ["assemble", "solve", "update"][number as usize % 3];
            let location =
                SourceLocation { function: "main", file: "main.cpp", line: 1 + number as u32 % 3, column: 0 };
            let usual_ns = if name == "solve" { 100_000.0 * factor } else { 60_000.0 };
            // Others use a busy machine for a moment, too.
            let is_burst = self.noise > 0.01 && self.random.unit() < 0.05;
            let burst = if is_burst { 1.0 + 2.0 * self.random.unit() } else { 1.0 };
            let takes = usual_ns * slowed * burst * (self.noise.min(0.02) * self.random.normal()).exp();
            let (node, kind, queue, args) = (number + 1, NodeKind::Kernel, 1, &[][..]);
            builder.event(&Event::Node(Node {
                node,
                at: Timestamp(at),
                kind,
                name,
                queue: Some(queue),
                tid: 1,
                location,
                args,
            }));
            let category = syclscope_language::event::Category::Submission;
            let node_of = Some(node);
            builder.event(&Event::SliceBegin(SliceBegin {
                track: 1,
                at: Timestamp(at),
                category,
                name,
                node: node_of,
                location,
                args,
            }));
            builder.event(&Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(at + 2_000), args }));
            let (start, end) = (Timestamp(at + 5_000), Timestamp(at + 5_000 + takes as u64));
            let (queued, submitted) = (None, None);
            builder.event(&Event::Execution(Execution {
                node,
                queue,
                kind,
                name,
                queued,
                submitted,
                start,
                end,
                args,
            }));
            at = end.0 + 1_000;
        }
        builder.event(&Event::Finish { at: Timestamp(at) });
        Sample::new("", &builder.build())
    }

    fn trial(&mut self, runs: usize, factor: f64, rules: &[Rules]) -> Vec<Judged> {
        let (before, now): (Vec<Sample>, Vec<Sample>) =
            (0..runs).map(|_| (self.run(1.0), self.run(factor))).unzip();
        let comparison = compare_samples(
            SampledGroup { name: "before", runs: &before },
            SampledGroup { name: "now", runs: &now },
        );
        rules.iter().map(|rules| Gate::new(&comparison, rules).judged()).collect()
    }
}

#[test]
fn a_noisy_machine_neither_fails_what_is_the_same_nor_passes_what_is_slower() {
    let rules = [Rules::default(), Rules::read("[times]\nkernels = \"5 %\"\nduration = \"10 %\"").unwrap()];
    let mut wrong = Vec::new();
    for (noise, runs) in [(0.002, 3), (0.002, 5), (0.1, 5), (0.3, 5)] {
        let mut machine = Machine { random: Random(1), noise, load: 0.0 };
        let mut trials =
            |factor| -> Vec<Judged> { (0..6).flat_map(|_| machine.trial(runs, factor, &rules)).collect() };
        let (same, slower) = (trials(1.0), trials(1.15));
        // On a quiet machine enough runs decide both.
        let is_decided = noise > 0.005
            || runs < 5
            || same.iter().all(|judged| *judged == Judged::Pass)
                && slower.iter().all(|judged| *judged == Judged::Fail);
        if same.contains(&Judged::Fail) || slower.contains(&Judged::Pass) || !is_decided {
            wrong.push(format!("noise {noise}, {runs} runs: {same:?} {slower:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Five runs of a part, `duration_ns` long each.
fn parts(duration_ns: u64, change: impl Fn(&mut Sample)) -> Vec<Sample> {
    let commands = Figure { name: "commands".to_owned(), value: 12, ..Figure::default() };
    let sample = |number: u64| {
        let mut sample = Sample {
            part: "a part".to_owned(),
            duration_ns: duration_ns + number,
            clock_ns: 1,
            figures: vec![commands.clone()],
            ..Sample::default()
        };
        change(&mut sample);
        sample
    };
    (0..5).map(sample).collect()
}

fn judged_by_default(a: &[Sample], b: &[Sample]) -> (Gate, Comparison) {
    let group = |name, runs| SampledGroup { name, runs };
    let comparison = compare_samples(group("a", a), group("b", b));
    (Gate::new(&comparison, &Rules::default()), comparison)
}

#[test]
fn a_fixed_time_has_no_rules_for_the_duration_and_changes_of_figures() {
    let window = |commands: u64| {
        parts(1_000_000, |run| {
            run.window = Some(0..1_000_000);
            run.figures[0].value = commands;
        })
    };
    // A faster program does more in the same time, which is no failure. A slower one does less, which is no pass.
    for commands in [6, 12, 24] {
        let (gate, _) = judged_by_default(&window(12), &window(commands));
        assert_eq!(gate.judged(), Judged::Incomparable, "{commands}: {:?}", gate.items);
    }
    let (gate, comparison) = judged_by_default(&window(12), &window(24));
    let limits = |text: &str| Gate::new(&comparison, &Rules::read(text).unwrap()).judged();
    assert_eq!(limits("[limits]\ncommands = 24\n"), Judged::Pass);
    assert_eq!(limits("[limits]\ncommands = 23\n"), Judged::Fail);
    assert!(gate.remarks[0].contains("do not apply") && gate.remarks[0].contains("--iterations"));
    let json = serde_json::to_value(gate.with(&comparison)).unwrap();
    assert_eq!(json["gate"]["remarks"][0].as_str(), Some(gate.remarks[0].as_str()));
    assert!(
        super::super::junit(&gate)
            .contains("<system-out>Rules for the duration and for changes of metrics do not apply")
    );
    let markdown = super::super::markdown(&comparison, Some(&gate), 5);
    assert!(markdown.contains("do not apply") && markdown.contains("can't be compared"), "{markdown}");
    // Without figures nothing passes.
    let only_times = Rules::read("[times]\nduration = \"10 %\"\n").unwrap();
    assert_eq!(Gate::new(&comparison, &only_times).judged(), Judged::Incomparable);
    let plain = parts(1_000_000, |_| {});
    let (gate, _) = judged_by_default(&plain, &plain);
    assert!(gate.items.iter().any(|item| item.name == "duration") && gate.remarks.is_empty());
}

#[test]
fn parts_of_different_loops_are_undecided() {
    let of = |name: &str, commands: u64| {
        parts(1_000_000, |run| {
            run.mark = Some(LoopMark { name: name.to_owned(), ..LoopMark::default() });
            run.figures[0].value = commands;
        })
    };
    assert_eq!(judged_by_default(&of("step", 12), &of("step", 12)).0.judged(), Judged::Pass);
    assert_eq!(judged_by_default(&of("step", 12), &of("step", 24)).0.judged(), Judged::Fail);
    for commands in [12, 24] {
        let (gate, _) = judged_by_default(&of("step", 12), &of("solve", commands));
        assert_eq!(gate.judged(), Judged::Undecided);
        assert!(gate.items[0].message.contains("step and solve"), "{:?}", gate.items);
    }
}

#[test]
fn times_at_other_clocks_neither_fail_nor_pass() {
    let rules = Rules::default();
    let of = |now_ns: u64, commands: u64| {
        let change = |run: &mut Sample| run.figures[0].value = commands;
        judged_by_default(&parts(1_000_000, |_| {}), &parts(now_ns, change)).1
    };
    let at_other_clocks = |mut comparison: Comparison| {
        comparison.notes.push(ComparisonNote {
            kind: "clocks_differ".to_owned(),
            message: "Clocks differed: 1.98 against 1.41 GHz".to_owned(),
            is_severe: true,
        });
        Gate::new(&comparison, &rules)
    };
    assert_eq!(Gate::new(&of(2_000_000, 12), &rules).judged(), Judged::Fail);
    for now_ns in [1_000_000, 2_000_000] {
        let gate = at_other_clocks(of(now_ns, 12));
        assert_eq!(gate.judged(), Judged::Undecided);
        assert!(gate.not_passed().all(|item| item.message.contains("1.98 against 1.41 GHz")), "{gate:?}");
    }
    // Figures do not depend on clocks.
    assert_eq!(at_other_clocks(of(1_000_000, 24)).judged(), Judged::Fail);
    let figures = Rules::read("[figures]\n\"finding_of_no_rule*\" = 0").unwrap();
    let gate = Gate::new(&with_note(of(1_000_000, 12), "clocks_differ"), &figures);
    assert_eq!(gate.judged(), Judged::Incomparable, "nothing was judged");
}

#[test]
fn a_short_kernel_that_became_slow_fails() {
    let kernel = |name: &str, ns: u64| SampledCommand {
        key: Key { kind: NodeKind::Kernel, name: name.to_owned(), ..Key::default() },
        count: 10,
        total_ns: 10 * ns,
        later: 10,
        durations_ns: vec![ns; 10],
        ..SampledCommand::default()
    };
    let of = |short_ns: u64| {
        parts(1_000_000, |run| run.commands = vec![kernel("long", 100_000), kernel("short", short_ns)])
    };
    let rules = Rules::read("[times]\nkernels = \"5 %\"\n").unwrap();
    let judged = |a_ns: u64, b_ns: u64| {
        let gate = Gate::new(&judged_by_default(&of(a_ns), &of(b_ns)).1, &rules);
        (gate.judged(), gate.items.len())
    };
    // Half a percent of the device time, then a third of it.
    assert_eq!(judged(500, 50_000), (Judged::Fail, 2));
    assert_eq!(judged(50_000, 500), (Judged::Pass, 2));
    assert_eq!(judged(500, 600), (Judged::Pass, 1));
}

fn with_note(mut comparison: Comparison, kind: &str) -> Comparison {
    let (kind, message) = (kind.to_owned(), format!("a run {kind}"));
    comparison.notes.push(ComparisonNote { kind, message, is_severe: true });
    comparison
}

#[test]
fn pauses_on_one_side_leave_a_gate_open() {
    let runs = parts(1_000_000, |_| {});
    let compared = || judged_by_default(&runs, &runs).1;
    let judged = |comparison: Comparison| Gate::new(&comparison, &Rules::default()).judged();
    let without = judged(compared());
    assert_eq!(judged(with_note(compared(), "paused")), Judged::Undecided);
    assert_eq!(judged(with_note(with_note(compared(), "paused"), "paused")), without);
    assert_eq!(without, Judged::Pass);
}

#[test]
fn runs_that_could_not_be_read_leave_a_gate_open() {
    let runs = parts(1_000_000, |_| {});
    let (_, mut comparison) = judged_by_default(&runs, &runs);
    comparison.notes.push(ComparisonNote {
        kind: "left_out".to_owned(),
        message: "runs/2.json could not be read".to_owned(),
        is_severe: false,
    });
    let gate = Gate::new(&comparison, &Rules::default());
    assert_eq!(gate.judged(), Judged::Undecided);
    assert!(super::super::junit(&gate).contains("<skipped message=\"runs/2.json could not be read\"/>"));
}

#[test]
fn findings_of_another_versions_rules_are_no_failure() {
    let of = |version: &str, findings: u64| {
        parts(1_000_000, |run| {
            run.version = version.to_owned();
            let name = "finding_late_rank".to_owned();
            run.figures.extend((findings > 0).then(|| Figure { name, value: findings, ..Figure::default() }));
        })
    };
    assert_eq!(judged_by_default(&of("2.0.0", 0), &of("2.0.0", 1)).0.judged(), Judged::Fail);
    // Files of versions before this field have none.
    for before in ["1.0.0", ""] {
        let (gate, comparison) = judged_by_default(&of(before, 0), &of("2.0.0", 1));
        assert_eq!(gate.judged(), Judged::Undecided, "{before}: {:?}", gate.items);
        assert!(gate.not_passed().all(|item| item.message.ends_with("write it again")), "{gate:?}");
        // A limit is independent of the baseline.
        let limits = Rules::read("[limits]\n\"finding_*\" = 0\n").unwrap();
        assert_eq!(Gate::new(&comparison, &limits).judged(), Judged::Fail);
        assert_eq!(judged_by_default(&of(before, 1), &of("2.0.0", 1)).0.judged(), Judged::Pass);
    }
}
