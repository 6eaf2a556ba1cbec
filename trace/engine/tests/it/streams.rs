//! Data of a device's streams: nodes of command graphs and work outside of SYCL count like all device work.

use std::collections::BTreeMap;

use proptest::prelude::*;
use syclscope_engine::compare::{Comparing, Group};
use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::{ActivityKind, Report, StepKind};
use syclscope_language::event::{
    Category, Event, Fact, FactKind, GraphRun, HandleDirection, NativeHandle, NodeKind, Ownership,
    QueueOrder, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::question::{KernelQuestion, ListQuestion, Selection, SliceOrder, WhatIfQuestion};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run};

/// Tracks of the streams of the device, which all queues of a simulated run share.
pub(crate) const STREAMS: [u64; 2] = [71, 72];

pub(crate) fn with_streams(order: QueueOrder) -> Run {
    let mut run = Run::new(order);
    for stream in STREAMS {
        let name = format!("stream {} · device", stream - 60);
        run.event(&Event::Track(Track {
            track: stream,
            parent: None,
            kind: TrackKind::Other,
            name: &name,
            tid: 0,
        }));
    }
    run
}

#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) stream: u64,
    pub(crate) kind: NodeKind,
    pub(crate) name: &'static str,
    pub(crate) ran: (u64, u64),
}

pub(crate) fn piece(run: &mut Run, node: Option<u64>, piece: &Piece) {
    let Piece { stream, kind, name, ran: (start, end) } = piece.clone();
    let copy = [("bytes", Value::Uint(100)), ("direction", Value::Str("host → device"))];
    let args = if kind == NodeKind::Copy { &copy[..] } else { &[] };
    let (category, location) = (kind.category(), SourceLocation::default());
    run.event(&Event::SliceBegin(SliceBegin {
        track: stream,
        at: Timestamp(start),
        category,
        name,
        node,
        location,
        args,
    }));
    run.event(&Event::SliceEnd(SliceEnd { track: stream, at: Timestamp(end), args: &[] }));
}

/// Adds a command graph's command, its execution and its run, with the pieces that streams report.
pub(crate) fn graph_run(run: &mut Run, node: u64, pieces: &[Piece]) {
    let start = pieces.iter().map(|piece| piece.ran.0).min().unwrap_or(0);
    let end = pieces.iter().map(|piece| piece.ran.1).max().unwrap_or(0);
    let (kind, name, at) = (NodeKind::CommandGraph, "command graph", start.saturating_sub(50));
    run.submit(Command { node, kind, name, at, ran: (start, end), ..Command::default() });
    run.event(&Event::GraphRun(GraphRun { graph: 1, at: Timestamp(at), node }));
    pieces.iter().for_each(|one| piece(run, Some(node), one));
}

fn device_times(run: &mut Run, value: &str) {
    let (at, kind, name) = (Timestamp(0), FactKind::Setting, "device times");
    run.event(&Event::Fact(Fact { at, kind, name, value }));
}

/// Returns the time in which at least one of some spans lasts, and the maximum number of spans at a moment.
fn covered(spans: &[(u64, u64)]) -> (u64, u64) {
    let mut changes: Vec<(u64, i64)> =
        spans.iter().flat_map(|(start, end)| [(*start, 1), (*end, -1)]).collect();
    changes.sort_unstable();
    let (mut ns, mut most, mut running, mut since) = (0, 0, 0_i64, 0);
    for (at, by) in changes {
        ns += if running > 0 { at - since } else { 0 };
        (running, since) = (running + by, at);
        most = most.max(running);
    }
    (ns, most as u64)
}

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let kinds = [
        (NodeKind::Kernel, "step"),
        (NodeKind::Kernel, "sum"),
        (NodeKind::Copy, "copy"),
        (NodeKind::Fill, "fill"),
    ];
    let one = (0..2_usize, prop::sample::select(kinds.to_vec()), 1..40_u64, 0..20_u64);
    prop::collection::vec(one, 1..9).prop_map(|all| {
        // Pieces of a stream do not overlap.
        let mut free = [1_000_u64; 2];
        let mut pieces = Vec::new();
        for (stream, (kind, name), length, gap) in all {
            let start = free[stream] + gap;
            free[stream] = start + length;
            pieces.push(Piece { stream: STREAMS[stream], kind, name, ran: (start, start + length) });
        }
        pieces
    })
}

/// Counts and times by name and kind.
type Table = BTreeMap<(String, NodeKind), (u64, u64)>;

fn table(report: &Report) -> Table {
    let row = |row: &syclscope_language::api::CommandReport| {
        ((row.name.clone(), row.kind), (row.count, row.total_ns))
    };
    report.commands.iter().map(row).collect()
}

proptest! {
    #[test]
    fn device_work_is_what_streams_tell(graph in pieces(), native in pieces(), is_in_order: bool) {
        let mut run = with_streams(if is_in_order { QueueOrder::InOrder } else { QueueOrder::OutOfOrder });
        graph_run(&mut run, 1, &graph);
        // A command of one piece, which its execution represents.
        let single = Piece { stream: STREAMS[0], kind: NodeKind::Kernel, name: "single", ran: (3_000, 3_010) };
        run.submit(Command { node: 2, name: "single", at: 2_900, ran: single.ran, ..Command::default() });
        piece(&mut run, Some(2), &single);
        let mut native = native;
        native.iter_mut().for_each(|one| one.ran = (one.ran.0 + 3_000, one.ran.1 + 3_000));
        native.iter().for_each(|one| piece(&mut run, None, one));
        let trace = run.trace();
        let all: Vec<Piece> = graph.iter().chain([&single]).chain(&native).cloned().collect();
        let spans = |wanted: &dyn Fn(&Piece) -> bool| -> Vec<(u64, u64)> {
            all.iter().filter(|one| wanted(one)).map(|one| one.ran).collect()
        };
        let mut expected = Table::new();
        for one in &all {
            let row = expected.entry((one.name.to_owned(), one.kind)).or_default();
            *row = (row.0 + 1, row.1 + one.ran.1 - one.ran.0);
        }
        let report = trace.report();
        prop_assert_eq!(table(&report), expected.clone());
        prop_assert_eq!(report.covered.device_ns, covered(&spans(&|_| true)).0);
        prop_assert_eq!(report.split.device_ns + report.split.copy_ns, report.covered.device_ns);
        let kernels = covered(&spans(&|one| one.kind == NodeKind::Kernel));
        prop_assert_eq!((report.concurrency.kernel_ns, report.concurrency.max_kernels), kernels);
        let in_flight = trace.activity().iter().filter(|counter| counter.kind == ActivityKind::KernelsInFlight);
        prop_assert_eq!(in_flight.map(|counter| counter.max as u64).collect::<Vec<_>>(), [kernels.1]);
        let copies = spans(&|one| one.kind == NodeKind::Copy);
        let told: Vec<_> = report.copies.iter().map(|copy| (copy.from.as_str(), copy.to.as_str(), copy.count, copy.bytes)).collect();
        let count = copies.len() as u64;
        prop_assert_eq!(told, if count == 0 { vec![] } else { vec![("host", "device", count, 100 * count)] });
        // All work has recorded times, and the graph's pieces are short.
        let [said] = &report.unseen[..] else { panic!("{:?}", report.unseen) };
        prop_assert!(said.starts_with("1 execution of command graphs with device times of each"), "{}", said);
        let info = trace.info();
        prop_assert_eq!(info.counts.executions, all.len() as u64 + 1);
        prop_assert_eq!(info.kernels.iter().map(|kernel| kernel.count).sum::<u64>(), all.len() as u64);
        prop_assert_eq!(info.counts.launches, expected.iter().filter(|((_, kind), _)| *kind == NodeKind::Kernel).map(|(_, row)| row.0).sum::<u64>());
        for ((name, kind), (count, total_ns)) in expected {
            let page = trace.kernel(&KernelQuestion::new(&name)).unwrap();
            prop_assert_eq!((page.kind, page.all.count, page.all.total_ns), (Some(kind), count, total_ns));
        }
        let listed = |filter: &str| {
            let selection = Selection { filter: filter.parse().unwrap(), ..Selection::default() };
            trace.slices(&ListQuestion { selection, sort: SliceOrder::Start, offset: 0, limit: 9, args: false }).unwrap().total
        };
        prop_assert_eq!(listed("name=single category:kernel"), 1);
        prop_assert_eq!(listed("name=single track:\"stream 11\""), 1);
        let busy: u64 = report.queues.iter().map(|queue| queue.busy_ns).sum();
        // A stream does one thing at a time; its work outside of SYCL has a queue of its own.
        let native: u64 = native.iter().map(|one| one.ran.1 - one.ran.0).sum();
        prop_assert_eq!(busy, covered(&graph.iter().map(|one| one.ran).collect::<Vec<_>>()).0 + 10 + native);
    }

    #[test]
    fn the_path_goes_through_the_pieces_of_a_graph(graph in pieces()) {
        let mut run = with_streams(QueueOrder::InOrder);
        graph_run(&mut run, 1, &graph);
        let spans: Vec<(u64, u64)> = graph.iter().map(|one| one.ran).collect();
        let (start, end) = (spans.iter().map(|span| span.0).min().unwrap(), spans.iter().map(|span| span.1).max().unwrap());
        run.wait_for_queue(1, start - 30, end + 10);
        let trace = run.trace();
        let path = trace.critical_path();
        prop_assert_eq!(path.length_ns, trace.info().duration_ns);
        prop_assert_eq!(path.device_ns, covered(&spans).0);
        let steps = path.steps.iter().filter(|step| step.kind == StepKind::Command);
        prop_assert!(steps.clone().all(|step| graph.iter().any(|one| one.name == step.name)));
        prop_assert_eq!(steps.map(|step| step.duration_ns).sum::<u64>(), path.device_ns);
    }

    #[test]
    fn the_path_goes_through_native_work_that_a_thread_waited_for(native in pieces(), end in 1_020..1_400_u64) {
        let mut run = with_streams(QueueOrder::InOrder);
        run.submit(Command { node: 1, at: 0, ran: (100, 200), ..Command::default() });
        native.iter().for_each(|one| piece(&mut run, None, one));
        let begin = 1_010;
        run.slice(Category::Native, "cuStreamSynchronize", begin, end, None, &[]);
        let trace = run.trace();
        let path = trace.critical_path();
        prop_assert_eq!(path.length_ns, trace.info().duration_ns);
        let mut at = 0;
        for step in &path.steps {
            prop_assert_eq!(step.start_ns, Some(at), "{:?}", step);
            at += step.duration_ns;
        }
        // The work that ended before the end of the wait, and the work after all recorded events of SYCL.
        let of = |from: u64, to: u64| {
            let over = native.iter().map(|one| one.ran).filter(|ran| ran.1 > from && ran.1 <= to);
            covered(&over.map(|ran| (ran.0.max(from), ran.1)).collect::<Vec<_>>()).0
        };
        prop_assert_eq!(path.wait_ns, end - begin - of(begin, end));
        let steps = path.steps.iter().filter(|step| step.kind == StepKind::Command && step.node.is_none());
        let named = |name: &str| native.iter().any(|one| one.name == name);
        prop_assert!(steps.clone().all(|step| named(&step.name) && step.at.is_some()));
        prop_assert_eq!(steps.map(|step| step.duration_ns).sum::<u64>(), of(begin, end) + of(end, u64::MAX));
    }

    #[test]
    fn a_kernel_of_a_graph_that_takes_no_time_saves_what_ran_beside_nothing(graph in pieces()) {
        let mut run = with_streams(QueueOrder::InOrder);
        graph_run(&mut run, 1, &graph);
        let trace = run.trace();
        let kernel = graph.iter().any(|one| one.name == "step").then(|| "step".to_owned());
        let question = WhatIfQuestion { kernel, faster: Some("1000000".parse().unwrap()), ..WhatIfQuestion::default() };
        let answer = trace.what_if(&question).unwrap();
        let is_step = |one: &&Piece| one.name == "step";
        let spans = |wanted: bool| graph.iter().filter(|one| is_step(one) == wanted).map(|one| one.ran).collect::<Vec<_>>();
        let all: Vec<(u64, u64)> = graph.iter().map(|one| one.ran).collect();
        let alone = covered(&all).0 - covered(&spans(false)).0;
        prop_assert_eq!(answer.path_ns - answer.changed_path_ns, alone);
        prop_assert_eq!(answer.changed, spans(true).len() as u64);
        let of_all: u64 = all.iter().map(|(start, end)| end - start).sum();
        prop_assert_eq!(answer.device_ns, of_all);
    }
}

/// Returns consecutive kernels of a graph, each of the same length.
pub(crate) fn kernels(count: u64, name: &'static str, length: u64) -> Vec<Piece> {
    let ran = |number: u64| (1_000_000 + number * length, 1_000_000 + (number + 1) * length);
    (0..count)
        .map(|number| Piece { stream: STREAMS[0], kind: NodeKind::Kernel, name, ran: ran(number) })
        .collect()
}

#[test]
fn a_comparison_has_the_kernels_of_graphs() {
    let of = |count, length| {
        let mut run = with_streams(QueueOrder::InOrder);
        graph_run(&mut run, 1, &kernels(count, "step", length));
        run.trace()
    };
    let (a, b) = (of(20, 100), of(30, 200));
    let comparison = Comparing::new(Group::single("a", &a), Group::single("b", &b)).overview(usize::MAX);
    let side = |side: &syclscope_language::api::RowSide| {
        (side.name == "step").then_some((side.count, side.total_ns))
    };
    let row = comparison.rows.iter().find_map(|row| Some((side(row.a.as_ref()?)?, side(row.b.as_ref()?)?)));
    assert_eq!(row, Some(((20, 2_000), (30, 6_000))));
    assert_eq!(
        [comparison.a.commands, comparison.b.commands],
        [a.info().counts.commands, b.info().counts.commands]
    );
}

#[test]
fn a_device_that_runs_graphs_is_busy() {
    let mut run = with_streams(QueueOrder::InOrder);
    run.queue(2, QueueOrder::InOrder, 0xd2, "CPU");
    graph_run(&mut run, 1, &kernels(20, "step", 100_000));
    let report = run.trace().report();
    let found: Vec<_> = report.findings.iter().map(|found| (found.kind.as_str(), found.count)).collect();
    assert_eq!(found, [("device_left_idle", 20)]);
    let gain = report.findings[0].gain.as_ref().map(|gain| gain.ns);
    assert_eq!(gain, Some(1_000_000), "half of the graph's time");
}

#[test]
fn a_native_command_is_the_work_that_it_gave() {
    let mut run = with_streams(QueueOrder::InOrder);
    run.submit(Command {
        node: 1,
        kind: NodeKind::Other,
        name: "unknown",
        at: 0,
        ran: (100, 200),
        ..Command::default()
    });
    for (start, end) in [(100, 120), (150, 200)] {
        let one = Piece { stream: STREAMS[0], kind: NodeKind::Kernel, name: "own", ran: (start, end) };
        piece(&mut run, Some(1), &one);
    }
    let report = run.trace().report();
    assert_eq!(table(&report), Table::from([(("own".to_owned(), NodeKind::Kernel), (2, 70))]));
    assert_eq!((report.covered.device_ns, report.split.idle.between_ns), (70, 30));
    assert_eq!(report.queues[0].busy_ns, 70);
}

#[test]
fn native_work_that_nobody_tells_of_is_no_idle_time() {
    let said = |source: &str, takes: bool| {
        let mut run = Run::new(QueueOrder::InOrder);
        device_times(&mut run, source);
        run.submit(Command { node: 1, at: 0, ran: (100, 200), ..Command::default() });
        if takes {
            run.event(&Event::NativeHandle(NativeHandle {
                object: "queue",
                at: Timestamp(20),
                handle: 1,
                native: 2,
                direction: HandleDirection::Leaves,
                ownership: Ownership::Other,
                tid: 1,
                location: SourceLocation::default(),
            }));
        }
        run.trace().report().unseen.concat()
    };
    assert!(
        said("the runtime's events, because no libcupti.so was found", true)
            .contains("gave the driver itself")
    );
    assert!(said("", true).contains("gave the driver itself"));
    assert_eq!(said("", false), "");
    assert_eq!(said("CUPTI (API 28)", true), "");
}

/// Returns the kernels' own readings of the device's clock, by start, in ns from the start of the recording.
fn stamped(truth: &str) -> Vec<(u64, u64)> {
    let lines = truth.lines().filter(|line| !line.starts_with('#'));
    let mut kernels: Vec<(u64, u64)> = lines
        .map(|line| {
            let (start, end) = line.split_once(',').unwrap();
            (start.parse().unwrap(), end.parse().unwrap())
        })
        .collect();
    kernels.sort_unstable();
    kernels
}

fn kernels_of(trace: &Trace, name: &str) -> Vec<(u64, u64)> {
    let detail = |slice: u32| trace.slice(slice).ok();
    let mut kernels: Vec<(u64, u64)> = (0..trace.info().counts.executions as u32)
        .filter_map(detail)
        .filter(|slice| slice.name == name && slice.category == Category::Kernel)
        .map(|slice| (slice.at.start_ns, slice.at.start_ns + slice.at.duration_ns))
        .collect();
    kernels.sort_unstable();
    kernels
}

/// Largest distance between a kernel's own readings and CUPTI's times, of its start and of its end.
const TOLERANCE_NS: u64 = 1_500;

#[test]
fn kernels_of_a_real_gpu_are_where_they_stamped_the_clock() {
    let files: [(&[u8], &str, &str, u64); 2] = [
        (
            include_bytes!("../data/gpu/graph-nodes.json.gz"),
            include_str!("../data/gpu/graph-nodes.truth.csv"),
            "gst",
            4,
        ),
        (
            include_bytes!("../data/gpu/native.pftrace.gz"),
            include_str!("../data/gpu/native.truth.csv"),
            "st",
            2,
        ),
    ];
    for (bytes, truth, name, at_once) in files {
        let trace = import::open(bytes).unwrap();
        let (truth, told) = (stamped(truth), kernels_of(&trace, name));
        assert_eq!(told.len(), truth.len(), "{name}");
        let near = |one: u64, other: u64| one.abs_diff(other) <= TOLERANCE_NS;
        let begins = told.iter().zip(&truth).all(|(told, truth)| near(told.0, truth.0));
        assert!(begins, "{name}");
        let ends = |kernels: &[(u64, u64)]| {
            let mut ends: Vec<u64> = kernels.iter().map(|kernel| kernel.1).collect();
            ends.sort_unstable();
            ends
        };
        assert!(ends(&told).into_iter().zip(ends(&truth)).all(|(told, truth)| near(told, truth)), "{name}");
        let report = trace.report();
        assert_eq!(report.concurrency.max_kernels, at_once, "{name}");
        assert_eq!(covered(&truth).1, at_once, "{name}");
        let unseen = report.unseen.iter().filter(|said| !said.contains("with device times of each kernel"));
        assert_eq!(unseen.count(), 0, "{name}: {:?}", report.unseen);
        assert_eq!(report.unseen.len(), usize::from(name == "gst"), "{name}: {:?}", report.unseen);
        let kernels: u64 = report.commands.iter().filter(|row| row.name == name).map(|row| row.count).sum();
        assert_eq!(kernels, truth.len() as u64);
    }
}
