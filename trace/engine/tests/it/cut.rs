//! Copies of a part of a trace's time: they contain the content of that part, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use syclscope_engine::budget::Budget;
use syclscope_engine::convert::is_own;
use syclscope_engine::cut::{self, Cutting, Look, Part};
use syclscope_engine::emit::emit;
use syclscope_engine::export::Exporter as _;
use syclscope_engine::import::{self, Importer};
use syclscope_engine::store::Trace;
use syclscope_language::event::{Event, EventSink, Value};
use syclscope_language::formats::Format;

const RECORDINGS: &[&str] =
    &["command_graph", "diamond", "graphs", "heat", "images", "leaks-twice", "transfers"];
const FOREIGN: &[&str] = &["chrome-cut.json", "jax-gpu.json", "pytorch-streams.json.gz", "unitrace.json"];

fn files() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    let root = env!("CARGO_MANIFEST_DIR");
    let own =
        RECORDINGS.iter().map(move |name| (*name, format!("{root}/../../e2e/traces/{name}.pftrace.gz")));
    let foreign = FOREIGN.iter().map(move |name| (*name, format!("{root}/tests/data/foreign/{name}")));
    own.chain(foreign).map(|(name, path)| (name, std::fs::read(path).unwrap()))
}

fn cut(file: &[u8], trace: &Trace, part: Part) -> Vec<u8> {
    let mut copy = Vec::new();
    if !is_own(file).unwrap() {
        cut::write(trace, part, Format::Perfetto, Box::new(&mut copy)).unwrap();
        return copy;
    }
    let mut look = Look::new(part, Budget::unlimited());
    look.feed(file).unwrap();
    let plan = look.finish().unwrap();
    let mut cutting = Cutting::new(&plan, Format::Perfetto, Box::new(&mut copy), Budget::unlimited());
    cutting.feed(file).unwrap();
    cutting.finish().unwrap().unwrap();
    copy
}

/// Named content, with its start and end.
type Named = (String, u64, u64);

#[derive(Default)]
struct Shown {
    open: BTreeMap<u64, Vec<(String, u64)>>,
    all: Vec<Named>,
    end: u64,
    /// Commands: time of their creation, their names, and the texts in their arguments.
    nodes: BTreeMap<u64, (u64, Vec<String>)>,
    runs: Vec<(u64, u64, u64)>,
    /// Nodes of the commands of each command graph.
    commands: BTreeMap<u64, Vec<u64>>,
    /// Runs of command graphs: graph, node and time.
    graph_runs: Vec<(u64, u64, u64)>,
}

impl EventSink for Shown {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::SliceBegin(slice) => {
                self.open.entry(slice.track).or_default().push((slice.name.to_owned(), slice.at.0));
            }
            Event::SliceEnd(end) => {
                if let Some((name, start)) = self.open.get_mut(&end.track).and_then(Vec::pop) {
                    self.all.push((name, start, end.at.0));
                }
            }
            Event::Instant(instant) => self.all.push((instant.name.to_owned(), instant.at.0, instant.at.0)),
            Event::Execution(run) => {
                self.all.push((run.name.to_owned(), run.start.0, run.end.0));
                self.runs.push((run.node, run.start.0, run.end.0));
            }
            Event::Node(node) => {
                let texts = node.args.iter().filter_map(|(_, value)| match value {
                    Value::Str(text) => Some((*text).to_owned()),
                    _ => None,
                });
                let texts = [node.name.to_owned()].into_iter().chain(texts).collect();
                self.nodes.insert(node.node, (node.at.0, texts));
            }
            Event::GraphCommand(command) => {
                self.commands.entry(command.graph).or_default().push(command.node);
            }
            Event::GraphRun(run) => self.graph_runs.push((run.graph, run.node, run.at.0)),
            Event::Finish { at } => self.end = at.0,
            _ => {}
        }
    }
}

impl Shown {
    fn of_file(file: &[u8]) -> Self {
        let mut importer = Importer::new(Self::default());
        importer.feed(file).unwrap();
        importer.finish().unwrap().0.whole()
    }

    fn of_trace(trace: &Trace) -> Self {
        let mut shown = Self::default();
        emit(trace, &mut shown);
        shown.whole()
    }

    /// Returns the log with everything that had not ended at the end of the recording.
    fn whole(mut self) -> Self {
        for (name, start) in std::mem::take(&mut self.open).into_values().flatten() {
            self.all.push((name, start, u64::MAX));
        }
        self.all.sort();
        self
    }

    fn between(&self, from: u64, to: u64) -> Vec<Named> {
        let meets = |start: u64, end: u64| (from..to).contains(&start) || start < from && end > from;
        let seen = self.all.iter().filter(|(_, start, end)| meets(*start, *end));
        let mut seen: Vec<Named> = seen
            .map(|(name, start, end)| {
                let end = if *end == u64::MAX { u64::MAX } else { (*end).clamp(from, to) - from };
                (name.clone(), (*start).clamp(from, to) - from, end)
            })
            .collect();
        seen.sort();
        seen
    }

    fn names(&self, from: u64, to: u64) -> (BTreeSet<&str>, BTreeSet<&str>) {
        let meets = |start: u64, end: u64| (from..to).contains(&start) || start < from && end > from;
        let mut inside: BTreeSet<&str> = self
            .all
            .iter()
            .filter(|(_, start, end)| meets(*start, *end))
            .map(|(name, ..)| name.as_str())
            .collect();
        let ran: BTreeSet<u64> =
            self.runs.iter().filter(|(_, start, end)| meets(*start, *end)).map(|(node, ..)| *node).collect();
        // A run of a command graph runs the graph's commands.
        let graphs =
            self.graph_runs.iter().filter(|(_, node, at)| ran.contains(node) || (from..to).contains(at));
        let commands = graphs.filter_map(|(graph, ..)| self.commands.get(graph)).flatten();
        let commands: BTreeSet<u64> = commands.copied().collect();
        let is_in = |id: &u64, at: &u64| ran.contains(id) || commands.contains(id) || (from..to).contains(at);
        let nodes = self.nodes.iter().filter(|(id, (at, _))| is_in(id, at));
        inside.extend(nodes.flat_map(|(_, (_, texts))| texts.iter().map(String::as_str)));
        let all = self.all.iter().map(|(name, ..)| name.as_str());
        let all = all.chain(self.nodes.values().filter_map(|(_, texts)| texts.first()).map(String::as_str));
        let outside = all.filter(|name| !inside.contains(name)).collect();
        (inside, outside)
    }
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

#[test]
fn a_copy_shows_its_part_and_nothing_else() {
    let (mut compared, mut absent) = (0, 0);
    for (name, file) in files() {
        let trace = import::open(&file).unwrap();
        let own = is_own(&file).unwrap();
        let original = if own { Shown::of_file(&file) } else { Shown::of_trace(&trace) };
        let whole = trace.info().duration_ns;
        for (first, last) in [(0, 1), (1, 2), (4, 5), (8, 9)] {
            let (from, to) = (whole * first / 10, (whole * last / 10).max(whole * first / 10 + 1));
            let part = Part::new(from, to).unwrap();
            let copy = cut(&file, &trace, part);
            assert_eq!(copy, cut(&file, &trace, part), "{name}: the same part is the same copy");
            let cut = import::open(&copy).unwrap();
            assert_eq!(cut.info().duration_ns, part.duration_ns(), "{name}");
            let shown = Shown::of_file(&copy);
            let (mut seen, mut wanted) = (shown.all.clone(), original.between(from, to));
            // No file records an end after the part.
            for (_, _, end) in seen.iter_mut().chain(&mut wanted) {
                *end = (*end).min(part.duration_ns());
            }
            seen.sort();
            wanted.sort();
            assert_eq!(seen, wanted, "{name} from {from} to {to}");
            compared += wanted.len();
            // Numbers do not reveal the amount of earlier content.
            let ran = shown.runs.iter().map(|(node, ..)| *node);
            let nodes: BTreeSet<u64> = shown.nodes.keys().copied().chain(ran).collect();
            assert!(nodes.last().is_none_or(|last| *last <= nodes.len() as u64), "{name}: {nodes:?}");
            let (inside, outside) = original.names(from, to);
            // A short name may be part of another text.
            for gone in outside.iter().filter(|name| name.len() >= 12) {
                if inside.iter().any(|name| name.contains(gone)) {
                    continue;
                }
                assert!(!holds(&copy, gone), "{name} from {from} to {to} holds {gone}");
                absent += 1;
            }
        }
    }
    assert!(compared > 1000 && absent > 20, "{compared} things are there and {absent} names are not");
}

#[test]
fn the_whole_of_a_trace_answers_as_before() {
    for (name, file) in files() {
        let trace = import::open(&file).unwrap();
        let whole = Part::new(0, trace.info().duration_ns + 1).unwrap();
        let copy = import::open(&cut(&file, &trace, whole)).unwrap();
        for question in
            ["calls", "report", "graph?level=full", "critical_path", "allocations", "kernel_lanes"]
        {
            let asked = question.parse().unwrap();
            let (one, other) = (trace.answer(&asked), copy.answer(&asked));
            assert_eq!(one.is_ok(), other.is_ok(), "{name}: {question}");
        }
        let count = |trace: &Trace| {
            let counts = trace.info().counts;
            [counts.slices, counts.nodes, counts.edges, counts.executions, counts.allocations]
        };
        assert_eq!(count(&copy), count(&trace), "{name}");
    }
}

/// Returns processes of another tool, one after the other in time; each has a slice with arguments, in one nest.
fn foreign_processes(count: u64) -> Vec<u8> {
    let events = (0..count).flat_map(|at| {
        let (begin, end) = (at * 100, at * 100 + 80);
        let pid = 7_000 + at;
        [
            format!(r#"{{"ph":"M","name":"process_name","pid":{pid},"args":{{"name":"process-of-{at}."}}}}"#),
            format!(r#"{{"ph":"M","name":"thread_name","pid":{pid},"tid":1,"args":{{"name":"thread-of-{at}."}}}}"#),
            format!(r#"{{"ph":"B","ts":{begin},"pid":{pid},"tid":1,"name":"slice-of-{at}.","args":{{"k":"begin-of-{at}."}}}}"#),
            format!(r#"{{"ph":"E","ts":{end},"pid":{pid},"tid":1,"args":{{"result":"end-of-{at}."}}}}"#),
            format!(r#"{{"ph":"C","ts":{begin},"pid":{pid},"name":"counter-of-{at}.","args":{{"v":1}}}}"#),
        ]
    });
    format!("[{}]", events.collect::<Vec<_>>().join(",")).into_bytes()
}

#[test]
fn a_part_of_another_tools_trace_tells_of_no_process_outside_and_nothing_that_was_known_later() {
    const COUNT: u64 = 6;
    let file = foreign_processes(COUNT);
    let trace = import::open(&file).unwrap();
    for from in (0..COUNT * 100).step_by(20) {
        for to in (from + 20..=COUNT * 100).step_by(20) {
            let part = Part::new(from * 1_000, to * 1_000).unwrap();
            for format in [Format::Perfetto, Format::Json] {
                let mut copy = Vec::new();
                cut::write(&trace, part, format, Box::new(&mut copy)).unwrap();
                for at in 0..COUNT {
                    let (begin, end) = (at * 100, at * 100 + 80);
                    let is_in = (from..to).contains(&begin) || begin < from && end > from;
                    let is_said = |what: &str| holds(&copy, &format!("{what}-of-{at}."));
                    let told = format!("{at} from {from} to {to}");
                    assert_eq!(is_said("slice"), is_in, "slice {told}");
                    assert_eq!(is_said("thread"), is_in, "thread {told}");
                    assert_eq!(is_said("end"), is_in && end <= to, "result {told}");
                    // A counter keeps its value after its sample, so that its process stays.
                    assert_eq!(is_said("process"), begin < to, "process {told}");
                }
            }
        }
    }
}

#[test]
fn a_part_tells_of_no_process_of_a_recording_that_has_nothing_in_it() {
    use syclscope_language::event::{
        Category, Fact, FactKind, Process, SliceBegin, SliceEnd, SourceLocation,
    };
    use syclscope_language::event::{Track, TrackKind};
    use syclscope_language::time::Timestamp;
    const COUNT: u64 = 5;
    let mut writer = syclscope_engine::export::perfetto::Writer::new();
    for at in 0..COUNT {
        let text = |what: &str| format!("{what}-of-{at}.");
        let (name, command_line, host) = (text("process"), text("command"), text("host"));
        writer.event(&Event::Process(Process {
            pid: 7 + at as u32,
            name: &name,
            command_line: &command_line,
            host: &host,
            recorder: "syclscope 0.1.0",
            ..Process::default()
        }));
        let (kind, value) = (FactKind::Environment, text("fact"));
        writer.event(&Event::Fact(Fact { at: Timestamp(0), kind, name: "NAME", value: &value }));
        let (track, tid, kind) = (at + 1, at as u32 + 1, TrackKind::Thread);
        writer.event(&Event::Track(Track { track, parent: None, kind, name: "main thread", tid }));
        writer.event(&Event::SliceBegin(SliceBegin {
            track,
            at: Timestamp(at * 100),
            category: Category::User,
            name: "step",
            node: None,
            location: SourceLocation::default(),
            args: &[],
        }));
        writer.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(at * 100 + 80), args: &[] }));
        writer.event(&Event::Finish { at: Timestamp(COUNT * 100) });
    }
    let file = writer.take_bytes();
    let trace = import::open(&file).unwrap();
    for at in 0..COUNT {
        let copy = cut(&file, &trace, Part::new(at * 100 + 10, at * 100 + 90).unwrap());
        for other in 0..COUNT {
            for what in ["process", "command", "host", "fact"] {
                assert_eq!(
                    holds(&copy, &format!("{what}-of-{other}.")),
                    other == at,
                    "{what} of {other} at {at}"
                );
            }
        }
    }
}

#[test]
fn a_queue_that_the_host_waits_for_is_there_without_a_command() {
    use syclscope_language::event::{Category, Process, Queue, QueueOrder};
    use syclscope_language::event::{SliceBegin, SliceEnd, SourceLocation, Track, TrackKind};
    use syclscope_language::time::Timestamp;
    let mut writer = syclscope_engine::export::perfetto::Writer::new();
    writer.event(&Event::Process(Process { pid: 7, recorder: "syclscope 0.1.0", ..Process::default() }));
    let (track, kind) = (1, TrackKind::Thread);
    writer.event(&Event::Track(Track { track, parent: None, kind, name: "main thread", tid: 1 }));
    writer.event(&Event::Queue(Queue {
        queue: 3,
        at: Timestamp(1),
        runtime_id: 1,
        handle: 1,
        order: QueueOrder::InOrder,
        device: "device-of-the-queue.",
        device_type: "GPU",
        device_handle: 2,
        context: 3,
    }));
    for (name, at) in [("queue.wait", 100), ("event.wait", 300)] {
        let args = [("queue", Value::Uint(3))];
        writer.event(&Event::SliceBegin(SliceBegin {
            track,
            at: Timestamp(at),
            category: Category::Wait,
            name,
            node: None,
            location: SourceLocation::default(),
            args: if name == "queue.wait" { &args } else { &[] },
        }));
        writer.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(at + 50), args: &[] }));
    }
    writer.event(&Event::Finish { at: Timestamp(500) });
    let file = writer.take_bytes();
    let trace = import::open(&file).unwrap();
    let has_queue = |from, to| {
        let copy = cut(&file, &trace, Part::new(from, to).unwrap());
        holds(&copy, "device-of-the-queue.")
    };
    assert!(has_queue(100, 200) && !has_queue(300, 400));
}

#[test]
fn processes_with_equal_addresses_keep_their_memory_and_samples_keep_their_process() {
    use syclscope_language::event::{Allocation, AllocationKind, Process, Release, Sample, SourceLocation};
    use syclscope_language::event::{Track, TrackKind};
    use syclscope_language::time::Timestamp;
    let mut writer = syclscope_engine::export::perfetto::Writer::new();
    let mut process = |pid: u32, events: &[Event<'_>]| {
        let name = format!("process-{pid}.");
        writer.event(&Event::Process(Process {
            pid,
            name: &name,
            recorder: "syclscope 0.1.0",
            ..Process::default()
        }));
        events.iter().for_each(|event| writer.event(event));
        writer.event(&Event::Finish { at: Timestamp(1_000) });
    };
    let allocation = |at: u64, size_bytes: u64| {
        Event::Allocation(Allocation {
            at: Timestamp(at),
            pointer: 0x1000,
            size_bytes,
            kind: AllocationKind::Device,
            guard_bytes: 0,
            device: "",
            tid: 1,
            location: SourceLocation::default(),
        })
    };
    let release = Event::Release(Release { at: Timestamp(30), pointer: 0x1000, tid: 1 });
    process(1, &[allocation(10, 64)]);
    process(2, &[allocation(20, 128), release]);
    let track = Track { track: 3, parent: None, kind: TrackKind::Thread, name: "main thread", tid: 3 };
    let sample = Sample {
        at: Timestamp(500),
        track: 3,
        stack: None,
        period_ns: 1_000,
        missed: 0,
        is_blocked: false,
        system_call: None,
    };
    process(3, &[Event::Track(track), Event::Sample(sample)]);
    let file = writer.take_bytes();
    let trace = import::open(&file).unwrap();
    let copy = cut(&file, &trace, Part::new(400, 600).unwrap());
    let names = [1, 2, 3].map(|pid| holds(&copy, &format!("process-{pid}.")));
    assert_eq!(names, [true, false, true], "the second one's memory is released before");
    let copy = import::open(&copy).unwrap();
    assert_eq!(copy.info().counts.allocations, 1);
    let early = cut(&file, &trace, Part::new(25, 28).unwrap());
    assert_eq!(import::open(&early).unwrap().info().counts.allocations, 2);
}

#[test]
fn a_part_says_which_ends_of_a_process_it_lacks() {
    use syclscope_language::event::Process;
    use syclscope_language::time::Timestamp;
    let mut writer = syclscope_engine::export::perfetto::Writer::new();
    writer.event(&Event::Process(Process { name: "p", recorder: "syclscope 0.1.0", ..Process::default() }));
    writer.event(&Event::Finish { at: Timestamp(1_000) });
    let file = writer.take_bytes();
    let trace = import::open(&file).unwrap();
    let cut_to = |file: &[u8], from, to| cut(file, &trace, Part::new(from, to).unwrap());
    let ends = |file: &[u8]| {
        let info = import::open(file).unwrap().info();
        assert!(info.complete);
        (info.process.from_ns, info.process.until_ns)
    };
    for (from, to, expected) in [
        (0, 1_001, (None, None)),
        (0, 400, (None, Some(400))),
        (100, 400, (Some(0), Some(300))),
        (100, 1_001, (Some(0), None)),
    ] {
        assert_eq!(ends(&cut_to(&file, from, to)), expected, "{from} to {to}");
    }
    let again = cut_to(&cut_to(&file, 100, 400), 0, 500);
    assert_eq!(ends(&again), (Some(0), Some(300)), "a part of a part");
}

#[test]
fn a_part_has_the_counts_of_the_events_that_were_lost_in_it() {
    use syclscope_language::event::{Category, Dropped, Instant, Process, SourceLocation, Track, TrackKind};
    use syclscope_language::time::Timestamp;
    let mut writer = syclscope_engine::export::perfetto::Writer::new();
    writer.event(&Event::Process(Process { name: "p", recorder: "syclscope 0.1.0", ..Process::default() }));
    let (track, kind) = (1, TrackKind::Thread);
    writer.event(&Event::Track(Track { track, parent: None, kind, name: "main thread", tid: 1 }));
    for at in (50..1_000).step_by(100) {
        let (at, category, name, location) =
            (Timestamp(at), Category::User, "step", SourceLocation::default());
        let step = Instant { track, at, category, name, node: None, location, args: &[] };
        writer.event(&Event::Instant(step));
    }
    // Counted after the loss, by kind.
    for (at, kind, count) in
        [(300, "full_buffer.node", 1), (300, "full_buffer.edge", 2), (700, "not_written", 4)]
    {
        writer.event(&Event::Dropped(Dropped { at: Timestamp(at), kind, count }));
    }
    writer.event(&Event::Finish { at: Timestamp(1_000) });
    let file = writer.take_bytes();
    let trace = import::open(&file).unwrap();
    for (from, to, expected) in [(0, 1_001, 7), (200, 400, 7), (0, 200, 3), (400, 500, 4), (800, 900, 0)] {
        let copy = cut(&file, &trace, Part::new(from, to).unwrap());
        assert_eq!(import::open(&copy).unwrap().info().counts.dropped, expected, "{from} to {to}");
    }
}

#[test]
fn a_pause_over_an_end_of_a_part_is_cut_there() {
    use syclscope_language::event::{Pause, Process};
    use syclscope_language::time::Timestamp;
    let mut writer = syclscope_engine::export::perfetto::Writer::new();
    writer.event(&Event::Process(Process { name: "p", recorder: "syclscope 0.1.0", ..Process::default() }));
    for (at, is_paused) in [(200, true), (400, false), (700, true), (800, false), (900, true)] {
        writer.event(&Event::Pause(Pause { at: Timestamp(at), is_paused, reason: "program" }));
    }
    writer.event(&Event::Finish { at: Timestamp(1_000) });
    let file = writer.take_bytes();
    let trace = import::open(&file).unwrap();
    for (part, expected) in [
        ((100, 500), vec![(100, Some(300))]),
        ((250, 350), vec![(0, Some(100))]),
        ((300, 750), vec![(0, Some(100)), (400, Some(450))]),
        ((450, 650), vec![]),
        ((850, 1_000), vec![(50, None)]),
    ] {
        let copy = import::open(&cut(&file, &trace, Part::new(part.0, part.1).unwrap())).unwrap();
        let pauses = copy.info().pauses;
        let pauses: Vec<_> = pauses.iter().map(|pause| (pause.start_ns, pause.end_ns)).collect();
        assert_eq!(pauses, expected, "{part:?}");
    }
}

#[test]
fn what_is_older_than_a_part_and_in_use_stays() {
    use syclscope_language::event::{
        Accessor, CommandGraph, GraphRun, HandleDirection, MemoryObject, NativeHandle, Node, NodeKind,
        ObjectBinding, ObjectDestroy, Process, SourceLocation,
    };
    use syclscope_language::time::Timestamp;
    let at = Timestamp;
    let (node, kind, name, queue, tid) = (1, NodeKind::CommandGraph, "command graph", None, 1);
    let (location, args) = (SourceLocation::default(), &[][..]);
    let (object, graph, handle, direction) = (1, 1, 0x100, HandleDirection::Leaves);
    let native = NativeHandle::default();
    let mut writer = syclscope_engine::export::perfetto::Writer::new();
    for event in [
        Event::Process(Process { name: "p", recorder: "syclscope 0.1.0", ..Process::default() }),
        Event::MemoryObject(MemoryObject { object, at: at(10), ..MemoryObject::default() }),
        Event::ObjectBinding(ObjectBinding { object, at: at(20), handle, is_bound: true }),
        Event::CommandGraph(CommandGraph { graph, at: at(30), ..CommandGraph::default() }),
        Event::NativeHandle(NativeHandle { at: at(40), object: "queue", handle, direction, ..native }),
        Event::MemoryObject(MemoryObject { object: 2, at: at(50), ..MemoryObject::default() }),
        Event::ObjectDestroy(ObjectDestroy { object: 2, at: at(60) }),
        Event::Accessor(Accessor { object, at: at(500), ..Accessor::default() }),
        Event::Node(Node { node, at: at(510), kind, name, queue, tid, location, args }),
        Event::GraphRun(GraphRun { graph, at: at(520), node }),
        Event::ObjectDestroy(ObjectDestroy { object, at: at(700) }),
        Event::Finish { at: at(1_000) },
    ] {
        writer.event(&event);
    }
    let file = writer.take_bytes();
    let trace = import::open(&file).unwrap();
    let shown = |from: u64, to: u64| -> Vec<String> {
        let copy = import::open(&cut(&file, &trace, Part::new(from, to).unwrap())).unwrap();
        let kinds = ["object", "memory", "accessor", "partition", "run", "native"];
        let dump = copy.dump();
        let first = dump.lines().filter_map(|line| line.split(' ').next());
        first.filter(|word| kinds.contains(word)).map(str::to_owned).collect()
    };
    assert_eq!(shown(400, 600), ["object", "memory", "accessor", "partition", "run", "native"]);
    assert_eq!(shown(800, 900), ["native"], "the object is destroyed, and the graph does not run");
}

#[test]
fn a_command_keeps_its_accessors_in_every_part_in_which_it_runs() {
    use syclscope_language::event::{
        Accessor, Execution, MemoryObject, Node, NodeKind, Process, SourceFile, SourceLocation,
    };
    use syclscope_language::time::Timestamp;
    let at = Timestamp;
    let (node, object, kind, name, tid) = (1, 1, NodeKind::Kernel, "kernel", 1);
    let (location, args) = (SourceLocation::default(), &[][..]);
    let place = SourceLocation { file: "accessor-file.hpp", line: 5, ..location };
    let (queued, submitted, start, end) = (None, None, at(150), at(600));
    let accessor = Accessor { object, mode: "read", location: place, ..Accessor::default() };
    let mut writer = syclscope_engine::export::perfetto::Writer::new();
    for event in [
        Event::Process(Process { name: "p", recorder: "syclscope 0.1.0", ..Process::default() }),
        Event::SourceFile(SourceFile { name: place.file, text: "int accessed;", ..SourceFile::default() }),
        Event::MemoryObject(MemoryObject { object, at: at(10), ..MemoryObject::default() }),
        Event::Accessor(Accessor { at: at(90), node: None, ..accessor }),
        Event::Accessor(Accessor { at: at(100), node: Some(node), ..accessor }),
        Event::Node(Node { node, at: at(110), kind, name, queue: None, tid, location, args }),
        Event::Execution(Execution { node, queue: 1, kind, name, queued, submitted, start, end, args }),
        Event::Finish { at: at(1_000) },
    ] {
        writer.event(&event);
    }
    let file = writer.take_bytes();
    let trace = import::open(&file).unwrap();
    for (from, to, expected) in [(0, 95, 1), (0, 200, 2), (300, 500, 1), (700, 900, 0)] {
        let copy = cut(&file, &trace, Part::new(from, to).unwrap());
        assert_eq!(import::open(&copy).unwrap().info().counts.accessors, expected, "{from} to {to}");
        assert_eq!(holds(&copy, "int accessed;"), expected > 0, "{from} to {to}");
    }
}

#[test]
fn a_command_graph_stays_in_every_part_in_which_it_runs() {
    use syclscope_language::event::{
        CommandGraph, Execution, GraphCommand, GraphRun, Node, NodeKind, Process, SourceLocation,
    };
    use syclscope_language::time::Timestamp;
    let at = Timestamp;
    let (node, graph, kind, name, tid) = (1, 1, NodeKind::CommandGraph, "command graph", 1);
    let (location, args) = (SourceLocation::default(), &[][..]);
    let (queued, submitted, start, end) = (None, None, at(150), at(600));
    let mut writer = syclscope_engine::export::perfetto::Writer::new();
    for event in [
        Event::Process(Process { name: "p", recorder: "syclscope 0.1.0", ..Process::default() }),
        Event::CommandGraph(CommandGraph { graph, at: at(30), ..CommandGraph::default() }),
        Event::Node(Node {
            node: 2,
            at: at(40),
            kind: NodeKind::Kernel,
            name: "kernel of the graph",
            queue: None,
            tid,
            location,
            args,
        }),
        Event::GraphCommand(GraphCommand { graph, at: at(45), position: 0, node: 2, sync_point: None }),
        Event::Node(Node { node, at: at(100), kind, name, queue: None, tid, location, args }),
        Event::GraphRun(GraphRun { graph, at: at(110), node }),
        Event::Execution(Execution { node, queue: 1, kind, name, queued, submitted, start, end, args }),
        Event::Finish { at: at(1_000) },
    ] {
        writer.event(&event);
    }
    let file = writer.take_bytes();
    let trace = import::open(&file).unwrap();
    let shown = |from: u64, to: u64| -> Vec<String> {
        let copy = import::open(&cut(&file, &trace, Part::new(from, to).unwrap())).unwrap();
        let dump = copy.dump();
        let first = dump.lines().filter_map(|line| line.split(' ').next());
        first.filter(|word| ["partition", "run"].contains(word)).map(str::to_owned).collect()
    };
    assert_eq!(shown(100, 200), ["partition", "run"]);
    assert_eq!(shown(300, 500), ["partition", "run"], "submitted before the part");
    assert!(shown(700, 900).is_empty());
    for (from, to, commands) in [(100, 200, 1), (300, 500, 1), (700, 900, 0)] {
        let copy = cut(&file, &trace, Part::new(from, to).unwrap());
        assert_eq!(import::open(&copy).unwrap().info().counts.graph_commands, commands, "{from} to {to}");
        assert_eq!(holds(&copy, "kernel of the graph"), commands > 0, "{from} to {to}");
    }
}

#[test]
fn parts_of_a_conversion_have_the_types_of_its_devices() {
    for file in ["pytorch-a100.json.gz", "jax-gpu.json", "unitrace.json"] {
        let bytes = std::fs::read(format!("tests/data/foreign/{file}")).unwrap();
        let mut writer = syclscope_engine::export::perfetto::Writer::new();
        emit(&import::open(&bytes).unwrap(), &mut writer);
        let conversion = writer.take_bytes();
        assert!(is_own(&conversion).unwrap(), "{file}");
        let trace = import::open(&conversion).unwrap();
        let whole = Part::new(0, trace.info().duration_ns + 1).unwrap();
        let queues = import::open(&cut(&conversion, &trace, whole)).unwrap().info().queues;
        let types: Vec<_> = queues.iter().map(|queue| queue.device_type.as_str()).collect();
        assert_eq!(types, vec!["GPU"; trace.info().queues.len()], "{file}");
    }
}

#[test]
fn a_part_is_some_time() {
    assert_eq!(Part::new(5, 5), None);
    assert_eq!(Part::new(6, 5), None);
    assert_eq!(Part::new(5, 7).map(Part::duration_ns), Some(2));
}
