//! The task graph: queues, nodes, edges and submissions, with reused ids.

use std::ffi::CStr;

use crate::runtime::trace_type::*;
use crate::runtime::{Event, Runtime, Value, next_instance};
use crate::{CONTEXT, DEVICE, QUEUE};

pub(crate) fn create_queue(runtime: &Runtime, is_in_order: bool) -> &'static Event {
    let metadata = [
        ("queue_handle", Value::Unsigned(QUEUE)),
        ("queue_id", Value::Unsigned(7)),
        ("is_inorder", Value::Bool(is_in_order)),
        ("sycl_device", Value::Unsigned(DEVICE)),
        ("sycl_device_name", Value::Text("Fake Device")),
        ("sycl_context", Value::Unsigned(CONTEXT)),
    ];
    let event = runtime.event(1, "queue[7]", "", 0, &metadata);
    runtime.sycl(QUEUE_CREATE, Some(event), next_instance(), Some(c"queue_create"));
    event
}

pub(crate) fn node(runtime: &Runtime, id: u64, name: &str, line: u32, instance: u64) -> &'static Event {
    let metadata = [
        ("kernel_name", Value::Text(name)),
        ("sycl_device_type", Value::Text("GPU")),
        ("answer", Value::Signed(-42)),
        ("is_true", Value::Bool(true)),
    ];
    let event = runtime.event(id, name, "app.cpp", line, &metadata);
    runtime.sycl(NODE_CREATE, Some(event), instance, Some(c"command_group_node"));
    event
}

pub(crate) fn graph(runtime: &Runtime) {
    let queue = create_queue(runtime, false);
    runtime.stash_queue(7);
    let first = node(runtime, 100, "first", 11, 500);
    runtime.sycl(TASK_BEGIN, Some(first), 500, None);
    runtime.sycl(TASK_END, Some(first), 500, None);
    let second = node(runtime, 200, "__sycl_kernel_second", 12, 501);
    let metadata = [("access_mode", Value::Signed(1024)), ("memory_object", Value::Unsigned(0xb0f))];
    let edge = runtime.event(300, "read[b0f]", "", 0, &metadata);
    (edge.source, edge.target) = (100, 200);
    runtime.sycl(EDGE_CREATE, Some(edge), next_instance(), None);
    runtime.sycl(TASK_BEGIN, Some(second), 501, None);
    runtime.signal(second, 501, 0xe1);
    runtime.sycl(TASK_END, Some(second), 501, None);
    runtime.sycl(WAIT_BEGIN, Some(second), 502, Some(c"event.wait[e1]"));
    runtime.sycl(WAIT_END, Some(second), 502, Some(c"event.wait[e1]"));
    let complaint = runtime.event(400, "main", "app.cpp", 30, &[]);
    runtime.sycl(DIAGNOSTICS, Some(complaint), next_instance(), Some(c"something went wrong"));
    runtime.sycl(QUEUE_DESTROY, Some(queue), next_instance(), None);
}

/// Plays one universal id for several nodes, and different instances of node and submission.
pub(crate) fn reuse(runtime: &Runtime) {
    for round in 0..3_u32 {
        let event = node(runtime, 100, &format!("node{round}"), 10 + round, next_instance());
        let submission = next_instance();
        runtime.sycl(TASK_BEGIN, Some(event), submission, None);
        runtime.sycl(TASK_END, Some(event), submission, None);
    }
    // In older runtimes an id identifies a location, the instance a visit. Both nodes are created, then both submitted.
    let place = node(runtime, 900, "visited", 50, 1);
    runtime.sycl(NODE_CREATE, Some(place), 2, Some(c"command_group_node"));
    for visit in [1, 2] {
        runtime.sycl(TASK_BEGIN, Some(place), visit, None);
        runtime.sycl(TASK_END, Some(place), visit, None);
    }
}

/// Plays four threads with metadata of their own: the table of values moves while others read from it.
pub(crate) fn values(runtime: &'static Runtime) {
    let nodes = |thread: u32| {
        for number in 0..1000 {
            let line = thread * 10_000 + number;
            let text = "long".repeat(number as usize % 10 + 1);
            let metadata = [("number", Value::Unsigned(line.into())), ("text", Value::Text(&text))];
            let event = runtime.event(line.into(), "work", "app.cpp", line, &metadata);
            runtime.sycl(NODE_CREATE, Some(event), next_instance(), Some(c"command_group_node"));
        }
    };
    std::thread::scope(|scope| {
        for thread in 1..=4 {
            scope.spawn(move || nodes(thread));
        }
    });
}

/// Plays shared ids as in 2025.0: one tracepoint, named after the first of them, for a command and the placeholder of
/// its awaited event. Also plays copies whose kind only their metadata shows.
pub(crate) fn shared_id(runtime: &Runtime) {
    let command = |id: u64, name: &str, instance: u64, metadata: &[(&str, Value<'_>)], kind: &CStr| {
        let event = runtime.event(id, name, "", 0, metadata);
        runtime.sycl(NODE_CREATE, Some(event), instance, Some(kind));
        event
    };
    let placeholder = |id: u64, name: &str, instance: u64| {
        let event = runtime.event(id, name, "", 0, &[("kernel_name", Value::Text("virtual_node[0xe1]"))]);
        runtime.sycl(NODE_CREATE, Some(event), instance, None);
    };
    let submit = |event: &Event, instance: u64, call: &CStr| {
        runtime.sycl(TASK_BEGIN, Some(event), instance, None);
        runtime.call(30, call, &[QUEUE, 0, 0, 0, 0, 0, 0, 0, 0], |_| 0);
        runtime.sycl(TASK_END, Some(event), instance, None);
    };
    let group = c"command_group_node";
    let transfer = c"memory_transfer_node";
    let copy = [("src_memory_ptr", Value::Unsigned(1)), ("dest_memory_ptr", Value::Unsigned(2))];
    let first = command(10, "work", 1, &copy, transfer);
    runtime.signal(first, 1, 0xe1);
    command(
        11,
        "work",
        1,
        &[("value_set", Value::Unsigned(0)), ("memory_ptr", Value::Unsigned(2))],
        transfer,
    );

    let barrier = command(22, "barrier", 1, &[("kernel_name", Value::Text("barrier"))], group);
    placeholder(22, "barrier", 2);
    let edge = runtime.event(23, "Event[0xe1]", "", 0, &[("event", Value::Unsigned(0xe1))]);
    (edge.source, edge.target) = (22, 22);
    runtime.sycl(EDGE_CREATE, Some(edge), 1, None);
    submit(barrier, 1, c"urEnqueueEventsWaitWithBarrier");
    let again = [("kernel_name", Value::Text("virtual_node[0xe1]"))];
    submit(command(22, "barrier", 3, &again, group), 3, c"urEnqueueEventsWaitWithBarrier");
    // The command's own name is lost; the call shows its kind.
    submit(
        command(23, "Event[0xe1]", 2, &[("event", Value::Unsigned(0xe1))], group),
        2,
        c"urEnqueueUSMPrefetch",
    );
}
