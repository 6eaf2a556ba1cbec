//! Command graphs and native handles, as calls of the Unified Runtime report them.

use std::ffi::CStr;

use crate::calls::{ur_copy, ur_queue_create};
use crate::nodes::create_queue;
use crate::runtime::trace_type::{NODE_CREATE, TASK_BEGIN, TASK_END};
use crate::runtime::{Runtime, next_instance};
use crate::{CONTEXT, DEVICE, QUEUE};

/// `ur_exp_command_buffer_desc_t`
#[repr(C)]
struct Description {
    structure_type: u32,
    next: u64,
    is_updatable: u8,
    is_in_order: u8,
    is_profiled: u8,
}

/// Plays a call that writes a result to its last parameter.
fn made(runtime: &Runtime, name: &CStr, parameters: &[u64], result: u64) {
    let mut place = 0_u64;
    let row: Vec<u64> = parameters.iter().copied().chain([&raw mut place as u64]).collect();
    runtime.call(1, name, &row, |row| {
        // SAFETY: our own place.
        unsafe { *(row[row.len() - 1] as *mut u64) = result };
        0
    });
}

fn command_buffer(runtime: &Runtime, handle: u64, is_in_order: bool) {
    let description = Description {
        structure_type: 0x1000,
        next: 0,
        is_updatable: u8::from(!is_in_order),
        is_in_order: is_in_order.into(),
        is_profiled: 0,
    };
    let row = [CONTEXT, DEVICE, &raw const description as u64];
    made(runtime, c"urCommandBufferCreateExp", &row, handle);
}

fn copy(runtime: &Runtime, graph: u64, waits: &[u32], sync_point: u32) {
    let mut point = 0_u32;
    let row =
        [graph, 0xd, 0x5, 64, waits.len() as u64, waits.as_ptr() as u64, 0, 0, &raw mut point as u64, 0, 0];
    runtime.call(2, c"urCommandBufferAppendUSMMemcpyExp", &row, |row| {
        // SAFETY: our own place.
        unsafe { *(row[8] as *mut u32) = sync_point };
        0
    });
}

fn kernel(runtime: &Runtime, graph: u64, waits: &[u32], sync_point: u32, command: u64) {
    let (mut point, mut made) = (0_u32, 0_u64);
    let mut row = [0_u64; 17];
    (row[0], row[1]) = (graph, 0x4e);
    (row[10], row[11]) = (waits.len() as u64, waits.as_ptr() as u64);
    (row[14], row[16]) = (&raw mut point as u64, &raw mut made as u64);
    runtime.call(3, c"urCommandBufferAppendKernelLaunchWithArgsExp", &row, |row| {
        // SAFETY: our own places.
        unsafe {
            *(row[14] as *mut u32) = sync_point;
            *(row[16] as *mut u64) = command;
        }
        0
    });
}

fn run(runtime: &Runtime, graph: u64) {
    runtime.call(4, c"urEnqueueCommandBufferExp", &[QUEUE, graph, 0, 0, 0], |_| 0);
}

fn of_graph(runtime: &Runtime, name: &CStr, graph: u64) {
    runtime.call(5, name, &[graph], |_| 0);
}

/// Plays a graph of two partitions, an updated graph, and a graph whose handle is reused.
pub(crate) fn command_graphs(runtime: &Runtime) {
    ur_queue_create(runtime, QUEUE, None);
    create_queue(runtime, false);
    made(runtime, c"urKernelCreate", &[0, c"work".as_ptr() as u64], 0x4e);
    let (first, second) = (0xcb1, 0xcb2);
    command_buffer(runtime, first, false);
    // Commands with nodes of SYCL's, and one without.
    for (id, waits, point) in [(100, &[][..], 71), (101, &[], 72)] {
        let node = runtime.event(id, "copy usm", "app.cpp", 20, &[]);
        let instance = next_instance();
        runtime.sycl(NODE_CREATE, Some(node), instance, Some(c"command_group_node"));
        runtime.sycl(TASK_BEGIN, Some(node), instance, None);
        copy(runtime, first, waits, point);
        runtime.sycl(TASK_END, Some(node), instance, None);
    }
    kernel(runtime, first, &[72, 71], 73, 0xc0de);
    of_graph(runtime, c"urCommandBufferFinalizeExp", first);
    command_buffer(runtime, second, true);
    copy(runtime, second, &[], 0);
    copy(runtime, second, &[], 0);
    of_graph(runtime, c"urCommandBufferFinalizeExp", second);
    run(runtime, first);
    run(runtime, second);
    runtime.call(6, c"urCommandBufferUpdateKernelLaunchExp", &[first, 3, 0], |_| 0);
    runtime.call(6, c"urCommandBufferUpdateKernelLaunchExp", &[first, 3, 0], |_| 5);
    let waits = [0xe1_u64];
    runtime.call(7, c"urCommandBufferUpdateWaitEventsExp", &[0xc0de, 1, waits.as_ptr() as u64], |_| 0);
    run(runtime, first);
    of_graph(runtime, c"urCommandBufferRetainExp", first);
    of_graph(runtime, c"urCommandBufferReleaseExp", first);
    of_graph(runtime, c"urCommandBufferReleaseExp", first);
    command_buffer(runtime, first, false);
    of_graph(runtime, c"urCommandBufferFinalizeExp", first);
    run(runtime, first);
    // Unknown graphs.
    run(runtime, 0xbad);
    copy(runtime, 0xbad, &[], 1);
}

/// `ur_mem_native_properties_t`
#[repr(C)]
struct NativeProperties {
    structure_type: u32,
    next: u64,
    is_owned: u8,
}

/// Plays handles with each kind of ownership that are imported, exported, and released or not.
pub(crate) fn native_handles(runtime: &Runtime) {
    let properties = |structure_type: u32, is_owned: bool| NativeProperties {
        structure_type,
        next: 0,
        is_owned: is_owned.into(),
    };
    let place = |properties: &NativeProperties| std::ptr::from_ref(properties) as u64;
    made(runtime, c"urContextGetNativeHandle", &[CONTEXT], 0x7a1);
    made(runtime, c"urQueueGetNativeHandle", &[QUEUE, 0], 0x7a2);
    let owned = properties(19, true);
    made(runtime, c"urMemBufferCreateWithNativeHandle", &[0x7a3, CONTEXT, place(&owned)], 0x3e1);
    let kept = properties(20, false);
    made(runtime, c"urEventCreateWithNativeHandle", &[0x7a4, CONTEXT, place(&kept)], 0xe7);
    made(runtime, c"urDeviceCreateWithNativeHandle", &[0x7a5, 0, 0], DEVICE);
    made(runtime, c"urMemGetNativeHandle", &[0x3e1, DEVICE], 0x7a3);
    runtime.call(8, c"urMemRetain", &[0x3e1], |_| 0);
    runtime.call(9, c"urMemRelease", &[0x3e1], |_| 0);
    runtime.call(9, c"urMemRelease", &[0x3e1], |_| 0);
    // A handle that was not imported, and one that was released before.
    runtime.call(9, c"urMemRelease", &[0x3e9], |_| 0);
    runtime.call(9, c"urMemRelease", &[0x3e1], |_| 0);
}

/// Plays a copy's event and a later imported event with the same handle.
pub(crate) fn event_imported_again(runtime: &Runtime) {
    ur_queue_create(runtime, QUEUE, None);
    create_queue(runtime, false);
    ur_copy(runtime, &[], || 0xe7, true);
    made(runtime, c"urEventCreateWithNativeHandle", &[0x7a4, CONTEXT, 0], 0xe7);
    ur_copy(runtime, &[0xe7], || 0xe9, true);
}
