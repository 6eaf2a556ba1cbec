//! Allocations as reported by the SYCL interface and by the calls below it.

use std::ffi::{CStr, c_void};
use std::time::Duration;

use crate::runtime::trace_type::{
    ALLOCATE_BEGIN, ALLOCATE_END, FUNCTION_WITH_ARGS_END, RELEASE_BEGIN, RELEASE_END,
};
use crate::runtime::{FunctionWithArgs, Runtime, Value, next_instance};
use crate::{CONTEXT, DEVICE};

pub(crate) fn memory(runtime: &Runtime) {
    let allocate = |id: u64, function: &CStr, name: &'static CStr, pointer: u64, size: u64, out: usize| {
        let metadata = [("memory_size", Value::Unsigned(size)), ("memory_ptr", Value::Unsigned(pointer))];
        let begin = runtime.event(id, "main", "app.cpp", 20, &metadata[..1]);
        let end = runtime.event(id, "main", "app.cpp", 20, &metadata);
        let instance = next_instance();
        runtime.memory(ALLOCATE_BEGIN, Some(begin), instance, function.as_ptr().cast());
        let mut made = 0_u64;
        let row = [CONTEXT, DEVICE, 0, 0, size, &raw mut made as u64];
        let row = if out == 4 { &[CONTEXT, 0, 0, size, &raw mut made as u64][..] } else { &row[..] };
        runtime.call(out as u32, name, row, |row| {
            // SAFETY: our own place.
            unsafe { *(row[out] as *mut u64) = pointer };
            0
        });
        runtime.memory(ALLOCATE_END, Some(end), instance, function.as_ptr().cast());
    };
    allocate(1, c"usm::alignedAlloc", c"urUSMDeviceAlloc", 0xa000, 4096, 5);
    allocate(2, c"usm::alignedAlloc", c"urUSMSharedAlloc", 0xb000, 8192, 5);
    allocate(3, c"malloc_host", c"urUSMHostAlloc", 0xc000, 100, 4);
    let release = runtime.event(4, "main", "app.cpp", 21, &[("memory_ptr", Value::Unsigned(0xa000))]);
    let instance = next_instance();
    runtime.memory(RELEASE_BEGIN, Some(release), instance, c"usm::free".as_ptr().cast());
    runtime.call(60, c"urUSMFree", &[CONTEXT, 0xa000], |_| 0);
    runtime.memory(RELEASE_END, Some(release), instance, c"usm::free".as_ptr().cast());

    // A buffer: no tracepoint, and a structure instead of a name.
    let mut object = [0x0b_u64, 0, 512, 0];
    let instance = next_instance();
    runtime.memory(ALLOCATE_BEGIN, None, instance, object.as_ptr().cast::<c_void>());
    let mut handle = 0_u64;
    runtime.call(61, c"urMemBufferCreate", &[CONTEXT, 1, 512, 0, &raw mut handle as u64], |row| {
        // SAFETY: our own place.
        unsafe { *(row[4] as *mut u64) = 0xbf };
        0
    });
    object[1] = 0xbf;
    runtime.memory(ALLOCATE_END, None, instance, object.as_ptr().cast::<c_void>());
    // On the program's own memory, which allocates nothing.
    runtime.call(61, c"urMemBufferCreate", &[CONTEXT, 1 | 8, 256, 0, &raw mut handle as u64], |_| 0);
    runtime.call(62, c"urMemRetain", &[0xbf], |_| 0);
    runtime.call(63, c"urMemRelease", &[0xbf], |_| 0);
    std::thread::sleep(Duration::from_millis(20));
    runtime.call(63, c"urMemRelease", &[0xbf], |_| 0);
}

/// An allocation by a call without a start, as if a full buffer had dropped it.
pub(crate) fn memory_of_a_lost_call(runtime: &Runtime) {
    let event = runtime.event(1, "main", "app.cpp", 20, &[("memory_size", Value::Unsigned(4096))]);
    let (instance, function) = (next_instance(), c"usm::alignedAlloc".as_ptr().cast());
    runtime.memory(ALLOCATE_BEGIN, Some(event), instance, function);
    let (mut made, result) = (0xa000_u64, 0_i32);
    let mut parameters = [CONTEXT, DEVICE, 0, 0, 4096, &raw mut made as u64];
    let row = parameters.each_mut().map(|parameter| std::ptr::from_mut(parameter).cast::<c_void>());
    let call = FunctionWithArgs {
        id: 5,
        name: c"urUSMDeviceAlloc".as_ptr(),
        row: row.as_ptr(),
        result: &raw const result,
        user: 0,
    };
    runtime.on(c"ur.call", FUNCTION_WITH_ARGS_END, None, next_instance(), (&raw const call).cast());
    runtime.memory(ALLOCATE_END, Some(event), instance, function);
}

/// Addresses that another thread gets before the releasing call has returned.
pub(crate) fn memory_again(runtime: &Runtime) {
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
    // Only the SYCL interface reports these.
    allocate(0xb000);
    let release = runtime.event(4, "main", "app.cpp", 21, &[("memory_ptr", Value::Unsigned(0xb000))]);
    let instance = next_instance();
    runtime.memory(RELEASE_BEGIN, Some(release), instance, c"usm::free".as_ptr().cast());
    on_another_thread(0xb000);
    runtime.memory(RELEASE_END, Some(release), instance, c"usm::free".as_ptr().cast());
    // A failed release has no effect.
    let instance = next_instance();
    runtime.memory(RELEASE_BEGIN, Some(release), instance, c"usm::free".as_ptr().cast());
    runtime.call(60, c"urUSMFree", &[CONTEXT, 0xb000], |_| 5);
    runtime.memory(RELEASE_END, Some(release), instance, c"usm::free".as_ptr().cast());
}
