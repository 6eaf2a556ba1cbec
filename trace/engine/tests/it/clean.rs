//! Cleaned copies: no removed text is left, and all other answers are unchanged.

mod equal;
mod hostile;
mod private;

use proptest::prelude::*;
use syclscope_engine::budget::Budget;
use syclscope_engine::clean::{Choice, CleanError, Cleaning, Key, Look};
use syclscope_engine::export::{chrome_json, perfetto};
use syclscope_engine::import;
use syclscope_engine::store::Trace;
use syclscope_language::api::Contents;
use syclscope_language::contents::ContentKind;
use syclscope_language::event::{
    Category, Event, EventSink, Queue, QueueOrder, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind,
    Value,
};
use syclscope_language::formats::Format;
use syclscope_language::time::Timestamp;

use self::equal::{
    assert_same_answers_but_names, assert_same_but_names, assert_same_but_names_and_keys,
    assert_same_events_but_names,
};
use self::private::private;
use crate::recordings::{PROCESS, Play, small, steps, whole, write};

const RECORDINGS: &[&str] = &[
    "command_graph",
    "crowd",
    "diamond",
    "dpnp",
    "graphs",
    "heat",
    "heat-slow",
    "images",
    "leaks-twice",
    "sub_buffers-bad",
    "sub_buffers-good",
    "transfers",
];

const FOREIGN: &[&str] = &[
    "chrome-cut.json",
    "chrome-cut.pftrace.gz",
    "jax-gpu.json",
    "pytorch-a100.json.gz",
    "pytorch-mi250.json.gz",
    "pytorch-streams.json.gz",
    "tensorflow-profiler.json.gz",
    "unitrace.json",
    "viztracer.json",
];

/// Queries whose answers have an order that depends on no name.
const QUESTIONS: &[&str] = &[
    "report",
    "activity",
    "kernel_lanes",
    "critical_path",
    "gaps",
    "components",
    "graph?level=full",
    "serialised",
    "what_if?copies=0",
    "calls",
    "calltree",
    "select?sort=total",
    "slices?limit=200",
    "memory_use",
    "allocations",
    "objects",
    "transfers",
    "leaks",
];

fn everything() -> Choice {
    Choice::new(ContentKind::ALL.iter().copied())
}

fn recording(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../e2e/traces/{name}.pftrace.gz", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn foreign(name: &str) -> Trace {
    let path = format!("{}/tests/data/foreign/{name}", env!("CARGO_MANIFEST_DIR"));
    import::open(&std::fs::read(path).unwrap()).unwrap()
}

fn cleaned(bytes: &[u8], choice: Choice, key: &str, format: Format) -> Result<Vec<u8>, CleanError> {
    let mut look = Look::new(Budget::unlimited());
    look.feed(bytes).unwrap();
    let plan = look.finish(choice, Key::new(key)).unwrap()?;
    let out = Written::default();
    let mut cleaning = Cleaning::new(&plan, format, Box::new(out.clone()), Budget::unlimited());
    for piece in bytes.chunks(1000) {
        cleaning.feed(piece).unwrap();
    }
    cleaning.finish().unwrap()?;
    Ok(out.bytes())
}

#[derive(Clone, Default)]
struct Written(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl Written {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl std::io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part.eq_ignore_ascii_case(text.as_bytes()))
}

fn count_of(trace: &Trace, kind: ContentKind) -> u64 {
    trace.contents().kinds.iter().find(|found| found.kind == kind).map_or(0, |found| found.count)
}

#[test]
fn nothing_private_is_left_in_any_form() {
    for (bytes, format) in [
        (write::<perfetto::Writer>(private), Format::Perfetto),
        (write::<chrome_json::Writer>(private), Format::Json),
        (write::<chrome_json::Writer>(private), Format::Perfetto),
    ] {
        for secret in
            ["anna", "node17", "titanium", "AnnealKernel", "alloysim", "melting_point", "anneal_alloy"]
        {
            assert!(holds(&bytes, secret), "{secret}");
        }
        let clean = cleaned(&bytes, everything(), "key", format).unwrap();
        for secret in [
            "anna",
            "node17",
            "plant",
            "My Project",
            "My%20Project",
            "alloy",
            "titanium",
            "Anneal",
            "recipe",
            "melting",
            "SYCL_CACHE_DIR",
            "4711",
            "yield",
            "1795319231761034040",
            "0e97b8c5",
        ] {
            assert!(!holds(&clean, secret), "{secret} in {format:?}: {}", String::from_utf8_lossy(&clean));
        }
        assert_same_but_names(&import::open(&bytes).unwrap(), &import::open(&clean).unwrap());
    }
}

/// Records a copy and a kernel that only a device's stream reports, and the machine's counters.
fn of_streams(take: &mut dyn FnMut(&Event<'_>)) {
    let (at, location) = (Timestamp, SourceLocation::default());
    take(&Event::Process(PROCESS));
    take(&Event::Queue(Queue {
        queue: 1,
        at: at(1),
        runtime_id: 0,
        handle: 5,
        order: QueueOrder::InOrder,
        device: "NVIDIA H200",
        device_type: "GPU",
        device_handle: 6,
        context: 7,
    }));
    for (track, name) in [(8, "process and machine"), (9, "stream 17 · NVIDIA H200")] {
        take(&Event::Track(Track { track, parent: None, kind: TrackKind::Other, name, tid: 0 }));
    }
    let args = [("bytes", Value::Uint(100)), ("direction", Value::Str("host → device"))];
    for (start, category, name, args) in
        [(10, Category::Copy, "copy", &args[..]), (30, Category::Kernel, "gemm", &[][..])]
    {
        let begin = SliceBegin { track: 9, at: at(start), category, name, node: None, location, args };
        take(&Event::SliceBegin(begin));
        take(&Event::SliceEnd(SliceEnd { track: 9, at: at(start + 10), args: &[] }));
    }
    take(&Event::Finish { at: at(100) });
}

#[test]
fn the_work_of_streams_is_in_the_copy_too() {
    let bytes = write::<perfetto::Writer>(of_streams);
    let original = import::open(&bytes).unwrap();
    for format in [Format::Perfetto, Format::Json] {
        let clean = cleaned(&bytes, everything(), "key", format).unwrap();
        assert!(!holds(&clean, "H200"));
        let copy = import::open(&clean).unwrap();
        assert_same_but_names(&original, &copy);
        let info = copy.info();
        assert_eq!((info.counts.executions, &*info.queues[0].device_type), (2, "GPU"));
        let copies: Vec<_> =
            copy.report().copies.into_iter().map(|copy| (copy.from, copy.to, copy.count)).collect();
        assert_eq!(copies, [("host".to_owned(), "device".to_owned(), 1)]);
    }
    assert_eq!(count_of(&original, ContentKind::Markers), 0);
}

#[test]
fn threads_without_a_name_of_their_own_have_none_in_the_copy() {
    let bytes = write::<perfetto::Writer>(private);
    let clean = cleaned(&bytes, everything(), "key", Format::Perfetto).unwrap();
    for file in [bytes, clean] {
        let info = import::open(&file).unwrap().info();
        let threads = info.tracks.iter().filter(|track| track.kind == TrackKind::Thread);
        assert_eq!(threads.map(|track| &*track.name).collect::<Vec<_>>(), ["main thread"]);
    }
}

#[test]
fn only_the_chosen_kinds_go() {
    let bytes = write::<chrome_json::Writer>(private);
    let clean = cleaned(&bytes, Choice::new([ContentKind::Kernels]), "key", Format::Json).unwrap();
    assert!(!holds(&clean, "Anneal<") && !holds(&clean, "AnnealKernel"));
    for kept in ["/home/anna/My Project/alloy.cpp", "node17", "titanium-9", "SYCL_CACHE_DIR", "anneal_alloy"]
    {
        assert!(holds(&clean, kept), "{kept}");
    }
    // The name of the kernel `copy` is also a word of the format: only the name is replaced.
    let trace = import::open(&clean).unwrap();
    assert!(trace.info().kernels.iter().all(|kernel| kernel.name.starts_with("kernel-")));
    let nothing = cleaned(&bytes, Choice::default(), "key", Format::Json).unwrap();
    assert_eq!(import::open(&nothing).unwrap().dump(), import::open(&bytes).unwrap().dump());
}

#[test]
fn names_of_files_can_stay() {
    let bytes = write::<perfetto::Writer>(private);
    let choice = Choice::new([ContentKind::Paths, ContentKind::Users]).keeping_file_names();
    let clean = cleaned(&bytes, choice, "key", Format::Json).unwrap();
    let text = String::from_utf8(clean).unwrap();
    assert!(
        text.contains("/alloy.cpp\",\"line\":7") && !text.contains("anna") && !text.contains("My Project"),
        "{text}"
    );
}

#[test]
fn a_folder_is_no_file_whose_name_can_stay() {
    let bytes = write::<perfetto::Writer>(|take| {
        take(&Event::Process(PROCESS));
        let (kind, name) = (TrackKind::Thread, "main thread");
        take(&Event::Track(Track { track: 1, parent: None, kind, name, tid: 1 }));
        let file = "/home/anna/titanium/heat.cpp";
        take(&Event::SliceBegin(SliceBegin {
            track: 1,
            at: Timestamp(10),
            category: Category::Call,
            name: "urProgramBuild",
            node: None,
            location: SourceLocation { file, line: 7, ..SourceLocation::default() },
            args: &[("pOptions", Value::Str("-O2 -I/home/anna/titanium"))],
        }));
        take(&Event::SliceEnd(SliceEnd { track: 1, at: Timestamp(12), args: &[] }));
        take(&Event::Finish { at: Timestamp(100) });
    });
    let choice = Choice::new([ContentKind::Paths]).keeping_file_names();
    let clean = cleaned(&bytes, choice, "key", Format::Json).unwrap();
    assert!(holds(&clean, "/heat.cpp") && !holds(&clean, "titanium"), "{}", String::from_utf8_lossy(&clean));
}

#[test]
fn pseudonyms_are_the_same_with_the_same_key_and_differ_otherwise() {
    let kernels = |play: Play, key| {
        let bytes = write::<perfetto::Writer>(play);
        let clean = cleaned(&bytes, everything(), key, Format::Perfetto).unwrap();
        let kernels = import::open(&clean).unwrap().info().kernels;
        kernels.into_iter().map(|kernel| kernel.name).collect::<Vec<_>>()
    };
    assert_eq!(kernels(private, "key"), kernels(private, "key"));
    assert_ne!(kernels(private, "key"), kernels(private, "another"));
    let both = kernels(private, "key");
    assert!(both.len() == 2 && both[0] != both[1], "{both:?}");
}

#[test]
fn real_recordings_answer_the_same_but_for_names() {
    for name in RECORDINGS {
        let bytes = recording(name);
        let original = import::open(&bytes).unwrap();
        let clean = cleaned(&bytes, everything(), "key", Format::Perfetto)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let copy = import::open(&clean).unwrap();
        assert_same_but_names(&original, &copy);
        for question in QUESTIONS {
            assert_same_answers_but_names(question, &original, &copy);
        }
        assert_eq!(
            count_of(&original, ContentKind::Kernels),
            count_of(&copy, ContentKind::Kernels),
            "{name}"
        );
        for kind in
            [ContentKind::Environment, ContentKind::CommandLine, ContentKind::Sources, ContentKind::Date]
        {
            assert_eq!(count_of(&copy, kind), 0, "{name}");
        }
    }
}

#[test]
fn traces_of_other_tools_are_cleaned_as_they_are_converted() {
    for name in FOREIGN {
        let original = foreign(name);
        let converted = Written::default();
        syclscope_engine::convert::write(&original, Format::Perfetto, Box::new(converted.clone())).unwrap();
        let clean = Written::default();
        let (choice, key) = (everything(), Key::new("key"));
        let (out, budget) = (Box::new(clean.clone()), Budget::unlimited());
        syclscope_engine::clean::write(&original, choice, key, Format::Perfetto, out, &budget)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let converted = import::open(&converted.bytes()).unwrap();
        assert_same_but_names_and_keys(&converted, &import::open(&clean.bytes()).unwrap());
    }
}

#[test]
fn what_a_trace_contains_is_counted_with_examples() {
    let trace = import::open(&write::<perfetto::Writer>(private)).unwrap();
    let contents = trace.contents();
    let example = |kind| {
        let found = contents.kinds.iter().find(|found| found.kind == kind).unwrap();
        (found.count, found.examples[0].as_str())
    };
    assert_eq!(example(ContentKind::Users), (1, "anna"));
    assert_eq!(example(ContentKind::Hosts), (1, "node17.plant.example"));
    assert_eq!(example(ContentKind::Environment), (1, "SYCL_CACHE_DIR=/scratch/anna/cache"));
    assert_eq!(example(ContentKind::CommandLine).0, 1);
    assert_eq!(example(ContentKind::Sources), (1, "/home/anna/My Project/alloy.cpp"));
    assert_eq!(example(ContentKind::Kernels), (2, "AnnealKernel<double>"));
    assert_eq!(example(ContentKind::Functions), (1, "anneal_alloy"));
    assert_eq!(example(ContentKind::Markers).0, 2);
    assert_eq!(example(ContentKind::Programs), (1, "alloysim"));
    assert_eq!(
        trace.answer(&"contents".parse().unwrap()).unwrap(),
        serde_json::to_string(&contents).unwrap()
    );
}

#[test]
fn the_question_and_the_first_look_count_the_same() {
    let mut files: Vec<Vec<u8>> = RECORDINGS.iter().map(|name| recording(name)).collect();
    files.extend([
        write::<perfetto::Writer>(private),
        write::<perfetto::Writer>(small),
        write::<chrome_json::Writer>(whole),
        write::<perfetto::Writer>(of_streams),
    ]);
    for (number, bytes) in files.iter().enumerate() {
        let mut look = Look::new(Budget::unlimited());
        look.feed(bytes).unwrap();
        let plan = look.finish(everything(), Key::new("")).unwrap().unwrap();
        let counts = |contents: Contents| {
            contents.kinds.into_iter().map(|kind| (kind.kind, kind.count)).collect::<Vec<_>>()
        };
        let asked = import::open(bytes).unwrap().contents();
        assert_eq!(counts(plan.contents()), counts(asked), "file {number}");
    }
}

/// Returns a file of events with many, long, similar or path-like names.
fn named(count: usize, length: usize, common: usize, part: &str) -> Vec<u8> {
    let events = (0..count).map(|number| {
        let rest = part.repeat(length / part.len().max(1) + 1);
        let common: String = rest.chars().take(common.min(length)).collect();
        let rest: String = rest.chars().take(length.saturating_sub(common.len())).collect();
        let name = format!("{common}{number}{rest}");
        format!(r#"{{"ph":"X","ts":{number},"dur":1,"pid":1,"tid":1,"name":"{name}","cat":"kernel"}}"#)
    });
    format!("[{}]", events.collect::<Vec<_>>().join(",")).into_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// The memory of the search is checked before its allocation, and exceeding the budget is an error with a message.
    #[test]
    fn what_is_to_go_takes_no_more_memory_than_it_may(
        count in 1..400_usize,
        length in 1..300_usize,
        common in 0..300_usize,
        part in prop::sample::select(vec!["x", "/folder", "a b", "ü%", "x/"]),
        allowed in prop::sample::select(vec![1_u64 << 10, 64 << 10, 1 << 20, 1 << 40]),
    ) {
        let trace = import::open(&named(count, length, common, part)).unwrap();
        let choice = Choice::new([ContentKind::Kernels, ContentKind::Paths, ContentKind::Markers]);
        let out = Written::default();
        let written = syclscope_engine::clean::write(
            &trace,
            choice,
            Key::new("key"),
            Format::Perfetto,
            Box::new(out.clone()),
            // The meter reads 0: only announced memory counts.
            &Budget::new(allowed, || 0),
        );
        match written {
            Ok(_) => {
                let copy = import::open(&out.bytes()).unwrap();
                prop_assert_eq!(copy.info().counts.slices, trace.info().counts.slices);
                // A copy within the budget has announced at least a quarter of the names' bytes.
                prop_assert!(allowed > (count * length) as u64 / 4, "{count} names of {length} bytes");
            }
            Err(CleanError::Memory(spent)) => prop_assert_eq!(spent.allowed_bytes, allowed),
            Err(error) => panic!("{error}"),
        }
        if allowed == 1 << 40 {
            prop_assert!(!out.bytes().is_empty(), "there was room");
        }
    }
}

/// Returns readings of clocks that always run: the start of each process, and the offsets of devices.
fn clocks(bytes: &[u8]) -> Vec<i128> {
    #[derive(Default)]
    struct Clocks(Vec<i128>);
    impl EventSink for Clocks {
        fn event(&mut self, event: &Event<'_>) {
            match event {
                Event::Process(process) => {
                    let start = [process.start_unix_ns, process.start_monotonic_ns];
                    self.0.extend(start.map(i128::from));
                }
                Event::DeviceClock(clock) => self.0.push(clock.offset_ns.into()),
                _ => {}
            }
        }
    }
    let mut clocks = Clocks::default();
    import::read(bytes, &mut clocks).unwrap();
    clocks.0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn random_recordings_keep_everything_but_names(steps in steps(60), kinds in any::<u16>()) {
        let bytes = write::<perfetto::Writer>(|take| crate::recordings::play(&steps, take));
        let chosen = ContentKind::ALL.iter().enumerate().filter(|(bit, _)| kinds & (1 << bit) != 0);
        let choice = Choice::new(chosen.map(|(_, kind)| *kind));
        for format in [Format::Perfetto, Format::Json] {
            let clean = cleaned(&bytes, choice, "key", format).unwrap();
            assert_same_events_but_names(&bytes, &clean);
            // No clock reveals the time since the machine's boot.
            let (clocks, of_copy) = (clocks(&bytes), clocks(&clean));
            prop_assert_eq!(clocks.len(), of_copy.len());
            let is_gone = of_copy.iter().all(|ns| *ns == 0);
            let is_right = if choice.has(ContentKind::Date) { is_gone } else { clocks == of_copy };
            prop_assert!(is_right, "{:?} of {:?}", of_copy, clocks);
        }
    }
}
