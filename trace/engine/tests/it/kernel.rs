//! Profiles of kernels, against a scan of every slice.

use std::collections::BTreeMap;

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::store::Trace;
use syclscope_language::api::{
    ArgValue, DurationBins, ExecutionPoints, ExecutionStats, KernelProfile, QueueExecutions, SizeExecutions,
    SliceDetail, SliceRef,
};
use syclscope_language::event::{
    Category, Event, EventSink as _, Execution, Node, NodeKind, Queue, QueueOrder, SliceBegin, SliceEnd,
    SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

use crate::select::ask;

const NAMES: [&str; 2] = ["gemm", "a (b)"];
const SIZES: [(&str, &str, Option<u64>); 4] =
    [("", "", None), ("64 × 2", "8 × 1", None), ("64 × 2", "", None), ("", "", Some(4_096))];
const DEVICES: [&str; 3] = ["one", "one", "two"];

#[derive(Clone, Debug)]
struct Seed {
    name: usize,
    queue: usize,
    delay: u64,
    duration: u64,
    size: usize,
    /// Length of the submission in ns; 0 for none.
    submission: u64,
    /// Handle of the launched kernel, which may be reused, and the build time of a program of its own, 0 without one.
    kernel: u64,
    build: u64,
}

fn run(seeds: &[Seed]) -> Trace {
    let mut builder = TraceBuilder::new();
    let mut push = |event: Event<'_>| builder.event(&event);
    let location = SourceLocation::default();
    push(Event::Track(Track { track: 1, parent: None, kind: TrackKind::Thread, name: "main", tid: 5 }));
    for (queue, device) in (1..).zip(DEVICES) {
        let (at, order) = (Timestamp(0), QueueOrder::OutOfOrder);
        let device_handle = device.as_bytes()[0].into();
        push(Event::Queue(Queue {
            queue,
            at,
            runtime_id: 0,
            handle: queue,
            order,
            device,
            device_type: "GPU",
            device_handle,
            context: 1,
        }));
    }
    let mut now = 0;
    for (node, seed) in (1..).zip(seeds) {
        let Seed { name, queue, delay, duration, size, submission, kernel, build } = *seed;
        let (name, queue) = (NAMES[name], queue as u64 + 1);
        let (global, local, bytes) = SIZES[size];
        let mut args: Vec<(&str, Value<'_>)> = Vec::new();
        args.extend(bytes.map(|bytes| ("bytes", Value::Uint(bytes))));
        args.extend((!global.is_empty()).then_some(("global_size", Value::Str(global))));
        args.extend((!local.is_empty()).then_some(("local_size", Value::Str(local))));
        // Half of the commands have the size in the arguments of the node.
        let (of_node, of_execution) = if node % 2 == 0 { (&args[..], &[][..]) } else { (&[][..], &args[..]) };
        let kind = if bytes.is_some() { NodeKind::Copy } else { NodeKind::Kernel };
        let at = Timestamp(now);
        let tid = 5;
        push(Event::Node(Node { node, at, kind, name, queue: Some(queue), tid, location, args: of_node }));
        let mut call = |name: &str, node: Option<u64>, length: u64, handles: &[(&str, u64)]| {
            let category =
                if node.is_some() && handles.is_empty() { Category::Submission } else { Category::Call };
            let args: Vec<_> = handles.iter().map(|(key, handle)| (*key, Value::Pointer(*handle))).collect();
            let (at, end) = (Timestamp(now), Timestamp(now + length));
            let begin = now;
            now += length + 1;
            push(Event::SliceBegin(SliceBegin { track: 1, at, category, name, node, location, args: &args }));
            push(Event::SliceEnd(SliceEnd { track: 1, at: end, args: &[] }));
            begin
        };
        if build > 0 {
            let program = 100 + build % 3;
            call("urProgramCreateWithIL", None, 1, &[("phProgram", program)]);
            call("urProgramBuildExp", None, 1, &[("hProgram", program)]);
            call("urProgramBuild", None, build, &[("hProgram", program)]);
            call("urKernelCreate", None, 1, &[("hProgram", program), ("phKernel", kernel)]);
        }
        let mut begin = call("urEnqueueKernelLaunch", Some(node), 1, &[("hKernel", kernel)]);
        if submission > 0 {
            begin = call(name, Some(node), submission, &[]);
        }
        let start = begin + submission + delay;
        push(Event::Execution(Execution {
            node,
            queue,
            kind,
            name,
            queued: None,
            submitted: None,
            start: Timestamp(start),
            end: Timestamp(start + duration),
            args: of_execution,
        }));
    }
    builder.event(&Event::Finish { at: Timestamp(now + 1) });
    builder.build()
}

fn seeds() -> impl Strategy<Value = Vec<Seed>> {
    let duration = prop_oneof![Just(0), 0..20_u64, 500..700_u64, 0..1_000_000_u64, Just(40_000_000_000)];
    let seed = (0..2_usize, 0..3_usize, 0..50_u64, duration, 0..4_usize, 0..40_u64, 0..3_u64, 0..9_u64);
    let seed = seed.prop_map(|(name, queue, delay, duration, size, submission, kernel, build)| Seed {
        name,
        queue,
        delay,
        duration,
        size,
        submission,
        kernel,
        build: build.saturating_sub(4),
    });
    prop::collection::vec(seed, 0..40)
}

fn stats(executions: &[&SliceDetail]) -> ExecutionStats {
    let of = |rank: usize, mut values: Vec<u64>| {
        values.sort_unstable();
        values.get((values.len() * rank).div_ceil(100).saturating_sub(1)).copied()
    };
    let durations: Vec<u64> = executions.iter().map(|one| one.at.duration_ns).collect();
    let submissions = executions.iter().filter_map(|one| Some(one.node.as_ref()?.submission?.duration_ns));
    ExecutionStats {
        count: durations.len() as u64,
        total_ns: durations.iter().sum(),
        min_ns: durations.iter().min().copied().unwrap_or_default(),
        p50_ns: of(50, durations.clone()).unwrap_or_default(),
        p95_ns: of(95, durations.clone()).unwrap_or_default(),
        max_ns: durations.iter().max().copied().unwrap_or_default(),
        submission_p50_ns: of(50, submissions.collect()),
    }
}

/// Returns the first execution on each queue, by start.
fn firsts<'d>(executions: &[&'d SliceDetail]) -> Vec<&'d SliceDetail> {
    let mut firsts: Vec<&SliceDetail> = Vec::new();
    let mut in_order = executions.to_vec();
    in_order.sort_by_key(|one| (one.at.start_ns, one.at.slice));
    for one in in_order {
        if firsts.iter().all(|first| first.at.track != one.at.track) {
            firsts.push(one);
        }
    }
    firsts
}

fn handle(slice: &SliceDetail, key: &str) -> Option<String> {
    slice.args.iter().find(|(name, _)| name == key).map(|(_, value)| value.to_string())
}

/// Returns the calls that built the programs of first executions, by a search backwards from each.
fn builds(details: &[SliceDetail], firsts: &[&SliceDetail]) -> Vec<SliceRef> {
    let mut calls: Vec<&SliceDetail> = details.iter().filter(|one| one.category == Category::Call).collect();
    calls.sort_by_key(|one| one.at.start_ns);
    let mut found: Vec<SliceRef> = Vec::new();
    for first in firsts {
        let node = first.node.as_ref().unwrap().id;
        let is_launch = |one: &&SliceDetail| {
            one.name == "urEnqueueKernelLaunch" && one.node.as_ref().is_some_and(|other| other.id == node)
        };
        let Some(launch) = calls.iter().position(is_launch) else { continue };
        let kernel = handle(calls[launch], "hKernel");
        let Some(made) = calls[..launch].iter().rposition(|one| handle(one, "phKernel") == kernel) else {
            continue;
        };
        let program = handle(calls[made], "hProgram");
        let since = calls[..made].iter().rposition(|one| handle(one, "phProgram") == program).unwrap();
        let builds = calls[since..launch].iter().filter(|one| one.name.contains("Build"));
        found.extend(builds.filter(|one| handle(one, "hProgram") == program).map(|one| one.at));
    }
    found.sort_by_key(|at| at.start_ns);
    found.dedup();
    found
}

fn size(slice: &SliceDetail) -> (String, String, Option<u64>) {
    let args = slice.args.iter().chain(slice.node.iter().flat_map(|node| &node.args));
    let mut size = (String::new(), String::new(), None);
    for (key, value) in args {
        match (key.as_str(), value) {
            ("global_size", ArgValue::Str(text)) => size.0.clone_from(text),
            ("local_size", ArgValue::Str(text)) => size.1.clone_from(text),
            ("bytes", ArgValue::Uint(bytes)) => size.2 = Some(*bytes),
            _ => {}
        }
    }
    size
}

fn check_bins(bins: &DurationBins, executions: &[&SliceDetail], firsts: &[&SliceDetail]) {
    let durations = |slices: &[&SliceDetail]| slices.iter().map(|one| one.at.duration_ns).collect::<Vec<_>>();
    let (all, first) = (durations(executions), durations(firsts));
    let (least, most) = (all.iter().min().unwrap(), all.iter().max().unwrap());
    assert_eq!(bins.is_logarithmic, *most >= 4 * (*least).max(1));
    assert_eq!(bins.edges_ns.len(), bins.counts.len() + 1);
    assert!(bins.counts.len() <= 64 && bins.edges_ns.is_sorted_by(|one, next| one < next));
    assert!(bins.counts.first() > Some(&0) && bins.counts.last() > Some(&0));
    for (bin, edges) in bins.edges_ns.windows(2).enumerate() {
        let within = |values: &[u64]| {
            values.iter().filter(|value| (edges[0]..edges[1]).contains(value)).count() as u64
        };
        assert_eq!((bins.counts[bin], bins.first[bin]), (within(&all), within(&first)));
    }
    let widths: Vec<u64> = bins.edges_ns.windows(2).map(|edges| edges[1] - edges[0]).collect();
    assert!(widths.is_sorted());
    assert!(bins.is_logarithmic || widths.first() == widths.last());
}

fn check_points(points: &ExecutionPoints, executions: &[&SliceDetail], bins: &DurationBins, most: usize) {
    assert_eq!(points.count.iter().sum::<u64>(), executions.len() as u64);
    assert!(points.start_ns.is_sorted());
    let told = |place: usize| {
        let found = executions.iter().find(|one| one.at.slice == points.slice[place]).unwrap();
        assert_eq!(
            (points.start_ns[place], points.duration_ns[place]),
            (found.at.start_ns, found.at.duration_ns)
        );
        *found
    };
    let shown: Vec<&SliceDetail> = (0..points.slice.len()).map(told).collect();
    if executions.len() <= most {
        assert_eq!(shown.len(), executions.len());
        return;
    }
    assert!(shown.len() <= most.max(bins.counts.len()));
    // A point is the longest execution of its cell.
    let begin = executions.iter().map(|one| one.at.start_ns).min().unwrap();
    let end = executions.iter().map(|one| one.at.start_ns).max().unwrap();
    let columns = (most / bins.counts.len()).max(1) as u64;
    let width = (end - begin + 1).div_ceil(columns);
    let mut cells: BTreeMap<(u64, usize), Vec<&SliceDetail>> = BTreeMap::new();
    for one in executions {
        let bin = bins.edges_ns.iter().rposition(|edge| *edge <= one.at.duration_ns).unwrap();
        cells.entry(((one.at.start_ns - begin) / width, bin)).or_default().push(one);
    }
    let mut expected: Vec<(u32, u64)> = cells
        .into_values()
        .map(|cell| {
            let longest = cell.iter().rev().max_by_key(|one| one.at.duration_ns).unwrap();
            (longest.at.slice, cell.len() as u64)
        })
        .collect();
    let mut found: Vec<(u32, u64)> = points.slice.iter().copied().zip(points.count.iter().copied()).collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_profile_holds_what_a_scan_finds(
        seeds in seeds(),
        name in 0..2_usize,
        (from, to) in prop_oneof![
            Just((0, u64::MAX)),
            (0..300_u64, 0..300_u64).prop_map(|(from, long)| (from, from + long))
        ],
        limit in 0..5_usize,
        most in 1..60_usize,
    ) {
        let trace = run(&seeds);
        let details = crate::brute_force::details(&trace);
        let in_range = |slice: &&SliceDetail| {
            let (start, end) = (slice.at.start_ns, slice.at.start_ns + slice.at.duration_ns);
            from < to && start < to && (end > from || start >= from)
        };
        let runs_on_device = |slice: &&SliceDetail| matches!(slice.category, Category::Kernel | Category::Copy);
        let executions: Vec<&SliceDetail> = details
            .iter()
            .filter(|slice| slice.name == NAMES[name])
            .filter(runs_on_device)
            .filter(in_range)
            .collect();
        let text = format!("kernel?name={}&from={from}&to={to}&points={most}&limit={limit}", NAMES[name]);
        let told: KernelProfile = ask(&trace, &text);
        if executions.is_empty() {
            prop_assert_eq!(told, KernelProfile::default());
            return Ok(());
        }
        prop_assert_eq!(told.kind, Some(executions[0].node.as_ref().unwrap().kind));
        prop_assert_eq!(told.all, stats(&executions));
        let firsts = firsts(&executions);
        let is_first = |slice: &SliceDetail| firsts.iter().any(|first| first.at.slice == slice.at.slice);
        let later: Vec<&SliceDetail> = executions.iter().copied().filter(|one| !is_first(one)).collect();
        prop_assert_eq!((told.first, told.later), (stats(&firsts), stats(&later)));
        let mut builds = builds(&details, &firsts);
        prop_assert_eq!(told.build_ns, builds.iter().map(|at| at.duration_ns).sum::<u64>());
        builds.truncate(limit);
        prop_assert_eq!(told.builds, builds);
        check_bins(&told.bins, &executions, &firsts);
        check_points(&told.points, &executions, &told.bins, most);

        let device = |track: u32| DEVICES[trace.info().queues.iter().position(|queue| queue.track == track).unwrap()];
        let mut devices = Vec::new();
        let mut queues: Vec<QueueExecutions> = firsts
            .iter()
            .map(|first| {
                let is_new = !devices.contains(&device(first.at.track));
                devices.push(device(first.at.track));
                let node = first.node.as_ref().unwrap();
                let on_it: Vec<_> = executions.iter().copied().filter(|one| one.at.track == first.at.track).collect();
                QueueExecutions {
                    first: first.at,
                    is_first_on_device: is_new,
                    submission_ns: node.submission.map(|submission| submission.duration_ns),
                    stats: stats(&on_it),
                }
            })
            .collect();
        queues.sort_by_key(|queue| std::cmp::Reverse(queue.stats.total_ns));
        prop_assert_eq!(told.more_queues as usize, queues.len().saturating_sub(limit));
        queues.truncate(limit);
        prop_assert_eq!(told.queues, queues);

        let mut sizes: BTreeMap<_, Vec<&SliceDetail>> = BTreeMap::new();
        for one in &executions {
            sizes.entry(size(one)).or_default().push(one);
        }
        let mut sizes: Vec<SizeExecutions> = sizes
            .into_iter()
            .map(|((global, local, bytes), slices)| {
                let longest = slices.iter().rev().max_by_key(|one| one.at.duration_ns).unwrap().at;
                SizeExecutions { global, local, bytes, longest, stats: stats(&slices) }
            })
            .collect();
        sizes.sort_by_key(|size| std::cmp::Reverse(size.stats.total_ns));
        prop_assert_eq!(told.more_sizes as usize, sizes.len().saturating_sub(limit));
        sizes.truncate(limit);
        prop_assert_eq!(told.sizes, sizes);
    }
}

#[test]
fn what_never_ran_has_an_empty_profile() {
    let told: KernelProfile = ask(&TraceBuilder::new().build(), "kernel?name=gemm");
    assert_eq!(told, KernelProfile::default());
}

#[test]
fn kernels_of_other_tools_are_known_by_their_category() {
    let mut builder = TraceBuilder::new();
    let location = SourceLocation::default();
    builder.event(&Event::Track(Track {
        track: 1,
        parent: None,
        kind: TrackKind::Thread,
        name: "t",
        tid: 1,
    }));
    for (at, category) in [(0, Category::Kernel), (10, Category::User), (20, Category::Kernel)] {
        let args = &[("grid", Value::Str("[32,1,1]")), ("block", Value::Str("[64,1,1]"))];
        let (name, node) = ("gemm", None);
        let begin = SliceBegin { track: 1, at: Timestamp(at), category, name, node, location, args };
        builder.event(&Event::SliceBegin(begin));
        builder.event(&Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(at + 5), args: &[] }));
    }
    let told: KernelProfile = ask(&builder.build(), "kernel?name=gemm");
    assert_eq!((told.kind, told.all.count, told.queues.len()), (None, 2, 1));
    assert_eq!((told.sizes[0].global.as_str(), told.sizes[0].local.as_str()), ("2048 × 1 × 1", "64 × 1 × 1"));
}
