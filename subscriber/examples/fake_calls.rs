//! A program that plays calls of all interfaces on the fake runtime: `fake_calls SCENARIO`.
//!
//! `fake_program` plays the SYCL streams instead. One process plays one scenario.
#![expect(unsafe_code, reason = "makes structures of C interfaces")]

#[path = "fake_calls/native.rs"]
mod native;
#[path = "fake_calls/plugin.rs"]
mod plugin;
#[path = "support/runtime.rs"]
mod runtime;
#[path = "fake_calls/unified_runtime.rs"]
mod unified_runtime;

use std::ffi::{CStr, c_void};

use runtime::trace_type::{FUNCTION_WITH_ARGS_BEGIN, FUNCTION_WITH_ARGS_END};
use runtime::{Event, FunctionWithArgs, Runtime, next_instance};

const QUEUE: u64 = 0x1_1000;
const DEVICE: u64 = 0x1_2000;
const CONTEXT: u64 = 0x1_3000;

fn main() {
    let scenario = std::env::args().nth(1).unwrap_or_default();
    let runtime = Runtime::load();
    let play: fn(&Runtime) = match scenario.as_str() {
        "arguments" => unified_runtime::arguments,
        "invalid" => unified_runtime::invalid,
        "unpaired" => unified_runtime::unpaired,
        "twins" => unified_runtime::twins,
        "places" => unified_runtime::places,
        "plugin" => plugin::calls,
        "plugin_memory" => plugin::memory,
        "plugin_names" => plugin::names,
        "native" => native::calls,
        "native_unpaired" => native::unpaired,
        "late" => |runtime| {
            runtime.finish_all();
            unified_runtime::arguments(runtime);
        },
        other => panic!("there is no scenario {other:?}"),
    };
    runtime.play(play);
    println!("played {scenario}");
}

/// Plays a call with parameters at `row` on one stream.
fn call_with_args(
    runtime: &Runtime,
    stream: &CStr,
    event: Option<&Event>,
    (id, name): (u32, &CStr),
    row: *const c_void,
    result: i32,
) {
    let instance = next_instance();
    let mut call =
        FunctionWithArgs { id, name: name.as_ptr(), row: row.cast(), result: std::ptr::null(), user: 0 };
    runtime.on(stream, FUNCTION_WITH_ARGS_BEGIN, event, instance, (&raw const call).cast());
    call.result = &raw const result;
    runtime.on(stream, FUNCTION_WITH_ARGS_END, event, instance, (&raw const call).cast());
}
