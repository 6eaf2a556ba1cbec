//! Queries of a range of time, against the answers for the whole run, restricted by the test.

use std::collections::BTreeMap;

use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::{Builds, CallSummary, Iterations, Report, Selected, Serialised};
use syclscope_language::question::Question;

const RECORDINGS: [&str; 4] = ["dpnp", "heat", "sub_buffers-bad", "diamond"];
const PARTS: u64 = 6;

fn open(name: &str) -> Trace {
    let root = env!("CARGO_MANIFEST_DIR");
    let bytes = std::fs::read(format!("{root}/../../e2e/traces/{name}.pftrace.gz")).unwrap();
    import::open(&bytes).unwrap()
}

fn ask<A: serde::de::DeserializeOwned>(trace: &Trace, question: &str) -> A {
    let question: Question = question.parse().unwrap();
    serde_json::from_str(&trace.answer(&question).unwrap()).unwrap()
}

/// Returns the bounds of parts of a run, of an empty range and of a range after the run.
fn ranges(trace: &Trace) -> Vec<(u64, u64)> {
    let end = trace.info().duration_ns + 1;
    let cuts: Vec<u64> = (0..=PARTS).map(|part| end * part / PARTS).collect();
    let parts = cuts.iter().flat_map(|from| cuts.iter().map(move |to| (*from, *to)));
    parts.filter(|(from, to)| from < to).chain([(end / 3, end / 3), (2 * end, 3 * end)]).collect()
}

fn is_in((start, ns): (u64, u64), (from, to): (u64, u64)) -> bool {
    (from..to).contains(&start) || (from < to && start < from && start + ns > from)
}

#[test]
fn calls_of_a_range_are_the_slices_that_a_selection_has() {
    for name in RECORDINGS {
        let trace = open(name);
        for (from, to) in ranges(&trace) {
            let calls: Vec<CallSummary> = ask(&trace, &format!("calls?from={from}&to={to}"));
            let selection = "where=category:ur%20or%20category:native&groups=10000";
            let selected: Selected = ask(&trace, &format!("select?from={from}&to={to}&{selection}"));
            let counted: BTreeMap<_, _> = calls
                .iter()
                .map(|call| ((&call.name, call.category.as_str()), (call.count, call.total_ns, call.max_ns)))
                .collect();
            // Groups are also distinguished by the kind of their command.
            let mut expected: BTreeMap<_, (u64, u64, u64)> = BTreeMap::new();
            for group in &selected.groups {
                let sum = expected.entry((&group.name, group.category.as_str())).or_default();
                let stats = &group.stats;
                *sum = (sum.0 + stats.count, sum.1 + stats.total_ns, sum.2.max(stats.max_ns));
            }
            assert_eq!(counted, expected, "{name} {from} {to}");
        }
        let whole: Vec<CallSummary> = ask(&trace, "calls");
        let end = trace.info().duration_ns + 1;
        assert_eq!(whole, ask::<Vec<CallSummary>>(&trace, &format!("calls?from=0&to={end}")), "{name}");
    }
}

#[test]
fn builds_of_a_range_are_those_with_time_in_it() {
    let mut with_builds = 0;
    for name in RECORDINGS {
        let trace = open(name);
        let whole: Builds = ask(&trace, "builds?limit=10000");
        with_builds += usize::from(whole.count > 0);
        for (from, to) in ranges(&trace) {
            let found: Builds = ask(&trace, &format!("builds?from={from}&to={to}&limit=10000"));
            let mut expected = whole.builds.clone();
            expected.retain(|build| is_in((build.at.start_ns, build.at.duration_ns), (from, to)));
            let again = expected.iter().filter(|build| build.again.is_some()).count() as u64;
            assert_eq!((found.count, found.again), (expected.len() as u64, again), "{name} {from} {to}");
            let mut ends = vec![from, to];
            for build in &expected {
                let (start, end) = (build.at.start_ns, build.at.start_ns + build.at.duration_ns);
                ends.extend([start.clamp(from, to), end.clamp(from, to)]);
            }
            ends.sort_unstable();
            let is_built = |at: u64| {
                let spans = expected.iter().map(|build| (build.at.start_ns, build.at.duration_ns));
                spans.into_iter().any(|(start, ns)| (start..start + ns).contains(&at))
            };
            let stretches = ends.windows(2).filter(|pair| is_built(pair[0]));
            assert_eq!(found.covered_ns, stretches.map(|pair| pair[1] - pair[0]).sum::<u64>(), "{name}");
            assert_eq!(found.builds, expected, "{name} {from} {to}");
        }
    }
    assert!(with_builds >= 2, "{with_builds}");
}

#[test]
fn missed_overlaps_belong_to_the_range_in_which_the_second_command_starts() {
    let mut groups = 0;
    for name in RECORDINGS {
        let trace = open(name);
        let whole: Serialised = ask(&trace, "serialised?limit=10000");
        for (from, to) in ranges(&trace) {
            let found: Serialised = ask(&trace, &format!("serialised?from={from}&to={to}&limit=10000"));
            for pair in &found.pairs {
                assert!((from..to).contains(&pair.second.begin_ns), "{name} {from} {to}");
            }
            // If a group has one pair, the answer for the whole run contains that pair.
            for pair in whole.pairs.iter().filter(|pair| pair.count == 1) {
                groups += 1;
                let is_inside = (from..to).contains(&pair.second.begin_ns);
                assert_eq!(found.pairs.contains(pair), is_inside, "{name} {from} {to}");
            }
        }
        let end = trace.info().duration_ns + 1;
        let (mut count, mut gain_ns, mut unknown) = (0, 0, 0);
        for part in 0..PARTS {
            let (from, to) = (end * part / PARTS, end * (part + 1) / PARTS);
            let found: Serialised = ask(&trace, &format!("serialised?from={from}&to={to}"));
            (count, gain_ns, unknown) =
                (count + found.count, gain_ns + found.gain_ns, unknown + found.unknown);
        }
        assert_eq!((count, gain_ns, unknown), (whole.count, whole.gain_ns, whole.unknown), "{name}");
    }
    assert!(groups > 0, "a recording has a group with one pair");
}

/// Returns every time and amount of a report that adds up over parts of a run.
fn sums(report: &Report) -> BTreeMap<String, u64> {
    let split = report.split;
    let mut sums: Vec<(String, u64)> = vec![("run".to_owned(), split.run_ns)];
    let parts = [split.device_ns, split.copy_ns, split.wait_ns, split.host_ns, split.unknown_ns];
    let idle = split.idle;
    let idle = [idle.start_ns, idle.build_ns, idle.between_ns, idle.end_ns];
    let covered = [report.covered.device_ns, report.covered.copy_ns, report.covered.wait_ns];
    let concurrency = [report.concurrency.kernel_ns, report.concurrency.copy_overlap_ns];
    let path = report.critical_path.length_ns;
    let all = parts.into_iter().chain(idle).chain(covered).chain(concurrency).chain([path]);
    sums.extend(all.enumerate().map(|(place, ns)| (format!("part {place}"), ns)));
    for row in &report.commands {
        sums.push((format!("command {} {}", row.name, row.kind.as_str()), row.total_ns));
    }
    for row in &report.copies {
        sums.push((format!("copy {} {}", row.from, row.to), row.total_ns));
    }
    for row in &report.waits {
        sums.push((format!("wait {} {:?} {:?}", row.name, row.location, row.submitted), row.total_ns));
    }
    for row in &report.queues {
        let times = [row.busy_ns, row.host_ns, row.dependence_ns, row.other_ns, row.ready_ns, row.after_ns];
        sums.extend(
            times.into_iter().enumerate().map(|(place, ns)| (format!("queue {} {place}", row.queue), ns)),
        );
    }
    for row in &report.unreleased {
        sums.push((format!("unreleased {} {:?}", row.kind.as_str(), row.location), row.bytes));
    }
    sums.into_iter().filter(|(_, sum)| *sum > 0).collect()
}

#[test]
fn reports_of_parts_add_up_to_that_of_the_run() {
    for name in RECORDINGS {
        let trace = open(name);
        let whole: Report = ask(&trace, "report");
        assert_eq!(sums(&ask::<Report>(&trace, "report?from=0")), sums(&whole), "{name}");
        let end = trace.info().duration_ns + 1;
        let mut added: BTreeMap<String, u64> = BTreeMap::new();
        for part in 0..PARTS {
            let (from, to) = (end * part / PARTS, end * (part + 1) / PARTS);
            let report: Report = ask(&trace, &format!("report?from={from}&to={to}"));
            assert_eq!(
                report.split.parts().iter().map(|(_, ns)| ns).sum::<u64>(),
                report.split.run_ns,
                "{name}"
            );
            for (sum, amount) in sums(&report) {
                *added.entry(sum).or_default() += amount;
            }
        }
        assert_eq!(added, sums(&whole), "{name}");
    }
}

#[test]
fn a_report_of_a_range_has_what_a_selection_of_it_has() {
    for name in RECORDINGS {
        let trace = open(name);
        for (from, to) in ranges(&trace) {
            let report: Report = ask(&trace, &format!("report?from={from}&to={to}"));
            let filter = "category:kernel%20or%20category:copy%20or%20category:fill%20or%20category:command";
            let selected: Selected =
                ask(&trace, &format!("select?from={from}&to={to}&where={filter}&groups=10000"));
            let expected: BTreeMap<_, _> = selected
                .groups
                .iter()
                .map(|group| {
                    let stats = &group.stats;
                    let times = [stats.clipped_ns, stats.min_ns, stats.mean_ns, stats.p95_ns, stats.max_ns];
                    ((group.name.as_str(), group.kind.unwrap_or_default().as_str()), (stats.count, times))
                })
                .collect();
            let commands: BTreeMap<_, _> = report
                .commands
                .iter()
                .map(|row| {
                    let times = [row.total_ns, row.min_ns, row.mean_ns, row.p95_ns, row.max_ns];
                    ((row.name.as_str(), row.kind.as_str()), (row.count, times))
                })
                .collect();
            assert_eq!(commands, expected, "{name} {from} {to}");
            let executions: u64 = report.queues.iter().map(|queue| queue.executions).sum();
            assert_eq!(executions, report.commands.iter().map(|row| row.count).sum::<u64>(), "{name}");
        }
    }
}

#[test]
fn iterations_of_a_range_are_those_that_lie_in_it() {
    let trace = open("heat");
    let whole: Iterations = ask(&trace, "iterations?limit=10000");
    let mut inside = 0;
    for (from, to) in ranges(&trace) {
        let found: Iterations = ask(&trace, &format!("iterations?from={from}&to={to}&limit=10000"));
        let mut expected = whole.iterations.clone();
        expected.retain(|row| from <= row.from_ns && row.to_ns <= to);
        assert_eq!(found.iterations, expected, "{from} {to}");
        assert_eq!((found.count, found.mark.as_ref()), (whole.count, whole.mark.as_ref()));
        // The last iteration has no end, because no further one follows.
        expected.retain(|row| row.number < whole.count);
        let length: u64 = expected.iter().map(|row| row.to_ns - row.from_ns).sum();
        assert_eq!(found.steady.count, expected.len() as u64);
        assert!((found.steady.mean_ns * expected.len() as f64 - length as f64).abs() < 1.0);
        assert_eq!(found.steps.iter().map(|step| step.total_ns).sum::<u64>() + found.more_steps_ns, length);
        let words = match expected[..] {
            [] => "lies in this range as a whole".to_owned(),
            [only] => format!("Iteration {} of {}", only.number, whole.count),
            [first, .., last] => format!("Iterations {} to {} of {}", first.number, last.number, whole.count),
        };
        assert!(found.message.contains(&words), "{}", found.message);
        inside += expected.len();
    }
    assert!(inside > 0);
}
