//! Commands that could have overlapped: each reason in a small run, and properties that all answers share.

use proptest::prelude::*;
use syclscope_language::api::{SerialReason, Serialised};
use syclscope_language::event::{
    Accessor, AllocationKind, Category, EdgeReason, Event, MemoryObject, NodeKind, ObjectKind, QueueOrder,
    Value,
};
use syclscope_language::question::SerialisedQuestion;
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Run, place};

const MICRO: u64 = 1_000;

fn serialised(run: Run) -> Serialised {
    run.trace().serialised(&SerialisedQuestion::default())
}

/// Returns the reason, the numbers of both commands of the example, and the time that they could have overlapped.
fn found(run: Run) -> Vec<(SerialReason, u64, u64, u64)> {
    let pairs = serialised(run).pairs;
    pairs
        .iter()
        .map(|pair| (pair.reason, pair.first.node.node, pair.second.node.node, pair.overlap_ns))
        .collect()
}

/// Returns two kernels, the second of which was submitted (in two microseconds) while the first ran.
fn two(order: QueueOrder) -> Run {
    let mut run = Run::new(order);
    run.kernel(0, (10 * MICRO, 110 * MICRO));
    run.kernel(20 * MICRO, (110 * MICRO, 150 * MICRO));
    run
}

#[test]
fn nothing_but_the_device_held_it_back() {
    let run = two(QueueOrder::OutOfOrder);
    assert_eq!(found(run), [(SerialReason::SameEngine, 1, 2, 40 * MICRO)], "the shorter of the two");
    let mut run = two(QueueOrder::OutOfOrder);
    run.edge(1, 2, EdgeReason::Event);
    assert_eq!(found(run), [], "it depends on the first");
    // The path of dependences leads through a command that has no execution.
    let mut run = two(QueueOrder::OutOfOrder);
    let host_task = run.node(NodeKind::HostTask, 15 * MICRO);
    run.edge(1, host_task, EdgeReason::Event);
    run.edge(host_task, 2, EdgeReason::HostTask);
    assert_eq!(found(run), []);
}

#[test]
fn what_a_command_without_a_time_held_back_is_not_said_of_the_device() {
    let behind = |kind: NodeKind| {
        let mut run = two(QueueOrder::OutOfOrder);
        let untimed = run.node(kind, 15 * MICRO);
        run.edge(untimed, 2, EdgeReason::Event);
        run
    };
    for kind in [NodeKind::HostTask, NodeKind::HostAccessor, NodeKind::Kernel, NodeKind::CommandGraph] {
        assert_eq!(found(behind(kind)), [], "it may have run until the second began");
    }
    // The runtime enqueued the second command, so that the task had ended, and the accessor was destroyed.
    for kind in [NodeKind::HostTask, NodeKind::HostAccessor] {
        let mut run = behind(kind);
        run.slice(Category::Call, "urEnqueueKernelLaunch", 90 * MICRO, 91 * MICRO, Some(2), &[]);
        assert_eq!(found(run), [(SerialReason::SameEngine, 1, 2, 20 * MICRO)], "from 90 to 110 µs");
    }
}

#[test]
fn an_in_order_queue_held_it_back_if_both_touch_different_memory() {
    let fills = |second: u64| {
        let mut run = Run::new(QueueOrder::InOrder);
        run.allocate(1, 0x1000, 0x1000, AllocationKind::Device);
        run.allocate(1, 0x4000, 0x1000, AllocationKind::Device);
        for (number, pointer) in [0x1000, second].into_iter().enumerate() {
            let number = number as u64;
            let at = MICRO + number * 5 * MICRO;
            let ran = (20 * MICRO + number * 30 * MICRO, 50 * MICRO + number * 30 * MICRO);
            let node = run.command(NodeKind::Fill, 1, at, ran);
            let args = [("pMem", Value::Pointer(pointer)), ("size", Value::Uint(64))];
            run.slice(Category::Call, "urEnqueueUSMFill", at + 10, at + 20, Some(node), &args);
        }
        run
    };
    assert_eq!(found(fills(0x4000)), [(SerialReason::InOrderQueue, 1, 2, 30 * MICRO)]);
    assert_eq!(found(fills(0x1000)), []);
    // For kernels without recorded arguments, the reason is unknown.
    let known = serialised(two(QueueOrder::InOrder));
    assert_eq!((known.pairs.len(), known.unknown), (0, 1));
}

#[test]
fn what_a_command_without_a_time_held_back_is_not_said_of_an_in_order_queue() {
    let fills = |has_graph: bool| {
        let mut run = Run::new(QueueOrder::InOrder);
        run.allocate(1, 0x1000, 0x1000, AllocationKind::Device);
        run.allocate(1, 0x4000, 0x1000, AllocationKind::Device);
        for (number, pointer) in (0..).zip([0x1000, 0x4000]) {
            let (at, start) = (MICRO + number * 5 * MICRO, 20 * MICRO + number * 60 * MICRO);
            let node = run.command(NodeKind::Fill, 1, at, (start, start + 30 * MICRO));
            let args = [("pMem", Value::Pointer(pointer)), ("size", Value::Uint(64))];
            run.slice(Category::Call, "urEnqueueUSMFill", at + 10, at + 20, Some(node), &args);
            if has_graph && number == 0 {
                run.untimed(NodeKind::CommandGraph, 1, at + 3 * MICRO);
            }
        }
        run
    };
    assert_eq!(found(fills(false)), [(SerialReason::InOrderQueue, 1, 2, 30 * MICRO)]);
    assert_eq!(found(fills(true)), [], "the graph lies between them, and may need the first");
}

/// Returns kernels on parts of one buffer, in the form of the runtime's notifications: a handle for each part, named by
/// the launch. Each kernel depends on the previous one, and on the last one on the same part.
pub(crate) fn parts(origins: &[u64]) -> Run {
    let mut run = Run::new(QueueOrder::OutOfOrder);
    let object = |object: u64| {
        Event::MemoryObject(MemoryObject {
            object,
            at: Timestamp(object),
            kind: ObjectKind::Buffer,
            address: 0x7000,
            host_pointer: 0,
            element_type: "f",
            element_size_bytes: 4,
            dimensions: 1,
            range_0: 64,
            range_1: 0,
            range_2: 0,
            tid: 1,
            location: place(1),
            args: &[],
        })
    };
    run.event(&object(1));
    run.event(&object(2));
    for (number, origin) in origins.iter().copied().enumerate() {
        let (at, handle) = (number as u64 * 5 * MICRO, 0xb0 + number as u64);
        let args = [
            ("pRegion.origin", Value::Uint(origin)),
            ("pRegion.size", Value::Uint(128)),
            ("phMem", Value::Pointer(handle)),
        ];
        run.slice(Category::Call, "urMemBufferPartition", at + 1, at + 2, None, &args);
        run.bind(1, handle, at + 2);
        let ran = (20 * MICRO + number as u64 * 30 * MICRO, 50 * MICRO + number as u64 * 30 * MICRO);
        let node = run.command(NodeKind::Kernel, 1, at, ran);
        let args = [
            ("pArgs[0].type", Value::Str("UR_EXP_KERNEL_ARG_TYPE_MEM_OBJ")),
            ("pArgs[0].value", Value::Pointer(handle)),
        ];
        run.slice(Category::Call, "urEnqueueKernelLaunchWithArgsExp", at + 10, at + 20, Some(node), &args);
        run.event(&Event::Accessor(Accessor {
            object: 1,
            at: Timestamp(at),
            address: 0x8000,
            target: "device",
            mode: "read_write",
            node: Some(node),
            tid: 1,
            location: place(2),
            args: &[],
        }));
    }
    for node in 2..=origins.len() as u64 {
        run.accessor_edge(node - 1, node, 0x7000);
        if node > 2 {
            run.accessor_edge(node - 2, node, 0x7000);
        }
    }
    run
}

#[test]
fn parts_of_one_buffer_that_do_not_overlap_need_no_order() {
    let run = parts(&[0, 128]);
    let told = serialised(run);
    assert_eq!(told.pairs.len(), 1, "{told:#?}");
    let pair = &told.pairs[0];
    assert_eq!(
        (pair.reason, pair.object, pair.overlap_ns),
        (SerialReason::FalseDependence, Some(1), 30 * MICRO)
    );
    assert_eq!(found(parts(&[0, 64])), [], "they overlap");
}

#[test]
fn a_wait_of_the_host_between_them_held_it_back() {
    let run = |second: u64| {
        let mut run = Run::new(QueueOrder::OutOfOrder);
        run.allocate(1, 0x1000, 0x1000, AllocationKind::Device);
        run.allocate(1, 0x4000, 0x1000, AllocationKind::Device);
        let fill = |run: &mut Run, at: u64, ran, pointer| {
            let node = run.command(NodeKind::Fill, 1, at, ran);
            let args = [("pMem", Value::Pointer(pointer)), ("size", Value::Uint(64))];
            run.slice(Category::Call, "urEnqueueUSMFill", at + 10, at + 20, Some(node), &args);
        };
        fill(&mut run, 10, (5 * MICRO, 50 * MICRO), 0x1000);
        run.slice(Category::Wait, "queue.wait", 3 * MICRO, 52 * MICRO, None, &[("queue", Value::Uint(1))]);
        fill(&mut run, 53 * MICRO, (60 * MICRO, 80 * MICRO), second);
        run
    };
    let told = serialised(run(0x4000));
    assert_eq!(told.pairs.len(), 1, "{told:#?}");
    let pair = &told.pairs[0];
    assert_eq!((pair.reason, pair.overlap_ns), (SerialReason::HostWait, 20 * MICRO));
    assert_eq!(pair.wait.as_ref().and_then(|wait| wait.location.as_ref()).map(|place| place.line), Some(90));
    assert_eq!(found(run(0x1000)), []);
}

/// By the device's clock, the first kernel ends after the host's wait for it, and after the second's submission.
#[test]
fn a_pair_that_queue_and_host_order_is_unknown_once() {
    let mut run = Run::new(QueueOrder::InOrder);
    run.kernel(0, (5 * MICRO, 60 * MICRO));
    run.wait_for_queue(1, 3 * MICRO, 52 * MICRO);
    run.kernel(53 * MICRO, (62 * MICRO, 80 * MICRO));
    let told = serialised(run);
    assert_eq!((told.pairs.len(), told.unknown), (0, 1), "{told:#?}");
}

/// Against quadratic time: a scan of all awaited commands for each later command takes half a minute here.
#[test]
fn a_wait_between_thousands_and_thousands_held_back_each_of_those_behind_it() {
    const COMMANDS: u64 = 20_000;
    let mut run = Run::new(QueueOrder::OutOfOrder);
    run.allocate(1, 0x1000, 0x1000, AllocationKind::Device);
    run.allocate(1, 0x4000, 0x1000, AllocationKind::Device);
    let fills = |run: &mut Run, begin: u64, ran, pointer| {
        for number in 0..COMMANDS {
            let at = begin + number;
            let node = run.command(NodeKind::Fill, 1, at, ran);
            let args = [("pMem", Value::Pointer(pointer)), ("size", Value::Uint(64))];
            run.slice(Category::Call, "urEnqueueUSMFill", at, at + 1, Some(node), &args);
        }
    };
    fills(&mut run, 0, (60 * MICRO, 100 * MICRO), 0x1000);
    run.slice(Category::Wait, "queue.wait", 55 * MICRO, 101 * MICRO, None, &[("queue", Value::Uint(1))]);
    fills(&mut run, 102 * MICRO, (200 * MICRO, 220 * MICRO), 0x4000);
    let told = serialised(run);
    assert_eq!((told.count, told.pairs.len()), (COMMANDS, 1), "{told:#?}");
    let pair = &told.pairs[0];
    assert_eq!((pair.reason, pair.count, pair.overlap_ns), (SerialReason::HostWait, COMMANDS, 20 * MICRO));
}

proptest! {
    /// Every answer is true: the commands did not overlap, could have, and no path of dependences leads from the first
    /// to the second.
    #[test]
    fn what_is_told_is_true(
        order in prop::bool::ANY,
        commands in prop::collection::vec((0..30_u64, 1..40_u64, 1..50_u64), 2..12),
        edges in prop::collection::vec((0..12_u64, 0..12_u64), 0..12),
    ) {
        let order = if order { QueueOrder::InOrder } else { QueueOrder::OutOfOrder };
        let mut run = Run::new(order);
        let count = commands.len() as u64;
        // A command starts after its submission and after all its dependences.
        let edges: Vec<(u64, u64)> = edges
            .into_iter()
            .map(|(a, b)| (a % count, b % count))
            .filter(|(a, b)| a != b)
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        let (mut at, mut ends, mut last) = (0, Vec::<u64>::new(), 0);
        for (number, (gap, delay, duration)) in commands.into_iter().enumerate() {
            at += gap * MICRO;
            let after = edges.iter().filter(|(_, target)| *target == number as u64);
            let mut free = after.map(|(source, _)| ends[*source as usize]).fold(at + 2 * MICRO, u64::max);
            if order == QueueOrder::InOrder {
                free = free.max(last);
            }
            let start = free + delay * MICRO;
            last = start + duration * MICRO;
            ends.push(last);
            run.kernel(at, (start, last));
        }
        for (source, target) in &edges {
            run.edge(source + 1, target + 1, EdgeReason::Event);
        }
        let told = serialised(run);
        for pair in &told.pairs {
            prop_assert!(pair.first.end_ns <= pair.second.begin_ns);
            prop_assert!(pair.overlap_ns > 0);
            prop_assert!(pair.overlap_ns <= pair.first.end_ns - pair.first.begin_ns);
            prop_assert!(pair.overlap_ns <= pair.second.end_ns - pair.second.begin_ns);
            let mut reached = vec![pair.first.node.node - 1];
            for (source, target) in {
                let mut sorted = edges.clone();
                sorted.sort_unstable();
                sorted
            } {
                if reached.contains(&source) {
                    reached.push(target);
                }
            }
            prop_assert!(!reached.contains(&(pair.second.node.node - 1)), "{pair:?} {edges:?}");
        }
        let told_pairs: u64 = told.pairs.iter().map(|pair| pair.count).sum();
        prop_assert_eq!(told.count, told_pairs);
        prop_assert!(told.count < count);
    }
}

#[test]
fn copies_of_overlapping_host_memory_depend_on_each_other() {
    let copies = |from: u64| {
        let mut run = Run::new(QueueOrder::InOrder);
        run.allocate(1, 0x1000, 0x1000, AllocationKind::Device);
        run.allocate(1, 0x4000, 0x1000, AllocationKind::Device);
        run.copy(MICRO, (20 * MICRO, 50 * MICRO), 0x1000, 0x7f00_0000, 0x1000);
        run.copy(6 * MICRO, (50 * MICRO, 80 * MICRO), from, 0x4000, 0x400);
        run
    };
    let apart = [(SerialReason::InOrderQueue, 1, 2, 30 * MICRO)];
    assert_eq!(found(copies(0x7f00_0000)), []);
    assert_eq!(found(copies(0x7f00_0800)), [], "a part of the memory that the first one wrote");
    assert_eq!(found(copies(0x7f00_1000)), apart, "the memory behind it");
}
