//! Errors that no runtime should make, and subscribers that share its streams.

use crate::QUEUE;
use crate::nodes::{graph, node};
use crate::runtime::Runtime;
use crate::runtime::trace_type::*;

const OF_SYCL: [u16; 10] = [
    NODE_CREATE,
    EDGE_CREATE,
    TASK_BEGIN,
    TASK_END,
    SIGNAL,
    WAIT_BEGIN,
    WAIT_END,
    QUEUE_CREATE,
    QUEUE_DESTROY,
    DIAGNOSTICS,
];
const OF_CALLS: [u16; 2] = [FUNCTION_WITH_ARGS_BEGIN, FUNCTION_WITH_ARGS_END];

/// Adds a subscriber that attracts all events to the `.debug` streams before the recorder starts.
pub(crate) fn listen_to_debug(runtime: &Runtime) {
    runtime.listen_to(c"sycl.debug", &OF_SYCL);
    runtime.listen_to(c"ur.call.debug", &OF_CALLS);
}

/// Adds such a subscriber while the recorder runs, which checks for other subscribers at intervals.
pub(crate) fn draw_to_debug(runtime: &Runtime) {
    runtime.draw_to(c"sycl.debug", &OF_SYCL);
    runtime.draw_to(c"ur.call.debug", &OF_CALLS);
}

pub(crate) fn odd(runtime: &Runtime) {
    runtime.announce(c"a stream from the future");
    for trace_type in 0..256 {
        if [FUNCTION_WITH_ARGS_BEGIN, FUNCTION_WITH_ARGS_END].contains(&trace_type) {
            continue;
        }
        runtime.sycl(trace_type, None, 0, None);
        runtime.memory(trace_type, None, 0, std::ptr::null());
    }
    // A call with other parameters than its name implies.
    runtime.call(33, c"urEnqueueUSMMemcpy", &[QUEUE, 1], |_| 0);
    // Ends without a begin.
    let event = runtime.event(100, "", "", 0, &[]);
    runtime.sycl(TASK_END, Some(event), 1, None);
    runtime.sycl(WAIT_END, Some(event), 2, None);
    // An edge between unannounced nodes.
    let edge = runtime.event(300, "", "", u32::MAX, &[]);
    (edge.source, edge.target) = (98, 99);
    runtime.sycl(EDGE_CREATE, Some(edge), 0, None);
    graph(runtime);
}

/// Plays a submission that an exception ends because its call failed, another command, and one without a node.
pub(crate) fn given_up(runtime: &Runtime) {
    let row = [QUEUE, 0, 0, 0, 0, 0, 0, 0];
    let first = node(runtime, 100, "first", 11, 500);
    runtime.sycl(TASK_BEGIN, Some(first), 500, None);
    runtime.call(33, c"urEnqueueUSMMemcpy", &row, |_| 39);
    let second = node(runtime, 200, "second", 12, 501);
    runtime.sycl(TASK_BEGIN, Some(second), 501, None);
    runtime.call(33, c"urEnqueueUSMMemcpy", &row, |_| 0);
    runtime.sycl(TASK_END, Some(second), 501, None);
    runtime.call(34, c"urEnqueueEventsWaitWithBarrier", &row[..4], |_| 0);
}

/// Plays waits without a node: the runtime attaches them to the tracepoint of the whole task graph.
pub(crate) fn waits(runtime: &Runtime) {
    let places = [
        ("sycl.application.graph", "", u32::MAX),
        ("application_graph", "<unknown-file>", 0),
        ("sycl.something.else", "", 0),
        ("solve", "", 0),
        ("main", "app.cpp", 40),
        // The submission of the awaited command.
        ("main", "app.cpp", 41),
    ];
    for (id, (name, file, line)) in (100..).zip(places) {
        let event = runtime.event(id, name, file, line, &[]);
        let words = if line == 41 { c"event.wait[77]" } else { c"queue.wait[77]" };
        runtime.sycl(WAIT_BEGIN, Some(event), id, Some(words));
        runtime.sycl(WAIT_END, Some(event), id, Some(words));
    }
}
