//! A program's own streams, and what nothing is known of.

use std::ffi::{CStr, c_char, c_void};

use crate::runtime::{FunctionWithArgs, Runtime, Value, next_instance};

const OWN: &CStr = c"solver.phases";

/// Tasks, regions and functions of a library that has tracepoints of its own.
pub(crate) fn own_streams(runtime: &Runtime) {
    runtime.announce(OWN);
    let step = runtime.event(10, "step", "solver.cpp", 7, &[("iteration", Value::Unsigned(3))]);
    let inner = runtime.event(11, "assemble", "solver.cpp", 9, &[]);
    let nothing = std::ptr::null::<c_void>();
    runtime.on(OWN, 10, Some(step), 1, nothing);
    runtime.on(OWN, 8, Some(inner), 2, 0xda7a as *const c_void);
    runtime.on(OWN, 9, Some(inner), 2, nothing);
    let name: *const c_char = c"dot".as_ptr();
    runtime.on(OWN, 24, None, 3, name.cast());
    runtime.on(OWN, 25, None, 3, name.cast());
    let call = FunctionWithArgs {
        id: 1,
        name: c"axpy".as_ptr(),
        row: std::ptr::null(),
        result: std::ptr::null(),
        user: 0,
    };
    let call: *const FunctionWithArgs = &raw const call;
    runtime.on(OWN, 28, None, 4, call.cast());
    runtime.on(OWN, 29, None, 4, call.cast());
    runtime.on(OWN, 26, Some(step), 5, nothing);
    // A type that the library has registered, as the first tool.
    runtime.on(OWN, 1 << 8 | 128 | 5, Some(inner), 6, 0xda7a as *const c_void);
    runtime.on(OWN, 11, Some(step), 1, nothing);
    // An end without a begin.
    runtime.on(OWN, 13, Some(step), 1, nothing);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            runtime.on(OWN, 16, Some(step), 7, std::ptr::null());
        });
    });
}

/// A newer runtime: types that the stream `sycl` doesn't have yet, and a stream of its own.
pub(crate) fn unknown_types(runtime: &Runtime) {
    let place = runtime.event(20, "main", "app.cpp", 30, &[("answer", Value::Signed(42))]);
    runtime.sycl(100, Some(place), next_instance(), None);
    runtime.sycl(14, Some(place), next_instance(), None);
    const NEWER: &CStr = c"sycl.experimental.from_the_future";
    runtime.announce(NEWER);
    runtime.on(NEWER, 60, Some(place), next_instance(), 0x5 as *const c_void);
    runtime.on(NEWER, 24, None, next_instance(), 0x5 as *const c_void);
}
