//! Calls of the Unified Runtime: parameters of every kind, and invalid calls.

use std::ffi::{CStr, c_void};

use super::runtime::trace_type::{FUNCTION_WITH_ARGS_BEGIN, FUNCTION_WITH_ARGS_END};
use super::runtime::{FunctionWithArgs, Runtime, next_instance};
use super::{CONTEXT, DEVICE, QUEUE, call_with_args};

fn address<T>(of: &T) -> u64 {
    std::ptr::from_ref(of) as u64
}

fn put<T>(place: u64, value: T) {
    // SAFETY: the program's own place.
    unsafe { (place as *mut T).write(value) };
}

/// `ur_exp_kernel_arg_properties_t`
#[repr(C)]
struct KernelArgument {
    structure_type: u64,
    next: u64,
    kind: u32,
    index: u32,
    size: u64,
    value: [u64; 2],
}

pub(super) fn arguments(runtime: &Runtime) {
    // An enumeration, a list of results with the number of them, a property.
    let (mut devices, mut count) = ([0_u64; 4], 0_u32);
    let row = [0x1_0001, 3, 4, &raw mut devices as u64, &raw mut count as u64];
    runtime.call(3, c"urDeviceGet", &row, |row| {
        put(row[3], [DEVICE, DEVICE + 1]);
        put(row[4], 2_u32);
        0
    });
    let mut device_type = 0_u32;
    runtime.call(4, c"urDeviceGetInfo", &[DEVICE, 0, 4, &raw mut device_type as u64, 0], |row| {
        put(row[3], 4_u32);
        0
    });
    let mut name = [0_u8; 300];
    let row = [DEVICE, 66, name.len() as u64, &raw mut name as u64, 0];
    runtime.call(4, c"urDeviceGetInfo", &row, |row| {
        put(row[3], *b"Fake Device\0");
        0
    });
    // Texts; a kernel.
    runtime.call(5, c"urProgramBuild", &[CONTEXT, 0x1_0005, c"-O2 -g".as_ptr() as u64], |_| 0);
    let mut kernel = 0_u64;
    let row = [0x1_0005, c"triad".as_ptr() as u64, &raw mut kernel as u64];
    runtime.call(6, c"urKernelCreate", &row, |row| {
        put(row[2], 0x1_4e00_u64);
        0
    });
    // A launch: sizes, events, the kernel's arguments.
    let (global, local, waits) = ([1024_u64, 8], [16_u64, 8], [0x1_e001_u64, 0x1_e002]);
    let argument =
        KernelArgument { structure_type: 20480, next: 0, kind: 1, index: 3, size: 8, value: [0x5_0000, 0] };
    let mut event = 0_u64;
    let row = [
        QUEUE,
        0x1_4e00,
        2,
        0,
        address(&global),
        address(&local),
        1,
        address(&argument),
        0,
        2,
        address(&waits),
        &raw mut event as u64,
    ];
    runtime.call(295, c"urEnqueueKernelLaunchWithArgsExp", &row, |row| {
        put(row[11], 0x1_e003_u64);
        0
    });
    // Structures: by pointer, of a wrong type, and by value.
    let (descriptor, other) = ([7_u64, 0, 1 << 1 | 64 << 32], [1_u64, 0, 1]);
    let mut memory = 0_u64;
    for descriptor in [&descriptor, &other] {
        let row = [CONTEXT, DEVICE, address(descriptor), 0, 4096, &raw mut memory as u64];
        runtime.call(7, c"urUSMDeviceAlloc", &row, |row| {
            put(row[5], 0x9_a000_u64);
            0
        });
        runtime.call(8, c"urUSMFree", &[CONTEXT, 0x9_a000], |_| 0);
    }
    copy_of_a_rectangle(runtime);
    // A command that is appended to a command graph: it waits for three sync points and gets one of its own.
    let (points, mut point) = ([7_u32, 8, 9], 0_u32);
    let row = [0x1_c000, 0xd_0000, 0x5_0000, 64, 3, address(&points), 0, 0, &raw mut point as u64, 0, 0];
    runtime.call(231, c"urCommandBufferAppendUSMMemcpyExp", &row, |row| {
        put(row[8], 10_u32);
        0
    });
    // A call that fails.
    runtime.call(9, c"urQueueFinish", &[QUEUE], |_| 0x14);
}

/// Plays a copy with three structures of 24 bytes as parameters.
fn copy_of_a_rectangle(runtime: &Runtime) {
    let (words, corners) = ([QUEUE, 0x1_b001, 0x1_b002], [[4_u64, 1, 0], [0, 2, 0], [64, 16, 1]]);
    let (pitches, none) = ([256_u64, 0, 128, 0], [0_u64; 3]);
    let row: Vec<*const c_void> = words
        .iter()
        .map(|word| std::ptr::from_ref(word).cast())
        .chain(corners.iter().map(|corner| std::ptr::from_ref(corner).cast()))
        .chain(pitches.iter().chain(&none).map(|word| std::ptr::from_ref(word).cast()))
        .collect();
    // On the stack, as the tracing layer's own.
    let row: [*const c_void; 13] = row.try_into().unwrap();
    let name = (21, c"urEnqueueMemBufferCopyRect");
    call_with_args(runtime, c"ur.call", None, name, row.as_ptr().cast(), 0);
}

/// Plays invalid pointers: results of failed calls, and values that no program can mean.
pub(super) fn invalid(runtime: &Runtime) {
    let nowhere = 0x7000_dead_0000;
    runtime.call(3, c"urDeviceGet", &[0x1_0001, 3, 4, nowhere, nowhere], |_| 5);
    runtime.call(3, c"urDeviceGet", &[0x1_0001, 3, 4, 0x10, u64::MAX - 7], |_| 0);
    runtime.call(5, c"urProgramBuild", &[CONTEXT, 0x1_0005, 0x20], |_| 0);
    runtime.call(7, c"urUSMDeviceAlloc", &[CONTEXT, DEVICE, 0x30, 0, 64, 0x40], |_| 0);
    // An absurd length of a list.
    runtime.call(10, c"urEventWait", &[u64::from(u32::MAX), nowhere], |_| 0);
    // A newer runtime's parameters, which are at other places.
    let row = [nowhere as *const c_void; 4];
    call_with_args(runtime, c"ur.call", None, (11, c"urQueueFlush"), row.as_ptr().cast(), 0);
    call_with_args(runtime, c"ur.call", None, (12, c"urQueueRetain"), std::ptr::null(), 0);
    call_with_args(runtime, c"ur.call", None, (13, c"urFromTheFuture"), row.as_ptr().cast(), 7);
    // Nothing at all.
    runtime.on(c"ur.call", FUNCTION_WITH_ARGS_BEGIN, None, next_instance(), std::ptr::null());
    runtime.on(c"ur.call", FUNCTION_WITH_ARGS_END, None, next_instance(), std::ptr::null());
}

fn half(runtime: &Runtime, trace_type: u16, instance: u64, name: &CStr) {
    let result = 0_i32;
    let call = FunctionWithArgs {
        id: 99,
        name: name.as_ptr(),
        row: std::ptr::null(),
        result: &raw const result,
        user: 0,
    };
    runtime.on(c"ur.call", trace_type, None, instance, (&raw const call).cast());
}

/// Plays begins without ends, ends without begins, and reused instances.
pub(super) fn unpaired(runtime: &Runtime) {
    let (begin, end) = (FUNCTION_WITH_ARGS_BEGIN, FUNCTION_WITH_ARGS_END);
    half(runtime, end, 1, c"urEndOnly");
    half(runtime, begin, 2, c"urOuter");
    half(runtime, begin, 3, c"urLost");
    half(runtime, end, 2, c"urOuter");
    // The same instance for consecutive calls, and for nested ones.
    for _ in 0..3 {
        half(runtime, begin, 4, c"urAgain");
        half(runtime, end, 4, c"urAgain");
    }
    half(runtime, begin, 5, c"urAround");
    half(runtime, begin, 5, c"urInside");
    half(runtime, end, 5, c"urInside");
    half(runtime, end, 5, c"urAround");
    // This call ends on another thread, where it has no begin.
    half(runtime, begin, 6, c"urElsewhere");
    std::thread::scope(|scope| {
        scope.spawn(|| half(runtime, end, 6, c"urElsewhere"));
    });
    half(runtime, begin, 7, c"urOpen");
}

/// Plays calls with another subscriber to the more detailed stream, which then gets all of them.
pub(super) fn twins(runtime: &Runtime) {
    runtime.burst(100);
    runtime.draw_to(c"ur.call.debug", &[FUNCTION_WITH_ARGS_BEGIN, FUNCTION_WITH_ARGS_END]);
    runtime.burst(200);
}

/// Plays calls, each with an event of its own that has the caller's location.
pub(super) fn places(runtime: &Runtime) {
    let (word, row): (u64, _) = (QUEUE, [std::ptr::null::<c_void>(); 1]);
    let mut row = row;
    row[0] = std::ptr::from_ref(&word).cast();
    for line in [14, 15] {
        let event = runtime.event(900 + u64::from(line), "solve", "app.cpp", line, &[]);
        let name = (80, c"urQueueFinish");
        call_with_args(runtime, c"ur.call.debug", Some(event), name, row.as_ptr().cast(), 0);
    }
    let event = runtime.event(999, "Unified Runtime call", "", 0, &[]);
    call_with_args(runtime, c"ur.call.debug", Some(event), (80, c"urQueueFlush"), row.as_ptr().cast(), 0);
}
