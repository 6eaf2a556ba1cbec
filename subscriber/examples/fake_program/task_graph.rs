//! The task graph: metadata, waits at barriers, names of threads.

use std::ffi::CStr;

use crate::nodes;
use crate::runtime::trace_type::*;
use crate::runtime::{Runtime, Value, next_instance};

pub(crate) fn metadata(runtime: &Runtime) {
    let graph = runtime.event(1, "sycl.application.graph", "<unknown-file>", 0, &[]);
    runtime.sycl(GRAPH_CREATE, Some(graph), next_instance(), None);
    let sizes = [64_u64, 2, 1, 8, 1, 1, 0, 1, 0, 1];
    let sizes: Vec<u8> = sizes.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let mut argument = [0_u8; 24];
    (argument[0], argument[16]) = (3, 8);
    let kernel = [
        ("kernel_name", Value::Text("_ZTS4work")),
        ("from_source", Value::Bool(true)),
        ("sym_function_name", Value::Text("solve")),
        ("sym_source_file_name", Value::Text("app.cpp")),
        ("sym_line_no", Value::Signed(12)),
        ("sym_column_no", Value::Signed(5)),
        ("enqueue_kernel_data", Value::Binary(&sizes)),
        ("arg0", Value::Binary(&argument)),
        ("from_the_future", Value::Binary(&[1, 2, 255])),
    ];
    let memory = [
        ("memory_object", Value::Unsigned(0xb0f)),
        ("offset", Value::Unsigned(64)),
        ("access_range_start", Value::Unsigned(16)),
        ("access_range_end", Value::Unsigned(1)),
        ("allocation_type", Value::Text("Memory Allocation")),
        ("copy_from", Value::Unsigned(0xd1)),
        ("copy_to", Value::Unsigned(0)),
    ];
    let node = |id: u64, name: &str, metadata: &[(&str, Value<'_>)], kind: &CStr| {
        let event = runtime.event(id, name, "app.cpp", 12, metadata);
        runtime.sycl(NODE_CREATE, Some(event), next_instance(), Some(kind));
    };
    node(10, "_ZTS4work", &kernel, c"command_group_node");
    node(11, "Memory Allocation[b0f]", &memory, c"memory_allocation_node");
    node(12, "Sub Buffer Creation[b0f]", &memory, c"sub_buffer_creation_node");
    node(13, "Memory Transfer (Copy)[b0f]", &memory, c"memory_transfer_node");
    node(14, "Host Accessor Creation/Buffer Lock[b0f]", &memory[..1], c"host_acc_create_buffer_lock_node");
    node(
        15,
        "Host Accessor Destruction/Buffer Lock Release[b0f]",
        &memory[..1],
        c"host_acc_destroy_buffer_release_node",
    );
    node(16, "Memory Deallocation[b0f]", &memory[4..5], c"memory_deallocation_node");
    node(17, "host task", &[("kernel_name", Value::Text("host task"))], c"command_group_node");
    let edge = |id: u64, source: u64, target: u64, metadata: &[(&str, Value<'_>)]| {
        let event = runtime.event(id, "edge", "", 0, metadata);
        (event.source, event.target) = (source, target);
        runtime.sycl(EDGE_CREATE, Some(event), next_instance(), None);
    };
    let object =
        |mode: i32| [("access_mode", Value::Signed(mode)), ("memory_object", Value::Unsigned(0xb0f))];
    edge(20, 11, 10, &object(1027));
    edge(21, 10, 14, &object(1024));
    edge(22, 15, 13, &object(1025));
    edge(23, 10, 17, &[]);
    edge(24, 13, 16, &[("memory_object", Value::Unsigned(0xb0f))]);
}

/// Plays a command that can't be submitted yet, and errors of commands.
pub(crate) fn barriers(runtime: &Runtime) {
    let blocked = nodes::node(runtime, 100, "blocked", 11, 500);
    for reason in [
        c"enqueue.barrier[A Buffer is locked by the host accessor]",
        c"enqueue.barrier[Blocked by host task]",
    ] {
        let instance = next_instance();
        runtime.sycl(BARRIER_BEGIN, Some(blocked), instance, Some(reason));
        runtime.sycl(BARRIER_END, Some(blocked), instance, Some(reason));
    }
    runtime.sycl(TASK_BEGIN, Some(blocked), 500, None);
    let message = runtime.event(200, "TraceEventXPTI", "", 0, &[]);
    runtime.sycl(DIAGNOSTICS, Some(message), next_instance(), Some(c"while it is submitted"));
    runtime.sycl(TASK_END, Some(blocked), 500, None);

    nodes::node(runtime, 101, "host task", 40, next_instance());
    for line in [50, 50] {
        nodes::node(runtime, 102, "host task", line, next_instance());
    }
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for (line, message) in [(40, c"in the only one"), (50, c"in one of two"), (60, c"in none")] {
                let place = runtime.event(300, "main", "app.cpp", line, &[]);
                runtime.sycl(DIAGNOSTICS, Some(place), next_instance(), Some(message));
            }
        });
    });
}

/// Plays a copy that waits for a host task: both the call and the runtime's command for it have a node.
pub(crate) fn copy_told_twice(runtime: &Runtime) {
    let task = nodes::node(runtime, 10, "host task", 11, 500);
    let copy = runtime.event(20, "main", "app.cpp", 17, &[("memory_size", Value::Unsigned(64))]);
    runtime.sycl(NODE_CREATE, Some(copy), next_instance(), Some(c"memory_transfer_node::memcpy"));
    let instance = next_instance();
    runtime.sycl(TASK_BEGIN, Some(copy), instance, None);
    let command =
        runtime.event(30, "copy usm", "<unknown-file>", 0, &[("kernel_name", Value::Text("copy usm"))]);
    runtime.sycl(NODE_CREATE, Some(command), 600, Some(c"command_group_node"));
    let edge = runtime.event(40, "Event[0]", "", 0, &[("event", Value::Unsigned(0))]);
    (edge.source, edge.target) = (10, 30);
    runtime.sycl(EDGE_CREATE, Some(edge), next_instance(), None);
    runtime.sycl(TASK_END, Some(copy), instance, None);
    for event in [task, command] {
        runtime.sycl(TASK_BEGIN, Some(event), 600, None);
        runtime.sycl(TASK_END, Some(event), 600, None);
    }
    // A command of the same kind without such a call.
    let command = runtime.event(50, "copy usm", "app.cpp", 20, &[("kernel_name", Value::Text("copy usm"))]);
    runtime.sycl(NODE_CREATE, Some(command), 601, Some(c"command_group_node"));
}

/// Renames the thread and notifies when the thread ends: after the recorder's own destructor, because this value is
/// older. So it looks like another thread that got the id of an ended one.
struct Successor(&'static Runtime);

impl Drop for Successor {
    fn drop(&mut self) {
        // SAFETY: a NUL-terminated name of at most 15 characters.
        unsafe { libc::prctl(libc::PR_SET_NAME, c"second".as_ptr()) };
        self.0.burst(1);
    }
}

thread_local! {
    static SUCCESSOR: std::cell::OnceCell<Successor> = const { std::cell::OnceCell::new() };
}

pub(crate) fn thread_names(runtime: &'static Runtime) {
    let thread = std::thread::Builder::new().name("first".to_owned()).spawn(move || {
        SUCCESSOR.with(|successor| {
            successor.get_or_init(|| Successor(runtime));
        });
        runtime.burst(1);
    });
    thread.unwrap().join().unwrap();
}
