//! A program that gives a real NVIDIA GPU work below the fake runtime: kernels, copies, fills and a graph through the
//! CUDA driver, each within a call of the Unified Runtime that is only played. The driver is loaded at run time.
//!
//! It prints a line for each call: its name, and `CLOCK_MONOTONIC` before the call and after its work was waited for.
#![expect(unsafe_code, reason = "calls the CUDA driver")]

#[path = "support/runtime.rs"]
mod runtime;

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::null_mut;

use runtime::{Runtime, monotonic_ns};

/// Adds in a loop, then stores the sum.
const KERNEL: &CStr = c".version 7.0
.target sm_70
.address_size 64
.visible .entry count(.param .u64 place, .param .u32 times)
{
  .reg .u64 %place; .reg .u32 %i, %times; .reg .pred %goes; .reg .f32 %sum;
  ld.param.u64 %place, [place]; ld.param.u32 %times, [times]; mov.u32 %i, 0; mov.f32 %sum, 0f00000000;
again: add.f32 %sum, %sum, 0f3f800000; add.u32 %i, %i, 1; setp.lt.u32 %goes, %i, %times; @%goes bra again;
  st.global.f32 [%place], %sum; ret;
}
";

macro_rules! driver {
    ($($field:ident $name:literal: fn($($argument:ty),*);)+) => {
        struct Driver { $($field: unsafe extern "C" fn($($argument),*) -> i32,)+ }

        impl Driver {
            fn load() -> Self {
                // SAFETY: the driver's own functions, with the types that it documents.
                unsafe {
                    let library = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW);
                    assert!(!library.is_null(), "there is no CUDA driver");
                    Self { $($field: {
                        let found = libc::dlsym(library, $name.as_ptr());
                        assert!(!found.is_null(), "{:?} is missing", $name);
                        std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) -> i32>(found)
                    },)+ }
                }
            }
        }
    };
}

type Handle = *mut c_void;

driver! {
    init c"cuInit": fn(u32);
    device c"cuDeviceGet": fn(*mut i32, i32);
    context c"cuDevicePrimaryCtxRetain": fn(*mut Handle, i32);
    set_context c"cuCtxSetCurrent": fn(Handle);
    module c"cuModuleLoadData": fn(*mut Handle, *const c_char);
    function c"cuModuleGetFunction": fn(*mut Handle, Handle, *const c_char);
    stream c"cuStreamCreate": fn(*mut Handle, u32);
    wait c"cuStreamSynchronize": fn(Handle);
    allocate c"cuMemAlloc_v2": fn(*mut u64, usize);
    allocate_host c"cuMemAllocHost_v2": fn(*mut Handle, usize);
    launch c"cuLaunchKernel": fn(Handle, u32, u32, u32, u32, u32, u32, u32, Handle, *mut Handle, *mut Handle);
    to_device c"cuMemcpyHtoDAsync_v2": fn(u64, *const c_void, usize, Handle);
    to_host c"cuMemcpyDtoHAsync_v2": fn(*mut c_void, u64, usize, Handle);
    fill c"cuMemsetD32Async": fn(u64, u32, usize, Handle);
    begin_capture c"cuStreamBeginCapture_v2": fn(Handle, u32);
    end_capture c"cuStreamEndCapture": fn(Handle, *mut Handle);
    instantiate c"cuGraphInstantiateWithFlags": fn(*mut Handle, Handle, u64);
    launch_graph c"cuGraphLaunch": fn(Handle, Handle);
}

const BYTES: usize = 16 << 20;

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let runtime = Runtime::load();
    // SAFETY: our own library, whose function has this type; it acts as the adapter.
    let table = unsafe {
        let library = libc::dlopen(c"libur_adapter_cuda.so.0".as_ptr(), libc::RTLD_NOW);
        let table: extern "C" fn() -> *const c_void =
            std::mem::transmute(libc::dlsym(library, c"fake_adapter".as_ptr()));
        table()
    };
    runtime.play(|runtime| {
        play(runtime, Box::leak(Box::new([table as u64, 0])).as_ptr() as u64);
        if std::env::var_os("WAITS_FOR_THE_TEST").is_some() {
            runtime::wait_for_the_test(1);
        }
    });
    println!("played {name}");
}

fn ok(result: i32) {
    assert_eq!(result, 0, "the driver refuses");
}

fn play(runtime: &Runtime, queue: u64) {
    let mut place = 0_u64;
    runtime.call(1, c"urAdapterGet", &[1, &raw mut place as u64, 0], |_| 0);
    let driver = Driver::load();
    let (mut device, mut context, mut module, mut kernel, mut stream) =
        (0, null_mut(), null_mut(), null_mut(), null_mut());
    let (mut memory, mut host) = (0_u64, null_mut());
    // SAFETY: calls as the driver documents them, with places of ours.
    unsafe {
        ok((driver.init)(0));
        ok((driver.device)(&mut device, 0));
        ok((driver.context)(&mut context, device));
        ok((driver.set_context)(context));
        ok((driver.module)(&mut module, KERNEL.as_ptr()));
        ok((driver.function)(&mut kernel, module, c"count".as_ptr()));
        ok((driver.stream)(&mut stream, 1));
        ok((driver.allocate)(&mut memory, BYTES));
        ok((driver.allocate_host)(&mut host, BYTES));
    }
    let launch = || {
        let mut times = 100_000_u32;
        let mut arguments = [(&raw const memory).cast_mut().cast(), (&raw mut times).cast()];
        // SAFETY: two parameters, as the kernel has them.
        ok(unsafe {
            (driver.launch)(kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments.as_mut_ptr(), null_mut())
        });
    };
    // SAFETY: memory of this size on both sides.
    let copy_in = || ok(unsafe { (driver.to_device)(memory, host, BYTES, stream) });
    // SAFETY: as above.
    let copy_out = || ok(unsafe { (driver.to_host)(host, memory, BYTES, stream) });
    // SAFETY: as above.
    let fill = || ok(unsafe { (driver.fill)(memory, 7, BYTES / 4, stream) });
    let (mut graph, mut executable) = (null_mut(), null_mut());
    // SAFETY: a stream of ours; captured work runs with the graph.
    unsafe {
        ok((driver.begin_capture)(stream, 0));
        [&launch as &dyn Fn(), &fill, &launch].iter().for_each(|work| work());
        ok((driver.end_capture)(stream, &mut graph));
        ok((driver.instantiate)(&mut executable, graph, 0));
    }
    // SAFETY: a graph of ours.
    let run_graph = || ok(unsafe { (driver.launch_graph)(executable, stream) });
    let calls: [(&str, &dyn Fn()); 6] = [
        ("urEnqueueUSMMemcpy", &copy_in),
        ("urEnqueueKernelLaunchWithArgsExp", &launch),
        ("urEnqueueUSMFill", &fill),
        ("urEnqueueCommandBufferExp", &run_graph),
        ("urEnqueueCommandBufferExp", &run_graph),
        ("urEnqueueUSMMemcpy", &copy_out),
    ];
    for (name, work) in calls {
        let name = CString::new(name).unwrap();
        let before = monotonic_ns();
        runtime.call(7, &name, &[queue, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], |_| {
            work();
            0
        });
        // SAFETY: a stream of ours.
        ok(unsafe { (driver.wait)(stream) });
        println!("CALL {} {before} {}", name.to_string_lossy(), monotonic_ns());
    }
}
