//! Regions by path, against a scan of every region for every command and wait.

use std::collections::BTreeMap;

use proptest::prelude::*;
use syclscope_engine::store::Trace;
use syclscope_language::api::{GraphMembers, GraphView, RegionReport, Regions, Selected, ViewNode};
use syclscope_language::event::{
    Category, Event, NodeKind, QueueOrder, SliceBegin, SliceEnd, SourceLocation, Track, TrackKind,
};
use syclscope_language::question::Question;
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run};

const NAMES: [&str; 3] = ["solve", "assemble", "exchange"];

fn ask<A: serde::de::DeserializeOwned>(trace: &Trace, question: &str) -> A {
    let question: Question = question.parse().unwrap();
    serde_json::from_str(&trace.answer(&question).unwrap()).unwrap()
}

#[derive(Clone, Debug)]
struct Region {
    from: u64,
    to: u64,
    name: &'static str,
}

#[derive(Clone, Debug)]
struct Ran {
    at: u64,
    begin: u64,
    ns: u64,
    is_copy: bool,
}

/// Returns nested and disjoint regions.
fn regions() -> impl Strategy<Value = Vec<Region>> {
    let region = (0..500_u64, 1..300_u64, prop::sample::select(&NAMES));
    prop::collection::vec(region, 0..25).prop_map(|drawn| {
        let mut regions: Vec<Region> = Vec::new();
        for (from, length, name) in drawn {
            let region = Region { from: from * 100, to: (from + length) * 100, name };
            let fits = |other: &Region| {
                region.to <= other.from
                    || other.to <= region.from
                    || (region.from < other.from && other.to < region.to)
                    || (other.from < region.from && region.to < other.to)
            };
            if regions.iter().all(fits) {
                regions.push(region);
            }
        }
        regions.sort_by_key(|region| region.from);
        regions
    })
}

fn commands() -> impl Strategy<Value = Vec<Ran>> {
    let command = (0..800_u64, 0..400_u64, 1..200_u64, any::<bool>());
    prop::collection::vec(command, 0..30).prop_map(|drawn| {
        let mut ran: Vec<Ran> = drawn
            .into_iter()
            .map(|(at, delay, ns, is_copy)| Ran {
                at: at * 100 + 7,
                begin: (at + delay) * 100 + 50,
                ns,
                is_copy,
            })
            .collect();
        ran.sort_by_key(|command| command.at);
        ran
    })
}

fn trace(regions: &[Region], commands: &[Ran], waits: &[(u64, u64)]) -> Trace {
    let mut run = Run::new(QueueOrder::OutOfOrder);
    for Region { from, to, name } in regions {
        run.slice(Category::User, name, *from, *to, None, &[]);
    }
    for Ran { at, begin, ns, is_copy } in commands {
        let node = run.next_node();
        let kind = if *is_copy { NodeKind::Copy } else { NodeKind::Kernel };
        run.submit(Command { node, kind, at: *at, ran: (*begin, begin + ns), ..Command::default() });
    }
    for (from, to) in waits {
        run.wait_for_queue(1, *from, *to);
    }
    run.trace()
}

fn path(regions: &[Region], of: &Region) -> Vec<String> {
    let around = regions.iter().filter(|region| region.from <= of.from && of.to <= region.to);
    around.map(|region| region.name.to_owned()).collect()
}

fn expected(
    regions: &[Region],
    commands: &[Ran],
    waits: &[(u64, u64)],
    (from, to): (u64, u64),
) -> BTreeMap<Vec<String>, RegionReport> {
    let is_in =
        |begin: u64, end: u64| (from..to).contains(&begin) || (begin < from && from < to && end > from);
    let mut rows: BTreeMap<Vec<String>, (Vec<&Region>, Vec<u64>)> = BTreeMap::new();
    for region in regions {
        let (all, durations) = rows.entry(path(regions, region)).or_default();
        all.push(region);
        if is_in(region.from, region.to) {
            durations.push(region.to - region.from);
        }
    }
    let report = |path: &Vec<String>, all: &[&Region], mut durations: Vec<u64>| {
        durations.sort_unstable();
        let submitted = commands.iter().filter(|command| {
            let is_around = all.iter().any(|region| (region.from..region.to).contains(&command.at));
            is_around && is_in(command.begin, command.begin + command.ns)
        });
        let (copies, others): (Vec<&Ran>, Vec<&Ran>) = submitted.partition(|command| command.is_copy);
        let ns = |commands: &[&Ran]| commands.iter().map(|command| command.ns).sum();
        let waited = |region: &&&Region| -> u64 {
            let part =
                |(begin, end): &(u64, u64)| (*end).min(region.to).saturating_sub((*begin).max(region.from));
            waits.iter().map(part).sum()
        };
        RegionReport {
            path: path.clone(),
            count: durations.len() as u64,
            threads: 1,
            total_ns: durations.iter().sum(),
            min_ns: durations[0],
            median_ns: durations[(durations.len() - 1) / 2],
            max_ns: *durations.last().unwrap(),
            commands: (copies.len() + others.len()) as u64,
            device_ns: ns(&others),
            copy_ns: ns(&copies),
            wait_ns: all
                .iter()
                .filter(|region| is_in(region.from, region.to))
                .map(|region| waited(&region))
                .sum(),
        }
    };
    let shown = rows.into_iter().filter(|(_, (_, durations))| !durations.is_empty());
    shown.map(|(path, (all, durations))| (path.clone(), report(&path, &all, durations))).collect()
}

proptest! {
    #[test]
    fn regions_have_what_was_submitted_and_waited_for_in_them(
        regions in regions(),
        commands in commands(),
        waits in prop::collection::vec(1..900_u64, 0..40),
        part in (0..60_000_u64, 0..60_000_u64),
    ) {
        let waits: Vec<(u64, u64)> = (0..).zip(&waits).map(|(place, ns)| (place * 1_500 + 3, place * 1_500 + 3 + ns)).collect();
        let trace = trace(&regions, &commands, &waits);
        let (from, to) = (part.0, part.0 + part.1);
        for (question, range) in [("regions".to_owned(), (0, u64::MAX)), (format!("regions?from={from}&to={to}"), (from, to))] {
            let found: Regions = ask(&trace, &question);
            let totals: Vec<u64> = found.regions.iter().map(|region| region.total_ns).collect();
            prop_assert!(totals.is_sorted_by(|a, b| a >= b), "{totals:?}");
            // The filter `in` has its own search for regions.
            for name in NAMES {
                let is_outermost = |region: &&RegionReport| region.path.iter().position(|one| one == name) == Some(region.path.len() - 1);
                let commands: u64 = found.regions.iter().filter(is_outermost).map(|region| region.commands).sum();
                let selected: Selected = ask(&trace, &format!("select?from={}&to={}&where=in={name}%20(category=kernel%20or%20category=copy)", range.0, range.1));
                prop_assert!(commands == selected.total.count || range.1 < u64::MAX, "{name}: {commands}");
            }
            let by_path: BTreeMap<_, _> = found.regions.into_iter().map(|region| (region.path.clone(), region)).collect();
            prop_assert_eq!(by_path, expected(&regions, &commands, &waits, range));
        }
    }
}

fn rows(trace: &Trace, question: &str) -> Vec<(String, u64, u64)> {
    let found: Regions = ask(trace, question);
    found.regions.into_iter().map(|region| (region.path.join("/"), region.count, region.commands)).collect()
}

/// The layers of a network have few names, its steps many.
#[test]
fn names_that_differ_in_many_numbers_are_one() {
    let mut run = Run::new(QueueOrder::InOrder);
    for step in 0..20_u64 {
        let from = step * 10_000;
        run.slice(Category::User, &format!("step {step}"), from, from + 9_000, None, &[]);
        for layer in 0..2_u64 {
            let begin = from + 1_000 + layer * 4_000;
            run.slice(Category::User, &format!("conv{layer}"), begin, begin + 3_000, None, &[]);
            run.kernel(begin + 100, (begin + 200, begin + 300));
        }
    }
    let trace = run.trace();
    let all = [
        ("step #".to_owned(), 20, 40),
        ("step #/conv0".to_owned(), 20, 20),
        ("step #/conv1".to_owned(), 20, 20),
    ];
    assert_eq!(rows(&trace, "regions"), all);
    assert_eq!(rows(&trace, "regions?limit=1"), all[..1]);
    assert_eq!(ask::<Regions>(&trace, "regions?limit=1").more, 2);
    let view: GraphView = ask(&trace, "graph?level=regions");
    let within = |node: &ViewNode| node.within.map(|name| view.names[name as usize].as_str());
    let nodes: Vec<_> = view.nodes.iter().map(|node| (node.count, within(node), node.location)).collect();
    assert_eq!(nodes, [(20, Some("step # / conv0"), Some(0)), (20, Some("step # / conv1"), Some(0))]);
    let members: GraphMembers =
        ask(&trace, &format!("graph_members?level=regions&group={}", view.nodes[1].id));
    assert_eq!((members.count, members.members[0].node.node), (20, 2));
    // 17 names: one more than the limit of distinct names.
    assert_eq!(rows(&trace, "regions?to=160001")[0].0, "step #");
    let one = rows(&trace, "regions?from=10000&to=11000");
    assert_eq!(one[0], ("step #".to_owned(), 1, 0));
}

/// Ranges with a start on one thread and an end on another are on tracks of the process.
#[test]
fn a_region_of_the_process_has_the_commands_of_its_threads() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.slice(Category::User, "solve", 1_000, 9_000, None, &[]);
    for (track, name, from, to) in [(900, "phase", 500, 6_000), (901, "request", 5_500, 12_000)] {
        let (at, location, category) = (Timestamp(from), SourceLocation::default(), Category::User);
        run.event(&Event::Track(Track {
            track,
            parent: None,
            kind: TrackKind::Stream,
            name: "NVTX",
            tid: 0,
        }));
        run.event(&Event::SliceBegin(SliceBegin {
            track,
            at,
            category,
            name,
            node: None,
            location,
            args: &[],
        }));
        run.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(to), args: &[] }));
    }
    for at in [600, 2_000, 5_700, 8_000, 10_000, 13_000] {
        run.kernel(at, (at + 100, at + 200));
    }
    let found = rows(&run.trace(), "regions");
    assert_eq!(found, [("solve".to_owned(), 1, 3), ("request".to_owned(), 1, 3), ("phase".to_owned(), 1, 3)]);
}
