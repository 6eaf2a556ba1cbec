//! Edits of a program are detected, and nothing else is.

use syclscope_engine::compare::{Comparing, Figure, Group, Sample, SampledGroup, compare_samples, history};
use syclscope_language::api::{Likeness, PartKind, Presence, Verdict};
use syclscope_language::event::{EdgeReason, Event, NodeKind, QueueOrder, Track, TrackKind};
use syclscope_language::question::{CompareQuestion, CompareSide};
use syclscope_language::time::Timestamp;

use super::programs::{
    BODY, COPY_IN, COPY_OUT, EDGE, INNER, NORM, Step, kernel, run, run_on, solver, submit, threads,
};
use super::{compare, row};
use crate::recordings::run::{Command, Run};

#[test]
fn a_run_against_itself_has_nothing_changed() {
    let trace = run(&solver(20, &BODY));
    let comparison = compare(&trace, &trace);
    assert_eq!(comparison.matched, 62);
    assert!(
        comparison.rows.iter().all(|row| row.presence == Presence::Both && row.likeness == Likeness::Same)
    );
    assert!(
        comparison.rows.iter().all(|row| row.time.verdict == Verdict::Same && row.critical_change_ns == 0)
    );
    assert!(comparison.figures.iter().all(|figure| !figure.is_changed()), "{:?}", comparison.figures);
    assert!(comparison.waterfall.iter().all(|part| part.change_ns() == 0));
    assert_eq!((comparison.loops, comparison.edges, comparison.memory), (vec![], vec![], vec![]));
    assert_eq!(comparison.duration.verdict, Verdict::Same);
    assert!(comparison.differences.is_empty());
}

#[test]
fn an_inserted_round_is_told_as_a_round() {
    let (a, b) = (run(&solver(20, &BODY)), run(&solver(21, &BODY)));
    let comparison = compare(&a, &b);
    assert_eq!(comparison.matched, 62);
    let [one] = &comparison.loops[..] else { panic!("{:?}", comparison.loops) };
    assert_eq!((one.a_rounds, one.b_rounds, one.times, one.name.as_str()), (20, 21, 1, "Inner<float>"));
    let comparing = Comparing::new(Group::single("a", &a), Group::single("b", &b));
    let inner = row(&comparison, "Inner<float>");
    let listed = comparing.commands(inner.row, 0, 100);
    assert_eq!(listed.total, 21);
    assert_eq!(listed.commands[20].a_node, None);
    assert_eq!(listed.commands[20].b_node, Some(62), "the first command of the last round");
}

#[test]
fn a_kernel_that_warms_up_is_not_told_as_the_loop() {
    let warm = [&[COPY_IN, INNER, EDGE][..], &[INNER; 20], &[COPY_OUT]].concat();
    let comparison = compare(&run(&solver(20, &[INNER])), &run(&warm));
    assert_eq!((comparison.matched, comparison.loops), (22, vec![]));
}

#[test]
fn a_renamed_kernel_is_the_same_one() {
    let renamed = kernel("InnerFast<float>", 31, 20_000);
    let comparison = compare(&run(&solver(20, &BODY)), &run(&solver(20, &[renamed, EDGE, NORM])));
    let found = row(&comparison, "InnerFast<float>");
    assert_eq!((found.presence, found.likeness, found.matched), (Presence::Both, Likeness::Renamed, 20));
    assert_eq!(found.a.as_ref().unwrap().name, "Inner<float>");
    assert_eq!(comparison.matched, 62);
    assert_eq!(comparison.edges, []);
}

#[test]
fn a_kernel_at_another_line_or_on_another_queue_is_the_same_one() {
    let moved = Step { line: 33, ..INNER };
    let comparison = compare(&run(&solver(20, &BODY)), &run(&solver(20, &[moved, EDGE, NORM])));
    let found = row(&comparison, "Inner<float>");
    assert_eq!((found.likeness, found.matched), (Likeness::Moved, 20));
    let comparison = compare(&run(&solver(20, &BODY)), &run_on(QueueOrder::OutOfOrder, &solver(20, &BODY)));
    assert!(comparison.rows.iter().all(|row| row.likeness == Likeness::OtherQueue));
    assert_eq!(comparison.matched, 62);
}

#[test]
fn a_split_kernel_is_told_with_its_parts() {
    let parts = [kernel("InnerX<float>", 31, 11_000), kernel("InnerY<float>", 32, 12_000)];
    let comparison = compare(&run(&solver(20, &BODY)), &run(&solver(20, &[parts[0], parts[1], EDGE, NORM])));
    let whole = row(&comparison, "Inner<float>");
    assert_eq!((whole.presence, whole.likeness), (Presence::OnlyA, Likeness::Split));
    let mut numbers: Vec<u32> = parts.iter().map(|part| row(&comparison, part.name).row).collect();
    numbers.sort_unstable();
    let mut others = whole.others.clone();
    others.sort_unstable();
    assert_eq!(others, numbers);
    assert_eq!(row(&comparison, "InnerX<float>").others, [whole.row]);
}

#[test]
fn a_thread_that_submits_in_another_order_has_the_same_commands() {
    let steps = |names: [&'static str; 4]| {
        names
            .into_iter()
            .zip(1..)
            .map(|(name, _)| kernel(name, name.len() as u32, 1_000))
            .collect::<Vec<Step>>()
    };
    let one = steps(["a", "bb", "ccc", "dddd"]);
    let other = steps(["ccc", "dddd", "a", "bb"]);
    let helper = solver(5, &BODY);
    let a = threads(&[("first", one), ("second", helper.clone())]);
    // The threads were also created in the opposite order.
    let b = threads(&[("second", helper), ("first", other)]);
    let comparison = compare(&a, &b);
    assert_eq!(comparison.matched, 4 + 17);
    assert!(comparison.rows.iter().all(|row| row.presence == Presence::Both));
}

/// Returns the differing edges: presence, names of both ends, and count.
fn edges(a: &[(u64, u64, EdgeReason)], b: &[(u64, u64, EdgeReason)]) -> Vec<(Presence, String, String, u64)> {
    let of = |edges: &[(u64, u64, EdgeReason)]| {
        let mut run = Run::new(QueueOrder::OutOfOrder);
        for (place, step) in (1..).zip([COPY_IN, INNER, EDGE, NORM, COPY_OUT]) {
            submit(&mut run, place, place * 3_000, &step, (place * 100_000, place * 100_000 + step.ns));
        }
        edges.iter().for_each(|(source, target, reason)| run.edge(*source, *target, *reason));
        run.trace()
    };
    let found = compare(&of(a), &of(b)).edges;
    found.into_iter().map(|edge| (edge.presence, edge.names.0, edge.names.1, edge.count)).collect()
}

#[test]
fn a_dependence_that_is_new_gone_or_has_another_reason_is_told() {
    use EdgeReason::{Accessor, Event};
    let base = [(1, 2, Event), (2, 3, Event), (3, 4, Event), (4, 5, Event)];
    assert_eq!(edges(&base, &base), []);
    let with = [&base[..], &[(1, 4, Accessor)]].concat();
    let told = |presence| (presence, "memory copy".to_owned(), "Norm<float>".to_owned(), 1);
    assert_eq!(edges(&base, &with), [told(Presence::OnlyB)]);
    assert_eq!(edges(&with, &base), [told(Presence::OnlyA)]);
    let other = [&base[..], &[(1, 4, Event)]].concat();
    assert_eq!(edges(&with, &other), [told(Presence::Both)]);
    // One more reason between the same two commands.
    let both = [&with[..], &[(1, 4, Event)]].concat();
    assert_eq!(edges(&with, &both), [told(Presence::OnlyB)]);
    assert_eq!(edges(&both, &with), [told(Presence::OnlyA)]);
    // One reason replaced by another, and one added.
    let explicit = [&base[..], &[(1, 4, EdgeReason::HostTask)]].concat();
    assert_eq!(edges(&explicit, &both).len(), 2);
}

#[test]
fn a_slower_kernel_explains_the_time_of_the_run() {
    let slower = Step { ns: 22_000, ..INNER };
    let (a, b) = (run(&solver(20, &BODY)), run(&solver(20, &[slower, EDGE, NORM])));
    let comparison = compare(&a, &b);
    let first = &comparison.waterfall[0];
    assert_eq!(
        (first.kind, first.name.as_str(), first.change_ns()),
        (PartKind::Kernel, "Inner<float>", 40_000)
    );
    assert_eq!(comparison.b.duration_ns - comparison.a.duration_ns, 40_000);
    assert_eq!(first.b_nodes.len(), 5);
    assert_eq!(first.location.as_ref().unwrap().line, 31);
    let found = row(&comparison, "Inner<float>");
    assert_eq!(found.row, 0, "most time of the critical path comes first");
    assert_eq!(found.critical_change_ns, 40_000);
    assert!((found.time.ratio.unwrap() - 1.1).abs() < 1e-9);
    assert_eq!(found.time.verdict, Verdict::Undecided, "one run each proves nothing");
    assert!(comparison.notes.iter().any(|note| note.kind == "one_run_each"));
}

#[test]
fn what_comes_after_the_last_command_is_the_runs_end_and_no_delay() {
    let ends_after = |after_ns: u64| {
        let mut run = Run::new(QueueOrder::InOrder);
        let (kind, ran) = (NodeKind::Kernel, (1_000, 5_000));
        run.submit(Command { node: 1, kind, name: "step", at: 900, ran, ..Command::default() });
        run.event(&Event::Finish { at: Timestamp(5_000 + after_ns) });
        run.trace()
    };
    let (a, b) = (ends_after(2_000), ends_after(9_000));
    let comparison = compare(&a, &b);
    let end = comparison.waterfall.iter().find(|part| part.kind == PartKind::End).unwrap();
    assert_eq!((end.a_ns, end.b_ns), (2_000, 9_000));
    let sum: i64 = comparison.waterfall.iter().map(|part| part.change_ns()).sum();
    assert_eq!(sum, 7_000);
}

#[test]
fn five_runs_of_each_side_decide() {
    let side = |ns: u64| {
        (0..5)
            .map(|run_number| run(&solver(20, &[Step { ns: ns + 37 * run_number, ..INNER }, EDGE, NORM])))
            .collect::<Vec<_>>()
    };
    let (a, b) = (side(20_000), side(22_000));
    let group = |traces: &'static str, runs: &[syclscope_engine::store::Trace]| {
        runs.iter().map(|trace| Sample::new(traces, trace)).collect::<Vec<Sample>>()
    };
    let (runs_a, runs_b) = (group("a", &a), group("b", &b));
    // Runs are also stored as files.
    let json = serde_json::to_string(&runs_a).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Sample>>(&json).unwrap(), runs_a);
    let a = Group { name: "a".into(), trace: &a[2], runs: runs_a, shown: 2, part: None };
    let b = Group { name: "b".into(), trace: &b[2], runs: runs_b, shown: 2, part: None };
    let comparison = Comparing::new(a, b).overview(100);
    let inner = row(&comparison, "Inner<float>");
    assert_eq!((inner.time.verdict, inner.time.a_runs, inner.time.b_runs), (Verdict::Slower, 5, 5));
    assert!(inner.time.low.unwrap() > 1.05 && inner.time.high.unwrap() < 1.15);
    assert_eq!(row(&comparison, "Norm<float>").time.verdict, Verdict::Same);
    assert_eq!(comparison.figures[0].a.len(), 5);
}

#[test]
fn first_launches_are_judged_apart() {
    let side = |name: &str, first_ns: u64| -> Vec<Sample> {
        let steps = |run_number: u64| {
            let first = Step { ns: first_ns + 41 * run_number, ..INNER };
            [vec![first], vec![Step { ns: INNER.ns + 13 * run_number, ..INNER }; 9]].concat()
        };
        (0..5).map(|run_number| Sample::new(name, &run(&steps(run_number)))).collect()
    };
    let (a, b) = (side("a", 90_000), side("b", 50_000));
    let comparison =
        compare_samples(SampledGroup { name: "a", runs: &a }, SampledGroup { name: "b", runs: &b });
    let found = row(&comparison, INNER.name);
    assert_eq!((found.time.verdict, found.first.verdict), (Verdict::Same, Verdict::Faster));
    assert_eq!((found.first.a_ns, found.first.b_ns), (Some(90_082), Some(50_082)));
    // A command that ran once has only its first launch.
    let once = compare(&run(&[INNER]), &run(&[INNER]));
    let found = row(&once, INNER.name);
    assert_eq!((found.time.verdict, found.first.verdict), (Verdict::Same, Verdict::Incomparable));
}

#[test]
fn what_ran_once_is_compared_with_first_launches() {
    let side = |later: usize| -> Vec<Sample> {
        let steps =
            |number: u64| [vec![Step { ns: 90_000 + 41 * number, ..INNER }], vec![INNER; later]].concat();
        (0..5).map(|number| Sample::new("run", &run(&steps(number)))).collect()
    };
    let (a, b) = (side(0), side(3));
    for (a, b) in [(&a, &b), (&b, &a)] {
        let comparison =
            compare_samples(SampledGroup { name: "a", runs: a }, SampledGroup { name: "b", runs: b });
        let found = row(&comparison, INNER.name);
        assert_eq!((found.time.a_ns, found.time.b_ns), (Some(90_082), Some(90_082)));
        assert_eq!((found.time.verdict, found.first.verdict), (Verdict::Same, Verdict::Incomparable));
    }
}

#[test]
fn a_command_leads_to_its_twin_and_moments_to_theirs() {
    let (a, b) = (run(&solver(5, &BODY)), run(&solver(6, &BODY)));
    let comparing = Comparing::new(Group::single("a", &a), Group::single("b", &b));
    let last = comparing.counterpart(CompareSide::A, 17).unwrap();
    assert_eq!((last.command.a_node, last.command.b_node), (Some(17), Some(20)));
    assert!(comparing.counterpart(CompareSide::A, 99).is_err());
    let anchors = comparing.anchors(None, 10);
    assert!(
        anchors.len() >= 8
            && anchors.is_sorted_by(|one, next| one.a_ns <= next.a_ns && one.b_ns <= next.b_ns)
    );
    for question in
        ["overview?limit=3", "commands?row=0&limit=2", "counterpart?side=b&node=3", "anchors?limit=4"]
    {
        let question: CompareQuestion = question.parse().unwrap();
        assert!(comparing.answer(&question).unwrap().len() > 10);
    }
    let short = comparing.overview(2);
    assert_eq!((short.rows.len(), short.more_rows), (2, 3));
    assert_eq!(short.waterfall.iter().map(|part| part.b_ns).sum::<i64>(), short.b.duration_ns.cast_signed());
}

#[test]
fn samples_alone_give_the_same_figures_and_times() {
    let (a, b) = (run(&solver(20, &BODY)), run(&solver(21, &[Step { ns: 30_000, ..INNER }, EDGE, NORM])));
    let whole = compare(&a, &b);
    let (runs_a, runs_b) = ([Sample::new("a", &a)], [Sample::new("b", &b)]);
    let sampled =
        compare_samples(SampledGroup { name: "a", runs: &runs_a }, SampledGroup { name: "b", runs: &runs_b });
    assert_eq!((&sampled.duration, &sampled.figures), (&whole.duration, &whole.figures));
    assert_eq!((&sampled.notes, &sampled.differences), (&whole.notes, &whole.differences));
    for name in ["Inner<float>", "Edge<float>", "Norm<float>"] {
        let (one, other) = (row(&sampled, name), row(&whole, name));
        assert_eq!((&one.time, one.presence, one.matched), (&other.time, other.presence, other.matched));
        let count = |side: &Option<syclscope_language::api::RowSide>| side.as_ref().unwrap().count;
        assert_eq!((count(&one.a), count(&one.b)), (count(&other.a), count(&other.b)));
    }
}

#[test]
fn samples_alone_know_a_renamed_kernel() {
    let renamed = [kernel("InnerFast<float>", 77, 30_000), EDGE, NORM];
    let sampled = |a: &[Step], b: &[Step]| {
        let (a, b) = ([Sample::new("a", &run(a))], [Sample::new("b", &run(b))]);
        compare_samples(SampledGroup { name: "a", runs: &a }, SampledGroup { name: "b", runs: &b })
    };
    let comparison = sampled(&solver(20, &BODY), &solver(20, &renamed));
    let found = row(&comparison, "InnerFast<float>");
    assert_eq!((found.presence, found.likeness, found.matched), (Presence::Both, Likeness::Renamed, 20));
    assert!((found.time.ratio.unwrap() - 1.5).abs() < 1e-9, "its time is compared");
    // In the same place, but much more often: another kernel.
    let often = solver(20, &[renamed[0], renamed[0], EDGE, NORM]);
    let comparison = sampled(&solver(20, &BODY), &often);
    assert_eq!(row(&comparison, "InnerFast<float>").presence, Presence::OnlyB);
    // Without anything in common, no renamed command can be recognised.
    assert_eq!(sampled(&[INNER; 9], &[renamed[0]; 9]).matched, 0);
}

#[test]
fn a_history_has_a_step_where_a_kernel_became_slower() {
    let mut runs = Vec::new();
    for number in 0..24_u64 {
        let ns = if number < 14 { 20_000 } else { 23_000 } + number * 7 % 40;
        let trace = run(&solver(4, &[Step { ns, ..INNER }, EDGE, NORM]));
        runs.push(Sample::new(&format!("run {number}"), &trace));
    }
    let history = history(&runs);
    let series = |name: &str| history.series.iter().find(|series| series.name == name).unwrap();
    let steps = |name: &str| series(name).steps.iter().map(|step| step.run).collect::<Vec<u32>>();
    assert_eq!((steps("duration"), steps("Inner<float>")), (vec![14], vec![14]));
    assert_eq!((steps("Norm<float>"), steps("commands")), (vec![], vec![]));
    let step = series("Inner<float>").steps[0];
    assert!((20_000..20_050).contains(&step.before) && (23_000..23_050).contains(&step.after), "{step:?}");
    assert_eq!(history.runs[14], "run 14");
}

#[test]
fn what_only_a_newer_version_looks_for_is_no_step() {
    let run = |version: &str, findings: u64| {
        let figure = |name: &str, value| Figure { name: name.to_owned(), value, ..Figure::default() };
        let mut figures = vec![figure("commands", 9), figure("launches", 9), figure("edges", 3)];
        figures.extend((findings > 0).then(|| figure("finding_late_rank", findings)));
        Sample { version: version.to_owned(), figures, ..Sample::default() }
    };
    let steps = |before: Sample| {
        let runs = [vec![before; 12], vec![run("2.0.0", 1); 12]].concat();
        let history = history(&runs);
        let series = ["findings", "finding_late_rank"]
            .map(|name| history.series.iter().find(|series| series.name == name).unwrap().clone());
        series
            .map(|series| (series.values[0], series.steps.iter().map(|step| step.run).collect::<Vec<u32>>()))
    };
    assert_eq!(steps(run("2.0.0", 0)), [(Some(0), vec![12]), (Some(0), vec![12])]);
    assert_eq!(steps(run("1.0.0", 0)), [(None, vec![]), (None, vec![])]);
    assert_eq!(steps(run("1.0.0", 2)), [(Some(2), vec![12]), (Some(2), vec![12])]);
}

#[test]
fn the_median_of_a_kernel_counts_every_launch() {
    // A thousand launches at one line, and much longer ones at another: the stored durations represent all of them.
    let steps = |ns: u64| {
        [vec![Step { ns, ..INNER }; 1_000], vec![Step { ns: 90_000, line: 99, ..INNER }; 300]].concat()
    };
    let runs = [Sample::new("run", &run(&steps(1_000)))];
    let history = history(&runs);
    let series = history.series.iter().find(|series| series.name == INNER.name).unwrap();
    assert_eq!(series.values, [Some(1_000)]);
}

#[test]
fn many_series_without_a_step_have_none() {
    // Thirty kernels whose times vary: in separate tests, one or two of them would have a step by chance.
    let names: Vec<&'static str> = (0..30).map(|number| &*format!("kernel {number:02}").leak()).collect();
    let mut with_steps = 0;
    for set in 0..10_u64 {
        let mut state = set + 1;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % 2_000
        };
        let mut runs = Vec::new();
        for _ in 0..20 {
            let steps: Vec<Step> = names.iter().map(|name| kernel(name, 1, 10_000 + noise())).collect();
            runs.push(Sample::new("run", &run(&steps)));
        }
        with_steps += usize::from(history(&runs).series.iter().any(|series| !series.steps.is_empty()));
    }
    assert!(with_steps <= 2, "{with_steps} of 10 histories");
}

#[test]
fn a_kernel_that_lacks_a_few_launches_is_still_the_renamed_one() {
    let renamed = [kernel("InnerFast<float>", 31, 20_000), EDGE, NORM];
    let mut steps = solver(40, &renamed);
    steps.remove(1 + 3 * 17);
    let comparison = compare(&run(&solver(40, &BODY)), &run(&steps));
    let found = row(&comparison, "InnerFast<float>");
    assert_eq!((found.likeness, found.matched), (Likeness::Renamed, 39));
    // If all names differ, order and counts still identify the commands.
    let others = [kernel("P", 1, 5_000), kernel("Q", 2, 6_000), kernel("R", 3, 7_000)];
    let comparison = compare(&run(&BODY.repeat(9)), &run(&others.repeat(9)));
    assert_eq!(comparison.matched, 27);
    assert_eq!(row(&comparison, "Q").a.as_ref().unwrap().name, "Edge<float>");
    // A kernel that ran much more often is another kernel.
    let comparison = compare(&run(&[INNER; 9]), &run(&[others[0]; 30]));
    assert_eq!(comparison.matched, 0);
}

#[test]
fn a_thread_that_is_named_after_another_binary_is_the_same_one() {
    let named = |name: &str| {
        let mut run = Run::new(QueueOrder::InOrder);
        run.event(&Event::Track(Track { track: 1, parent: None, kind: TrackKind::Thread, name, tid: 1 }));
        for (place, step) in (0..).zip(&solver(5, &BODY)) {
            // The thread computes for 100 µs before each command.
            let at = 100_000 * (place + 1);
            submit(&mut run, place + 1, at, step, (at + 1_500, at + 1_500 + step.ns));
        }
        run.wait_for_queue(1, 3_000_000, 3_000_500);
        run.trace()
    };
    let comparison = compare(&named("stencil.before"), &named("stencil"));
    assert!(comparison.waterfall.iter().all(|part| part.change_ns() == 0), "{:?}", comparison.waterfall);
    assert!(comparison.waterfall.iter().any(|part| part.kind == PartKind::Host && part.name == "stencil"));
}
