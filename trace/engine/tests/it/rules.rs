//! Rules about performance problems: programs with findings, and programs without.

use syclscope_engine::builder::TraceBuilder;
use syclscope_language::api::Finding;
use syclscope_language::event::{
    Accessor, AllocationKind, Category, Device, EdgeReason, Event, MemoryObject, Node, NodeKind,
    ObjectDestroy, ObjectKind, Pause, QueueOrder, SourceLocation, Value,
};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run, place};

const DEVICE_MEMORY: u64 = 0x10_0000;
const HOST_MEMORY: u64 = 0x9000_0000;

impl Run {
    /// Returns the findings, without the findings of iterations only, which are tested with steady iterations.
    fn findings(self) -> Vec<Finding> {
        let findings = self.trace().report().findings.into_iter();
        findings
            .filter(|finding| !["host_bound", "uneven_iterations"].contains(&finding.kind.as_str()))
            .collect()
    }

    #[track_caller]
    fn assert(self, expected: &[&str]) -> Vec<Finding> {
        let findings = self.findings();
        let kinds: Vec<&str> = findings.iter().map(|finding| finding.kind.as_str()).collect();
        assert_eq!(kinds, expected, "{findings:#?}");
        for finding in &findings {
            let has_remedy = finding.kind != "uneven_iterations";
            assert_eq!(!finding.remedy.is_empty(), has_remedy, "{finding:#?}");
            assert_eq!(format!("{} {}", finding.cause(), finding.remedy).trim_end(), finding.message);
        }
        findings
    }
}

const MICRO: u64 = 1_000;

/// Returns kernels of 20 µs with a wait for each, and `host_ns` of the host's own work before the next one; the device
/// idles 10 µs more than that.
fn waiting(host_ns: u64, kernels: u64) -> Run {
    let mut run = Run::new(QueueOrder::InOrder);
    let mut at = 0;
    for _ in 0..kernels {
        run.kernel(at, (at + 5 * MICRO, at + 25 * MICRO));
        run.slice(Category::Wait, "queue.wait", at + 2 * MICRO, at + 30 * MICRO, None, &[]);
        at += 30 * MICRO + host_ns;
    }
    run
}

#[test]
fn a_wait_after_each_kernel_costs_the_time_until_the_next() {
    let found = waiting(5 * MICRO, 20).assert(&["wait_after_kernel"]).remove(0);
    let gain = found.gain.unwrap();
    assert_eq!((found.count, found.touches_ns), (19, 19 * 15 * MICRO), "the last one is followed by nothing");
    // Kernels of 20 µs with gaps of 3 µs replace iterations of 35 µs; nothing in the recording names the last wait's
    // queue.
    assert_eq!(gain.ns, 19 * (35 - 23) * MICRO + 5 * MICRO);
    assert_eq!(found.location.unwrap().line, 90);
    assert_eq!((found.slices.len(), found.nodes.len()), (19, 19));
    assert_eq!(found.nodes[..2], [1, 2]);
    assert!(gain.how.starts_with("At most: "), "{}", gain.how);
}

#[test]
fn a_wait_whose_result_may_be_used_is_none() {
    waiting(60 * MICRO, 20).assert(&[]);
    waiting(5 * MICRO, 8).assert(&[]);
    let mut run = waiting(5 * MICRO, 20);
    run.allocate(1, 0x5000, 64, AllocationKind::Shared);
    run.assert(&[]);
    // The host may use either end of a copy.
    by_twos(NodeKind::Copy).assert(&[]);
}

#[test]
fn a_wait_for_another_queue_is_no_wait_for_the_kernel() {
    let waiting_for = |queue: u64| {
        let mut run = Run::new(QueueOrder::InOrder);
        run.queue(2, QueueOrder::InOrder, 0xd1, "CPU");
        for at in (0..20).map(|step| step * 35 * MICRO) {
            run.kernel(at, (at + 5 * MICRO, at + 25 * MICRO));
            run.wait_for_queue(queue, at + 2 * MICRO, at + 30 * MICRO);
        }
        run
    };
    waiting_for(1).assert(&["wait_after_kernel"]);
    waiting_for(2).assert(&[]);
}

/// Returns pairs of a kernel and another command, with a wait after each pair; the device idles 20 µs between pairs.
fn by_twos(kind: NodeKind) -> Run {
    let mut run = Run::new(QueueOrder::InOrder);
    for step in 0..20 {
        let at = step * 60 * MICRO;
        run.kernel(at, (at + 5 * MICRO, at + 25 * MICRO));
        run.command(kind, 1, at + 3 * MICRO, (at + 25 * MICRO, at + 45 * MICRO));
        run.slice(Category::Wait, "queue.wait", at + 6 * MICRO, at + 58 * MICRO, None, &[]);
    }
    run
}

#[test]
fn a_wait_between_kernels_and_fills_costs_the_time_until_the_next() {
    for kind in [NodeKind::Kernel, NodeKind::Fill] {
        let found = by_twos(kind).assert(&["wait_between_kernels"]).remove(0);
        assert_eq!(
            (found.count, found.touches_ns),
            (19, 19 * 20 * MICRO),
            "the last one is followed by nothing"
        );
        assert_eq!((found.location.unwrap().line, &found.nodes[..2]), (90, &[2, 4][..]));
        assert!(found.gain.unwrap().ns > 0);
    }
}

/// Returns copies from a device's memory and back into it, `host_ns` apart.
fn ping_pong(host_ns: u64, between: impl Fn(&mut Run, u64)) -> Run {
    const SIZE: u64 = 1 << 20;
    let mut run = Run::new(QueueOrder::InOrder);
    run.allocate(1, DEVICE_MEMORY, SIZE, AllocationKind::Device);
    for step in 0..5 {
        let at = 1_000_000 * (step + 1);
        run.copy(at, (at + 5 * MICRO, at + 105 * MICRO), DEVICE_MEMORY, HOST_MEMORY, SIZE);
        between(&mut run, at + 105 * MICRO);
        let back = at + 105 * MICRO + host_ns;
        run.copy(back, (back + 5 * MICRO, back + 105 * MICRO), HOST_MEMORY, DEVICE_MEMORY, SIZE);
        run.kernel(back + 10 * MICRO, (back + 200 * MICRO, back + 300 * MICRO));
    }
    run
}

#[test]
fn data_that_come_back_unchanged_are_found() {
    let found = ping_pong(10 * MICRO, |_, _| {}).assert(&["copy_unchanged"]).remove(0);
    let gain = found.gain.unwrap();
    assert_eq!((found.count, found.touches_ns, gain.bytes), (5, 500 * MICRO, 5 << 20));
    // An iteration starts each millisecond, whatever the copies take: they delay only the last one.
    assert_eq!(gain.ns, 103 * MICRO);
    assert_eq!(found.nodes, [2, 5, 8, 11, 14]);
}

#[test]
fn data_that_the_host_sent_and_gets_back_are_found_whatever_time_it_had() {
    const SIZE: u64 = 1 << 20;
    let mut run = Run::new(QueueOrder::InOrder);
    run.allocate(1, DEVICE_MEMORY, SIZE, AllocationKind::Device);
    for step in 0..5 {
        let at = 2_000 * MICRO * (step + 1);
        run.copy(at, (at + 5 * MICRO, at + 105 * MICRO), HOST_MEMORY, DEVICE_MEMORY, SIZE);
        let back = at + 1_000 * MICRO;
        run.copy(back, (back + 5 * MICRO, back + 105 * MICRO), DEVICE_MEMORY, HOST_MEMORY, SIZE);
        run.kernel(back + 10 * MICRO, (back + 200 * MICRO, back + 300 * MICRO));
    }
    let found = run.assert(&["copy_unchanged"]).remove(0);
    assert_eq!(found.count, 5);
    let message = found.message;
    assert!(message.contains("back that the host had sent") && !message.contains("had no time"), "{message}");
}

#[test]
fn data_that_the_host_gets_twice_were_not_sent_by_it() {
    const SIZE: u64 = 1 << 20;
    let mut run = Run::new(QueueOrder::InOrder);
    run.allocate(1, DEVICE_MEMORY, SIZE, AllocationKind::Device);
    for step in 0..5 {
        let at = 2_000 * MICRO * (step + 1);
        run.kernel(at, (at + 5 * MICRO, at + 100 * MICRO));
        for begin in [at + 200 * MICRO, at + 400 * MICRO] {
            run.copy(begin, (begin + 5 * MICRO, begin + 105 * MICRO), DEVICE_MEMORY, HOST_MEMORY, SIZE);
        }
    }
    let found = run.assert(&["copy_unchanged"]).remove(0);
    assert_eq!(found.count, 5);
    assert!(found.message.contains("to the host again"), "{}", found.message);
}

#[test]
fn data_that_may_have_changed_are_not() {
    // A MiB at 32 bytes a nanosecond takes 32.77 µs.
    ping_pong(33 * MICRO, |_, _| {}).assert(&[]);
    // A kernel between the two copies may have written to the data.
    ping_pong(10 * MICRO, |run, at| {
        run.kernel(at, (at, at + 5 * MICRO));
    })
    .assert(&[]);
    // So may a command graph whose time is unknown, until the host has waited.
    ping_pong(10 * MICRO, |run, at| {
        run.node(NodeKind::CommandGraph, at - 110 * MICRO);
        run.slice(Category::Wait, "queue.wait", at - 50 * MICRO, at + 5 * MICRO, None, &[]);
    })
    .assert(&[]);
    // Data that was in another place is a different case.
    let mut run = Run::new(QueueOrder::InOrder);
    run.allocate(1, DEVICE_MEMORY, 1 << 20, AllocationKind::Device);
    for step in 0..5 {
        let at = 1_000_000 * (step + 1);
        run.copy(at, (at + 5 * MICRO, at + 105 * MICRO), DEVICE_MEMORY, HOST_MEMORY, 1 << 20);
        let back = at + 110 * MICRO;
        run.copy(
            back,
            (back + 5 * MICRO, back + 105 * MICRO),
            HOST_MEMORY + (step << 24) + 64,
            DEVICE_MEMORY,
            1 << 20,
        );
    }
    run.assert(&[]);
}

#[test]
fn data_that_may_have_changed_in_a_pause_are_not() {
    ping_pong(10 * MICRO, |run, at| {
        for (at, is_paused) in [(at, true), (at + MICRO, false)] {
            run.event(&Event::Pause(Pause { at: Timestamp(at), is_paused, reason: "program" }));
        }
    })
    .assert(&[]);
}

/// Adds a copy of a MiB, whose pieces name their directions.
fn told_copy(run: &mut Run, at: u64, pieces: &[(&str, u64, u64)]) {
    let begin = pieces.iter().map(|piece| piece.1).min().unwrap();
    let end = pieces.iter().map(|piece| piece.2).max().unwrap();
    let node = run.command(NodeKind::Copy, 1, at, (begin, end));
    for (direction, from, to) in pieces {
        let args = [("bytes", Value::Uint(1 << 20)), ("direction", Value::Str(direction))];
        run.slice(Category::Copy, "copy", *from, *to, Some(node), &args);
    }
}

#[test]
fn copies_between_devices_that_go_through_the_host_are_found() {
    let mut run = Run::new(QueueOrder::InOrder);
    for step in 0..3 {
        let at = step * 1_000 * MICRO;
        let (first, second) = (at + 10 * MICRO, at + 110 * MICRO);
        told_copy(
            &mut run,
            at,
            &[("device → host", first, second), ("host → device", second, second + 80 * MICRO)],
        );
    }
    let found = run.assert(&["copy_through_host"]).remove(0);
    assert_eq!((found.count, found.touches_ns), (3, 3 * 80 * MICRO), "what the shorter direction took");
    assert_eq!(
        found.gain.unwrap().ns,
        80 * MICRO,
        "a copy is submitted each millisecond, so only the last one holds anything up"
    );
    assert!(found.message.starts_with("3 copies at main.cpp"), "{}", found.message);
    assert!(found.message.contains("3.0 MiB"), "{}", found.message);
}

#[test]
fn copies_of_one_direction_go_through_nothing() {
    let mut run = Run::new(QueueOrder::InOrder);
    for (step, direction) in
        ["device → host", "host → device", "device → other device"].into_iter().enumerate()
    {
        let at = step as u64 * 1_000 * MICRO;
        // In several pieces, like a copy of pageable memory.
        told_copy(
            &mut run,
            at,
            &[(direction, at + 10 * MICRO, at + 20 * MICRO), (direction, at + 20 * MICRO, at + 30 * MICRO)],
        );
    }
    run.assert(&[]);
}

#[test]
fn what_kernels_that_were_left_out_did_is_not_known() {
    use syclscope_language::event::{Fact, FactKind};

    for mut run in [ping_pong(10 * MICRO, |_, _| {}), devices(&[("CPU", 0xd1), ("GPU", 0xd2)], &[])] {
        let (at, kind) = (Timestamp(1), FactKind::Setting);
        let value = "kernels left out by name: 1 (executions: 1)";
        run.event(&Event::Fact(Fact { at, kind, name: "kernels left out", value }));
        run.assert(&[]);
    }
}

/// Creates a buffer of four numbers.
fn buffer(run: &mut Run, object: u64, at: u64) {
    run.event(&Event::MemoryObject(MemoryObject {
        object,
        at: Timestamp(at),
        kind: ObjectKind::Buffer,
        address: 0x7000 + object,
        host_pointer: 0,
        element_type: "f",
        element_size_bytes: 4,
        dimensions: 1,
        range_0: 4,
        range_1: 0,
        range_2: 0,
        tid: 1,
        location: place(1),
        args: &[],
    }));
}

fn access(run: &mut Run, object: u64, node: u64, at: u64, mode: &str) {
    run.event(&Event::Accessor(Accessor {
        object,
        at: Timestamp(at),
        address: 0x8000,
        target: "device",
        mode,
        node: Some(node),
        tid: 1,
        location: place(2),
        args: &[],
    }));
}

#[test]
fn what_the_host_computes_between_waits_of_one_buffer_does_not_block_it() {
    const STEP: u64 = 10_000 * MICRO;
    let mut run = Run::new(QueueOrder::InOrder);
    for step in 0..10 {
        let at = step * STEP;
        buffer(&mut run, step, at);
        let node = run.kernel(at + MICRO, (at + 10 * MICRO, at + 500 * MICRO));
        access(&mut run, step, node, at + MICRO, "write");
        // The program waits for the kernel, computes, and the end of the buffer waits for it again.
        for (from, to) in [(5, 510), (8_000, 8_100)] {
            let (from, to) = (at + from * MICRO, at + to * MICRO);
            run.slice_at(
                SourceLocation::default(),
                Category::Wait,
                "event.wait",
                (from, to),
                Some(node),
                &[],
            );
        }
        run.event(&Event::ObjectDestroy(ObjectDestroy { object: step, at: Timestamp(at + 8_200 * MICRO) }));
    }
    let found = run.assert(&["blocking_destructor"]).remove(0);
    assert_eq!((found.count, found.slices.len(), found.nodes.len()), (10, 20, 10));
    let held = 10 * (505 + 100) * MICRO;
    assert_eq!(found.evidence[0], "The host was blocked for 6.05 ms.");
    assert!(found.gain.unwrap().ns <= held);
}

/// Returns kernels of two chains in turn, each on a buffer of its own, or all on one.
fn chains(order: QueueOrder, buffers: u64, mode: &str) -> Run {
    let mut run = Run::new(order);
    (0..buffers).for_each(|object| buffer(&mut run, object, 1));
    for number in 0..10 {
        let start = 50 * MICRO + number * 100 * MICRO;
        let node = run.kernel(number * 3 * MICRO, (start, start + 100 * MICRO));
        let call = [("numArgs", Value::Uint(4))];
        run.slice(
            Category::Call,
            "urEnqueueKernelLaunch",
            number * 3 * MICRO + 1,
            number * 3 * MICRO + 2,
            Some(node),
            &call,
        );
        access(&mut run, number % buffers, node, number * 3 * MICRO, mode);
    }
    run
}

#[test]
fn an_in_order_queue_of_two_chains_holds_one_of_them_back() {
    let found = chains(QueueOrder::InOrder, 2, "read_write").assert(&["order_without_need"]).remove(0);
    let gain = found.gain.unwrap();
    assert_eq!((found.count, found.touches_ns), (9, 500 * MICRO), "two chains of five in place of ten");
    assert_eq!(gain.ns, (500 - 3) * MICRO, "the second chain is submitted 3 µs after the first");
    assert!(found.message.contains("in-order queue 1"), "{}", found.message);
    let found = chains(QueueOrder::InOrder, 1, "read").assert(&["order_without_need"]).remove(0);
    assert_eq!(found.touches_ns, 900 * MICRO, "readers of one buffer need no order");
}

#[test]
fn an_order_that_is_needed_or_not_known_is_none() {
    chains(QueueOrder::InOrder, 1, "read_write").assert(&[]);
    chains(QueueOrder::OutOfOrder, 2, "read_write").assert(&[]);
    // Each kernel depends on the previous one.
    let mut run = chains(QueueOrder::InOrder, 2, "read_write");
    (1..10).for_each(|node| run.edge(node, node + 1, EdgeReason::Event));
    run.assert(&[]);
    // Kernels may use this memory, because their arguments are unknown.
    let mut run = chains(QueueOrder::InOrder, 2, "read_write");
    run.allocate(1, DEVICE_MEMORY, 64, AllocationKind::Device);
    run.assert(&[]);
    // So may a host task between two of them, and a barrier orders all.
    for (kind, name) in [(NodeKind::HostTask, "host task"), (NodeKind::Barrier, "barrier")] {
        let mut run = chains(QueueOrder::InOrder, 2, "read_write");
        for number in 0..10 {
            let (node, at) = (run.next_node(), Timestamp(number * 3 * MICRO + 2_500));
            let location = SourceLocation::default();
            run.event(&Event::Node(Node {
                node,
                at,
                kind,
                name,
                queue: Some(1),
                tid: 1,
                location,
                args: &[],
            }));
        }
        run.assert(&[]);
    }
}

/// Returns kernels on the first of some devices, given by type and handle, with further queues.
fn devices(known: &[(&str, u64)], queues: &[(u64, u64, &str)]) -> Run {
    let mut run = Run::new(QueueOrder::InOrder);
    for (number, (device_type, handle)) in (1..).zip(known) {
        run.event(&Event::Device(Device {
            at: Timestamp(0),
            device: number,
            handle: *handle,
            name: "device",
            device_type,
            platform: "",
            driver: "",
            args: &[],
        }));
    }
    for (queue, handle, device_type) in queues {
        run.queue(*queue, QueueOrder::InOrder, *handle, device_type);
    }
    for number in 0..10 {
        let start = 10 * MICRO + number * 100 * MICRO;
        run.kernel(number * 3 * MICRO, (start, start + 100 * MICRO));
    }
    run
}

#[test]
fn work_on_the_wrong_device_is_found() {
    let found = devices(&[("CPU", 0xd1), ("GPU", 0xd2)], &[]).assert(&["cpu_instead_of_gpu"]).remove(0);
    assert_eq!((found.count, found.touches_ns, found.gain), (10, 1_000 * MICRO, None));
    assert!(found.no_gain.contains("is unknown"), "{}", found.no_gain);
    let found = devices(&[], &[(2, 0xd2, "CPU")]).assert(&["device_left_idle"]).remove(0);
    assert_eq!(found.gain.unwrap().ns, 500 * MICRO);
}

#[test]
fn kernels_that_run_at_once_take_a_devices_time_once() {
    let mut run = devices(&[("GPU", 0xd2)], &[(2, 0xd1, "CPU")]);
    for number in 0..10 {
        let start = 10 * MICRO + number * 100 * MICRO;
        run.command(NodeKind::Kernel, 2, (30 + number * 3) * MICRO, (start, start + 100 * MICRO));
    }
    let found = run.assert(&["cpu_instead_of_gpu"]).remove(0);
    assert!(found.message.starts_with("The CPU (device) ran the kernels for 1 ms"), "{}", found.message);
    assert_eq!(found.evidence[0], "device (CPU, 0xd1): 20 kernels, 1 ms.");
}

#[test]
fn work_on_the_right_device_is_not() {
    devices(&[("CPU", 0xd1)], &[]).assert(&[]);
    // An equal but unused device; a device of another type; a partitioned machine.
    devices(&[("CPU", 0xd1), ("CPU", 0xd2)], &[]).assert(&[]);
    devices(&[], &[(2, 0xd2, "FPGA")]).assert(&[]);
    for parted in [0xd1, 0xd2] {
        let mut run = devices(&[], &[(2, 0xd2, "CPU")]);
        run.slice(Category::Call, "urDevicePartition", 0, 1, None, &[("hDevice", Value::Pointer(parted))]);
        run.assert(&[]);
    }
    // The other device runs a command graph, which has a time as a whole or none.
    let known = [("CPU", 0xd1), ("GPU", 0xd2)];
    let mut run = devices(&known, &[(2, 0xd2, "GPU")]);
    run.command(NodeKind::CommandGraph, 2, 30 * MICRO, (40 * MICRO, 900 * MICRO));
    run.assert(&[]);
    let mut run = devices(&known, &[(2, 0xd2, "GPU")]);
    run.untimed(NodeKind::CommandGraph, 2, 30 * MICRO);
    run.assert(&[]);
}

#[test]
fn what_gains_less_than_a_hundredth_is_not_told() {
    let mut run = waiting(5 * MICRO, 20);
    for at in [1_000, 34_000, 67_000] {
        run.kernel(at * MICRO, (at * MICRO, (at + 33_000) * MICRO));
    }
    run.assert(&[]);
    assert!(TraceBuilder::new().build().report().findings.is_empty(), "a trace of nothing");
}

#[test]
fn a_launch_that_built_code_makes_no_kernel_too_short() {
    let launched = |first_ns: u64| {
        let mut run = Run::new(QueueOrder::InOrder);
        let mut at = 0;
        for command in 0..60 {
            let submission_ns = if command == 0 { first_ns } else { 2 * MICRO };
            let (node, start) = (run.next_node(), at + submission_ns);
            let ran = (start + MICRO, start + 2 * MICRO);
            run.submit(Command { node, at, submission_ns, ran, ..Command::default() });
            at = start + 50 * MICRO;
        }
        run
    };
    launched(2 * MICRO).assert(&["kernels_too_short"]);
    // The first launch takes nearly all of the run; the others are steady iterations.
    let findings = launched(1_000_000 * MICRO).assert(&["kernels_too_short"]);
    assert_eq!((findings[0].count, findings[0].iterations.as_ref().map(|part| part.count)), (59, Some(59)));
}

#[test]
fn an_execution_that_takes_more_than_all_else_is_named() {
    let run = |commands: u64, step_ns: u64, long_ns: u64| {
        let mut run = Run::new(QueueOrder::InOrder);
        let end = commands * step_ns;
        for at in (0..commands).map(|command| command * step_ns) {
            run.kernel(at, (at + 3 * MICRO, at + step_ns));
        }
        run.kernel(end, (end + 3 * MICRO, end + 3 * MICRO + long_ns));
        run
    };
    let step_ns = 10_000 * MICRO;
    let found = run(20, step_ns, 21 * step_ns).assert(&["one_long_kernel"]).remove(0);
    assert_eq!((found.count, found.touches_ns, found.nodes), (1, 21 * step_ns, vec![21]));
    assert_eq!(found.gain, None);
    assert!(found.message.starts_with("One execution of kernel at main.cpp:"), "{}", found.message);
    // Another device runs as long a kernel meanwhile.
    let mut two = run(20, step_ns, 21 * step_ns);
    two.queue(2, QueueOrder::InOrder, 0xd2, "CPU");
    two.command(NodeKind::Kernel, 2, 20 * step_ns, (20 * step_ns + 3 * MICRO, 41 * step_ns));
    let found = two.assert(&["one_long_kernel"]).remove(0);
    assert_eq!(found.evidence, ["One of 22 commands takes more than half of the run."]);
    run(20, step_ns, 19 * step_ns).assert(&[]);
    // A single step of few; a run that is short anyway.
    run(10, step_ns, 21 * step_ns).assert(&[]);
    run(20, step_ns / 10, 21 * step_ns / 10).assert(&[]);
}

#[test]
fn a_few_executions_of_a_kernel_that_take_more_than_all_else_are_named() {
    // Short commands of 1 s in all, and long executions of one kernel in between, the first ones at one line.
    let run = |executions: u64, long_ns: u64, at_one_line: u64| {
        let mut run = Run::new(QueueOrder::InOrder);
        let mut at = 0;
        for round in 0..20 {
            run.kernel(at, (at + 3 * MICRO, at + 50_000 * MICRO));
            at += 50_000 * MICRO;
            if round < executions {
                let (node, ran) = (run.next_node(), (at + 3 * MICRO, at + 3 * MICRO + long_ns));
                run.submit(Command {
                    node,
                    name: "search",
                    location: place(if round < at_one_line { 7 } else { 8 }),
                    at,
                    ran,
                    ..Command::default()
                });
                at = ran.1;
            }
        }
        run
    };
    let long_ns = 400_000 * MICRO;
    let found = run(3, long_ns, 3).assert(&["one_long_kernel"]).remove(0);
    assert_eq!((found.count, found.touches_ns, found.nodes), (3, 3 * long_ns, vec![2, 4, 6]));
    assert!(
        found.message.starts_with("3 executions of search at main.cpp:7 take 1.2 s of the 2.2 s from"),
        "{}",
        found.message
    );
    assert_eq!(found.evidence, ["3 of 23 commands take more than half of the run."]);
    let found = run(3, long_ns, 1).assert(&["one_long_kernel"]).remove(0);
    let words = "3 executions of search take 1.2 s of the 2.2 s from the first submission to the last command's end, the \
                 longest 400 ms at main.cpp:7.";
    assert!(found.message.starts_with(words), "{}", found.message);
    // Less than half of the run; a loop; executions that a busy machine may have delayed.
    run(2, long_ns, 2).assert(&[]);
    run(9, long_ns, 9).assert(&[]);
    run(20, 90_000 * MICRO, 20).assert(&[]);
}
