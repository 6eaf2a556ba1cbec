//! Reports of a run that is small enough to compute by hand.

use std::ops::Range;

use proptest::prelude::*;
use syclscope_language::api::{Concurrency, Covered, RunSplit, Severity};
use syclscope_language::event::{
    AllocationKind, Category, Event, Fact, FactKind, NoTime, NodeKind, QueueOrder, SourceLocation, Untimed,
    Value,
};
use syclscope_language::question::{ReportQuestion, Selection};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run, place};

fn command(run: &mut Run, node: u64, kind: NodeKind, name: &str, at: u64, ran: Range<u64>) {
    run.submit(Command { node, kind, name, at, ran: (ran.start, ran.end), ..Command::default() });
}

/// Adds a copy between two addresses, with the call that the recorder decodes.
fn copy(run: &mut Run, node: u64, at: u64, source: u64, target: u64, bytes: u64) {
    let (kind, name, ran) = (NodeKind::Copy, "memcpy", (at + 100, at + 200));
    let args = &[("bytes", Value::Uint(bytes))];
    run.submit(Command { node, kind, name, at, ran, args, ..Command::default() });
    let args = [("pDst", Value::Pointer(target)), ("pSrc", Value::Pointer(source))];
    run.slice(Category::Call, "urEnqueueUSMMemcpy", at + 20, at + 21, Some(node), &args);
}

#[test]
fn commands_are_summed_with_percentiles_and_delays() {
    let mut run = Run::new(QueueOrder::InOrder);
    for number in 1..=20 {
        let at = number * 10_000;
        command(&mut run, number, NodeKind::Kernel, "step", at, at + 10 + number..at + 10 + number * 101);
    }
    command(&mut run, 21, NodeKind::Fill, "fill", 500, 505..700);
    let report = run.trace().report();
    let step = &report.commands[0];
    assert_eq!((step.name.as_str(), step.count, step.total_ns), ("step", 20, 21_000));
    assert_eq!((step.mean_ns, step.p50_ns, step.p95_ns, step.max_ns), (1_050, 1_000, 1_900, 2_000));
    assert_eq!(step.min_ns, 100);
    assert_eq!(step.mean_queueing_delay_ns, Some(10), "the mean of 1 to 20, cut");
    assert_eq!(report.commands[1].mean_queueing_delay_ns, Some(0), "it began before its submission was over");
}

#[test]
fn commands_have_the_lines_that_submitted_them() {
    let mut run = Run::new(QueueOrder::InOrder);
    let mut step = |number: u64, line: u32, column: u32, ns: u64| {
        let location = SourceLocation { function: "main", file: "a.cpp", line, column };
        let (node, kind, at) = (number, NodeKind::Kernel, number * 10_000);
        let ran = (at + 10, at + 10 + ns);
        run.submit(Command { node, kind, name: "step", at, ran, location, ..Command::default() });
    };
    step(1, 7, 1, 300);
    step(2, 9, 1, 200);
    step(3, 9, 5, 200);
    let command = run.trace().report().commands.remove(0);
    let place = command.location.map(|place| (place.file, place.line));
    assert_eq!(
        (place, command.locations),
        (Some(("a.cpp".to_owned(), 9)), 2),
        "columns of a line count once"
    );
}

#[test]
fn copies_go_by_the_memory_that_is_live_when_they_are_submitted() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.allocate(0, 0x1000, 0x1000, AllocationKind::Device);
    run.allocate(0, 0x5000, 0x1000, AllocationKind::Shared);
    copy(&mut run, 1, 1_000, 0x9_0000, 0x1800, 4_000);
    copy(&mut run, 2, 2_000, 0x1800, 0x9_0000, 1_000);
    copy(&mut run, 3, 3_000, 0x1fff, 0x5000, 100);
    run.release(4_000, 0x1000);
    // From here on, the same address belongs to the host.
    copy(&mut run, 4, 5_000, 0x1800, 0x5000, 10);
    let copies = run.trace().report().copies;
    let found: Vec<_> =
        copies.iter().map(|copy| (copy.from.as_str(), copy.to.as_str(), copy.bytes, copy.total_ns)).collect();
    let expected = [
        ("device", "host", 1_000, 100),
        ("device", "shared", 100, 100),
        ("host", "device", 4_000, 100),
        ("host", "shared", 10, 100),
    ];
    assert_eq!(found, expected);
    assert!((copies[2].bytes_per_ns - 40.0).abs() < 1e-9);
}

#[test]
fn memory_of_the_host_behind_the_handle_of_a_buffer_is_the_hosts() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.allocate(0, 0x1000, 0x10_0000, AllocationKind::Buffer);
    run.allocate(0, 0x100_0000, 0x1000, AllocationKind::Device);
    copy(&mut run, 1, 1_000, 0x2000, 0x100_0000, 100);
    let copies = run.trace().report().copies;
    assert_eq!((copies[0].from.as_str(), copies[0].to.as_str()), ("host", "device"));
}

#[test]
fn a_copy_of_which_only_the_end_was_timed_has_no_part_in_the_rate() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.allocate(0, 0x1000, 0x1000, AllocationKind::Device);
    copy(&mut run, 1, 1_000, 0x9_0000, 0x1800, 4_000);
    let args = &[("bytes", Value::Uint(1 << 30)), ("device_time", Value::Str("the end of it"))];
    let (kind, ran) = (NodeKind::Copy, (2_100, 2_200));
    run.submit(Command { node: 2, kind, name: "memcpy", at: 2_000, ran, args, ..Command::default() });
    let places = [("pDst", Value::Pointer(0x1800)), ("pSrc", Value::Pointer(0x9_0000))];
    run.slice(Category::Call, "urEnqueueUSMMemcpy", 2_020, 2_021, Some(2), &places);
    let [copies] = &run.trace().report().copies[..] else { panic!("one direction") };
    assert_eq!((copies.count, copies.bytes, copies.total_ns), (2, 4_000 + (1 << 30), 200));
    assert!((copies.bytes_per_ns - 40.0).abs() < 1e-9, "{}", copies.bytes_per_ns);
}

#[test]
fn memory_peaks_and_what_is_left_are_found() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.allocate(10, 0x1000, 100, AllocationKind::Device);
    run.allocate(20, 0x2000, 50, AllocationKind::Device);
    run.release(30, 0x1000);
    // The address is reused at the moment of its release: the sum is never 200.
    run.release(40, 0x2000);
    run.allocate(40, 0x2000, 60, AllocationKind::Device);
    run.allocate(50, 0x3000, 7, AllocationKind::Host);
    run.allocate(60, 0x4000, 8, AllocationKind::Host);
    let report = run.trace().report();
    let device = &report.memory[0];
    assert_eq!((device.kind, device.peak_bytes, device.peak_at_ns), (AllocationKind::Device, 150, 20));
    assert_eq!((device.count, device.total_bytes), (3, 210));
    let left: Vec<_> = report.unreleased.iter().map(|left| (left.kind, left.count, left.bytes)).collect();
    assert_eq!(left, [(AllocationKind::Device, 1, 60), (AllocationKind::Host, 2, 15)]);
    assert_eq!(report.unreleased[0].location.as_ref().map(|place| place.line), Some(5));
}

#[test]
fn an_allocation_that_is_released_as_a_range_begins_is_not_in_it() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.allocate(10, 0x1000, 100, AllocationKind::Device);
    run.release(30, 0x1000);
    run.allocate(30, 0x1000, 60, AllocationKind::Device);
    let trace = run.trace();
    let in_range = |from: u64| {
        let range = ReportQuestion { from_ns: Some(from), to_ns: Some(100) };
        let device = trace.report_within(&range).memory.remove(0);
        (device.count, device.total_bytes, device.peak_bytes)
    };
    assert_eq!(in_range(29), (2, 160, 100));
    assert_eq!(in_range(30), (1, 60, 60));
}

proptest! {
    #[test]
    fn each_moment_of_the_run_counts_once(
        seeds in prop::collection::vec((0..5_u8, 0..200_u64, 0..60_u64), 0..12),
        is_killed: bool,
    ) {
        let mut run = Run::new(QueueOrder::InOrder);
        let mut spans: Vec<(u8, Range<u64>)> = Vec::new();
        for (number, (what, at, length)) in (1..).zip(seeds) {
            let span = at + 20..at + 20 + length;
            match what {
                // Waits of a thread do not overlap.
                3 => {
                    let begin = 1_000 * number;
                    run.slice(Category::Wait, "wait", begin, begin + length, None, &[]);
                    spans.push((3, begin..begin + length));
                    continue;
                }
                // Calls of a thread do not overlap, either.
                4 => {
                    let begin = 1_000 * number;
                    run.slice(Category::Call, "urProgramBuildExp", begin, begin + length, None, &[]);
                    spans.push((4, begin..begin + length));
                    continue;
                }
                2 => command(&mut run, number, NodeKind::Copy, "c", 0, span.clone()),
                1 => command(&mut run, number, NodeKind::Fill, "f", 0, span.clone()),
                _ => command(&mut run, number, NodeKind::Kernel, "k", 0, span.clone()),
            }
            spans.push((what, span));
        }
        if is_killed {
            let (at, node, reason) = (Timestamp(0), 1_000, NoTime::Undelivered);
            run.event(&Event::Untimed(Untimed { at, node, reason }));
        }
        let trace = run.trace();
        let report = trace.report();
        let work: Vec<&Range<u64>> = spans.iter().filter(|(what, span)| *what < 3 && !span.is_empty()).map(|(_, span)| span).collect();
        let first = work.iter().map(|span| span.start).min().unwrap_or(u64::MAX);
        let last = work.iter().map(|span| span.end).max().unwrap_or(if is_killed { 0 } else { u64::MAX });
        let (mut split, mut concurrency) = (RunSplit::default(), Concurrency::default());
        let mut covered = Covered::default();
        let mut kernels_ns = 0;
        for at in 0..trace.info().duration_ns {
            let running = |kinds: &[u8]| spans.iter().filter(|(what, span)| kinds.contains(what) && span.contains(&at)).count() as u64;
            split.run_ns += 1;
            covered.wait_ns += u64::from(running(&[3]) > 0);
            if is_killed && at >= last {
                split.unknown_ns += 1;
                continue;
            }
            if running(&[0, 1]) > 0 {
                split.device_ns += 1;
            } else if running(&[2]) > 0 {
                split.copy_ns += 1;
            } else if running(&[3]) > 0 {
                split.wait_ns += 1;
            } else {
                split.host_ns += 1;
            }
            if running(&[0, 1, 2]) == 0 {
                if running(&[4]) > 0 {
                    split.idle.build_ns += 1;
                } else if at < first {
                    split.idle.start_ns += 1;
                } else if at >= last {
                    split.idle.end_ns += 1;
                } else {
                    split.idle.between_ns += 1;
                }
            }
            covered.device_ns += u64::from(running(&[0, 1, 2]) > 0);
            covered.copy_ns += u64::from(running(&[2]) > 0);
            kernels_ns += running(&[0]);
            concurrency.max_kernels = concurrency.max_kernels.max(running(&[0]));
            concurrency.kernel_ns += u64::from(running(&[0]) > 0);
            concurrency.copy_overlap_ns += u64::from(running(&[0]) > 0 && running(&[2]) > 0);
        }
        concurrency.mean_kernels =
            if concurrency.kernel_ns > 0 { kernels_ns as f64 / concurrency.kernel_ns as f64 } else { 0.0 };
        prop_assert_eq!(report.split, split);
        prop_assert_eq!(report.concurrency, concurrency);
        prop_assert_eq!(report.covered, covered);
        prop_assert_eq!(trace.report_of(&Selection::default()).unwrap().covered, covered);
    }
}

#[test]
fn without_any_device_time_all_is_unknown_from_the_first_lost_command_on() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.slice(Category::Call, "urProgramBuildExp", 20, 50, None, &[]);
    let (node, reason) = (run.node(NodeKind::Kernel, 100), NoTime::Undelivered);
    run.event(&Event::Untimed(Untimed { at: Timestamp(0), node, reason }));
    run.event(&Event::Finish { at: Timestamp(1_000) });
    let split = run.trace().report().split;
    assert_eq!((split.run_ns, split.host_ns, split.unknown_ns), (1_000, 100, 900));
    assert_eq!((split.idle.build_ns, split.idle.start_ns, split.idle.end_ns), (30, 70, 0));
}

#[test]
fn before_the_first_device_time_devices_are_unknown_from_a_graph_without_one_on() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.untimed(NodeKind::CommandGraph, 1, 100);
    let node = run.next_node();
    run.submit(Command { node, at: 400, ran: (500, 600), ..Command::default() });
    run.event(&Event::Finish { at: Timestamp(1_000) });
    let trace = run.trace();
    let split = trace.report().split;
    assert_eq!((split.run_ns, split.device_ns, split.unknown_ns), (1_000, 100, 400));
    assert_eq!((split.idle.start_ns, split.idle.between_ns, split.idle.end_ns), (100, 0, 400));
    assert_eq!(trace.start_up().to_ns, 100);
}

#[test]
fn waits_are_summed_by_place() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.slice_at(place(1), Category::Wait, "queue.wait", (100, 150), None, &[]);
    run.slice_at(place(2), Category::Wait, "queue.wait", (200, 900), None, &[]);
    let waits = run.trace().report().waits;
    let found: Vec<_> =
        waits.iter().map(|wait| (wait.location.as_ref().map(|place| place.line), wait.total_ns)).collect();
    assert_eq!(found, [(Some(2), 700), (Some(1), 50)]);
}

#[test]
fn starts_of_streams_are_a_problem_of_the_recording() {
    let problems = |device_times: &str| {
        let mut run = Run::new(QueueOrder::InOrder);
        let (at, kind, name) = (Timestamp(0), FactKind::Setting, "device times");
        run.event(&Event::Fact(Fact { at, kind, name, value: device_times }));
        run.kernel(10_000, (12_000, 20_000));
        let diagnostics = run.trace().info().diagnostics;
        diagnostics.into_iter().map(|problem| (problem.kind, problem.severity)).collect::<Vec<_>>()
    };
    let missing = problems("the runtime's events, because no libcupti.so was found");
    assert_eq!(missing, [("stream_starts".to_owned(), Severity::DataLoss)]);
    assert_eq!(problems("CUPTI"), []);
}
