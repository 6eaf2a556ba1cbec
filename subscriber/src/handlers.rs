//! From a notification to a record: what runs on the program's threads.
//!
//! A handler takes the time, copies what it needs into the thread's buffer and returns. Names, joins and files are the
//! writer's business.

mod buffer;
mod call;
mod diagnostics;
mod graph;
mod image;
mod memory;
mod queue;
mod raw;
mod task;
mod wait;

use crate::buffer::Producer;
use crate::xpti::{Interface, Notification, StreamId};

/// XPTI's trace types.
mod trace_type {
    pub(super) const GRAPH_CREATE: u16 = 2;
    pub(super) const NODE_CREATE: u16 = 4;
    pub(super) const EDGE_CREATE: u16 = 6;
    pub(super) const TASK_BEGIN: u16 = 10;
    pub(super) const TASK_END: u16 = 11;
    pub(super) const BARRIER_BEGIN: u16 = 12;
    pub(super) const BARRIER_END: u16 = 13;
    pub(super) const SIGNAL: u16 = 16;
    pub(super) const WAIT_BEGIN: u16 = 22;
    pub(super) const WAIT_END: u16 = 23;
    pub(super) const FUNCTION_BEGIN: u16 = 24;
    pub(super) const FUNCTION_END: u16 = 25;
    pub(super) const FUNCTION_WITH_ARGS_BEGIN: u16 = 28;
    pub(super) const FUNCTION_WITH_ARGS_END: u16 = 29;
    pub(super) const ALLOCATE_BEGIN: u16 = 32;
    pub(super) const ALLOCATE_END: u16 = 33;
    pub(super) const RELEASE_BEGIN: u16 = 34;
    pub(super) const RELEASE_END: u16 = 35;
    pub(super) const OBJECT_CONSTRUCT: u16 = 36;
    pub(super) const OBJECT_DESTRUCT: u16 = 37;
    pub(super) const OBJECT_ASSOCIATE: u16 = 38;
    pub(super) const OBJECT_RELEASE: u16 = 39;
    pub(super) const ACCESSOR: u16 = 40;
    pub(super) const QUEUE_CREATE: u16 = 42;
    pub(super) const QUEUE_DESTROY: u16 = 43;
    pub(super) const DIAGNOSTICS: u16 = 126;
}

use trace_type::*;

/// Handles a notification. The stream is a constant where this is called, so that nothing is left of the choice.
#[inline(always)]
pub(crate) fn handle(notification: &Notification<'_>, producer: &Producer) {
    match notification.stream {
        StreamId::SYCL => on_sycl(notification, producer),
        StreamId::UR_CALL => on_call(notification, producer, Interface::UnifiedRuntime),
        StreamId::PI => on_call(notification, producer, Interface::Plugin),
        StreamId::LEVEL_ZERO => on_native(notification, producer, Interface::LevelZero),
        StreamId::CUDA => on_native(notification, producer, Interface::Cuda),
        StreamId::MEMORY => on_memory(notification, producer),
        StreamId::BUFFER => on_buffer(notification, producer),
        StreamId::IMAGE => on_image(notification, producer),
        StreamId::UR_API | StreamId::FRAMEWORK => raw::on_raw(notification, producer),
        _ => raw::on_raw(notification, producer),
    }
}

/// Handles a notification of the stream `sycl`.
fn on_sycl(notification: &Notification<'_>, producer: &Producer) {
    match notification.trace_type {
        GRAPH_CREATE => graph::on_graph(notification, producer),
        NODE_CREATE => graph::on_node(notification, producer),
        EDGE_CREATE => graph::on_edge(notification, producer),
        TASK_BEGIN => task::on_begin(notification, producer),
        TASK_END => task::on_end(notification, producer),
        BARRIER_BEGIN => wait::on_barrier_begin(notification, producer),
        BARRIER_END => wait::on_barrier_end(notification, producer),
        SIGNAL => task::on_signal(notification, producer),
        WAIT_BEGIN => wait::on_begin(notification, producer),
        WAIT_END => wait::on_end(notification, producer),
        QUEUE_CREATE => queue::on_create(notification, producer),
        QUEUE_DESTROY => queue::on_destroy(notification, producer),
        DIAGNOSTICS => diagnostics::on_diagnostic(notification, producer),
        _ => raw::on_raw(notification, producer),
    }
}

/// Handles a notification of the streams `ur.call` and `sycl.pi`.
#[inline]
fn on_call(notification: &Notification<'_>, producer: &Producer, interface: Interface) {
    match notification.trace_type {
        FUNCTION_WITH_ARGS_BEGIN => call::on_begin(notification, producer, interface),
        FUNCTION_WITH_ARGS_END => call::on_end(notification, producer, interface),
        FUNCTION_BEGIN => call::on_named(notification, producer, interface, true),
        FUNCTION_END => call::on_named(notification, producer, interface, false),
        _ => raw::on_raw(notification, producer),
    }
}

/// Handles a notification of a stream of native calls.
fn on_native(notification: &Notification<'_>, producer: &Producer, interface: Interface) {
    match notification.trace_type {
        FUNCTION_WITH_ARGS_BEGIN => call::on_native_begin(notification, producer, interface),
        FUNCTION_WITH_ARGS_END => call::on_native_end(notification, producer, interface),
        FUNCTION_BEGIN => call::on_named(notification, producer, interface, true),
        FUNCTION_END => call::on_named(notification, producer, interface, false),
        _ => raw::on_raw(notification, producer),
    }
}

/// Handles a notification of the stream `sycl.experimental.mem_alloc`.
fn on_memory(notification: &Notification<'_>, producer: &Producer) {
    match notification.trace_type {
        ALLOCATE_BEGIN => memory::on_allocate_begin(notification, producer),
        ALLOCATE_END => memory::on_allocate_end(notification, producer),
        RELEASE_BEGIN => memory::on_release_begin(notification, producer),
        RELEASE_END => memory::on_release_end(notification, producer),
        // Says what the begin of the allocation or release says again.
        NODE_CREATE => {}
        _ => raw::on_raw(notification, producer),
    }
}

/// Handles a notification of the stream `sycl.experimental.buffer`.
fn on_buffer(notification: &Notification<'_>, producer: &Producer) {
    match notification.trace_type {
        OBJECT_CONSTRUCT => buffer::on_construct(notification, producer),
        OBJECT_DESTRUCT => buffer::on_destruct(notification, producer),
        OBJECT_ASSOCIATE => buffer::on_associate(notification, producer),
        OBJECT_RELEASE => buffer::on_release(notification, producer),
        ACCESSOR => buffer::on_accessor(notification, producer),
        _ => raw::on_raw(notification, producer),
    }
}

/// Handles a notification of the stream `sycl.experimental.image`.
fn on_image(notification: &Notification<'_>, producer: &Producer) {
    match notification.trace_type {
        OBJECT_CONSTRUCT => image::on_construct(notification, producer),
        // What is gone, and which memory an object has, is told as for buffers.
        OBJECT_DESTRUCT => buffer::on_destruct(notification, producer),
        OBJECT_ASSOCIATE => buffer::on_associate(notification, producer),
        OBJECT_RELEASE => buffer::on_release(notification, producer),
        ACCESSOR => image::on_accessor(notification, producer),
        _ => raw::on_raw(notification, producer),
    }
}
