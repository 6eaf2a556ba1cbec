//! Memory at corresponding moments of both sides.

use syclscope_engine::compare::{Comparing, Group};
use syclscope_engine::store::Trace;
use syclscope_language::api::{LiveMemory, MemoryMoment, Presence};
use syclscope_language::event::{AllocationKind, QueueOrder};
use syclscope_language::question::CompareSide;

use super::programs::{EDGE, INNER, NORM, submit};
use crate::recordings::run::Run;

/// Memory of a program: time of allocation, time of release, size and kind.
type Allocated = (u64, u64, u64, AllocationKind);

const DEVICE: AllocationKind = AllocationKind::Device;
const HOST: AllocationKind = AllocationKind::Host;

/// Returns a run with memory and three kernels, which start at multiples of `pace`.
fn run(pace: u64, memory: &[Allocated]) -> Trace {
    let mut run = Run::new(QueueOrder::InOrder);
    for ((from, to, size, kind), pointer) in memory.iter().zip((0x1000..).step_by(0x1000)) {
        run.allocate(*from, pointer, *size, *kind);
        run.release(*to, pointer);
    }
    for (place, step) in (1..).zip([INNER, EDGE, NORM]) {
        let start = place * pace;
        submit(&mut run, place, start - 500, &step, (start, start + 1_000));
    }
    run.trace()
}

fn live(a: &Trace, b: &Trace, at: Option<(CompareSide, u64)>) -> LiveMemory {
    Comparing::new(Group::single("a", a), Group::single("b", b)).live(at, 100)
}

/// Returns the bytes that are live at a moment, by brute force.
fn bytes_at(memory: &[Allocated], at_ns: u64) -> u64 {
    memory.iter().filter(|(from, to, ..)| (*from..*to).contains(&at_ns)).map(|(_, _, size, _)| size).sum()
}

#[test]
fn what_is_live_is_told_at_the_same_moments() {
    // In B, the kernels are three times as far apart, and the source of the copy stays allocated.
    let of_a = [(5_000, 25_000, 100, DEVICE), (5_000, 15_000, 70, HOST), (22_000, 28_000, 1_000, DEVICE)];
    let of_b = [(5_000, 85_000, 100, DEVICE), (5_000, 85_000, 70, HOST), (66_000, 84_000, 1_000, DEVICE)];
    let (a, b) = (run(10_000, &of_a), run(30_000, &of_b));
    let found = live(&a, &b, None);
    assert!(found.moments.len() >= 5, "{:?}", found.moments);
    for moment in &found.moments {
        assert_eq!(moment.a_bytes, bytes_at(&of_a, moment.a_ns), "{moment:?}");
        assert_eq!(moment.b_bytes, bytes_at(&of_b, moment.b_ns), "{moment:?}");
    }
    assert!(found.moments.is_sorted_by_key(|moment| (moment.a_ns, moment.b_ns)));
    for kernel in 1..=3 {
        let is_begin =
            |moment: &MemoryMoment| (moment.a_ns, moment.b_ns) == (kernel * 10_000, kernel * 30_000);
        assert!(found.moments.iter().any(is_begin), "kernel {kernel} begins at one moment");
    }
    // The peaks are listed, although no command starts then.
    let most = |side: fn(&MemoryMoment) -> u64| found.moments.iter().map(side).max();
    assert_eq!(most(|moment| moment.a_bytes), Some(1_100));
    assert_eq!(most(|moment| moment.b_bytes), Some(1_170));

    let between = found.moments.iter().filter(|moment| moment.is_interpolated);
    let between: Vec<(u64, u64)> = between.map(|moment| (moment.a_ns, moment.b_ns)).collect();
    assert_eq!(between, [(22_000, 66_000); 2], "the peaks of both, which they have at once");

    // Half-way from the second kernel to the third one.
    let there = live(&a, &b, Some((CompareSide::A, 20_000))).at;
    assert_eq!((there.a_ns, there.b_ns, there.a_bytes, there.b_bytes), (20_000, 60_000, 100, 170));
    assert!(!live(&a, &b, Some((CompareSide::A, 20_000))).at.is_interpolated, "a kernel begins then");
    let found = live(&a, &b, Some((CompareSide::B, 75_000)));
    assert!(found.at.is_interpolated, "no kernel begins then");
    assert_eq!((found.at.a_ns, found.at.b_ns), (25_000, 75_000));
    let places: Vec<_> =
        found.places.iter().map(|place| (place.kind, place.presence, place.a_bytes, place.b_bytes)).collect();
    assert_eq!(places, [(DEVICE, Presence::Both, 1_000, 1_100), (HOST, Presence::OnlyB, 0, 70)]);
}

#[test]
fn equal_runs_have_the_same_memory_at_all_times() {
    let memory = [(5_000, 25_000, 100, DEVICE), (5_000, 15_000, 70, HOST)];
    let trace = run(10_000, &memory);
    let found = live(&trace, &trace, None);
    assert!(
        found.moments.iter().all(|moment| moment.a_ns == moment.b_ns && moment.a_bytes == moment.b_bytes)
    );
    assert_eq!((found.places, found.more_places), (vec![], 0));
    // Without memory, and after the end.
    let none = run(10_000, &[]);
    let found = live(&none, &trace, Some((CompareSide::A, 1_000_000_000)));
    assert_eq!((found.at.a_bytes, found.at.b_bytes), (0, 0));
    assert_eq!(live(&none, &none, None).places, []);
}
