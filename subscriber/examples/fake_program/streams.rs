//! A program's own streams, and unknown types and streams.

use std::ffi::{CStr, c_char, c_void};

use crate::runtime::trace_type::*;
use crate::runtime::{FunctionWithArgs, Runtime, Value, next_instance};

const OWN: &CStr = c"solver.phases";

pub(crate) fn own_streams(runtime: &Runtime) {
    runtime.announce(OWN);
    let step = runtime.event(10, "step", "solver.cpp", 7, &[("iteration", Value::Unsigned(3))]);
    let inner = runtime.event(11, "assemble", "solver.cpp", 9, &[]);
    let nothing = std::ptr::null::<c_void>();
    runtime.on(OWN, TASK_BEGIN, Some(step), 1, nothing);
    runtime.on(OWN, REGION_BEGIN, Some(inner), 2, 0xda7a as *const c_void);
    runtime.on(OWN, REGION_END, Some(inner), 2, nothing);
    let name: *const c_char = c"dot".as_ptr();
    runtime.on(OWN, FUNCTION_BEGIN, None, 3, name.cast());
    runtime.on(OWN, FUNCTION_END, None, 3, name.cast());
    let call = FunctionWithArgs {
        id: 1,
        name: c"axpy".as_ptr(),
        row: std::ptr::null(),
        result: std::ptr::null(),
        user: 0,
    };
    let call: *const FunctionWithArgs = &raw const call;
    runtime.on(OWN, FUNCTION_WITH_ARGS_BEGIN, None, 4, call.cast());
    runtime.on(OWN, FUNCTION_WITH_ARGS_END, None, 4, call.cast());
    runtime.on(OWN, METADATA, Some(step), 5, nothing);
    // A type registered by the library, as the first tool.
    runtime.on(OWN, 1 << 8 | 128 | 5, Some(inner), 6, 0xda7a as *const c_void);
    runtime.on(OWN, TASK_END, Some(step), 1, nothing);
    // An end without a begin.
    runtime.on(OWN, BARRIER_END, Some(step), 1, nothing);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            runtime.on(OWN, SIGNAL, Some(step), 7, std::ptr::null());
        });
    });
}

/// Plays a newer runtime: types that the stream `sycl` doesn't have yet, and an unknown stream.
pub(crate) fn unknown_types(runtime: &Runtime) {
    let place = runtime.event(20, "main", "app.cpp", 30, &[("answer", Value::Signed(42))]);
    runtime.sycl(100, Some(place), next_instance(), None);
    runtime.sycl(LOCK_BEGIN, Some(place), next_instance(), None);
    const NEWER: &CStr = c"sycl.experimental.from_the_future";
    runtime.announce(NEWER);
    runtime.on(NEWER, 60, Some(place), next_instance(), 0x5 as *const c_void);
    runtime.on(NEWER, FUNCTION_BEGIN, None, next_instance(), 0x5 as *const c_void);
}
