//! Handlers, which write records of notifications on the program's threads.
//!
//! A handler copies the time and the data of a notification into the thread's buffer. The writer resolves names, joins
//! records and writes files.

mod call;
mod graph;
mod lost_ranges;
mod memory;
mod objects;
mod python;
pub(crate) mod range;
mod raw;
mod stacks;
mod task;
mod tracepoints;
mod wait;

use crate::buffer::{Kind, Producer};
use crate::xpti::trace_type::*;
use crate::xpti::{Interface, Notification, StreamId};

/// Handles a notification. The stream is a constant at each call, so that the compiler removes the dispatch.
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
        QUEUE_CREATE => graph::on_queue_create(notification, producer),
        QUEUE_DESTROY => graph::on_queue_destroy(notification, producer),
        DIAGNOSTICS => graph::on_diagnostic(notification, producer),
        _ => raw::on_raw(notification, producer),
    }
}

#[inline]
fn on_call(notification: &Notification<'_>, producer: &Producer, interface: Interface) {
    match notification.trace_type {
        FUNCTION_WITH_ARGS_BEGIN => call::on_begin(notification, producer, interface),
        FUNCTION_WITH_ARGS_END => call::on_end(notification, producer, interface),
        FUNCTION_BEGIN => call::on_function_name(notification, producer, interface, true),
        FUNCTION_END => call::on_function_name(notification, producer, interface, false),
        _ => raw::on_raw(notification, producer),
    }
}

fn on_native(notification: &Notification<'_>, producer: &Producer, interface: Interface) {
    match notification.trace_type {
        FUNCTION_WITH_ARGS_BEGIN => call::on_native(notification, producer, interface, true),
        FUNCTION_WITH_ARGS_END => call::on_native(notification, producer, interface, false),
        FUNCTION_BEGIN => call::on_function_name(notification, producer, interface, true),
        FUNCTION_END => call::on_function_name(notification, producer, interface, false),
        _ => raw::on_raw(notification, producer),
    }
}

fn on_memory(notification: &Notification<'_>, producer: &Producer) {
    match notification.trace_type {
        ALLOCATE_BEGIN => memory::on_begin(notification, producer, Kind::AllocateBegin),
        ALLOCATE_END => memory::on_end(notification, producer, Kind::AllocateEnd),
        RELEASE_BEGIN => memory::on_begin(notification, producer, Kind::ReleaseBegin),
        RELEASE_END => memory::on_end(notification, producer, Kind::ReleaseEnd),
        // Repeats the start of the allocation or release.
        NODE_CREATE => {}
        _ => raw::on_raw(notification, producer),
    }
}

fn on_buffer(notification: &Notification<'_>, producer: &Producer) {
    match notification.trace_type {
        OBJECT_CONSTRUCT => objects::on_buffer(notification, producer),
        OBJECT_DESTRUCT => objects::on_destruct(notification, producer),
        OBJECT_ASSOCIATE => objects::on_binding(notification, producer, Kind::ObjectBind),
        OBJECT_RELEASE => objects::on_binding(notification, producer, Kind::ObjectUnbind),
        ACCESSOR => objects::on_buffer_accessor(notification, producer),
        _ => raw::on_raw(notification, producer),
    }
}

fn on_image(notification: &Notification<'_>, producer: &Producer) {
    match notification.trace_type {
        OBJECT_CONSTRUCT => objects::on_image(notification, producer),
        // Image destruction and memory are reported as for a buffer.
        OBJECT_DESTRUCT => objects::on_destruct(notification, producer),
        OBJECT_ASSOCIATE => objects::on_binding(notification, producer, Kind::ObjectBind),
        OBJECT_RELEASE => objects::on_binding(notification, producer, Kind::ObjectUnbind),
        ACCESSOR => objects::on_image_accessor(notification, producer),
        _ => raw::on_raw(notification, producer),
    }
}
