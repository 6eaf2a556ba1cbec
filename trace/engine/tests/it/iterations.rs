//! Iterations of simulated loops, whose iterations are known, and of real recordings.

use proptest::prelude::*;
use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::{CriticalPath, IterationMarkKind, Iterations, RunSplit, SliceList, StepKind};
use syclscope_language::event::{
    Category, Event, NodeKind, Pause, QueueOrder, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind,
};
use syclscope_language::question::{IterationsQuestion, PartOfRun};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run};
use crate::replay::{Does, duration, programs, record, simulate};

fn ask(trace: &Trace, question: &str) -> Iterations {
    ask_for(trace, question)
}

fn path(trace: &Trace, question: &str) -> CriticalPath {
    serde_json::from_str(&trace.answer(&question.parse().unwrap()).unwrap()).unwrap()
}

fn submit(name: usize, ns: u64) -> Does {
    Does::Submit { queue: 0, ns, name, is_copy: false, after: None }
}

/// Returns a loop: a kernel "one", some kernels "two", a copy "three", a wait, and the host's own work. `rounds` has
/// the number of kernels "two" and the length of the work, in ns.
fn program(builds: &[u64], rounds: &[(usize, u64)]) -> Vec<Does> {
    let mut program = vec![Does::Work { ns: 5_000 }, submit(2, 700), Does::Wait { queue: 0 }];
    for (number, (inner, work)) in rounds.iter().enumerate() {
        if let Some(ns) = builds.get(number) {
            program.push(Does::Build { ns: *ns });
        }
        program.push(submit(0, 2_000));
        program.extend((0..*inner).map(|_| submit(1, 200)));
        program.push(Does::Submit { queue: 0, ns: 100, name: 2, is_copy: true, after: None });
        program.extend([Does::Wait { queue: 0 }, Does::Work { ns: *work }]);
    }
    program
}

fn adds_up(trace: &Trace, found: &Iterations) {
    let mut before = found.from_ns;
    for row in &found.iterations {
        assert!(row.from_ns >= before, "{row:?}");
        before = row.to_ns;
        let length = row.to_ns - row.from_ns;
        assert_eq!(row.device_ns + row.copy_ns + row.wait_ns + row.host_ns, length, "{row:?}");
    }
    let first = found.warm_up as usize;
    let steady = &found.iterations[first..first + found.steady.count as usize];
    let length: u64 = steady.iter().map(|row| row.to_ns - row.from_ns).sum();
    let steps: u64 = found.steps.iter().map(|step| step.total_ns).sum();
    assert_eq!(steps + found.more_steps_ns, length);
    assert!((found.steady.mean_ns * steady.len() as f64 - length as f64).abs() < 1.0);
    for row in steady {
        let path = path(trace, &format!("critical_path?from={}&to={}", row.from_ns, row.to_ns));
        assert_eq!(path.length_ns, row.to_ns - row.from_ns);
    }
}

#[test]
fn the_time_of_a_pause_is_no_iteration() {
    let mut run = Run::new(QueueOrder::InOrder);
    for number in 0..20 {
        let at = number * 100_000 + if number < 10 { 0 } else { 10_000_000 };
        run.kernel(at, (at + 5_000, at + 50_000));
    }
    for (at, is_paused) in [(960_000, true), (10_990_000, false)] {
        run.event(&Event::Pause(Pause { at: Timestamp(at), is_paused, reason: "signal" }));
    }
    let found = ask(&run.trace(), "iterations");
    assert_eq!((found.count, found.steady.max_ns), (19, 100_000));
    assert!(found.message.starts_with("Iterations 1 to 18 of 19 ("), "{}", found.message);
}

proptest! {
    /// Iterations begin at the starts of their first kernels, whatever precedes these and however often an inner loop
    /// runs; the iterations with builds are the warm-up.
    #[test]
    fn iterations_are_the_rounds_of_the_loop(
        builds in prop::collection::vec(1_000..9_000_u64, 0..3),
        rounds in prop::collection::vec((1..4_usize, 100..200_u64), 8..20),
        late in 5..7_usize,
    ) {
        let mut rounds = rounds;
        rounds[late].1 = 40_000;
        let program = program(&builds, &rounds);
        let simulated = simulate(&program, duration);
        let trace = record(&program, &simulated);
        let found = ask(&trace, "iterations");
        adds_up(&trace, &found);
        let mark = found.mark.clone().unwrap();
        prop_assert_eq!((mark.kind, mark.name.as_str(), mark.count), (IterationMarkKind::Command, "one", rounds.len() as u64));
        let firsts = program.iter().filter(|does| matches!(does, Does::Submit { .. }));
        let firsts = firsts.zip(&simulated.commands).filter(|(does, _)| matches!(does, Does::Submit { name: 0, .. }));
        let starts: Vec<u64> = firsts.map(|(_, ran)| ran.0).collect();
        prop_assert_eq!(found.iterations.iter().map(|row| row.from_ns).collect::<Vec<_>>(), starts);
        prop_assert_eq!(found.to_ns, simulated.commands.last().unwrap().1);
        // A build before the first iteration is start-up: it ends before the first kernel starts.
        prop_assert_eq!(found.warm_up, builds.len().saturating_sub(1) as u64);
        prop_assert_eq!(found.steady.slowest, late as u64 + 1);
        let host = found.steps.iter().find(|step| step.kind == StepKind::Host).unwrap();
        prop_assert!(host.slowest_ns >= 40_000);
        prop_assert!(found.message.contains("; host code (not recorded)"), "{}", found.message);
        // The median is also the figure of a comparison, and the mean is named.
        let first = found.warm_up as usize;
        let mut steady: Vec<u64> = found.iterations[first..first + found.steady.count as usize]
            .iter()
            .map(|row| row.to_ns - row.from_ns)
            .collect();
        steady.sort_unstable();
        prop_assert_eq!(found.steady.p50_ns, steady[(steady.len() - 1) / 2]);
        let words = |text: &str| found.message.contains(text);
        prop_assert!(words(": median ") && words(", mean ") && words(" ± "), "{}", found.message);
    }

    /// The path of a range is the part of the run's path in it: the two parts of a run add up to the whole.
    #[test]
    fn the_path_of_a_run_is_that_of_its_parts(program in programs(), at in 0.0..1.0_f64) {
        let simulated = simulate(&program, duration);
        let trace = record(&program, &simulated);
        let whole = trace.critical_path();
        let at = (whole.length_ns as f64 * at) as u64;
        let parts = [path(&trace, &format!("critical_path?to={at}")), path(&trace, &format!("critical_path?from={at}"))];
        let sum = |of: fn(&CriticalPath) -> u64| parts.iter().map(of).sum::<u64>();
        prop_assert_eq!(sum(|path| path.length_ns), whole.length_ns);
        prop_assert_eq!(parts[0].length_ns, at);
        prop_assert_eq!(sum(|path| path.device_ns), whole.device_ns);
        prop_assert_eq!(sum(|path| path.launch_ns), whole.launch_ns);
        prop_assert_eq!(sum(|path| path.submission_ns), whole.submission_ns);
        prop_assert_eq!(sum(|path| path.call_ns), whole.call_ns);
        prop_assert_eq!(sum(|path| path.wait_ns), whole.wait_ns);
        prop_assert_eq!(sum(|path| path.host_ns), whole.host_ns);
    }
}

#[test]
fn a_region_marks_iterations() {
    let mut run = Run::new(QueueOrder::InOrder);
    for round in 0..6_u64 {
        let from = 1_000 + round * 1_000;
        run.slice(Category::User, &format!("step {round}"), from, from + 800, None, &[]);
        run.kernel(from + 100, (from + 200, from + 500));
    }
    let trace = run.trace();
    let found = ask(&trace, "iterations?region=step%201&limit=2&offset=3");
    let mark = found.mark.unwrap();
    assert_eq!((mark.kind, mark.name.as_str(), mark.count), (IterationMarkKind::Region, "step #", 6));
    let rows: Vec<_> = found.iterations.iter().map(|row| (row.number, row.from_ns, row.to_ns)).collect();
    assert_eq!(rows, [(4, 4_000, 4_800), (5, 5_000, 5_800)]);
    assert_eq!((found.more, found.count, found.steady.count), (1, 6, 6));
    assert_eq!((found.iterations[0].device_ns, found.iterations[0].commands), (300, 1));
    // Regions cover as much of the run as the kernels in them: by default they mark iterations, too.
    assert_eq!(ask(&trace, "iterations").mark.unwrap().kind, IterationMarkKind::Region);
    let refused =
        trace.iterations(&IterationsQuestion { region: Some("solve".to_owned()), ..Default::default() });
    assert_eq!(
        refused.unwrap_err().to_string(),
        "no region of the trace is named 'solve'; `regions` lists them"
    );
    let refused =
        trace.iterations(&IterationsQuestion { command: Some("stp".to_owned()), ..Default::default() });
    assert!(refused.unwrap_err().to_string().starts_with("no command of the trace is named 'stp'"));
}

#[test]
fn sentences_have_names_without_namespaces() {
    let mut run = Run::new(QueueOrder::InOrder);
    for number in 0..8_u64 {
        let (at, name, kind) = (number * 10_000, "app::deep::step<app::Real>", NodeKind::Kernel);
        let (node, ran) = (number + 1, (at + 100, at + 5_000));
        run.submit(Command { node, kind, name, at, ran, ..Command::default() });
    }
    let found = ask(&run.trace(), "iterations");
    assert!(found.message.contains("(each begins with step<Real>)"), "{}", found.message);
    assert_eq!(found.mark.unwrap().name, "app::deep::step<app::Real>");
}

/// A region of one name is alone, in other regions, and in a region of its own name.
#[test]
fn regions_count_wherever_they_stand() {
    let mut run = Run::new(QueueOrder::InOrder);
    let mut region = |name: &str, from: u64, to: u64| run.slice(Category::User, name, from, to, None, &[]);
    region("epoch", 1_000, 4_000);
    region("step", 1_100, 1_500);
    region("step", 2_100, 2_600);
    region("step", 2_200, 2_300);
    region("step", 5_000, 5_700);
    let found = ask(&run.trace(), "iterations?region=step");
    let rows: Vec<_> = found.iterations.iter().map(|row| (row.from_ns, row.to_ns)).collect();
    assert_eq!(rows, [(1_100, 1_500), (2_100, 2_600), (5_000, 5_700)]);
}

#[test]
fn a_last_round_without_an_end_is_no_steady_one() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.kernel(100, (200, 300));
    run.kernel(900, (1_000, 1_010));
    run.kernel(1_500, (2_000, 9_000));
    let found = ask(&run.trace(), "iterations");
    assert_eq!((found.count, found.steady.count, found.steady.max_ns), (3, 2, 1_000));
}

#[test]
fn a_last_round_without_an_end_makes_no_warm_up_of_the_others() {
    let rounds = |count: u64| {
        let mut run = Run::new(QueueOrder::InOrder);
        (0..count).for_each(|round| {
            let at = 1_000 * round;
            run.kernel(at + 100, (at + 200, at + 300));
        });
        run.trace()
    };
    let found = ask(&rounds(4), "iterations");
    let steady = found.steady;
    assert_eq!((found.count, found.warm_up), (4, 0), "all rounds are equal");
    assert_eq!((steady.count, steady.min_ns, steady.max_ns), (3, 1_000, 1_000));
    // Of two iterations, only the first has an end and counts.
    let name = found.mark.unwrap().name;
    let found = ask(&rounds(2), &format!("iterations?command={name}"));
    assert_eq!((found.count, found.warm_up), (2, 0));
    assert_eq!((found.steady.count, found.steady.p50_ns), (1, 1_000));
}

#[test]
fn few_iterations_have_no_median() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.kernel(100, (200, 300));
    run.kernel(900, (1_000, 1_010));
    run.kernel(1_500, (2_500, 2_600));
    let found = ask(&run.trace(), "iterations");
    let want = "): 800 ns to 1.5 µs, mean 1.15 µs; the slowest is 2";
    assert!(found.message.contains(want) && !found.message.contains('±'), "{}", found.message);
}

#[test]
fn a_loop_in_a_small_part_of_the_run_is_not_that_of_the_run() {
    let mut run = Run::new(QueueOrder::InOrder);
    for at in (0..8).map(|round| round * 1_000) {
        run.kernel(at + 100, (at + 200, at + 300));
    }
    run.copy(10_000, (10_100, 100_000), 1, 2, 64);
    let trace = run.trace();
    let found = ask(&trace, "iterations");
    let want = "No loop takes most of the time from the first command to the last; this one takes 7.1 %. Iterations 1 to 7 of 8 (";
    assert!(found.message.starts_with(want), "{}", found.message);
    let name = found.mark.unwrap().name;
    for question in [format!("iterations?command={name}"), "iterations?to=9000".to_owned()] {
        let message = ask(&trace, &question).message;
        assert!(message.starts_with("Iterations 1 to 7 of 8 ("), "{question}: {message}");
    }
}

#[test]
fn the_warm_up_belongs_to_the_loop_of_the_run() {
    let mut run = Run::new(QueueOrder::InOrder);
    let mut at = 0;
    for round in 0..8 {
        run.kernel(at + 100, (at + 200, at + 300));
        at += if round < 3 { 3_000 } else { 500 };
    }
    let found = ask(&run.trace(), "iterations");
    assert_eq!((found.count, found.warm_up), (8, 3));
    assert!(found.message.starts_with("Iterations 4 to 7 of 8 ("), "{}", found.message);
}

#[test]
fn a_run_without_a_loop_has_no_iterations() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.kernel(100, (200, 300));
    let found = ask(&run.trace(), "iterations");
    assert_eq!((found.mark, found.count), (None, 0));
    assert!(found.message.starts_with("No loop found"));
}

#[test]
fn iterations_of_real_recordings_are_their_loops() {
    let open = |name: &str| {
        let root = env!("CARGO_MANIFEST_DIR");
        let bytes = std::fs::read(format!("{root}/../../e2e/traces/{name}.pftrace.gz")).unwrap();
        import::open(&bytes).unwrap()
    };
    let heat = open("heat");
    let found = ask(&heat, "iterations?limit=10000");
    adds_up(&heat, &found);
    // 240 steps of the program, each with a kernel for a band of its grid.
    let mark = found.mark.unwrap();
    assert_eq!((mark.name.as_str(), mark.count), ("diffuse_band", 240));
    let dpnp = open("dpnp");
    let found = ask(&dpnp, "iterations?limit=10000");
    adds_up(&dpnp, &found);
    assert_eq!(found.count, 20);
    let RunSplit { run_ns, .. } = dpnp.report().split;
    assert!(found.to_ns <= run_ns && found.from_ns > 0);
}

#[test]
fn a_number_behind_the_name_of_a_region_is_that_of_one_of_them() {
    let mut run = Run::new(QueueOrder::InOrder);
    // The name of the last region has the form of a name with a number.
    let names = ["conv1", "conv2", "conv1", "conv1", "other", "conv3", "step#2"];
    for (name, from) in names.into_iter().zip((1..).map(|number| number * 10_000)) {
        run.slice(Category::User, name, from, from + 5_000, None, &[]);
    }
    let trace = run.trace();
    let range = |region: &str| {
        let part = PartOfRun { region: Some(region.to_owned()), ..PartOfRun::default() };
        trace.find_part(&part).map(|found| found.unwrap().range)
    };
    assert_eq!(range("conv1"), Ok(10_000..45_000));
    assert_eq!(range("conv1#3"), Ok(40_000..45_000));
    assert_eq!(range("conv1#1-2"), Ok(10_000..35_000));
    assert_eq!(range("conv2#1"), Ok(20_000..25_000));
    assert_eq!(range("step#2"), Ok(70_000..75_000));
    // For a unique name, the regions that differ in numbers only are the iterations.
    assert_eq!(range("conv3"), Ok(10_000..65_000));
    assert!(range("conv1#4").is_err() && range("nothing#1").is_err());
    let question = |text: &str| trace.question(&text.parse().unwrap());
    let expected = |text: &str| Ok(text.parse().unwrap());
    assert_eq!(question("gaps?region=conv1%233&limit=2"), expected("gaps?from=40000&to=45000&limit=2"));
    assert_eq!(
        question("critical_path?iterations=2&region=conv1"),
        expected("critical_path?from=30000&to=35000")
    );
    assert_eq!(question("iterations?region=conv1"), expected("iterations?region=conv1"));
    assert!(question("select?region=nothing").is_err());
}

#[test]
fn rounds_of_regions_without_a_command_have_no_steps() {
    let mut run = Run::new(QueueOrder::InOrder);
    let kind = TrackKind::Stream;
    run.event(&Event::Track(Track { track: 900, parent: Some(1), kind, name: "ITT", tid: 1 }));
    for round in 0..8 {
        let [at, end] = [round * 10_000, round * 10_000 + 6_000].map(Timestamp);
        let (category, location, args) = (Category::User, SourceLocation::default(), &[]);
        let (track, name, node) = (900, "step", None);
        run.event(&Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }));
        run.event(&Event::SliceEnd(SliceEnd { track, at: end, args }));
    }
    let found: Iterations = ask_for(&run.trace(), "iterations");
    assert_eq!((found.count, found.steps, found.more_steps_ns), (8, vec![], 0));
    assert!(!found.message.contains("not recorded"), "{}", found.message);
}

#[test]
fn a_command_of_few_rounds_is_no_other_loop() {
    let names = |rare: u64| {
        let mut run = Run::new(QueueOrder::InOrder);
        for round in 0..40_u64 {
            let at = round * 10_000;
            run.kernel(at, (at + 100, at + 2_000));
            // So few that the kernel still marks a loop, which is the longest.
            if (4..4 + rare).contains(&round) {
                run.copy(at + 3_000, (at + 5_000, at + 6_000), 1, 2, 64);
            }
        }
        let found = ask(&run.trace(), "iterations");
        (found.count, found.others.len())
    };
    assert_eq!((names(4), names(5)), ((40, 0), (40, 1)));
}

/// A command that runs after the end of its submission's region belongs to that region.
#[test]
fn a_filter_takes_what_is_in_a_region() {
    let mut run = Run::new(QueueOrder::InOrder);
    for (name, from) in [("solve", 10_000), ("other", 20_000), ("Solve 2", 30_000)] {
        run.slice(Category::User, name, from, from + 5_000, None, &[]);
        run.kernel(from + 100, (from + 7_000, from + 8_000));
    }
    run.kernel(50_000, (31_000, 31_500));
    let on_process = Event::Track(Track {
        track: 900,
        parent: None,
        kind: TrackKind::Stream,
        name: "NVTX (start, end)",
        tid: 0,
    });
    run.event(&on_process);
    let (at, location) = (Timestamp(19_000), SourceLocation::default());
    let (category, name, args) = (Category::User, "phase", &[]);
    run.event(&Event::SliceBegin(SliceBegin { track: 900, at, category, name, node: None, location, args }));
    run.event(&Event::SliceEnd(SliceEnd { track: 900, at: Timestamp(32_000), args }));
    let trace = run.trace();
    let starts = |filter: &str| -> Vec<u64> {
        let found: SliceList = ask_for(&trace, &format!("slices?where=category=kernel%20{filter}"));
        let mut starts: Vec<u64> = found.slices.iter().map(|slice| slice.at.start_ns).collect();
        starts.sort_unstable();
        starts
    };
    assert_eq!(starts("in=solve"), [17_000]);
    assert_eq!(starts("in:solve"), [17_000, 37_000]);
    assert_eq!(starts("in:phase"), [27_000, 37_000]);
    assert_eq!(starts("in!=other"), [17_000, 31_000, 37_000]);
    assert_eq!(starts("-in:solve"), [27_000, 31_000]);
    assert!(starts("in:nothing").is_empty());
}

fn ask_for<T: serde::de::DeserializeOwned>(trace: &Trace, question: &str) -> T {
    serde_json::from_str(&trace.answer(&question.parse().unwrap()).unwrap()).unwrap()
}
