//! A program that plays a scripted run on the fake runtime: `fake_program SCENARIO`.
//!
//! The tests run one scenario in each process, because a recording is a matter of the whole process, and look at the
//! file that it leaves.
#![expect(unsafe_code, reason = "makes structures of C interfaces, forks and sets limits")]

#[path = "fake_program/command_graphs.rs"]
mod command_graphs;
#[path = "fake_program/devices.rs"]
mod devices;
#[path = "fake_program/objects.rs"]
mod objects;
#[path = "support/runtime.rs"]
mod runtime;
#[path = "fake_program/streams.rs"]
mod streams;
#[path = "fake_program/task_graph.rs"]
mod task_graph;

use std::ffi::{CStr, c_void};
use std::io::Write as _;
use std::time::Duration;

use runtime::{Event, Runtime, STREAMS, Value, monotonic_ns, next_instance};

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
        "calls" => with_end(runtime, calls),
        "memory" => with_end(runtime, memory),
        "memory_again" => with_end(runtime, memory_again),
        "device_times" => with_end(runtime, device_times),
        "other_clock" => with_end(runtime, other_clock),
        "threads" => with_end(runtime, threads),
        "thread_again" => with_end(runtime, |_| thread_again(runtime)),
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
            late(runtime);
        }
        "silent" => with_end(runtime, |_| ()),
        "waits" => with_end(runtime, waits),
        "fork" => with_end(runtime, fork),
        "killed" => killed(runtime),
        "small_disk" => {
            limit_file_size(64 << 10);
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

/// `ur_queue_properties_t`
#[repr(C)]
struct QueueProperties {
    structure_type: u32,
    next: u64,
    flags: u32,
}

/// Creates a queue by a call; gives the flags that the adapter would have seen.
fn ur_queue_create(runtime: &Runtime, handle: u64, properties: Option<&QueueProperties>) -> (u32, u64) {
    let mut made = 0_u64;
    let properties = properties.map_or(0, |properties| std::ptr::from_ref(properties) as u64);
    let mut seen = (0, 0);
    runtime.call(11, c"urQueueCreate", &[CONTEXT, DEVICE, properties, &raw mut made as u64], |row| {
        // SAFETY: the recorder's copy, or ours.
        let properties = unsafe { &*(row[2] as *const QueueProperties) };
        assert_eq!(properties.structure_type, 14);
        seen = (properties.flags, properties.next);
        // SAFETY: our own place.
        unsafe { *(row[3] as *mut u64) = handle };
        0
    });
    seen
}

/// A copy; `event` is what the adapter makes, `wanted` whether the program asks for it.
fn ur_copy(runtime: &Runtime, waits: &[u64], event: u64, wanted: bool) -> Option<u64> {
    let mut place = 0_u64;
    let out = if wanted { &raw mut place as u64 } else { 0 };
    let row = [QUEUE, 0, 0xd, 0x5, 4096, waits.len() as u64, waits.as_ptr() as u64, out];
    let mut given = None;
    runtime.call(33, c"urEnqueueUSMMemcpy", &row, |row| {
        if row[7] != 0 {
            // SAFETY: the program's place, or the recorder's.
            unsafe { *(row[7] as *mut u64) = event };
            given = Some(event);
        }
        0
    });
    given
}

fn calls(runtime: &Runtime) {
    let own = QueueProperties { structure_type: 14, next: 0x77, flags: 1 };
    assert_eq!(ur_queue_create(runtime, QUEUE, Some(&own)), (3, 0x77), "profiling is added, extensions stay");
    assert_eq!(own.flags, 1, "the program's own properties stay as they are");
    assert_eq!(ur_queue_create(runtime, 0x1001, None), (2, 0));
    runtime.call(77, c"urPlatformGet", &[0; 5], |_| {
        runtime.call(78, c"urFromTheFuture", &[], |_| 5);
        0
    });
    // A kernel that SYCL knows by the function that submits it.
    let mut kernel = 0_u64;
    let row = [0, c"from_elsewhere".as_ptr() as u64, &raw mut kernel as u64];
    runtime.call(40, c"urKernelCreate", &row, |row| {
        // SAFETY: our own place.
        unsafe { *(row[2] as *mut u64) = 0x4e };
        0
    });
    let event = node(runtime, 100, "main", 11, 500);
    runtime.sycl(TASK_BEGIN, Some(event), 500, None);
    let (global, local) = ([1024_u64, 8], [16_u64, 8]);
    let sizes = [&raw const global as u64, &raw const local as u64];
    let row = [QUEUE, 0x4e, 2, 0, sizes[0], sizes[1], 0, 0, 0, 0, 0, 0];
    runtime.call(295, c"urEnqueueKernelLaunchWithArgsExp", &row, |_| 0);
    runtime.sycl(TASK_END, Some(event), 500, None);
}

fn memory(runtime: &Runtime) {
    let allocate = |id: u64, function: &CStr, name: &'static CStr, pointer: u64, size: u64, out: usize| {
        let metadata = [("memory_size", Value::Unsigned(size)), ("memory_ptr", Value::Unsigned(pointer))];
        let begin = runtime.event(id, "main", "app.cpp", 20, &metadata[..1]);
        let end = runtime.event(id, "main", "app.cpp", 20, &metadata);
        let instance = next_instance();
        runtime.memory(32, Some(begin), instance, function.as_ptr().cast());
        let mut made = 0_u64;
        let row = [CONTEXT, DEVICE, 0, 0, size, &raw mut made as u64];
        let row = if out == 4 { &[CONTEXT, 0, 0, size, &raw mut made as u64][..] } else { &row[..] };
        runtime.call(out as u32, name, row, |row| {
            // SAFETY: our own place.
            unsafe { *(row[out] as *mut u64) = pointer };
            0
        });
        runtime.memory(33, Some(end), instance, function.as_ptr().cast());
    };
    allocate(1, c"usm::alignedAlloc", c"urUSMDeviceAlloc", 0xa000, 4096, 5);
    allocate(2, c"usm::alignedAlloc", c"urUSMSharedAlloc", 0xb000, 8192, 5);
    allocate(3, c"malloc_host", c"urUSMHostAlloc", 0xc000, 100, 4);
    let release = runtime.event(4, "main", "app.cpp", 21, &[("memory_ptr", Value::Unsigned(0xa000))]);
    let instance = next_instance();
    runtime.memory(34, Some(release), instance, c"usm::free".as_ptr().cast());
    runtime.call(60, c"urUSMFree", &[CONTEXT, 0xa000], |_| 0);
    runtime.memory(35, Some(release), instance, c"usm::free".as_ptr().cast());

    // A buffer: no tracepoint, and a structure instead of a name.
    let mut object = [0x0b_u64, 0, 512, 0];
    let instance = next_instance();
    runtime.memory(32, None, instance, object.as_ptr().cast::<c_void>());
    let mut handle = 0_u64;
    runtime.call(61, c"urMemBufferCreate", &[CONTEXT, 1, 512, 0, &raw mut handle as u64], |row| {
        // SAFETY: our own place.
        unsafe { *(row[4] as *mut u64) = 0xbf };
        0
    });
    object[1] = 0xbf;
    runtime.memory(33, None, instance, object.as_ptr().cast::<c_void>());
    // On the program's own memory: nothing is allocated.
    runtime.call(61, c"urMemBufferCreate", &[CONTEXT, 1 | 8, 256, 0, &raw mut handle as u64], |_| 0);
    runtime.call(62, c"urMemRetain", &[0xbf], |_| 0);
    runtime.call(63, c"urMemRelease", &[0xbf], |_| 0);
    std::thread::sleep(Duration::from_millis(20));
    runtime.call(63, c"urMemRelease", &[0xbf], |_| 0);
}

/// Addresses that another thread gets before the call that gave them back has returned.
fn memory_again(runtime: &Runtime) {
    let allocate = |pointer: u64| {
        let mut made = 0_u64;
        runtime.call(5, c"urUSMDeviceAlloc", &[CONTEXT, DEVICE, 0, 0, 64, &raw mut made as u64], |row| {
            // SAFETY: our own place.
            unsafe { *(row[5] as *mut u64) = pointer };
            0
        });
    };
    let on_another_thread = |pointer: u64| {
        std::thread::scope(|scope| {
            scope.spawn(|| allocate(pointer));
        });
    };
    allocate(0xa000);
    runtime.call(60, c"urUSMFree", &[CONTEXT, 0xa000], |_| {
        on_another_thread(0xa000);
        0
    });
    runtime.call(60, c"urUSMFree", &[CONTEXT, 0xa000], |_| 0);
    // Seen by the SYCL interface alone.
    allocate(0xb000);
    let release = runtime.event(4, "main", "app.cpp", 21, &[("memory_ptr", Value::Unsigned(0xb000))]);
    let instance = next_instance();
    runtime.memory(34, Some(release), instance, c"usm::free".as_ptr().cast());
    on_another_thread(0xb000);
    runtime.memory(35, Some(release), instance, c"usm::free".as_ptr().cast());
    // A release that fails is none.
    let instance = next_instance();
    runtime.memory(34, Some(release), instance, c"usm::free".as_ptr().cast());
    runtime.call(60, c"urUSMFree", &[CONTEXT, 0xb000], |_| 5);
    runtime.memory(35, Some(release), instance, c"usm::free".as_ptr().cast());
}

fn device_times(runtime: &Runtime) {
    ur_queue_create(runtime, QUEUE, None);
    create_queue(runtime, true);
    let now = monotonic_ns();
    let at = |offset: u64| [now + offset, now + offset + 10, now + offset + 100, now + offset + 1100];
    // One that the program holds, and that another waits for.
    let first = runtime.ur_event(at(0));
    ur_copy(runtime, &[], first, true);
    let second = runtime.ur_event(at(2000));
    ur_copy(runtime, &[first], second, true);
    runtime.complete(first);
    runtime.complete(second);
    // Handles are used again: this wait must find the new command.
    ur_copy(runtime, &[], first, true);
    ur_copy(runtime, &[first], second, true);
    // One that the program does not ask for.
    let unasked = runtime.ur_event(at(5000));
    assert_eq!(ur_copy(runtime, &[], unasked, false), Some(unasked), "the recorder asks for it");
    runtime.complete(unasked);
    // One that fails, one without times, one that never ends.
    for (times, status) in [(at(6000), 4), ([u64::MAX; 4], 0), (at(7000), 1)] {
        let event = runtime.ur_event(times);
        ur_copy(runtime, &[], event, true);
        runtime.event_status(event, status);
        runtime.release(event);
    }
    // A command graph's event tells no duration.
    let graph = runtime.ur_event(at(8000));
    let mut place = 0_u64;
    let row = [QUEUE, 0x6, 0, 0, &raw mut place as u64];
    runtime.call(124, c"urEnqueueCommandBufferExp", &row, |row| {
        // SAFETY: our own place.
        unsafe { *(row[4] as *mut u64) = graph };
        0
    });
    runtime.complete(graph);
    std::thread::sleep(Duration::from_millis(100));
    // Ours: first, second and graph. The recorder's: the one that never ends.
    assert_eq!(runtime.event_references(), 4, "every event that was read was given back");
}

/// A device that counts a thousand seconds ahead of the host.
fn other_clock(runtime: &Runtime) {
    ur_queue_create(runtime, QUEUE, None);
    let queued = monotonic_ns() + 1_000_000_000_000;
    let event = runtime.ur_event([queued, queued + 10, queued + 1_000, queued + 2_000]);
    ur_copy(runtime, &[], event, true);
    runtime.complete(event);
    std::thread::sleep(Duration::from_millis(50));
}

fn burst_of(runtime: &Runtime, count: u32) {
    for _ in 0..count {
        runtime.call(77, c"urEventGetInfo", &[0; 5], |_| 0);
    }
}

fn threads(runtime: &Runtime) {
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            scope.spawn(move || {
                for round in 0..2000_u64 {
                    let id = 1_000_000 * (thread + 1) + round % 7;
                    let event = node(runtime, id, "work", 5, next_instance());
                    let submission = next_instance();
                    runtime.sycl(TASK_BEGIN, Some(event), submission, None);
                    burst_of(runtime, 5);
                    runtime.sycl(TASK_END, Some(event), submission, None);
                }
            });
        }
    });
}

/// Notifies when its thread ends: later than the recorder takes leave of the thread, because it is older.
struct LastWords(&'static Runtime);

impl Drop for LastWords {
    fn drop(&mut self) {
        burst_of(self.0, 1);
    }
}

thread_local! {
    static LAST_WORDS: std::cell::OnceCell<LastWords> = const { std::cell::OnceCell::new() };
}

/// The id of a thread that is over comes again, and what that one had begun has no end.
fn thread_again(runtime: &'static Runtime) {
    let thread = std::thread::Builder::new().name("again".to_owned());
    let thread = thread.spawn(move || {
        LAST_WORDS.with(|words| {
            words.get_or_init(|| LastWords(runtime));
        });
        let event = node(runtime, 100, "lost", 11, 500);
        runtime.sycl(TASK_BEGIN, Some(event), 500, None);
        burst_of(runtime, 1);
    });
    thread.unwrap().join().unwrap();
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

/// After the end: on a thread that only now begins, and again on the main one.
fn late(runtime: &Runtime) {
    std::thread::scope(|scope| {
        scope.spawn(|| burst_of(runtime, 10));
    });
    burst_of(runtime, 10);
    runtime.finish(c"sycl");
    runtime.finish(c"never announced");
}

fn fork(runtime: &Runtime) {
    burst_of(runtime, 100);
    // SAFETY: the child goes on like a program does that forks.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        burst_of(runtime, 30);
        STREAMS.iter().for_each(|stream| runtime.finish(stream));
        println!("child");
        let _ = std::io::stdout().flush();
        std::process::exit(4);
    }
    let mut status = 0;
    // SAFETY: waits for our own child.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(libc::WEXITSTATUS(status), 4);
    burst_of(runtime, 100);
}

fn killed(runtime: &Runtime) {
    runtime.start();
    let first = node(runtime, 100, "first", 11, 500);
    runtime.sycl(TASK_BEGIN, Some(first), 500, None);
    burst_of(runtime, 100);
    std::thread::sleep(Duration::from_millis(300));
    // SAFETY: ends this process.
    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
}

fn limit_file_size(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: a valid limit for this process.
    unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) };
}
