//! A program that plays a scripted run on the fake runtime: `fake_program SCENARIO`.
//!
//! The tests run one scenario in each process, because a recording is a matter of the whole process, and look at the
//! file that it leaves.
#![expect(unsafe_code, reason = "makes structures of C interfaces, forks and sets limits")]

#[path = "fake_program/calls.rs"]
mod calls;
#[path = "fake_program/command_graphs.rs"]
mod command_graphs;
#[path = "fake_program/device_times.rs"]
mod device_times;
#[path = "fake_program/devices.rs"]
mod devices;
#[path = "fake_program/objects.rs"]
mod objects;
#[path = "fake_program/process.rs"]
mod process;
#[path = "support/runtime.rs"]
mod runtime;
#[path = "fake_program/streams.rs"]
mod streams;
#[path = "fake_program/task_graph.rs"]
mod task_graph;
#[path = "fake_program/threads.rs"]
mod threads;
#[path = "fake_program/usm.rs"]
mod usm;

use std::ffi::{CStr, c_void};
use std::time::Duration;

use runtime::{Event, Runtime, STREAMS, Value, next_instance};

const NODE_CREATE: u16 = 4;
const EDGE_CREATE: u16 = 6;
const TASK_BEGIN: u16 = 10;
const TASK_END: u16 = 11;
const WAIT_BEGIN: u16 = 22;
const WAIT_END: u16 = 23;
const QUEUE_CREATE: u16 = 42;
const QUEUE_DESTROY: u16 = 43;
const DIAGNOSTICS: u16 = 126;

/// Handles that scripts use.
const QUEUE: u64 = 0x1000;
const DEVICE: u64 = 0x2000;
const CONTEXT: u64 = 0x3000;

fn main() {
    let scenario = std::env::args().nth(1).unwrap_or_default();
    let runtime: &'static Runtime = Box::leak(Box::new(Runtime::load()));
    match scenario.as_str() {
        "graph" => with_end(runtime, graph),
        "reuse" => with_end(runtime, reuse),
        "shared_id" => with_end(runtime, shared_id),
        "calls" => with_end(runtime, calls::calls),
        "memory" => with_end(runtime, usm::memory),
        "memory_again" => with_end(runtime, usm::memory_again),
        "device_times" => with_end(runtime, device_times::device_times),
        "other_clock" => with_end(runtime, device_times::other_clock),
        "threads" => with_end(runtime, threads::threads),
        "thread_again" => with_end(runtime, |_| threads::thread_again(runtime)),
        "values" => with_end(runtime, |_| values(runtime)),
        "burst" => with_end(runtime, burst),
        "debug_before" => {
            listen_to_debug(runtime);
            with_end(runtime, graph);
        }
        "debug_after" => with_end(runtime, |runtime| {
            listen_to_debug(runtime);
            // The recorder looks for others now and then.
            std::thread::sleep(Duration::from_millis(400));
            graph(runtime);
        }),
        "odd" => with_end(runtime, odd),
        "late" => {
            with_end(runtime, graph);
            process::late(runtime);
        }
        "silent" => with_end(runtime, |_| ()),
        "waits" => with_end(runtime, waits),
        "fork" => with_end(runtime, process::fork),
        "killed" => process::killed(runtime),
        "small_disk" => {
            process::limit_file_size(64 << 10);
            with_end(runtime, |runtime| {
                for _ in 0..50 {
                    burst_of(runtime, 500);
                    std::thread::sleep(Duration::from_millis(5));
                }
            });
        }
        "command_graphs" => with_end(runtime, command_graphs::command_graphs),
        "native_handles" => with_end(runtime, command_graphs::native_handles),
        "drifting_clock" => with_end(runtime, devices::drifting_clock),
        "host_clock" => with_end(runtime, devices::host_clock),
        "device_answers" => with_end(runtime, devices::device_answers),
        "objects" => with_end(runtime, objects::objects),
        "texts_for_structures" => with_end(runtime, objects::texts_for_structures),
        "metadata" => with_end(runtime, task_graph::metadata),
        "copy_told_twice" => with_end(runtime, task_graph::copy_told_twice),
        "barriers" => with_end(runtime, task_graph::barriers),
        "thread_names" => with_end(runtime, |_| task_graph::thread_names(runtime)),
        "own_streams" => with_end(runtime, streams::own_streams),
        "unknown_types" => with_end(runtime, streams::unknown_types),
        other => panic!("there is no scenario {other:?}"),
    }
    println!("played {scenario}");
}

/// Plays between the announcement of the streams and their end.
fn with_end(runtime: &Runtime, play: impl FnOnce(&Runtime)) {
    runtime.start();
    play(runtime);
    STREAMS.iter().for_each(|stream| runtime.finish(stream));
}

fn create_queue(runtime: &Runtime, is_in_order: bool) -> &'static Event {
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

fn node(runtime: &Runtime, id: u64, name: &str, line: u32, instance: u64) -> &'static Event {
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

fn graph(runtime: &Runtime) {
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

/// One universal id for several nodes, and another instance for the submission than for the node.
fn reuse(runtime: &Runtime) {
    for round in 0..3_u32 {
        let event = node(runtime, 100, &format!("node{round}"), 10 + round, next_instance());
        let submission = next_instance();
        runtime.sycl(TASK_BEGIN, Some(event), submission, None);
        runtime.sycl(TASK_END, Some(event), submission, None);
    }
    // An older runtime: one id stands for a place, the instance for the visit. Both are made, then both submitted.
    let place = node(runtime, 900, "visited", 50, 1);
    runtime.sycl(NODE_CREATE, Some(place), 2, Some(c"command_group_node"));
    for visit in [1, 2] {
        runtime.sycl(TASK_BEGIN, Some(place), visit, None);
        runtime.sycl(TASK_END, Some(place), visit, None);
    }
}

/// Four threads with metadata of their own: the table of values moves while others read from it.
fn values(runtime: &'static Runtime) {
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

/// One tracepoint for a command and for the place-holder of the event that it waits for, under the name of whichever came
/// first, as 2025.0 has them; and copies whose kind only their metadata tell.
fn shared_id(runtime: &Runtime) {
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
    // Nothing of its own name is left: the call says what it is.
    submit(
        command(23, "Event[0xe1]", 2, &[("event", Value::Unsigned(0xe1))], group),
        2,
        c"urEnqueueUSMPrefetch",
    );
}

fn burst_of(runtime: &Runtime, count: u32) {
    for _ in 0..count {
        runtime.call(77, c"urEventGetInfo", &[0; 5], |_| 0);
    }
}

/// More than the smallest buffer holds.
fn burst(runtime: &Runtime) {
    burst_of(runtime, 20_000);
}

unsafe extern "C" fn nothing(_: u16, _: *const c_void, _: *const c_void, _: u64, _: *const c_void) {}

fn listen_to_debug(runtime: &Runtime) {
    for trace_type in [4, 6, 10, 11, 16, 22, 23, 42, 43, 126] {
        runtime.listen(c"sycl.debug", trace_type, nothing);
    }
    for trace_type in [28, 29] {
        runtime.listen(c"ur.call.debug", trace_type, nothing);
    }
}

fn odd(runtime: &Runtime) {
    runtime.announce(c"a stream from the future");
    for trace_type in 0..256 {
        if (28..=29).contains(&trace_type) {
            continue;
        }
        runtime.sycl(trace_type, None, 0, None);
        runtime.memory(trace_type, None, 0, std::ptr::null());
    }
    // A call whose parameters are not those that are expected of its name.
    runtime.call(33, c"urEnqueueUSMMemcpy", &[QUEUE, 1], |_| 0);
    // Ends without a begin.
    let event = runtime.event(100, "", "", 0, &[]);
    runtime.sycl(TASK_END, Some(event), 1, None);
    runtime.sycl(WAIT_END, Some(event), 2, None);
    // An edge between nodes that nobody has announced.
    let edge = runtime.event(300, "", "", u32::MAX, &[]);
    (edge.source, edge.target) = (98, 99);
    runtime.sycl(EDGE_CREATE, Some(edge), 0, None);
    graph(runtime);
}

/// Waits for what has no node: the runtime attaches them to the tracepoint of its whole task graph.
fn waits(runtime: &Runtime) {
    let places = [
        ("sycl.application.graph", "", u32::MAX),
        ("application_graph", "<unknown-file>", 0),
        ("sycl.something.else", "", 0),
        ("solve", "", 0),
        ("main", "app.cpp", 40),
    ];
    for (id, (name, file, line)) in (100..).zip(places) {
        let event = runtime.event(id, name, file, line, &[]);
        runtime.sycl(WAIT_BEGIN, Some(event), id, Some(c"event.wait[77]"));
        runtime.sycl(WAIT_END, Some(event), id, Some(c"event.wait[77]"));
    }
}
