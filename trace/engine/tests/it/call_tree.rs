//! Call trees, against the generated nested calls.

use std::collections::BTreeMap;

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::CallNode;
use syclscope_language::event::{
    Category, Event, EventSink as _, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::question::{CallGrouping, CallTreeQuestion, SandwichQuestion, Selection};
use syclscope_language::time::Timestamp;

const NAMES: [&str; 3] = ["submit", "urEnqueue", "wait"];
const NATIVE: &str = "zeAppend";

/// A call: name, self time before, true if it fails, true if it calls the native API, and the calls within.
#[derive(Clone, Debug)]
struct Call {
    name: usize,
    own_ns: u64,
    fails: bool,
    native: bool,
    within: Vec<Call>,
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    let leaf = (0..3_usize, 1..50_u64, any::<bool>(), any::<bool>())
        .prop_map(|(name, own_ns, fails, native)| Call { name, own_ns, fails, native, within: Vec::new() });
    let call = leaf.prop_recursive(4, 24, 4, |inner| {
        (0..3_usize, 1..50_u64, any::<bool>(), prop::collection::vec(inner, 0..4))
            .prop_map(|(name, own_ns, fails, within)| Call { name, own_ns, fails, native: false, within })
    });
    prop::collection::vec(call, 0..5)
}

/// A generated slice: the names around it and its own, outermost first, and its times.
#[derive(Clone, Debug)]
struct Made {
    path: Vec<&'static str>,
    start: u64,
    end: u64,
    own: u64,
    fails: bool,
}

/// Plays calls on a thread from a moment on. Returns the end of the last one, and the sum of their durations.
fn play(
    calls: &[Call],
    thread: u64,
    from: u64,
    around: &[&'static str],
    builder: &mut TraceBuilder,
    made: &mut Vec<Made>,
) -> (u64, u64) {
    let (mut at, mut together) = (from, 0);
    for call in calls {
        let path: Vec<_> = around.iter().copied().chain([NAMES[call.name]]).collect();
        let begin = |track, at, category, name| {
            let location = SourceLocation::default();
            Event::SliceBegin(SliceBegin {
                track,
                at: Timestamp(at),
                category,
                name,
                node: None,
                location,
                args: &[],
            })
        };
        builder.event(&begin(thread, at, Category::Call, NAMES[call.name]));
        let own_end = at + call.own_ns;
        if call.native {
            let stream = thread + 10;
            builder.event(&begin(stream, at, Category::Native, NATIVE));
            builder.event(&Event::SliceEnd(SliceEnd { track: stream, at: Timestamp(own_end), args: &[] }));
            let path = path.iter().copied().chain([NATIVE]).collect();
            made.push(Made { path, start: at, end: own_end, own: call.own_ns, fails: false });
        }
        let (end, within) = play(&call.within, thread, own_end, &path, builder, made);
        let result =
            ("result", Value::Str(if call.fails { "UR_RESULT_ERROR_UNKNOWN" } else { "UR_RESULT_SUCCESS" }));
        builder.event(&Event::SliceEnd(SliceEnd { track: thread, at: Timestamp(end), args: &[result] }));
        let own = end - at - within - if call.native { call.own_ns } else { 0 };
        made.push(Made { path, start: at, end, own, fails: call.fails });
        together += end - at;
        // A call may start at the end of the previous one.
        at = end + call.own_ns % 2;
    }
    (at, together)
}

fn run(threads: &[Vec<Call>]) -> (Trace, Vec<Vec<Made>>) {
    let mut builder = TraceBuilder::new();
    let mut made = Vec::new();
    for (track, calls) in (1..).zip(threads) {
        let (thread, stream) = (TrackKind::Thread, TrackKind::Stream);
        let tid = track as u32;
        builder.event(&Event::Track(Track { track, parent: None, kind: thread, name: "thread", tid }));
        let of_thread = Some(track);
        builder.event(&Event::Track(Track {
            track: track + 10,
            parent: of_thread,
            kind: stream,
            name: "ze",
            tid: 0,
        }));
        made.push(Vec::new());
        let slices = made.last_mut().unwrap();
        play(calls, track, 100 * track, &[], &mut builder, slices);
    }
    (builder.build(), made)
}

/// Numbers of a node: count, errors, total, self time, longest slice.
type Numbers = (u64, u64, u64, u64, u64);

fn add(numbers: &mut Numbers, made: &Made, own: u64) {
    let duration = made.end - made.start;
    *numbers = (
        numbers.0 + 1,
        numbers.1 + u64::from(made.fails),
        numbers.2 + duration,
        numbers.3 + own,
        numbers.4.max(duration),
    );
}

/// Returns nodes by their paths; checks that parents precede children, and that siblings are sorted by time.
fn by_path(nodes: &[CallNode], names: &[String]) -> BTreeMap<Vec<String>, Numbers> {
    let mut paths: Vec<Vec<String>> = Vec::new();
    let mut found = BTreeMap::new();
    let mut last: BTreeMap<Option<u32>, u64> = BTreeMap::new();
    for node in nodes {
        let mut path = node.parent.map_or(Vec::new(), |parent| paths[parent as usize].clone());
        path.push(names[node.name as usize].clone());
        let before = last.insert(node.parent, node.total_ns);
        assert!(before.is_none_or(|before| before >= node.total_ns), "most time first");
        let numbers = (node.count, node.errors, node.total_ns, node.self_ns, node.max_ns);
        assert_eq!(found.insert(path.clone(), numbers), None, "one node for a path");
        paths.push(path);
    }
    found
}

fn owned(path: &[&str]) -> Vec<String> {
    path.iter().map(|name| (*name).to_owned()).collect()
}

fn tree(trace: &Trace, by: CallGrouping, limit: u32) -> syclscope_language::api::CallTree {
    trace.call_tree(&CallTreeQuestion { by, limit, ..CallTreeQuestion::default() }).unwrap()
}

proptest! {
    #[test]
    fn a_tree_tells_who_called_whom(threads in prop::collection::vec(calls(), 1..3)) {
        let (trace, made) = run(&threads);
        let by_thread = tree(&trace, CallGrouping::Thread, 10_000);
        prop_assert_eq!(by_thread.left_out, 0);
        let mut of_all: BTreeMap<Vec<String>, Numbers> = BTreeMap::new();
        let mut groups = 0;
        for (number, made) in made.iter().enumerate().filter(|(_, made)| !made.is_empty()) {
            let mut expected: BTreeMap<Vec<String>, Numbers> = BTreeMap::new();
            for slice in made {
                add(expected.entry(owned(&slice.path)).or_default(), slice, slice.own);
                add(of_all.entry(owned(&slice.path)).or_default(), slice, slice.own);
            }
            let total: u64 = expected.iter().filter(|(path, _)| path.len() == 1).map(|(_, numbers)| numbers.2).sum();
            let is_it = |group: &&syclscope_language::api::CallGroup| {
                by_path(&group.nodes, &by_thread.names) == expected && group.total_ns == total
            };
            prop_assert!(by_thread.groups.iter().any(|group| is_it(&group)), "thread {}", number);
            groups += 1;
        }
        prop_assert_eq!(by_thread.groups.len(), groups);
        let all = tree(&trace, CallGrouping::All, 10_000);
        if let Some(group) = all.groups.first() {
            prop_assert_eq!(by_path(&group.nodes, &all.names), of_all.clone());
            let busy = by_thread.groups.iter().filter(|group| group.total_ns > 0).count();
            prop_assert_eq!(group.threads, busy as u64);
        }

        // A limited tree has the nodes with most time, each with all its ancestors.
        let few = tree(&trace, CallGrouping::All, 3);
        let told = few.groups.first().map(|group| by_path(&group.nodes, &few.names)).unwrap_or_default();
        prop_assert_eq!(told.len(), of_all.len().min(3));
        prop_assert_eq!(few.left_out as usize, of_all.len() - told.len());
        for (path, numbers) in &told {
            prop_assert_eq!(&of_all[path], numbers);
            prop_assert!(path.len() == 1 || told.contains_key(&path[..path.len() - 1]));
        }
        let least = told.values().map(|numbers| numbers.2).min().unwrap_or_default();
        for (path, numbers) in of_all.iter().filter(|(path, _)| !told.contains_key(*path)) {
            prop_assert!(path.len() > 1 && !told.contains_key(&path[..path.len() - 1]) || numbers.2 <= least);
        }
    }

    #[test]
    fn a_sandwich_tells_what_leads_to_a_name_and_what_that_leads_to(
        threads in prop::collection::vec(calls(), 1..3),
        name in 0..3_usize,
    ) {
        let (trace, made) = run(&threads);
        let name = NAMES[name];
        let question = SandwichQuestion { name: name.to_owned(), selection: Selection::default(), limit: 10_000 };
        let answer = trace.sandwich(&question).unwrap();
        let (mut callers, mut callees) = (BTreeMap::new(), BTreeMap::new());
        let (mut count, mut total, mut own) = (0, 0, 0);
        for slice in made.iter().flatten() {
            let Some(first) = slice.path.iter().position(|known| *known == name) else { continue };
            let last = slice.path.len() - 1;
            if slice.path[last] == name {
                count += 1;
                own += slice.own;
            }
            add(callees.entry(owned(&slice.path[first..])).or_default(), slice, slice.own);
            if first == last {
                total += slice.end - slice.start;
                let upside_down: Vec<_> = slice.path.iter().rev().copied().collect();
                for length in 1..=upside_down.len() {
                    let own = if length == upside_down.len() { slice.end - slice.start } else { 0 };
                    add(callers.entry(owned(&upside_down[..length])).or_default(), slice, own);
                }
            }
        }
        prop_assert_eq!((answer.count, answer.total_ns, answer.self_ns), (count, total, own));
        prop_assert_eq!(by_path(&answer.callers, &answer.names), callers);
        prop_assert_eq!(by_path(&answer.callees, &answer.names), callees);
    }

    #[test]
    fn a_range_counts_what_lies_within(threads in prop::collection::vec(calls(), 1..2), from in 90..400_u64, length in 1..300_u64) {
        let (trace, made) = run(&threads);
        let to = from + length;
        let selection = Selection { from_ns: Some(from), to_ns: Some(to), ..Selection::default() };
        let answer = trace.call_tree(&CallTreeQuestion { selection, limit: 10_000, ..CallTreeQuestion::default() }).unwrap();
        let inside: Vec<&Made> = made.iter().flatten().filter(|slice| slice.start < to && slice.end > from).collect();
        let mut expected: BTreeMap<Vec<String>, (u64, u64)> = BTreeMap::new();
        for slice in inside {
            let numbers = expected.entry(owned(&slice.path)).or_default();
            *numbers = (numbers.0 + 1, numbers.1 + slice.end.min(to) - slice.start.max(from));
        }
        let found = answer.groups.first().map(|group| by_path(&group.nodes, &answer.names)).unwrap_or_default();
        let found: BTreeMap<_, _> = found.into_iter().map(|(path, numbers)| (path, (numbers.0, numbers.2))).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn what_the_filter_leaves_out_is_not_in_the_tree() {
    let inner = Call { name: 2, own_ns: 8, fails: false, native: true, within: Vec::new() };
    let call = Call { name: 1, own_ns: 10, fails: true, native: false, within: vec![inner] };
    let outer = Call { name: 0, own_ns: 100, fails: false, native: false, within: vec![call] };
    let (trace, _) = run(&[vec![outer]]);
    let selection = Selection { filter: "-name=urEnqueue".parse().unwrap(), ..Selection::default() };
    let question =
        CallTreeQuestion { selection, by: CallGrouping::Process, limit: 100, ..CallTreeQuestion::default() };
    let answer = trace.call_tree(&question).unwrap();
    let found = by_path(&answer.groups[0].nodes, &answer.names);
    let expected = [
        (owned(&["submit"]), (1, 0, 118, 110, 118)),
        (owned(&["submit", "wait"]), (1, 0, 8, 0, 8)),
        (owned(&["submit", "wait", NATIVE]), (1, 0, 8, 8, 8)),
    ];
    assert_eq!(found, expected.into_iter().collect());
    assert_eq!((answer.groups[0].process, answer.groups[0].track), (Some(0), None));
    let tracks = Some(vec![99]);
    let question = CallTreeQuestion { selection: Selection { tracks, ..Selection::default() }, ..question };
    assert_eq!(trace.call_tree(&question), Err(QueryError::NoTrack(99)));
}
