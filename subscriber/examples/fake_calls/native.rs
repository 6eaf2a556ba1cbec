//! Native calls below SYCL, each reported on two streams: by name on one, with parameters on the other.

use std::ffi::{CStr, c_void};

use super::runtime::trace_type::*;
use super::runtime::{FunctionWithArgs, Runtime, next_instance};
use super::{CONTEXT, DEVICE, call_with_args};

const LEVEL_ZERO: [&CStr; 2] = [c"sycl.experimental.level_zero.call", c"sycl.experimental.level_zero.debug"];
const CUDA: [&CStr; 2] = [c"sycl.experimental.cuda.call", c"sycl.experimental.cuda.debug"];

/// Plays a call of the driver as the CUDA adapter reports it: first by name, then with the parameters in a structure of
/// CUPTI's. Each report has its own instance, and the layer as its parent.
fn cuda_call(runtime: &Runtime, name: &CStr, parameters: &[u64], result: i32) {
    let layers =
        ["CUDA Plugin Layer", "CUDA Plugin Debug Layer"].map(|name| &*runtime.event(5000, name, "", 0, &[]));
    let instances = [next_instance(), next_instance()];
    let mut call = FunctionWithArgs {
        id: 307,
        name: name.as_ptr(),
        row: parameters.as_ptr().cast(),
        result: std::ptr::null(),
        user: 0,
    };
    let on = |types: [u16; 2], call: *const FunctionWithArgs| {
        runtime.on_below(CUDA[0], types[0], layers[0], instances[0], name.as_ptr().cast());
        runtime.on_below(CUDA[1], types[1], layers[1], instances[1], call.cast());
    };
    on([FUNCTION_BEGIN, FUNCTION_WITH_ARGS_BEGIN], &raw const call);
    call.result = &raw const result;
    on([FUNCTION_END, FUNCTION_WITH_ARGS_END], &raw const call);
}

/// Plays a call as Level Zero's tracing layer reports it.
fn call(runtime: &Runtime, streams: [&CStr; 2], name: &CStr, parameters: &[u64], result: i32) {
    let layer = runtime.event(5000, "native layer", "", 0, &[]);
    let instance = next_instance();
    runtime.on_stream(streams[0], FUNCTION_BEGIN, Some(layer), instance, name);
    let mut row = [std::ptr::null::<c_void>(); 12];
    for (place, parameter) in row.iter_mut().zip(parameters) {
        *place = std::ptr::from_ref(parameter).cast();
    }
    call_with_args(runtime, streams[1], Some(layer), (1, name), row.as_ptr().cast(), result);
    runtime.on_stream(streams[0], FUNCTION_END, Some(layer), instance, name);
}

fn announce(runtime: &Runtime) {
    LEVEL_ZERO.iter().chain(&CUDA).for_each(|stream| runtime.announce(stream));
}

pub(super) fn calls(runtime: &Runtime) {
    announce(runtime);
    let (descriptor, mut memory) = ([0x16_u64, 0, 1], 0x9_b000_u64);
    let place = &raw mut memory as u64;
    let row = [CONTEXT, std::ptr::from_ref(&descriptor) as u64, 4096, 64, DEVICE, place];
    runtime.call(1, c"urUSMDeviceAlloc", &[CONTEXT, DEVICE, 0, 0, 4096, place], |_| {
        call(runtime, LEVEL_ZERO, c"zeMemAllocDevice", &row, 0);
        0
    });
    let waits = [0x1_e001_u64, 0x1_e002];
    let list = std::ptr::from_ref(&waits) as u64;
    let row = [0x1_c000, 0xd_0000, 0x5_0000, 4096, 0x1_e003, 2, list];
    call(runtime, LEVEL_ZERO, c"zeCommandListAppendMemoryCopy", &row, 0x7000_0001);
    call(runtime, LEVEL_ZERO, c"zeFromTheFuture", &[], 0);
    cuda_call(runtime, c"cuMemAlloc_v2", &[place, 4096], 0);
    let sizes = [4_u32, 2, 1, 256, 1, 1, 512, 0].as_chunks::<2>().0.iter();
    let sizes = sizes.map(|[low, high]| u64::from(*high) << 32 | u64::from(*low));
    let launch: Vec<u64> = [0xf_0000].into_iter().chain(sizes).chain([0x5_7000, 0x8000, 0]).collect();
    cuda_call(runtime, c"cuLaunchKernel", &launch, 700);
}

pub(super) fn unpaired(runtime: &Runtime) {
    announce(runtime);
    runtime.on_stream(LEVEL_ZERO[0], FUNCTION_END, None, 1, c"zeInit");
    runtime.on_stream(LEVEL_ZERO[0], FUNCTION_BEGIN, None, 2, c"zeOpen");
    runtime.on(LEVEL_ZERO[1], FUNCTION_WITH_ARGS_BEGIN, None, 3, std::ptr::null());
    call(runtime, LEVEL_ZERO, c"zeInit", &[], 0);
}
