//! Answers about memory, against a replay of the allocations: every number of bytes, at any width of a bucket.

use proptest::prelude::*;
use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::{Amount, MemoryAt, MemoryUse};
use syclscope_language::event::{
    Allocation, AllocationKind, Category, CounterSample, Event, EventSink as _, QueueOrder, Release,
    SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::question::{
    AllocationOrder, AllocationsQuestion, LeaksQuestion, MemoryAtQuestion, MemoryFilter, MemoryUseQuestion,
};
use syclscope_language::time::Timestamp;

use crate::recordings::run::Run;

const KINDS: [AllocationKind; 3] = [AllocationKind::Device, AllocationKind::Host, AllocationKind::Shared];
const DEVICES: [&str; 2] = ["GPU 0", "GPU 1"];

#[derive(Clone, Debug)]
struct Block {
    at: u64,
    released: Option<u64>,
    pointer: u64,
    bytes: u64,
    kind: AllocationKind,
    device: &'static str,
    line: u32,
}

impl Block {
    fn is_live(&self, at: u64) -> bool {
        self.at <= at && self.released.is_none_or(|released| released > at)
    }
}

/// Pauses, lifetimes and sizes of consecutive blocks at one address.
type Slot = Vec<(u64, Option<u64>, u64, u8)>;

fn slots() -> impl Strategy<Value = Vec<Slot>> {
    let block = (0..40_u64, prop::option::weighted(0.95, 0..90_u64), 0..5_000_u64, any::<u8>());
    prop::collection::vec(prop::collection::vec(block, 0..12), 1..12)
}

fn blocks(slots: &[Slot]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (number, slot) in slots.iter().enumerate() {
        let mut now = 0;
        for (pause, held, bytes, pick) in slot {
            let at = now + pause;
            blocks.push(Block {
                at,
                released: held.map(|held| at + held),
                pointer: 0x7f00_0000_0000 + number as u64 * 6_000 + if number % 4 == 3 { 1 << 30 } else { 0 },
                bytes: *bytes,
                kind: KINDS[usize::from(*pick) % 3],
                device: DEVICES[usize::from(pick / 3) % 2],
                line: u32::from(pick / 6) % 4,
            });
            let Some(held) = held else { break };
            now = at + held;
        }
    }
    // The same order as the rows of a trace.
    blocks.sort_by_key(|block| block.at);
    blocks
}

fn trace(blocks: &[Block]) -> Trace {
    let mut builder = TraceBuilder::new();
    let mut events: Vec<(u64, Event<'_>)> = Vec::new();
    for block in blocks {
        let allocation = Allocation {
            at: Timestamp(block.at),
            pointer: block.pointer,
            size_bytes: block.bytes,
            kind: block.kind,
            guard_bytes: 0,
            device: block.device,
            tid: 1,
            location: SourceLocation { function: "f", file: "/src/a.cpp", line: block.line, column: 0 },
        };
        events.push((block.at, Event::Allocation(allocation)));
        if let Some(at) = block.released {
            events.push((at, Event::Release(Release { at: Timestamp(at), pointer: block.pointer, tid: 1 })));
        }
    }
    // Blocks of one address are consecutive: at equal times, the order of insertion counts.
    events.sort_by_key(|(at, _)| *at);
    events.iter().for_each(|(_, event)| builder.event(event));
    builder.event(&Event::Finish { at: Timestamp(2_000) });
    builder.build()
}

fn in_use(blocks: &[Block], of: impl Fn(&Block) -> bool, at: u64) -> u64 {
    blocks.iter().filter(|block| of(block) && block.is_live(at)).map(|block| block.bytes).sum()
}

/// Returns most bytes in use in a range of time and the first moment with them, by a scan of every moment.
fn most(blocks: &[Block], of: impl Fn(&Block) -> bool, from: u64, to: u64) -> (u64, u64) {
    let mut best = (in_use(blocks, &of, from), from);
    for at in from..to {
        let bytes = in_use(blocks, &of, at);
        if bytes > best.0 {
            best = (bytes, at);
        }
    }
    best
}

fn check_use(blocks: &[Block], answer: &MemoryUse, of: impl Fn(&Block) -> bool) -> Result<(), TestCaseError> {
    let (from, to) = (answer.from_ns, answer.to_ns);
    let ends = answer.at_ns.iter().skip(1).copied().chain([to]);
    for (bucket, (begin, end)) in answer.at_ns.iter().copied().zip(ends).enumerate() {
        for series in &answer.series {
            let own = |block: &Block| of(block) && block.kind == series.kind && block.device == series.device;
            prop_assert_eq!(series.max_bytes[bucket], most(blocks, own, begin, end).0);
            prop_assert_eq!(series.last_bytes[bucket], in_use(blocks, own, end - 1));
        }
        prop_assert_eq!(answer.total_max_bytes[bucket], most(blocks, &of, begin, end).0);
        prop_assert_eq!(answer.total_last_bytes[bucket], in_use(blocks, &of, end - 1));
    }
    for series in &answer.series {
        let own = |block: &Block| of(block) && block.kind == series.kind && block.device == series.device;
        prop_assert_eq!((series.peak_bytes, series.peak_at_ns), most(blocks, own, from, to));
        let before = from.checked_sub(1).map_or(0, |before| in_use(blocks, own, before));
        prop_assert_eq!(series.before_bytes, before);
    }
    let peak = &answer.peak;
    prop_assert_eq!((peak.bytes, peak.at_ns), most(blocks, &of, from, to));
    let live: Vec<&Block> = blocks.iter().filter(|block| of(block) && block.is_live(peak.at_ns)).collect();
    prop_assert_eq!(peak.count, live.len() as u64);
    prop_assert_eq!(peak.series_bytes.iter().sum::<u64>(), peak.bytes);
    for place in &peak.places {
        let line = place.location.as_ref().map_or(0, |place| place.line);
        let own = live
            .iter()
            .filter(|block| block.kind == place.kind && block.device == place.device && block.line == line);
        let bytes: Vec<u64> = own.map(|block| block.bytes).collect();
        prop_assert_eq!((place.amount.count, place.amount.bytes), (bytes.len() as u64, bytes.iter().sum()));
    }
    prop_assert_eq!(peak.places.iter().map(|place| place.amount.bytes).sum::<u64>(), peak.bytes);
    Ok(())
}

fn amount<'b>(blocks: impl Iterator<Item = &'b Block>) -> Amount {
    let bytes: Vec<u64> = blocks.map(|block| block.bytes).collect();
    Amount { count: bytes.len() as u64, bytes: bytes.iter().sum() }
}

fn check_at(blocks: &[Block], answer: &MemoryAt) -> Result<(), TestCaseError> {
    let at = answer.at_ns;
    prop_assert_eq!(answer.live, amount(blocks.iter().filter(|block| block.is_live(at))));
    let other = answer.to_ns;
    let is_shown = |block: &Block| block.is_live(at) || other.is_some_and(|to| block.is_live(to));
    let mut shown: Vec<u64> =
        blocks.iter().filter(|block| is_shown(block)).map(|block| block.bytes).collect();
    let mut listed: Vec<u64> = answer.blocks.iter().map(|block| block.bytes).collect();
    if answer.blocks.iter().all(|block| block.count == 1) {
        shown.sort_unstable();
        listed.sort_unstable();
        prop_assert_eq!(&listed, &shown);
    }
    prop_assert_eq!(listed.iter().sum::<u64>(), shown.iter().sum::<u64>());
    prop_assert_eq!(
        answer.blocks.iter().map(|block| u64::from(block.count)).sum::<u64>(),
        shown.len() as u64
    );
    for space in &answer.spaces {
        let own =
            |block: &&Block| block.kind == space.kind && block.device == space.device && block.is_live(at);
        prop_assert_eq!(space.live, amount(blocks.iter().filter(own)));
        // Gaps by a scan of every byte between the first and the last block of each region.
        let mut spans: Vec<(u64, u64)> =
            blocks.iter().filter(own).map(|block| (block.pointer, block.pointer + block.bytes)).collect();
        spans.sort_unstable();
        let gaps: Vec<u64> = spans.windows(2).map(|pair| pair[1].0 - pair[0].1).collect();
        let within = gaps.iter().copied().filter(|gap| *gap <= 64 << 20);
        prop_assert_eq!(space.gap_bytes, within.clone().sum::<u64>());
        prop_assert_eq!(space.largest_gap_bytes, within.max().unwrap_or_default());
        let regions = gaps.iter().filter(|gap| **gap > 64 << 20).count() + usize::from(!spans.is_empty());
        prop_assert_eq!(space.regions.len(), regions);
        let spanned: u64 = space.regions.iter().map(|region| region.span_bytes).sum();
        prop_assert_eq!(spanned, space.live.bytes + space.gap_bytes);
    }
    let Some(to) = other else { return Ok(()) };
    let change = answer.change.as_ref().unwrap();
    let both = |block: &&Block| block.is_live(at) && block.is_live(to);
    prop_assert_eq!(change.kept, amount(blocks.iter().filter(both)));
    prop_assert_eq!(change.allocated, amount(blocks.iter().filter(|b| !b.is_live(at) && b.is_live(to))));
    prop_assert_eq!(change.released, amount(blocks.iter().filter(|b| b.is_live(at) && !b.is_live(to))));
    let (from, until) = (at.min(to), at.max(to));
    let passed = |block: &&Block| {
        block.at > from && block.at <= until && block.released.is_some_and(|released| released <= until)
    };
    prop_assert_eq!(change.passed, amount(blocks.iter().filter(passed)));
    for (whole, part) in [
        (change.kept, change.places.iter().map(|place| place.kept).collect::<Vec<_>>()),
        (change.allocated, change.places.iter().map(|place| place.allocated).collect()),
        (change.released, change.places.iter().map(|place| place.released).collect()),
        (change.passed, change.places.iter().map(|place| place.passed).collect()),
    ] {
        prop_assert_eq!(whole.bytes, part.iter().map(|amount| amount.bytes).sum::<u64>());
        prop_assert_eq!(whole.count, part.iter().map(|amount| amount.count).sum::<u64>());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn memory_in_use_is_that_of_a_replay(
        slots in slots(),
        from in prop::option::of(0..900_u64),
        width in prop::option::of(1..900_u64),
        points in 1..40_u32,
        kinds in prop::option::of(prop::sample::subsequence(KINDS.to_vec(), 0..3)),
        device in prop::option::of(prop::sample::select(vec!["GPU 0", "GPU 1", "none"])),
    ) {
        let blocks = blocks(&slots);
        let trace = trace(&blocks);
        let to = width.map(|width| from.unwrap_or_default() + width);
        let of = MemoryFilter { process: None, kinds: kinds.clone(), device: device.map(str::to_owned) };
        let question = MemoryUseQuestion { of, from_ns: from, to_ns: to, points, places: 1_000 };
        let answer = trace.memory_use(&question).unwrap();
        prop_assert!(answer.at_ns.len() <= points as usize);
        check_use(&blocks, &answer, |block| {
            kinds.as_ref().is_none_or(|kinds| kinds.contains(&block.kind))
                && device.is_none_or(|device| device == block.device)
        })?;
    }

    #[test]
    fn what_is_live_at_a_moment_is_that_of_a_replay(
        slots in slots(),
        at in 0..900_u64,
        to in prop::option::of(0..900_u64),
        merge_bytes in prop_oneof![Just(0_u64), 1..20_000_u64],
    ) {
        let blocks = blocks(&slots);
        let question =
            MemoryAtQuestion { to_ns: to, merge_bytes, limit: 10_000, places: 1_000, ..MemoryAtQuestion::at(at) };
        let answer = trace(&blocks).memory_at(&question).unwrap();
        check_at(&blocks, &answer)?;
        prop_assert!(merge_bytes > 0 || answer.blocks.iter().all(|block| block.count == 1));
    }

    #[test]
    fn allocations_are_listed_as_a_replay_has_them(
        slots in slots(),
        from in prop::option::of(0..900_u64),
        to in prop::option::of(0..900_u64),
        least in prop::option::of(0..5_000_u64),
        line in prop::option::of(0..4_u32),
        unreleased in any::<bool>(),
        sort in prop::sample::select(AllocationOrder::ALL.to_vec()),
        offset in 0..20_u64,
        limit in 0..50_u32,
    ) {
        let blocks = blocks(&slots);
        let question = AllocationsQuestion {
            from_ns: from, to_ns: to, least_bytes: least, line, unreleased, sort, offset, limit,
            ..AllocationsQuestion::default()
        };
        let answer = trace(&blocks).allocations(&question).unwrap();
        let wanted = |block: &&Block| {
            from.is_none_or(|from| block.is_live(from) || block.at >= from)
                && to.is_none_or(|to| block.at < to)
                && least.is_none_or(|least| block.bytes >= least)
                && line.is_none_or(|line| block.line == line)
                && !(unreleased && block.released.is_some())
        };
        prop_assert_eq!(answer.total, amount(blocks.iter().filter(wanted)));
        let key = |block: &Block| {
            let lifetime = block.released.unwrap_or(2_000) - block.at;
            match sort {
                AllocationOrder::At => block.at,
                AllocationOrder::AtDown => !block.at,
                AllocationOrder::Size => block.bytes,
                AllocationOrder::SizeDown => !block.bytes,
                AllocationOrder::Lifetime => lifetime,
                AllocationOrder::LifetimeDown => !lifetime,
                AllocationOrder::Pointer => block.pointer,
                AllocationOrder::PointerDown => !block.pointer,
            }
        };
        let mut expected: Vec<&Block> = blocks.iter().filter(wanted).collect();
        expected.sort_by_key(|block| key(block));
        let rows = expected.into_iter().skip(offset as usize).take(limit as usize);
        let expected: Vec<_> = rows.map(|block| (block.at, block.released, block.pointer, block.bytes)).collect();
        let listed: Vec<_> = answer
            .allocations
            .iter()
            .map(|item| (item.at_ns, item.released_ns, item.pointer, item.size_bytes))
            .collect();
        prop_assert_eq!(listed, expected);
    }
}

#[test]
fn what_is_not_there_is_refused() {
    let trace = trace(&[]);
    let of = MemoryFilter { process: Some(3), ..MemoryFilter::default() };
    let question = MemoryUseQuestion { of, ..MemoryUseQuestion::whole() };
    assert_eq!(trace.memory_use(&question), Err(QueryError::NoProcess(3)));
    let empty = trace.memory_use(&MemoryUseQuestion::whole()).unwrap();
    assert_eq!((empty.peak.bytes, empty.series.len()), (0, 0));
}

#[test]
fn free_memory_is_that_of_the_selected_device() {
    let mut run = Run::new(QueueOrder::InOrder);
    for (track, name) in [(7, "free memory: GPU"), (8, "free memory: CPU"), (9, "free memory: GPU")] {
        run.event(&Event::Track(Track { track, parent: None, kind: TrackKind::Counter, name, tid: 0 }));
        run.event(&Event::Counter(CounterSample { track, at: Timestamp(10), value: 100.0 }));
    }
    let trace = run.trace();
    let devices = |device: Option<&str>| -> Vec<String> {
        let of = MemoryFilter { device: device.map(str::to_owned), ..MemoryFilter::default() };
        let answer = trace.memory_use(&MemoryUseQuestion { of, ..MemoryUseQuestion::whole() }).unwrap();
        let mut names: Vec<String> = answer.free.into_iter().map(|free| free.device).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(devices(None), ["CPU", "GPU", "GPU"]);
    assert_eq!(devices(Some("CPU")), ["CPU"]);
    // The counters do not identify the numbered device.
    for name in ["GPU", "GPU #1"] {
        assert_eq!(devices(Some(name)), ["GPU", "GPU"]);
    }
    assert!(devices(Some("")).is_empty() && devices(Some("GP")).is_empty());
}

#[test]
fn many_releases_of_unknown_memory_are_misuses_once_each() {
    const COUNT: u64 = 1 << 16;
    let mut run = Run::new(QueueOrder::InOrder);
    for number in 0..COUNT {
        let (at, pointer) = (number * 10, 0x1_0000 + number * 64);
        run.slice(Category::Call, "urUSMFree", at, at + 5, None, &[("pMem", Value::Pointer(pointer))]);
        run.release(at + 3, pointer);
    }
    let leaks = run.trace().leaks(&LeaksQuestion { limit: 10, ..LeaksQuestion::default() }).unwrap();
    assert_eq!(leaks.misuse.len() as u64 + leaks.more_misuse, COUNT);
}
