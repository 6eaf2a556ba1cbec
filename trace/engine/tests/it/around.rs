//! Neighbours of a slice, against a scan of every slice; waits, against the critical path.

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::{
    Alike, CriticalStep, DensityTile, Overlaps, SliceDetail, SliceItem, SliceRef, StepKind, TimelineTile,
    WaitReason, Waits,
};
use syclscope_language::event::{EdgeReason, EventSink as _, NodeKind, QueueOrder, TrackKind};
use syclscope_language::question::{TileKey, TileView};

use crate::graph::run;
use crate::recordings::run::Run;
use crate::recordings::{Step, play, steps};
use crate::select::ask;
use crate::truth::{filters, runs};

fn end(slice: &SliceDetail) -> u64 {
    slice.at.start_ns + slice.at.duration_ns
}

fn number(item: Option<SliceItem>) -> Option<u32> {
    item.map(|item| item.at.slice)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn overlaps_and_others_alike_are_those_of_a_scan(
        run in runs(),
        filter in filters(),
        pick in any::<u32>(),
        limit in 0..9_usize,
        same_track in any::<bool>(),
    ) {
        let details = crate::brute_force::details(&run.trace);
        let own = &details[pick as usize % details.len()];
        let until = end(own).max(own.at.start_ns + 1);
        let overlap_ns = |slice: &SliceDetail| end(slice).min(end(own)).saturating_sub(slice.at.start_ns.max(own.at.start_ns));
        let runs_beside = |slice: &&SliceDetail| {
            let touches = end(slice) > own.at.start_ns || slice.at.start_ns >= own.at.start_ns;
            slice.at.track != own.at.track && slice.at.start_ns < until && touches && filter.is_true(&run, slice)
        };
        let mut beside: Vec<_> = details.iter().filter(runs_beside).collect();
        beside.sort_by_key(|slice| (std::cmp::Reverse(overlap_ns(slice)), slice.at.start_ns, slice.at.slice));
        let text = format!("slices/{}/overlaps?limit={limit}&where={}", own.at.slice, filter.text());
        let found: Overlaps = ask(&run.trace, &text);
        let shown: Vec<_> = found.slices.iter().map(|found| (found.slice.at, found.overlap_ns)).collect();
        let expected: Vec<_> = beside.iter().take(limit).map(|slice| (slice.at, overlap_ns(slice))).collect();
        prop_assert_eq!(shown, expected);
        prop_assert_eq!(found.more as usize, beside.len().saturating_sub(limit));

        let is_alike = |slice: &&SliceDetail| {
            (&slice.name, slice.category, run.truth(slice).kind) == (&own.name, own.category, run.truth(own).kind)
                && (!same_track || slice.at.track == own.at.track)
        };
        let mut alike: Vec<_> = details.iter().filter(is_alike).collect();
        alike.sort_by_key(|slice| (slice.at.start_ns, slice.at.slice));
        let position = alike.iter().position(|slice| slice.at == own.at).unwrap();
        let found: Alike = ask(&run.trace, &format!("slices/{}/alike?same_track={same_track}", own.at.slice));
        prop_assert_eq!((found.total as usize, found.position as usize), (alike.len(), position));
        let at = |position: Option<usize>| position.and_then(|position| alike.get(position)).map(|slice| slice.at.slice);
        prop_assert_eq!(number(found.previous), at(position.checked_sub(1)));
        prop_assert_eq!(number(found.next), at(Some(position + 1)));
    }

    #[test]
    fn tiles_tell_how_many_of_their_slices_a_filter_means(
        run in runs(),
        filter in filters(),
        level in 0..12_u8,
        index in 0..8_u64,
    ) {
        let details = crate::brute_force::details(&run.trace);
        for track in run.trace.info().tracks.iter().filter(|track| track.lanes > 0) {
            let key = TileKey { view: TileView::Timeline, track: track.id, level, index };
            let plain = run.trace.timeline_tile(key).unwrap();
            let tile: TimelineTile = ask(&run.trace, &format!("tiles/{key}?where={}", filter.text()));
            for (lane, (shown, plain)) in (0..).zip(tile.lanes.iter().zip(&plain.lanes)) {
                prop_assert_eq!((&shown.slice, &shown.count), (&plain.slice, &plain.count));
                prop_assert_eq!(shown.matching.len(), shown.slice.len());
                for (entry, slice) in shown.slice.iter().enumerate() {
                    let (start, bucket) = (shown.start_ns[entry], key.bucket_ns());
                    let is_long = shown.duration_ns[entry] >= bucket;
                    let stands_for = details.iter().filter(|other| {
                        let at = &other.at;
                        (at.track, at.lane) == (track.id, lane)
                            && (at.slice == *slice
                                || !is_long && at.duration_ns < bucket && at.start_ns / bucket == start / bucket)
                    });
                    let (matching, all): (Vec<_>, Vec<_>) = stands_for.partition(|slice| filter.is_true(&run, slice));
                    prop_assert_eq!(matching.len() + all.len(), shown.count[entry] as usize);
                    prop_assert_eq!(shown.matching[entry] as usize, matching.len());
                }
            }
        }
    }

    #[test]
    fn density_tells_of_how_many_slices_that_a_filter_means_each_bucket_holds_a_part(
        run in runs(),
        filter in filters(),
        level in 0..12_u8,
        index in 0..8_u64,
    ) {
        let details = crate::brute_force::details(&run.trace);
        for track in run.trace.info().tracks.iter().filter(|track| track.lanes > 0) {
            let key = TileKey { view: TileView::Density, track: track.id, level, index };
            let plain = run.trace.density_tile(key).unwrap();
            let tile: DensityTile = ask(&run.trace, &format!("tiles/{key}?where={}", filter.text()));
            prop_assert_eq!(&DensityTile { matching: Vec::new(), ..tile.clone() }, &plain);
            let lanes = if track.kind == TrackKind::Queue { u32::MAX } else { 1 };
            for (bucket, matching) in tile.bucket.iter().zip(&tile.matching) {
                let from = key.span_ns().0 + u64::from(*bucket) * key.bucket_ns();
                let to = from + key.bucket_ns();
                let holds = |at: &SliceRef| {
                    at.track == track.id
                        && at.lane < lanes
                        && at.start_ns < to
                        && (at.start_ns >= from || at.start_ns + at.duration_ns > from)
                };
                let inside = details.iter().filter(|slice| holds(&slice.at) && filter.is_true(&run, slice));
                prop_assert_eq!(inside.count(), *matching as usize);
            }
        }
    }

    #[test]
    fn the_chain_goes_on_to_what_decided_and_waits_are_the_same_from_both_ends(seeds in steps(60)) {
        let trace = build(&seeds);
        for node in nodes(&trace) {
            let chain: Waits = ask(&trace, &format!("nodes/{node}/chain?limit=10000"));
            prop_assert_eq!(chain.more, 0);
            let mut step = chain.step.unwrap();
            for link in chain.links {
                prop_assert!(link.decided);
                let last = std::mem::replace(&mut step, link.step.clone());
                if is_step(&last) {
                    let before: Waits = ask(&trace, &format!("{}/waited_for?limit=10000", address(&last)));
                    prop_assert!(before.links.iter().any(|before| before.decided && before.step == link.step));
                }
            }
        }
        for node in nodes(&trace) {
            let waits: Waits = ask(&trace, &format!("nodes/{node}/waited_for"));
            for link in waits.links.iter().filter(|link| is_step(&link.step)) {
                let back: Waits = ask(&trace, &format!("{}/waited_by", address(&link.step)));
                let found = back.links.iter().find(|back| Some(&back.step) == waits.step.as_ref());
                let found = found.expect("the link from its other end");
                prop_assert_eq!((found.reason, found.edge, found.lag_ns), (link.reason, link.edge, link.lag_ns));
                prop_assert_eq!(found.decided, link.decided);
            }
            let all: Waits = ask(&trace, &format!("nodes/{node}/waited_for?hops=0&limit=10000"));
            let few: Waits = ask(&trace, &format!("nodes/{node}/waited_for?hops=0&limit=2"));
            prop_assert_eq!(few.links.len() as u64 + few.more, all.links.len() as u64);
            prop_assert_eq!(&few.links[..], &all.links[..few.links.len()]);
            prop_assert!(all.links.is_sorted_by_key(|link| link.hop));
        }
    }
}

/// True if the step is a step of the graph, not the time of a thread between two steps.
fn is_step(step: &CriticalStep) -> bool {
    matches!(step.kind, StepKind::Command | StepKind::Wait)
}

fn build(seeds: &[Step]) -> Trace {
    let mut builder = TraceBuilder::new();
    play(seeds, &mut |event| builder.event(event));
    builder.build()
}

fn nodes(trace: &Trace) -> Vec<u64> {
    trace.slack().into_iter().map(|slack| slack.node).collect()
}

fn address(step: &CriticalStep) -> String {
    match (step.node, step.at) {
        (Some(node), _) => format!("nodes/{node}"),
        (None, Some(at)) => format!("slices/{}", at.slice),
        (None, None) => panic!("{step:?}"),
    }
}

#[test]
fn a_command_waits_for_commands_and_for_the_host() {
    let trace = run();
    let told = |text: &str| {
        let waits: Waits = ask(&trace, text);
        let told = waits
            .links
            .into_iter()
            .map(|link| (link.hop, link.step.name, link.reason, link.edge, link.lag_ns, link.decided));
        told.collect::<Vec<_>>()
    };
    let name = str::to_owned;
    assert_eq!(
        told("nodes/2/waited_for"),
        [
            (1, name("queue.wait"), WaitReason::Host, None, 120, true),
            (1, name("beside"), WaitReason::Edge, Some(EdgeReason::Event), 20, false),
        ]
    );
    assert_eq!(told("nodes/1/waited_by"), [(1, name("queue.wait"), WaitReason::HostWait, None, 0, true)]);
    assert_eq!(
        told("nodes/2/chain"),
        [
            (1, name("queue.wait"), WaitReason::Host, None, 120, true),
            (2, name("first"), WaitReason::HostWait, None, 0, true),
            (3, name("main"), WaitReason::Host, None, 50, true),
        ]
    );
    let names = |text: &str| told(text).into_iter().map(|link| (link.0, link.1)).collect::<Vec<_>>();
    let all = [(1, "queue.wait"), (1, "beside"), (2, "first"), (2, "main")];
    assert_eq!(names("nodes/2/waited_for?hops=2"), all.map(|(hop, name)| (hop, name.to_owned())));
    let wait: SliceItem =
        ask::<syclscope_language::api::Found>(&trace, "search?where=queue.wait").first.unwrap();
    assert_eq!(names(&format!("slices/{}/waited_by", wait.at.slice)), [(1, name("second"))]);
    let answer = |text: &str| trace.answer(&text.parse().unwrap());
    assert_eq!(answer("nodes/99/chain"), Err(QueryError::NoNode(99)));
    assert_eq!(answer("slices/99/overlaps"), Err(QueryError::NoSlice(99)));
}

#[test]
fn a_command_that_the_device_had_no_room_for_waits_for_no_queue() {
    let mut run = Run::new(QueueOrder::OutOfOrder);
    run.queue(2, QueueOrder::OutOfOrder, 0xd1, "CPU");
    run.command(NodeKind::Kernel, 1, 0, (2_100, 52_100));
    run.command(NodeKind::Kernel, 2, 3_000, (52_200, 60_000));
    let waits: Waits = ask(&run.trace(), "nodes/2/waited_for");
    let first = waits.links.iter().find(|link| link.step.node == Some(1)).expect("the other kernel");
    assert_eq!((first.reason, first.edge, first.decided), (WaitReason::DeviceOrder, None, true));
}
