use syclscope_language::event::Value;

use super::*;

#[test]
fn processes_tell_their_tool() {
    assert_eq!(of_process("/device:GPU:0"), Some((Producer::Xla, true)));
    assert_eq!(of_process("/host:CPU"), Some((Producer::Xla, false)));
    assert_eq!(of_process("DEVICE<node1>[Intel(R) GPU] 0:3a:0:0 #0"), Some((Producer::Unitrace, true)));
    assert_eq!(of_process("RANK 12 HOST<node1>"), Some((Producer::Unitrace, false)));
    assert_eq!(of_process("python3.10"), None);
    assert!(is_device_label("GPU 0") && is_device_label("XPU 11"));
    assert!(!is_device_label("CPU") && !is_device_label("GPU Process"));
}

#[test]
fn categories_tell_kineto() {
    let of = |category, args: Args<'_>| of_category(category, args);
    assert_eq!(of("kernel", &[("correlation", Value::Uint(7))]), Some(Producer::PyTorch));
    assert_eq!(of("kernel", &[]), None, "a word that others use as well");
    assert_eq!(of("gpu_memcpy", &[]), Some(Producer::PyTorch));
    assert_eq!(of("cpu_op", &[]), None);
}

#[test]
fn calls_and_waits_are_told_by_name() {
    let of =
        |producer, category, name| meaning(producer, (category, name), (false, false)).map(|m| m.category);
    assert_eq!(of(Producer::PyTorch, "cuda_runtime", "cudaLaunchKernel"), Some(Category::Native));
    assert_eq!(of(Producer::PyTorch, "cuda_runtime", "hipDeviceSynchronize"), Some(Category::Wait));
    assert_eq!(of(Producer::Unitrace, "cpu_op", "zeCommandListAppendLaunchKernel"), Some(Category::Native));
    assert_eq!(of(Producer::Unitrace, "cpu_op", "urEnqueueKernelLaunch"), Some(Category::Call));
    assert_eq!(of(Producer::Unitrace, "cpu_op", "zeEventHostSynchronize"), Some(Category::Wait));
    assert_eq!(of(Producer::Unitrace, "cpu_op", "sycl::queue::wait"), None);
    assert_eq!(of(Producer::Xla, "", "cuStreamSynchronize"), Some(Category::Wait));
    assert_eq!(of(Producer::Xla, "", "clear_caches"), None, "no call of OpenCL");
}

#[test]
fn copies_say_their_sides_and_sizes() {
    let of = |name| {
        let Details { sides, bytes, .. } = details(Category::Copy, name, &[]);
        (sides, bytes)
    };
    assert_eq!(of("Memcpy HtoD (Pageable -> Device)"), (Some(("host", "device")), None));
    assert_eq!(of("Memcpy PtoP (Device -> Device)"), (Some(("device", "device")), None));
    assert_eq!(of("MemcpyD2H"), (Some(("device", "host")), None));
    assert_eq!(of("zeCommandListAppendMemoryCopy(M2D)[4096]"), (Some(("host", "device")), Some(4096)));
    assert_eq!(of("zeCommandListAppendMemoryCopyRegion(D2S)[64]"), (Some(("device", "shared")), Some(64)));
    assert_eq!(of("copy"), (None, None));
    let args = [("memcpy_details", Value::Str("kind_src:pinned kind_dst:device size:8 dest:0 async:1"))];
    let found = details(Category::Copy, "MemcpyH2D", &args);
    assert_eq!((found.sides, found.bytes), (Some(("host", "device")), Some(8)));
}

#[test]
fn the_launch_stands_behind_the_name() {
    let found = details(Category::Kernel, "GEMM(float*, int)[SIMD32 {16; 1; 1} {256; 1; 1}]", &[]);
    assert_eq!((found.name, found.launch), ("GEMM(float*, int)", Some("SIMD32 {16; 1; 1} {256; 1; 1}")));
    assert_eq!(details(Category::Kernel, "void f(float (&) [2])", &[]).name, "void f(float (&) [2])");
}
