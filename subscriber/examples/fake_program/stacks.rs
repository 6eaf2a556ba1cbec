//! Commands, waits, allocations and builds, each below its own function, for their call stacks.

use std::ffi::CStr;

use crate::nodes::node;
use crate::runtime::trace_type::*;
use crate::runtime::{Runtime, next_instance};
use crate::{CONTEXT, QUEUE};

pub(crate) fn stacks(runtime: &Runtime) {
    below_a_node(runtime);
    below_a_barrier(runtime);
    below_an_allocation(runtime);
    below_a_release(runtime);
    below_a_build(runtime);
    below_a_wait(runtime);
    below_a_waiting_call(runtime);
    below_a_wait_that_throws(runtime);
    node(runtime, 101, "after", 12, 501);
    below_a_later_call(runtime);
}

#[inline(never)]
fn below_a_node(runtime: &Runtime) {
    node(runtime, 100, "command", 11, 500);
    // Prevents a tail call, which would reuse the frame.
    std::hint::black_box(runtime);
}

#[inline(never)]
fn below_a_barrier(runtime: &Runtime) {
    let blocked = runtime.event(100, "command", "app.cpp", 11, &[]);
    let (instance, reason) = (next_instance(), c"enqueue.barrier[Blocked by host task]");
    runtime.sycl(BARRIER_BEGIN, Some(blocked), instance, Some(reason));
    runtime.sycl(BARRIER_END, Some(blocked), instance, Some(reason));
}

#[inline(never)]
fn below_an_allocation(runtime: &Runtime) {
    memory(runtime, [ALLOCATE_BEGIN, ALLOCATE_END], c"malloc_host");
}

#[inline(never)]
fn below_a_release(runtime: &Runtime) {
    memory(runtime, [RELEASE_BEGIN, RELEASE_END], c"usm::free");
}

#[inline(never)]
fn below_a_build(runtime: &Runtime) {
    runtime.call(70, c"urProgramBuild", &[CONTEXT, 0x50, 0], |_| 0);
}

#[inline(never)]
fn below_a_wait(runtime: &Runtime) {
    let (graph, words) = (runtime.event(1, "main", "app.cpp", 40, &[]), c"queue.wait[1000]");
    runtime.sycl(WAIT_BEGIN, Some(graph), 600, Some(words));
    runtime.call(71, c"urQueueFinish", &[QUEUE], |_| 0);
    runtime.sycl(WAIT_END, Some(graph), 600, Some(words));
}

#[inline(never)]
fn below_a_waiting_call(runtime: &Runtime) {
    runtime.call(71, c"urQueueFinish", &[QUEUE], |_| 0);
}

/// Plays a wait that the runtime leaves by an exception, without reporting its end.
#[inline(never)]
fn below_a_wait_that_throws(runtime: &Runtime) {
    let graph = runtime.event(1, "main", "app.cpp", 41, &[]);
    runtime.sycl(WAIT_BEGIN, Some(graph), 601, Some(c"queue.wait[1000]"));
    runtime.call(71, c"urQueueFinish", &[QUEUE], |_| 39);
}

#[inline(never)]
fn below_a_later_call(runtime: &Runtime) {
    runtime.call(71, c"urQueueFinish", &[QUEUE], |_| 0);
}

fn memory(runtime: &Runtime, [begin, end]: [u16; 2], function: &CStr) {
    let place = runtime.event(4, "main", "app.cpp", 21, &[]);
    let instance = next_instance();
    runtime.memory(begin, Some(place), instance, function.as_ptr().cast());
    runtime.memory(end, Some(place), instance, function.as_ptr().cast());
}
