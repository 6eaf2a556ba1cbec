//! Costs of lines and files, against a scan of all events.

use std::collections::BTreeMap;

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::compare::KeptRun;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::{FileCost, Line, LineCost, LocationInfo, SliceDetail};
use syclscope_language::event::{
    Allocation, AllocationKind, Category, Event, EventSink as _, Execution, Node, NodeKind, SliceBegin,
    SliceEnd, SourceFile, SourceLocation, SourceState, Track, TrackKind, Value,
};
use syclscope_language::question::{LinesQuestion, Question};
use syclscope_language::time::Timestamp;

use crate::brute_force::details;

const FILES: [&str; 4] = ["", "main.cpp", "/src/other.hpp", "never.cpp"];

/// A command or an allocation: kind, file, line, true if its wait has a source location of its own, and a size.
type Seed = (u8, usize, u32, bool, u64);

/// Costs of a line, with the times in which its commands ran and the host waited there.
#[derive(Clone, Debug, Default)]
struct Expected {
    cost: LineCost,
    ran: Vec<(u64, u64)>,
    waited: Vec<(u64, u64)>,
}

/// Returns the number of nanoseconds in at least one span, by a scan of the boundaries.
fn covered(spans: &[(u64, u64)]) -> u64 {
    let mut bounds: Vec<u64> = spans.iter().flat_map(|(begin, end)| [*begin, *end]).collect();
    bounds.sort_unstable();
    bounds.dedup();
    let is_in = |at: u64| spans.iter().any(|(begin, end)| *begin <= at && at < *end);
    bounds.windows(2).filter(|pair| is_in(pair[0])).map(|pair| pair[1] - pair[0]).sum()
}

fn run(seeds: &[Seed]) -> (Trace, BTreeMap<(&'static str, u32), Expected>) {
    let mut builder = TraceBuilder::new();
    let mut lines: BTreeMap<(&'static str, u32), Expected> = BTreeMap::new();
    let at = Timestamp;
    builder.event(&Event::Track(Track {
        track: 1,
        parent: None,
        kind: TrackKind::Thread,
        name: "t",
        tid: 1,
    }));
    for (number, &(what, file, line, is_placed, size)) in (1..).zip(seeds) {
        let begin = number * 1_000;
        let place = |line| SourceLocation { function: "f", file: FILES[file], line, column: 0 };
        let location = place(line);
        let expected = lines.entry((FILES[file], line)).or_default();
        let cost = &mut expected.cost;
        if what == 0 {
            builder.event(&Event::Allocation(Allocation {
                at: at(begin),
                pointer: begin,
                size_bytes: size,
                kind: AllocationKind::Device,
                guard_bytes: 0,
                device: "",
                tid: 1,
                location,
            }));
            cost.allocations += 1;
            cost.allocated_bytes += size;
            continue;
        }
        let kind = if what == 1 { NodeKind::Copy } else { NodeKind::Kernel };
        let node = Node {
            node: number,
            at: at(begin),
            kind,
            name: "n",
            queue: Some(1),
            tid: 1,
            location,
            args: &[],
        };
        builder.event(&Event::Node(node));
        let mut slice = |category, from: u64, to: u64, location| {
            let node = Some(number);
            let begin = SliceBegin { track: 1, at: at(from), category, name: "s", node, location, args: &[] };
            builder.event(&Event::SliceBegin(begin));
            builder.event(&Event::SliceEnd(SliceEnd { track: 1, at: at(to), args: &[] }));
        };
        slice(Category::Submission, begin, begin + 10, SourceLocation::default());
        cost.submissions += 1;
        cost.slices += 2;
        // Executions last for several steps, so that they overlap.
        expected.ran.push((begin + 12, begin + 12 + size * 20));
        cost.moved_bytes += if what == 1 { size * 3 } else { 0 };
        let waiting = if is_placed { place(line + 100) } else { SourceLocation::default() };
        slice(Category::Wait, begin + 20, begin + 50, waiting);
        // A wait without a source location counts at no line, not at the line of its commands.
        if is_placed {
            let waiting = lines.entry((FILES[file], line + 100)).or_default();
            waiting.cost.waits += 1;
            waiting.cost.slices += 1;
            waiting.waited.push((begin + 20, begin + 50));
        }
        builder.event(&Event::Execution(Execution {
            node: number,
            queue: 1,
            kind,
            name: "n",
            queued: None,
            submitted: None,
            start: at(begin + 12),
            end: at(begin + 12 + size * 20),
            args: &[("bytes", Value::Uint(size * 3))],
        }));
    }
    let source = SourceFile {
        at: at(0),
        name: "main.cpp",
        sha256: "00",
        size_bytes: 2,
        text: "1\n",
        state: SourceState::ALL[0],
    };
    builder.event(&Event::SourceFile(source));
    builder.event(&Event::SourceFile(SourceFile { name: "never.cpp", text: "", ..source }));
    (builder.build(), lines)
}

fn together<'e>(lines: impl Iterator<Item = &'e Expected> + Clone) -> LineCost {
    let add = |field: fn(&LineCost) -> u64| lines.clone().map(|line| field(&line.cost)).sum::<u64>();
    let time = |of: fn(&Expected) -> &Vec<(u64, u64)>| {
        covered(&lines.clone().flat_map(|line| of(line).iter().copied()).collect::<Vec<_>>())
    };
    LineCost {
        submissions: add(|cost| cost.submissions),
        device_ns: time(|line| &line.ran),
        moved_bytes: add(|cost| cost.moved_bytes),
        allocations: add(|cost| cost.allocations),
        allocated_bytes: add(|cost| cost.allocated_bytes),
        waits: add(|cost| cost.waits),
        wait_ns: time(|line| &line.waited),
        slices: add(|cost| cost.slices),
    }
}

fn place(slice: &SliceDetail) -> Option<&LocationInfo> {
    let of_node = || slice.node.as_ref().filter(|_| slice.category != Category::Wait)?.location.as_ref();
    slice.location.as_ref().or_else(of_node)
}

proptest! {
    #[test]
    fn lines_and_files_cost_what_was_recorded(
        seeds in prop::collection::vec((0..3_u8, 0..4_usize, 0..4_u32, any::<bool>(), 0..400_u64), 0..40),
    ) {
        let (trace, expected) = run(&seeds);
        let files = trace.files();
        for path in FILES {
            let answer = trace.lines(&LinesQuestion::Path(path.to_owned())).unwrap();
            let in_file = || expected.iter().filter(|((file, _), _)| *file == path);
            let lines = in_file().map(|((_, line), one)| Line { line: *line, cost: together(std::iter::once(one)) });
            let of_file: Vec<Line> = lines.filter(|line| line.cost != LineCost::default()).collect();
            prop_assert_eq!(&answer.lines, &of_file, "{}", path);
            prop_assert_eq!(answer.file.cost, together(in_file().map(|(_, one)| one)));
            let source = trace.info().sources.iter().position(|source| source.path == path);
            prop_assert_eq!(answer.file.source, source.map(|row| row as u32));
            if let Some(row) = source {
                prop_assert_eq!(&trace.lines(&LinesQuestion::Source(row as u32)).unwrap(), &answer);
            }
            let listed = files.iter().find(|file| file.path == path);
            prop_assert_eq!(listed.is_some(), !path.is_empty() && (source.is_some() || !of_file.is_empty()));
            prop_assert!(listed.is_none_or(|listed| *listed == answer.file));
        }
        let at_once = trace.lines_of_files();
        let one_by_one = files.iter().map(|file| trace.lines(&LinesQuestion::Path(file.path.clone())).unwrap());
        prop_assert_eq!(&at_once, &one_by_one.collect::<Vec<_>>());
        let kept = KeptRun::new("", &trace, None);
        for path in FILES.into_iter().filter(|path| !path.is_empty()) {
            let asked = Question::Lines(LinesQuestion::Path(path.to_owned()));
            prop_assert_eq!(kept.answer(&asked).unwrap(), Some(trace.answer(&asked).unwrap()));
        }
        prop_assert_eq!(kept.answer(&Question::Files).unwrap(), None);
        let times: Vec<_> = files.iter().map(|file| file.cost.device_ns).collect();
        prop_assert!(times.is_sorted_by(|a, b| a >= b), "most device time first");
        // A file's cost counts exactly the slices whose source location is in it.
        let found = details(&trace);
        for FileCost { path, cost, .. } in &files {
            let here = found.iter().filter(|slice| place(slice).is_some_and(|place| place.file == *path));
            prop_assert_eq!(here.count() as u64, cost.slices);
        }
    }
}

#[test]
fn what_no_file_has_is_said() {
    let (trace, _) = run(&[(1, 1, 7, false, 5)]);
    assert_eq!(trace.lines(&LinesQuestion::Source(9)), Err(QueryError::NoSource(9)));
    let unknown = trace.lines(&LinesQuestion::Path("nowhere.cpp".to_owned())).unwrap();
    assert_eq!((unknown.file.source, unknown.lines.len()), (None, 0));
}
