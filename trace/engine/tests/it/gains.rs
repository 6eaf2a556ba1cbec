//! Findings don't promise what others promise already: their gains add up to no more than there is.

use proptest::prelude::*;
use syclscope_language::api::Finding;
use syclscope_language::event::{AllocationKind, Category, NodeKind, QueueOrder};

use crate::recordings::run::Run;

const MICRO: u64 = 1_000;
const DEVICE_MEMORY: u64 = 0x10_0000;
const HOST_MEMORY: u64 = 0x9000_0000;

/// Kinds of findings that gain idle time.
const IDLE: [&str; 8] = [
    "build_inside_run",
    "graph_built_for_one_run",
    "small_allocations",
    "wait_after_kernel",
    "blocking_host_accessor",
    "blocking_destructor",
    "blocking_read",
    "kernels_too_short",
];

/// What a host does, how long that takes, how long the device takes, and how often.
type Step = (u8, u64, u64, u64);

/// A run, and what was on its device: when the first command was submitted, and when each ran.
fn run(steps: &[Step]) -> (Run, u64, Vec<(u64, u64)>) {
    let mut run = Run::new(QueueOrder::InOrder);
    run.allocate(0, DEVICE_MEMORY, 1 << 20, AllocationKind::Device);
    let (mut at, mut device, mut pointer) = (10 * MICRO, 0, 0x5000_0000);
    let mut ran = Vec::new();
    for &(what, host, on_device, times) in steps {
        for _ in 0..times {
            // The device begins once the host has submitted and what came before is done.
            let mut on_the_device = |begun: u64| {
                let span = (device.max(begun + MICRO), device.max(begun + MICRO) + on_device * MICRO);
                device = span.1;
                ran.push(span);
                span
            };
            match what {
                0 => {
                    run.kernel(at, on_the_device(at));
                    at += 2 * MICRO;
                }
                1 => {
                    let span = on_the_device(at);
                    run.kernel(at, span);
                    let until = span.1.max(at + 2 * MICRO) + host * MICRO;
                    run.slice(Category::Wait, "queue.wait", at + 2 * MICRO, until, None, &[]);
                    at = until + MICRO;
                }
                2 => {
                    run.slice(Category::Call, "urProgramBuild", at, at + host * 100 * MICRO, None, &[]);
                    at += host * 100 * MICRO;
                }
                3 => {
                    run.slice(Category::Memory, "malloc", at, at + host * MICRO, None, &[]);
                    run.allocate(at + host * MICRO / 2, pointer, 64, AllocationKind::Device);
                    at += host * MICRO + 10;
                    run.slice(Category::Memory, "free", at, at + host * MICRO, None, &[]);
                    run.release(at + host * MICRO / 2, pointer);
                    (at, pointer) = (at + host * MICRO + 10, pointer + 64);
                }
                4 => {
                    let out = on_the_device(at);
                    run.copy(at, out, DEVICE_MEMORY, HOST_MEMORY, 1 << 20);
                    at = out.1;
                    run.copy(at, on_the_device(at), HOST_MEMORY, DEVICE_MEMORY, 1 << 20);
                    at += 2 * MICRO;
                }
                _ => {
                    let lock = run.node(NodeKind::HostAccessor, at);
                    let done = on_the_device(at);
                    run.kernel(at, done);
                    let until = done.1 + host * MICRO;
                    run.slice(Category::Wait, "event.wait", at, until, Some(lock), &[]);
                    at = until + MICRO;
                    run.kernel(at, on_the_device(at));
                    at += 2 * MICRO;
                }
            }
        }
    }
    (run, 10 * MICRO, ran)
}

/// How many nanoseconds at least one span holds, looked at one boundary after the other.
fn covered(spans: &[(u64, u64)]) -> u64 {
    let mut bounds: Vec<u64> = spans.iter().flat_map(|(begin, end)| [*begin, *end]).collect();
    bounds.sort_unstable();
    bounds.dedup();
    let is_in = |at: u64| spans.iter().any(|(begin, end)| *begin <= at && at < *end);
    bounds.windows(2).filter(|pair| is_in(pair[0])).map(|pair| pair[1] - pair[0]).sum()
}

/// What findings of some kinds gain, and what each of them could gain alone.
fn gains(findings: &[Finding], is_meant: impl Fn(&str) -> bool) -> (u64, Vec<u64>) {
    let gains: Vec<_> = findings
        .iter()
        .filter(|finding| is_meant(&finding.kind))
        .filter_map(|finding| finding.gain.as_ref())
        .collect();
    (gains.iter().map(|gain| gain.ns).sum(), gains.iter().map(|gain| gain.ns + gain.shared_ns).collect())
}

proptest! {
    #[test]
    fn gains_add_up_to_no_more_than_there_is(
        steps in prop::collection::vec((0..6_u8, 1..60_u64, 1..60_u64, prop_oneof![1..4_u64, 8..60_u64]), 1..7),
    ) {
        let (run, begun, ran) = run(&steps);
        let busy_ns = covered(&ran);
        let idle_ns = ran.iter().map(|(_, end)| *end).max().map_or(0, |end| end - begun - busy_ns);
        let findings = run.trace().report().findings;
        for (is_idle, there_ns) in [(true, idle_ns), (false, busy_ns)] {
            let (together, alone) = gains(&findings, |kind| IDLE.contains(&kind) == is_idle);
            prop_assert!(together <= there_ns, "{together} of {there_ns}: {findings:#?}");
            prop_assert!(alone.iter().all(|alone| *alone <= there_ns), "{alone:?} of {there_ns}");
        }
        for finding in &findings {
            let gain = finding.gain.as_ref().unwrap();
            prop_assert_eq!(gain.shared_ns > 0, !gain.shared_with.is_empty());
            let others = |kind: &String| findings.iter().any(|other| other.kind == *kind);
            prop_assert!(gain.shared_with.iter().all(others));
        }
    }
}

#[test]
fn a_moment_with_several_causes_counts_with_one() {
    // Each step allocates, launches a kernel of 1 µs in 2 µs and waits for it: the device is idle because of all three.
    let mut run = Run::new(QueueOrder::InOrder);
    let mut at = 10 * MICRO;
    for step in 0..60 {
        let pointer = 0x5000_0000 + step * 64;
        run.slice(Category::Memory, "malloc", at, at + 4 * MICRO, None, &[]);
        run.allocate(at + 2 * MICRO, pointer, 64, AllocationKind::Device);
        run.kernel(at + 4 * MICRO, (at + 6 * MICRO, at + 7 * MICRO));
        run.slice(Category::Wait, "queue.wait", at + 6 * MICRO, at + 9 * MICRO, None, &[]);
        run.slice(Category::Memory, "free", at + 9 * MICRO, at + 10 * MICRO, None, &[]);
        run.release(at + 9 * MICRO + 500, pointer);
        at += 10 * MICRO;
    }
    let findings = run.trace().report().findings;
    let told: Vec<(&str, u64, u64)> = findings
        .iter()
        .map(|finding| {
            let gain = finding.gain.as_ref().unwrap();
            (finding.kind.as_str(), gain.ns / MICRO, gain.shared_ns / MICRO)
        })
        .collect();
    // Of the 9 µs between two kernels calls for memory take 5, and a wait 3; a launch of 2 µs is one longer than the kernel.
    // Before the first kernel there are 2 µs.
    assert_eq!(
        told,
        [
            ("small_allocations", 59 * 5 + 2, 0),
            ("wait_after_kernel", 59 * 3, 0),
            ("kernels_too_short", 0, 60)
        ]
    );
    assert_eq!(findings[2].gain.as_ref().unwrap().shared_with, ["small_allocations"]);
    assert!(findings[2].evidence[2].contains("counts with: small allocations"), "{:?}", findings[2].evidence);
}
