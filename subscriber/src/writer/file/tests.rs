use std::path::Path;

use syclscope_language::event::{
    Accessor, Category, CommandGraph, Execution, GraphChange, GraphChangeKind, HandleDirection, Instant,
    MemoryObject, NativeHandle, Node, NodeKind, ObjectBinding, ObjectDestroy, Process, SliceBegin, SliceEnd,
    Track, TrackKind,
};

use super::*;

const KIBIBYTE: u64 = 1 << 10;

fn track(file: &mut TraceFile) {
    let kind = TrackKind::Thread;
    file.event(&Event::Track(Track { track: 1, parent: None, kind, name: "main", tid: 7 }));
}

/// Writes device work three seconds late, next to present commands. Nearly all bytes are those of starts.
fn late_work(file: &mut TraceFile, count: u64) {
    track(file);
    for number in 0..count {
        let (now, begin) = (3_000_000_000 + number * 1_000, number * 1_000);
        let (node, at, location) = (number + 1, Timestamp(now), Default::default());
        let (kind, name) = (NodeKind::Kernel, "k");
        file.event(&Event::Node(Node { node, at, kind, name, queue: None, tid: 7, location, args: &[] }));
        let name = format!("{number} {}", "x".repeat(2000));
        let (track, at, category, name) = (1, Timestamp(begin), Category::Kernel, name.as_str());
        let slice = SliceBegin { track, at, category, name, node: None, location, args: &[] };
        file.event(&Event::SliceBegin(slice));
        file.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(begin + 10), args: &[] }));
    }
}

#[test]
fn many_events_are_written_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = TraceFile::create(&Config::for_test(folder.path().join("run.pftrace")));
    late_work(&mut file, 10);
    file.flush_large(false);
    assert_eq!(file.length(), 0, "few wait for the end of the step");
    late_work(&mut file, 200);
    file.flush_large(false);
    assert!(file.length() > LARGE_BYTES as u64 && file.encoder.buffered_bytes() == 0);
}

#[test]
fn device_work_that_comes_late_keeps_its_length_when_files_change() {
    #[derive(Default)]
    struct Lengths(u64, Vec<u64>);
    impl EventSink for Lengths {
        fn event(&mut self, event: &Event<'_>) {
            match event {
                Event::SliceBegin(slice) => self.0 = slice.at.0,
                Event::SliceEnd(end) => self.1.push(end.at.0.abs_diff(self.0)),
                _ => {}
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let config = Config { max_bytes: Some(128 * KIBIBYTE), ..Config::for_test(path) };
    let mut file = TraceFile::create(&config);
    late_work(&mut file, 200);
    file.flush(true);
    assert_eq!(file.paths().len(), 2);
    for path in file.paths() {
        let mut lengths = Lengths::default();
        syclscope_engine::import::read(&std::fs::read(&path).unwrap(), &mut lengths).unwrap();
        assert!(!lengths.1.is_empty() && lengths.1.iter().all(|ns| *ns == 10), "{path}: {:?}", lengths.1);
    }
}

#[test]
fn each_file_of_a_run_states_its_missing_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let config = Config { max_bytes: Some(64 << 20), ..Config::for_test(path) };
    let mut file = TraceFile::create(&config);
    file.event(&Event::Process(Process { pid: 7, recorder: "syclscope 0.1.0", ..Process::default() }));
    track(&mut file);
    let (at, category, name, location) = (Timestamp(5), Category::Other, "round", Default::default());
    file.event(&Event::Instant(Instant { track: 1, at, category, name, node: None, location, args: &[] }));
    file.rotate();
    file.event(&Event::Finish { at: Timestamp(9) });
    file.flush(true);
    let part = |path: &String| {
        let bytes = std::fs::read(path).unwrap();
        let info = syclscope_engine::import::open(&bytes).unwrap().info();
        (info.process.from_ns, info.process.until_ns, info.complete)
    };
    let parts: Vec<_> = file.paths().iter().map(part).collect();
    assert_eq!(parts, [(None, Some(5), true), (Some(5), None, true)]);
}

#[test]
fn device_work_whose_command_is_in_a_closed_file_has_no_command() {
    #[derive(Default)]
    struct Nodes(Vec<Option<u64>>);
    impl EventSink for Nodes {
        fn event(&mut self, event: &Event<'_>) {
            if let Event::SliceBegin(slice) = event {
                self.0.push(slice.node);
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let config = Config { max_bytes: Some(64 << 20), ..Config::for_test(path.clone()) };
    let mut file = TraceFile::create(&config);
    track(&mut file);
    let (at, kind, name) = (Timestamp(5), NodeKind::Kernel, "k");
    for node in 1..=1_000 {
        let location = Default::default();
        file.event(&Event::Node(Node { node, at, kind, name, queue: None, tid: 7, location, args: &[] }));
        let (queue, queued, submitted, start, end) = (1, None, None, at, at);
        let execution = Execution { node, queue, kind, name, queued, submitted, start, end, args: &[] };
        file.event(&Event::Execution(execution));
    }
    file.rotate();
    for node in [1, 1_000] {
        let (track, category, node, location) = (1, Category::Kernel, Some(node), Default::default());
        let slice = SliceBegin { track, at, category, name, node, location, args: &[] };
        file.event(&Event::SliceBegin(slice));
        file.event(&Event::SliceEnd(SliceEnd { track, at, args: &[] }));
    }
    file.flush(true);
    let mut nodes = Nodes::default();
    syclscope_engine::import::read(&std::fs::read(&path).unwrap(), &mut nodes).unwrap();
    assert_eq!(nodes.0, [None, Some(1_000)], "the newest commands are repeated");
}

#[test]
fn equal_facts_are_repeated_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let config = Config { max_bytes: Some(256 * KIBIBYTE), ..Config::for_test(path) };
    let mut file = TraceFile::create(&config);
    track(&mut file);
    let (graph, change) = (1, GraphChangeKind::Updated);
    file.event(&Event::CommandGraph(CommandGraph { graph, group: 1, ..CommandGraph::default() }));
    for number in 0..20_000 {
        let (at, object, handle, direction) = (Timestamp(number), "queue", 7, HandleDirection::Leaves);
        let native = NativeHandle { at, object, handle, native: 8, direction, ..NativeHandle::default() };
        file.event(&Event::NativeHandle(native));
        file.event(&Event::GraphChange(GraphChange { graph, at, change, args: &[] }));
        let (track, category, name, location) = (1, Category::Other, "round", Default::default());
        let round = Instant { track, at, category, name, node: None, location, args: &[] };
        file.event(&Event::Instant(round));
    }
    file.flush(true);
    for path in file.paths() {
        let length = std::fs::metadata(&path).unwrap().len();
        assert!(length <= (128 + 4) * KIBIBYTE, "{path} has {length} bytes");
    }
}

#[test]
fn only_the_memory_of_objects_that_live_is_repeated() {
    const OBJECTS: u64 = 300;
    #[derive(Default)]
    struct Bound(Vec<(u64, u64)>);
    impl EventSink for Bound {
        fn event(&mut self, event: &Event<'_>) {
            if let Event::ObjectBinding(binding) = event {
                self.0.push((binding.object, binding.handle));
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let config = Config { max_bytes: Some(64 << 20), ..Config::for_test(path.clone()) };
    let mut file = TraceFile::create(&config);
    let at = Timestamp(5);
    for object in 1..=OBJECTS {
        for handle in [object, object + OBJECTS] {
            let binding = ObjectBinding { object, at, handle, is_bound: true };
            file.event(&Event::ObjectBinding(binding));
        }
    }
    (2..=OBJECTS).for_each(|object| file.event(&Event::ObjectDestroy(ObjectDestroy { object, at })));
    file.rotate();
    file.flush(true);
    let mut bound = Bound::default();
    syclscope_engine::import::read(&std::fs::read(&path).unwrap(), &mut bound).unwrap();
    assert_eq!(bound.0, [(1, 1), (1, 1 + OBJECTS)]);
}

#[test]
fn commands_that_are_repeated_keep_their_accessors_to_objects_that_live() {
    const COMMANDS: u64 = 1_000;
    #[derive(Default)]
    struct Accessors(Vec<(u64, Option<u64>)>);
    impl EventSink for Accessors {
        fn event(&mut self, event: &Event<'_>) {
            if let Event::Accessor(accessor) = event {
                self.0.push((accessor.object, accessor.node));
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let config = Config { max_bytes: Some(64 << 20), ..Config::for_test(path.clone()) };
    let mut file = TraceFile::create(&config);
    let (at, kind, name) = (Timestamp(5), NodeKind::Kernel, "k");
    for object in [1, 2] {
        file.event(&Event::MemoryObject(MemoryObject { object, at, ..MemoryObject::default() }));
    }
    for node in 1..=COMMANDS {
        let location = Default::default();
        file.event(&Event::Node(Node { node, at, kind, name, queue: None, tid: 7, location, args: &[] }));
        for object in [1, 2] {
            let node = Some(node);
            file.event(&Event::Accessor(Accessor { object, at, node, ..Accessor::default() }));
        }
        // The first command still runs.
        if node > 1 {
            let (queue, queued, submitted, start, end) = (1, None, None, at, at);
            let execution = Execution { node, queue, kind, name, queued, submitted, start, end, args: &[] };
            file.event(&Event::Execution(execution));
        }
    }
    file.event(&Event::ObjectDestroy(ObjectDestroy { object: 2, at }));
    file.rotate();
    file.flush(true);
    let mut seen = Accessors::default();
    syclscope_engine::import::read(&std::fs::read(&path).unwrap(), &mut seen).unwrap();
    assert!(seen.0.iter().all(|(object, _)| *object == 1), "{:?}", seen.0);
    assert_eq!(seen.0.first(), Some(&(1, Some(1))));
    assert!(seen.0.contains(&(1, Some(COMMANDS))) && !seen.0.contains(&(1, Some(2))));
}

/// Runs in its own process, because the limit applies to all of a process's files.
#[test]
fn a_disk_that_is_full_at_a_change_of_files_leaves_the_file_that_is_named() {
    const IN_ITS_PROCESS: &str = "SYCLSCOPE_TEST_FULL_AT_CHANGE";
    if std::env::var_os(IN_ITS_PROCESS).is_none() {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args([
            "--exact",
            "writer::file::tests::a_disk_that_is_full_at_a_change_of_files_leaves_the_file_that_is_named",
        ]);
        let output = command.env(IN_ITS_PROCESS, "1").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let config = Config { max_bytes: Some(128 * KIBIBYTE), ..Config::for_test(path.clone()) };
    let mut file = TraceFile::create(&config);
    crate::os::limit_file_size(64 * KIBIBYTE);
    late_work(&mut file, 100);
    file.flush(true);
    assert!(file.error.is_some());
    assert_eq!(file.paths(), [path.to_str().unwrap()]);
    assert!(path.is_file() && !folder.path().join("run.older.pftrace").exists());
}

#[test]
fn a_path_that_is_no_utf8_has_an_older_half_like_any_other() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    let named = |name: &[u8]| folder.path().join(std::ffi::OsStr::from_bytes(name));
    let config = Config { max_bytes: Some(128 * KIBIBYTE), ..Config::for_test(named(b"r\xff.pftrace")) };
    let mut file = TraceFile::create(&config);
    late_work(&mut file, 100);
    file.flush(true);
    assert_eq!(file.error, None);
    assert!(named(b"r\xff.pftrace").is_file() && named(b"r\xff.older.pftrace").is_file());
}

#[test]
fn times_of_many_commands_that_still_run_are_in_the_next_file() {
    const COMMANDS: u64 = 16_000;
    #[derive(Default)]
    struct Executions(u64);
    impl EventSink for Executions {
        fn event(&mut self, event: &Event<'_>) {
            self.0 += u64::from(matches!(event, Event::Execution(_)));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let config = Config { max_bytes: Some(64 << 20), ..Config::for_test(path.clone()) };
    let mut file = TraceFile::create(&config);
    let (at, kind, name) = (Timestamp(5), NodeKind::Kernel, "k");
    for node in 1..=COMMANDS {
        let (queue, location) = (Some(1), Default::default());
        file.event(&Event::Node(Node { node, at, kind, name, queue, tid: 1, location, args: &[] }));
    }
    file.flush(false);
    file.rotate();
    for node in 1..=COMMANDS {
        let (queue, queued, submitted, start, end) = (1, None, None, at, at);
        let execution = Execution { node, queue, kind, name, queued, submitted, start, end, args: &[] };
        file.event(&Event::Execution(execution));
    }
    file.flush(true);
    let mut seen = Executions::default();
    syclscope_engine::import::read(&std::fs::read(&path).unwrap(), &mut seen).unwrap();
    assert_eq!(seen.0, COMMANDS);
}

#[test]
fn runs_of_command_graphs_that_still_execute_are_repeated() {
    use syclscope_language::event::{GraphRun, Value};
    #[derive(Default)]
    struct Seen {
        nodes: Vec<u64>,
        runs: Vec<(u64, u64)>,
        executed: Vec<u64>,
    }
    impl EventSink for Seen {
        fn event(&mut self, event: &Event<'_>) {
            match event {
                Event::Node(node) => self.nodes.push(node.node),
                Event::GraphRun(run) => self.runs.push((run.graph, run.node)),
                Event::Execution(execution) => self.executed.push(execution.node),
                _ => {}
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let config = Config { max_bytes: Some(64 << 20), ..Config::for_test(path.clone()) };
    let mut file = TraceFile::create(&config);
    let (at, graph, name, tid) = (Timestamp(5), 1, "k", 7);
    let (queue, queued, submitted, start, end) = (1, None, None, at, at);
    let execution = |node: u64, kind: NodeKind| {
        Event::Execution(Execution { node, queue, kind, name, queued, submitted, start, end, args: &[] })
    };
    file.event(&Event::CommandGraph(CommandGraph { graph, group: 1, ..CommandGraph::default() }));
    for node in 1..=700 {
        let kind = if node < 3 { NodeKind::CommandGraph } else { NodeKind::Kernel };
        // The second one never gets device times.
        let no_time: &[(&str, Value<'_>)] = &[("device_time", Value::Str("unknown"))];
        let args = if node == 2 { no_time } else { &[] };
        let location = Default::default();
        file.event(&Event::Node(Node { node, at, kind, name, queue: None, tid, location, args }));
        match kind {
            NodeKind::CommandGraph => file.event(&Event::GraphRun(GraphRun { graph, at, node })),
            _ => file.event(&execution(node, kind)),
        }
    }
    file.rotate();
    file.event(&execution(1, NodeKind::CommandGraph));
    file.flush(true);
    let mut seen = Seen::default();
    syclscope_engine::import::read(&std::fs::read(&path).unwrap(), &mut seen).unwrap();
    assert!(seen.nodes.contains(&1) && !seen.nodes.contains(&2), "{:?}", seen.nodes);
    assert_eq!((seen.runs, seen.executed), (vec![(1, 1)], vec![1]));
}

#[test]
fn device_times_whose_command_is_in_a_closed_file_are_counted_in_the_file() {
    #[derive(Default)]
    struct Lost(Vec<(String, u64)>);
    impl EventSink for Lost {
        fn event(&mut self, event: &Event<'_>) {
            if let Event::Dropped(dropped) = event {
                self.0.push((dropped.kind.to_owned(), dropped.count));
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let config = Config { max_bytes: Some(32 << 20), ..Config::for_test(path.clone()) };
    let mut file = TraceFile::create(&config);
    let (at, kind, name) = (Timestamp(5), NodeKind::Kernel, "k");
    for node in 1..=10_000 {
        let location = Default::default();
        file.event(&Event::Node(Node { node, at, kind, name, queue: None, tid: 7, location, args: &[] }));
    }
    file.rotate();
    for node in [1, 2, 3, 10_000] {
        let (queue, queued, submitted, start, end) = (1, None, None, at, at);
        let execution = Execution { node, queue, kind, name, queued, submitted, start, end, args: &[] };
        file.event(&Event::Execution(execution));
    }
    // The file of a killed program has no `Finish`.
    file.state_missed(Timestamp(9));
    file.flush(true);
    let mut lost = Lost::default();
    syclscope_engine::import::read(&std::fs::read(&path).unwrap(), &mut lost).unwrap();
    assert_eq!(lost.0, [(NO_DEVICE_TIME.to_owned(), 3)]);
}

#[test]
fn dependences_of_repeated_commands_are_repeated() {
    use syclscope_language::event::{Edge, EdgeReason};
    #[derive(Default)]
    struct Graph(u64, Vec<(u64, u64)>);
    impl EventSink for Graph {
        fn event(&mut self, event: &Event<'_>) {
            match event {
                Event::Node(_) => self.0 += 1,
                Event::Edge(edge) => self.1.push((edge.source, edge.target)),
                _ => {}
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.pftrace");
    let config = Config { max_bytes: Some(64 << 20), ..Config::for_test(path.clone()) };
    let mut file = TraceFile::create(&config);
    let (at, kind, name, access_mode, memory_object) = (Timestamp(5), NodeKind::Kernel, "k", "", 0);
    for node in 1..=1_000 {
        let location = Default::default();
        file.event(&Event::Node(Node { node, at, kind, name, queue: None, tid: 7, location, args: &[] }));
        let (queue, queued, submitted, start, end) = (1, None, None, at, at);
        let execution = Execution { node, queue, kind, name, queued, submitted, start, end, args: &[] };
        file.event(&Event::Execution(execution));
        if node > 1 {
            let (source, target, reason) = (node - 1, node, EdgeReason::Event);
            file.event(&Event::Edge(Edge { at, source, target, reason, access_mode, memory_object }));
        }
    }
    // A file that starts later repeats what the one before it repeated.
    for _ in 0..2 {
        file.rotate();
        file.flush(true);
        let mut graph = Graph::default();
        syclscope_engine::import::read(&std::fs::read(&path).unwrap(), &mut graph).unwrap();
        let Graph(nodes, edges) = graph;
        assert!((2..1_000).contains(&nodes) && edges.len() as u64 == nodes - 1, "{nodes} {edges:?}");
        assert_eq!(edges.last(), Some(&(999, 1_000)));
    }
}

#[test]
fn a_file_that_cannot_be_made_is_an_error_at_once() {
    let config = Config::for_test(Path::new("/nowhere/at/all").to_owned());
    let mut file = TraceFile::create(&config);
    assert!(file.error.as_ref().unwrap().contains("/nowhere/at/all"));
    file.event(&Event::Finish { at: Timestamp(0) });
    file.flush(true);
    assert_eq!((file.written, file.lost_count()), (0, 1));
}
