use syclscope_language::api::{
    CommandReport, Concurrency, CopyReport, Counts, CriticalPath, CriticalStep, DiagnosticInfo,
    HostTaskReport, IdleTime, MemoryReport, ProcessInfo, QueueIdle, QueueInfo, RecordingCost, Report,
    RunSplit, Severity, StepKind, TrackInfo, UnreleasedReport, WaitReport,
};
use syclscope_language::event::{AllocationKind, NodeKind, QueueOrder, TrackKind};

use super::*;

fn kernel(name: &str, kind: NodeKind, count: u64, total_ns: u64) -> CommandReport {
    CommandReport {
        name: name.to_owned(),
        kind,
        count,
        total_ns,
        min_ns: 500,
        mean_ns: total_ns / count,
        p50_ns: 900,
        p95_ns: 1_900,
        max_ns: 2_000,
        mean_queueing_delay_ns: None,
        location: None,
        locations: 0,
    }
}

fn at(line: u32) -> Option<LocationInfo> {
    Some(LocationInfo { function: "main".into(), file: "/src/heat.cpp".into(), line, column: 0 })
}

fn step(kind: StepKind, name: &str, duration_ns: u64, location: Option<LocationInfo>) -> CriticalStep {
    CriticalStep {
        kind,
        name: name.into(),
        start_ns: None,
        duration_ns,
        node: None,
        at: None,
        location,
        count: 1,
        after: String::new(),
        until: String::new(),
        samples: None,
    }
}

fn info() -> TraceInfo {
    TraceInfo {
        duration_ns: 1_500_000,
        process: ProcessInfo {
            pid: 7,
            name: "heat".into(),
            recorder: "syclscope 0.1".into(),
            ..ProcessInfo::default()
        },
        counts: Counts { nodes: 5, allocations: 2, unreleased: 1, calls: 1_234, ..Counts::default() },
        tracks: vec![TrackInfo {
            id: 0,
            parent: None,
            process: 0,
            kind: TrackKind::Queue,
            name: "queue 1".into(),
            lanes: 1,
            slices: 4,
            counter: None,
        }],
        queues: [1, 2]
            .map(|id| QueueInfo {
                id,
                track: id as u32 - 1,
                order: QueueOrder::InOrder,
                device: "Some GPU".into(),
                device_type: "GPU".into(),
                created_ns: 0,
                destroyed_ns: None,
            })
            .to_vec(),
        diagnostics: vec![DiagnosticInfo {
            severity: Severity::DataLoss,
            kind: "truncated_file".into(),
            message: "The file is cut short.".into(),
            count: 1,
            first_offset: Some(9),
        }],
        ..TraceInfo::default()
    }
}

fn report() -> Report {
    Report {
        commands: vec![
            kernel("step\x1b", NodeKind::Kernel, 3, 3_000),
            kernel("memcpy", NodeKind::Copy, 1, 1_000),
        ],
        host_tasks: vec![HostTaskReport {
            location: at(30),
            count: 2,
            estimated: 2,
            at_most_ns: 9_000,
            longest_ns: 7_000,
        }],
        copies: vec![CopyReport {
            from: "host".into(),
            to: "device".into(),
            count: 1,
            bytes: 4_096,
            total_ns: 1_000,
            bytes_per_ns: 4.096,
        }],
        waits: vec![WaitReport {
            name: "queue.wait".into(),
            location: at(12),
            submitted: None,
            count: 2,
            total_ns: 700_000,
            max_ns: 600_000,
        }],
        memory: vec![MemoryReport {
            kind: AllocationKind::Device,
            peak_bytes: 2_048,
            peak_at_ns: 40,
            count: 2,
            total_bytes: 3_072,
        }],
        unreleased: vec![UnreleasedReport {
            kind: AllocationKind::Device,
            location: at(9),
            count: 1,
            bytes: 1_024,
        }],
        critical_path: CriticalPath {
            length_ns: 1_000_000,
            unlimited_ns: 3_000,
            device_ns: 3_000,
            host_ns: 997_000,
            submission_ns: 0,
            call_ns: 0,
            wait_ns: 0,
            steps: vec![
                CriticalStep { until: "step".into(), ..step(StepKind::Host, "main", 997_000, None) },
                step(StepKind::Command, "step", 3_000, at(20)),
            ],
            sampled_ns: 0,
            launch_ns: 0,
            more_steps: 0,
        },
        queues: vec![QueueIdle {
            executions: 4,
            queue: 1,
            busy_ns: 4_000,
            host_ns: 900_000,
            dependence_ns: 0,
            other_ns: 0,
            ready_ns: 5,
            after_ns: 10,
        }],
        concurrency: Concurrency { max_kernels: 2, ..Concurrency::default() },
        split: RunSplit {
            run_ns: 1_000,
            device_ns: 250,
            copy_ns: 50,
            wait_ns: 100,
            host_ns: 600,
            unknown_ns: 0,
            idle: IdleTime { build_ns: 0, start_ns: 500, end_ns: 50, between_ns: 150 },
        },
        recording: Some(RecordingCost {
            track: 0,
            thread: "main thread".into(),
            notifications: 41_000,
            least_ns: 1_000_000,
            most_ns: 7_380_000,
            thread_ns: 230_000_000,
        }),
        ..Report::default()
    }
}

fn summary(report: Report) -> Summary {
    Summary { info: info(), report, ..Summary::default() }
}

const ROOM: Room = Room { width: 100, rows: 20, steps: 10 };

#[test]
fn every_section_is_shown() {
    let text = lines("run.pftrace", &summary(report()), ROOM).join("\n");
    for want in [
        "run.pftrace: heat (process 7), 1.500 ms\n",
        "cut short: the program did not end",
        "1,234 calls",
        "time: devices computing 25.0 %, only copying 5.0 %, idle with host waiting 10.0 %, idle with host\nnot waiting 60.0 %; up to 2 kernels at once",
        "devices idle for 700 ns: 500 ns before the first command, 150 ns between commands, 50 ns after the\nlast command\n",
        "recording took 0.4 to 3.2 % of the time of the main thread in the recorder's own code (41,000\nnotifications of 24 to 180 ns); the overhead",
        "step\u{fffd}   kernel      3  3.000 µs  75.0 %  1.000 µs  1.900 µs  2.000 µs         –",
        "memcpy  copy        1  1.000 µs",
        "host → device      1  4.0 KiB  1.000 µs  4.10 GB/s",
        "queue.wait      2  700.0 µs  600.0 µs  /src/heat.cpp:12",
        "device  2.0 KiB  40 ns            2  3.0 KiB",
        "1.0 KiB            1  device  /src/heat.cpp:9",
        "1.000 ms: 3.000 µs on devices",
        "997.0 µs  99.7 %  not recorded  main until step",
        "3.000 µs   0.3 %  device        step             /src/heat.cpp:20",
        "2 host tasks: at most 9.000 µs, each at most 7.000 µs /src/heat.cpp:30",
        "1  in-order         4  4.000 µs  900.0 µs        0 ns    0 ns    5 ns  10 ns  Some GPU",
        "  idle: for host, dependence, others (other queues ran), launch (overhead), after (the last command)",
        "1 queue without executions",
        "1 × truncated_file (data loss)\n    The file is cut short.",
    ] {
        assert!(text.contains(want), "{want} is not in:\n{text}");
    }
}

#[test]
fn no_sentence_steers_the_terminal() {
    use syclscope_language::api::{IterationMark, IterationMarkKind, Iterations, StepSamples};
    let mut summary = summary(report());
    if let Some(recording) = &mut summary.report.recording {
        recording.thread = "worker\x1b[2J".to_owned();
    }
    let message = "most in solve\x1b[2J".to_owned();
    summary.report.critical_path.steps[0].samples = Some(StepSamples { message, ..StepSamples::default() });
    let mark = IterationMark {
        kind: IterationMarkKind::Command,
        name: "step".to_owned(),
        location: None,
        count: 3,
        range_ns: 1,
    };
    let message = "Iterations 1 to 3 of 3 (each begins with step\x1b[2J)".to_owned();
    summary.iterations = Some(Iterations { mark: Some(mark), message, ..Iterations::default() });
    let text = lines("run.pftrace", &summary, ROOM).join("\n");
    for want in ["worker\u{fffd}[2J", "solve\u{fffd}[2J", "step\u{fffd}[2J"] {
        assert!(text.contains(want), "{want} is not in:\n{text}");
    }
    assert!(!text.contains('\x1b'), "{text}");
}

#[test]
fn few_iterations_have_no_percentile() {
    use syclscope_language::api::{IterationMark, IterationMarkKind, IterationStats, Iterations};
    let in_room = |count, room| {
        let mark = IterationMark {
            kind: IterationMarkKind::Command,
            name: "step".to_owned(),
            location: None,
            count: 30,
            range_ns: 1,
        };
        let found = Iterations {
            mark: Some(mark),
            from_ns: 57_000,
            warm_up: 1,
            steady: IterationStats { count, min_ns: 1_000, p95_ns: 2_000, ..IterationStats::default() },
            message: "Iterations.".to_owned(),
            ..Iterations::default()
        };
        iterations::iterations(&found, room).join("\n")
    };
    let of = |count| in_room(count, ROOM);
    let rest = "warm-up 1 iteration, the first begins at 57.00 µs";
    assert_eq!(of(2), format!("Iterations.\n{rest}"));
    assert_eq!(of(19), format!("Iterations.\nshortest 1.000 µs, {rest}"));
    assert_eq!(of(20), format!("Iterations.\n95th percentile 2.000 µs, shortest 1.000 µs, {rest}"));
    let narrow = in_room(20, Room { width: 80, ..ROOM });
    assert!(narrow.lines().all(|line| columns(line) <= 80), "{narrow}");
}

#[test]
fn what_figures_leave_out_is_mentioned() {
    let mut summary = summary(report());
    summary.report.unseen = vec!["3 executions of command graphs without device times".to_owned()];
    let text = lines("run.pftrace", &summary, ROOM).join("\n");
    assert!(text.contains("\n3 executions of command graphs without device times"), "{text}");
    summary.is_part = true;
    let text = lines("run.pftrace", &summary, ROOM).join("\n");
    assert!(!text.contains("of command graphs"), "{text}");
}

#[test]
fn idle_times_of_queues_are_explained_where_they_are_shown() {
    let text = lines("run.pftrace", &summary(report()), Room { width: 80, ..ROOM }).join("\n");
    assert!(text.contains("for host  dependence  launch  device\n"), "{text}");
    assert!(text.contains("\n  idle: for host, dependence, launch (overhead)\n"), "{text}");
}

#[test]
fn lines_fit_the_terminal() {
    let mut report = report();
    for name in ["a::very::long<".repeat(20), "another::".repeat(30)] {
        report.commands.push(kernel(&name, NodeKind::CommandGraph, 1_000_000, 12_345_678));
        report.critical_path.steps.push(step(StepKind::Wait, &name, 50, at(1)));
    }
    for width in [80, 100, 120] {
        for line in lines("run.pftrace", &summary(report.clone()), Room { width, ..ROOM }) {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn commands_have_the_line_that_submitted_them() {
    let [mut one, mut two] = ["one", "two"].map(|name| kernel(name, NodeKind::Kernel, 1, 1_000));
    let without = kernels(&[one.clone(), two.clone()], 5, 100).join("\n");
    assert!(!without.contains("location"), "{without}");
    (one.location, one.locations) = (at(30), 1);
    (two.location, two.locations) = (at(31), 2);
    let [wide, wider] = [100, 150].map(|width| kernels(&[one.clone(), two.clone()], 5, width).join("\n"));
    assert!(wide.ends_with("  2 places") && wide.contains("  heat.cpp:30\n"), "{wide}");
    assert!(wider.contains("  /src/heat.cpp:30\n"), "{wider}");
    one.name = "a name that takes several columns".to_owned();
    let (function, file) = (String::new(), "enqueue_functions.hpp".to_owned());
    one.location = Some(LocationInfo { function, file, line: 452, column: 0 });
    let narrow = kernels(&[one.clone(), two.clone()], 5, 78);
    assert!(narrow.iter().all(|line| columns(line) <= 78), "{narrow:?}");
}

#[test]
fn an_empty_trace_has_no_empty_sections() {
    let text = lines("empty.json", &Summary::default(), ROOM).join("\n");
    assert!(text.contains("no device times were recorded"), "{text}");
    assert!(text.contains("0 slices on 0 tracks, 0 flows"), "{text}");
    assert!(!text.contains("Queues") && !text.contains("Problems") && !text.contains("Critical"), "{text}");
    let few = kernels(&[kernel("a", NodeKind::Kernel, 1, 1), kernel("b", NodeKind::Kernel, 1, 1)], 1, 80);
    assert_eq!(few.last().map(String::as_str), Some("and 1 more"));
}

#[test]
fn a_summary_without_findings_mentions_it() {
    use syclscope_language::api::Gaps;
    let searched = Summary { gaps: Some(Gaps::default()), ..summary(report()) };
    let text = lines("run.pftrace", &searched, ROOM).join("\n");
    assert!(text.contains("\n\nFindings: none\n"), "{text}");
    let text = lines("run.pftrace", &summary(report()), ROOM).join("\n");
    assert!(!text.contains("Findings"), "a filter selects no findings: {text}");
}

#[test]
fn a_host_task_without_a_location_ends_with_its_estimate() {
    let mut report = report();
    report.host_tasks[0].location = None;
    let text = lines("run.pftrace", &summary(report), ROOM).join("\n");
    assert!(text.contains("each at most 7.000 µs\n"), "{text}");
}

#[test]
fn the_bound_of_one_host_task_is_written_once() {
    let mut report = report();
    let task = &mut report.host_tasks[0];
    (task.estimated, task.at_most_ns) = (1, task.longest_ns);
    let text = lines("run.pftrace", &summary(report), ROOM).join("\n");
    assert!(text.contains("\n  2 host tasks: 1 of them at most 7.000 µs /src/heat.cpp:30\n"), "{text}");
}

#[test]
fn host_tasks_that_are_left_out_are_counted() {
    let mut report = report();
    report.host_tasks = vec![report.host_tasks[0].clone(); 5];
    let text = |rows| lines("run.pftrace", &summary(report.clone()), Room { rows, ..ROOM }).join("\n");
    assert!(text(3).contains("each at most 7.000 µs /src/heat.cpp:30\n  and 2 more\n"), "{}", text(3));
    assert!(!text(5).contains("more"), "{}", text(5));
}

#[test]
fn a_finding_without_a_gain_would_save_nothing() {
    use syclscope_language::api::{Finding, FindingIterations, Gain};
    let iterations = FindingIterations {
        iterations: 199,
        mean_ns: 162_300,
        gain_ns: Some(0),
        ..FindingIterations::default()
    };
    let finding = Finding {
        kind: "kernels_too_short".to_owned(),
        gain: Some(Gain::default()),
        iterations: Some(iterations),
        ..Finding::default()
    };
    let copies = Finding {
        kind: "implicit_copies".to_owned(),
        gain: Some(Gain { bytes: 4 << 20, ..Gain::default() }),
        ..Finding::default()
    };
    let mut report = Report { findings: vec![finding, copies], ..report() };
    report.split.run_ns = 5_000_000;
    let text = lines("run.pftrace", &summary(report), ROOM).join("\n");
    assert!(text.contains("kernels too short: would save nothing\n"), "{text}");
    assert!(text.contains("implicit copies: at most 4.0 MiB\n"), "{text}");
    assert!(!text.contains("steady iterations"), "{text}");
}

#[test]
fn rates_of_copies_have_one_unit() {
    let mut report = report();
    let copy = report.copies[0].clone();
    let rates = [0.054_69, 0.000_001];
    report.copies.extend(rates.map(|bytes_per_ns| CopyReport { bytes_per_ns, ..copy.clone() }));
    let text = lines("run.pftrace", &summary(report), ROOM).join("\n");
    for want in ["    4.0960 GB/s\n", "    0.0547 GB/s\n", "  < 0.0001 GB/s\n"] {
        assert!(text.contains(want), "{want} is not in:\n{text}");
    }
}

#[test]
fn gains_of_findings_are_bounds() {
    use syclscope_language::api::{Finding, Gain};
    let gain = Gain { ns: 1_500_000, bytes: 4 << 20, how: "At most: so much.".to_owned() };
    let other = Finding {
        kind: "build_inside_run".to_owned(),
        gain: Some(Gain { ns: 500_000, ..Gain::default() }),
        ..Finding::default()
    };
    let finding = Finding {
        kind: "implicit_copies".to_owned(),
        message: "What and how.".to_owned(),
        location: Some(LocationInfo { file: "/src/a.cpp".to_owned(), line: 7, ..LocationInfo::default() }),
        gain: Some(gain),
        ..Finding::default()
    };
    let unknown = Finding {
        kind: "cpu_instead_of_gpu".to_owned(),
        no_gain: "Nobody knows.".to_owned(),
        touches_ns: 4_100_000,
        ..Finding::default()
    };
    let plain = |kind: &str, message: &str| Finding {
        kind: kind.to_owned(),
        message: message.to_owned(),
        ..Finding::default()
    };
    let (problem, place) = (plain("bad_handle", "A problem."), plain("work_in_host_tasks", "It is there."));
    let mut report = Report {
        findings: vec![finding, other, unknown, problem.clone(), place],
        together_ns: 1_800_000,
        ..report()
    };
    report.split.run_ns = 5_000_000;
    let text = lines("run.pftrace", &summary(report.clone()), ROOM).join("\n");
    for want in [
        "implicit copies: at most 1.500 ms and 4.0 MiB, /src/a.cpp:7\n    What and how.\n",
        "cpu instead of gpu: affects 4.100 ms\n",
        "    No gain is known. Nobody knows.\n",
        "build inside run: 500.0 µs in recorded time\n",
        "together 1.800 ms in recorded time, of a run of 5.000 ms",
        "  work in host tasks\n    It is there.",
    ] {
        assert!(text.contains(want), "{want} is not in:\n{text}");
    }
    for kind in
        ["implicit copies", "build inside run", "cpu instead of gpu", "bad handle", "work in host tasks"]
    {
        assert_eq!(text.matches(kind).count(), 1, "{kind} in:\n{text}");
    }
    let of_part = Summary { is_part: true, ..summary(report.clone()) };
    let text = lines("run.pftrace", &of_part, ROOM).join("\n");
    assert!(text.contains("together 1.800 ms in recorded time, of a part of 5.000 ms"), "{text}");
    // Problems of the program have a section of their own.
    let mut with_problem = summary(report.clone());
    with_problem.info.findings = vec![problem];
    let text = lines("run.pftrace", &with_problem, ROOM).join("\n");
    assert_eq!(text.matches("A problem.").count(), 1, "{text}");
    report.split.run_ns = 500_000_000;
    let text = lines("run.pftrace", &summary(report), ROOM).join("\n");
    assert!(
        text.contains("no finding of known gain would save 1 % or more") && !text.contains("together"),
        "{text}"
    );
}

#[test]
fn findings_fit_the_terminal() {
    use syclscope_language::api::{Finding, FindingIterations, Gain};
    let file = format!("/{}main.cpp", "a_long_folder/".repeat(12));
    let part = FindingIterations { iterations: 9, gain_ns: Some(0), ..FindingIterations::default() };
    let finding = Finding {
        kind: "kernels_too_short".to_owned(),
        message: "A message.".to_owned(),
        location: Some(LocationInfo { file, line: 7, ..LocationInfo::default() }),
        gain: Some(Gain::default()),
        iterations: Some(part),
        ..Finding::default()
    };
    let mut summary = summary(Report { findings: vec![finding.clone()], ..report() });
    summary.info.findings = vec![finding];
    let text = lines("run.pftrace", &summary, ROOM).join("\n");
    let start = "\n  kernels too short: would save nothing, …";
    assert!(text.contains(start) && text.matches("a_long_folder/main.cpp:7\n").count() == 2, "{text}");
    assert!(!text.contains("steady iterations"), "{text}");
    assert!(text.lines().all(|line| columns(line) <= ROOM.width), "{text}");
}

#[test]
fn a_long_symbol_has_a_short_name() {
    let symbol = format!("_ZTSN3app4scanI400{}EE", "a".repeat(400));
    let letters: String = symbol.bytes().map(|letter| format!("Lc{letter}E")).collect();
    let mut report = report();
    report.commands[0].name = format!("_ZTSN3dpl6outer_INS_4scanIJEEEJ{letters}EEE");
    let text = lines("run.pftrace", &summary(report), ROOM).join("\n");
    assert!(text.contains("\n  scan<aaa"), "{text}");
}

#[test]
fn the_first_command_has_no_namespace() {
    use syclscope_language::api::{NodeRef, StartUp};
    let name = "app::deep::step<app::Real>".to_owned();
    let command = NodeRef { node: 1, kind: NodeKind::Kernel, name, at: None };
    let found = StartUp { command: Some(command), to_ns: 5_000, ..StartUp::default() };
    assert_eq!(start_up::start_up(&found, ROOM)[0], "5.000 µs before the first command, step<Real>");
}
