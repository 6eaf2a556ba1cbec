//! Calls of the Plugin Interface, as runtimes up to 2024.2 report them on two streams: by name on one, with contiguous
//! parameters on the other.

use std::ffi::CStr;

use super::runtime::trace_type::*;
use super::runtime::{Runtime, Value, next_instance};
use super::{CONTEXT, DEVICE, QUEUE, call_with_args};

/// Parameters without gaps.
#[derive(Default)]
struct Packed(Vec<u8>);

impl Packed {
    fn word(mut self, word: u64) -> Self {
        self.0.extend(word.to_ne_bytes());
        self
    }

    fn number(mut self, number: u32) -> Self {
        self.0.extend(number.to_ne_bytes());
        self
    }

    fn place<T>(self, place: &T) -> Self {
        self.word(std::ptr::from_ref(place) as u64)
    }
}

fn call(runtime: &Runtime, id: u32, name: &CStr, parameters: &Packed, result: i32) {
    let instance = next_instance();
    runtime.on_stream(c"sycl.pi", FUNCTION_BEGIN, None, instance, name);
    call_with_args(runtime, c"sycl.pi.debug", None, (id, name), parameters.0.as_ptr().cast(), result);
    runtime.on_stream(c"sycl.pi", FUNCTION_END, None, instance, name);
}

pub(super) fn calls(runtime: &Runtime) {
    assert_eq!(play(runtime), 3, "the queue keeps times");
}

/// Plays calls for a recorder that subscribes to the names only.
pub(super) fn names(runtime: &Runtime) {
    assert_eq!(play(runtime), 1);
}

/// Plays SYCL's report of a release of memory that a call below it performs.
pub(super) fn memory(runtime: &Runtime) {
    runtime.announce(c"sycl.pi");
    runtime.announce(c"sycl.pi.debug");
    let metadata = [("memory_size", Value::Unsigned(64)), ("memory_ptr", Value::Unsigned(0xa000))];
    let allocate = runtime.event(1, "main", "app.cpp", 20, &metadata);
    let release = runtime.event(2, "main", "app.cpp", 21, &metadata);
    let (made, given_back) = (c"usm::alignedAlloc".as_ptr().cast(), c"usm::free".as_ptr().cast());
    runtime.memory(ALLOCATE_BEGIN, Some(allocate), 901, made);
    runtime.memory(ALLOCATE_END, Some(allocate), 901, made);
    runtime.memory(RELEASE_BEGIN, Some(release), 902, given_back);
    call(runtime, 91, c"piextUSMFree", &Packed::default().word(CONTEXT).word(0xa000), 0);
    runtime.memory(RELEASE_END, Some(release), 902, given_back);
}

/// Plays calls; returns the flags with which the queue is created.
fn play(runtime: &Runtime) -> u64 {
    runtime.announce(c"sycl.pi");
    runtime.announce(c"sycl.pi.debug");
    let properties = std::cell::Cell::new([u64::MAX, 1, 0]);
    let queue = Packed::default().word(CONTEXT).word(DEVICE).place(&properties).place(&QUEUE);
    call(runtime, 10, c"piextQueueCreate", &queue, 0);
    let kernel = 0x1_4e00_u64;
    let create = Packed::default().word(0x1_0005).word(c"triad".as_ptr() as u64).place(&kernel);
    call(runtime, 11, c"piKernelCreate", &create, 0);
    let (event, next) = (0x1_e001_u64, 0x1_e002_u64);
    let copy = Packed::default().word(QUEUE).number(1).word(0xd_0000).word(0x5_0000).word(4096);
    call(runtime, 100, c"piextUSMEnqueueMemcpy", &copy.number(0).word(0).place(&event), 0);
    let (global, waits) = ([1024_u64], [event]);
    let launch = Packed::default().word(QUEUE).word(kernel).number(1).word(0).place(&global).word(0);
    call(runtime, 78, c"piEnqueueKernelLaunch", &launch.number(1).place(&waits).place(&next), 0);
    let memory = 0x9_a000_u64;
    let allocate = Packed::default().place(&memory).word(CONTEXT).word(DEVICE).word(0).word(8192).number(64);
    call(runtime, 90, c"piextUSMDeviceAlloc", &allocate, 0);
    call(runtime, 91, c"piextUSMFree", &Packed::default().word(CONTEXT).word(memory), 0);
    call(runtime, 12, c"piQueueFinish", &Packed::default().word(QUEUE), -36);
    call(runtime, 13, c"piFromElsewhere", &Packed::default(), 0);
    properties.get()[1]
}
