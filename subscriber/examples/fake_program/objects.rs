//! Buffers, images and accessors.

use std::ffi::{CStr, c_char};

use crate::runtime::trace_type::*;
use crate::runtime::{Event, Runtime, Value, next_instance};

const BUFFERS: &CStr = c"sycl.experimental.buffer";
const IMAGES: &CStr = c"sycl.experimental.image";
#[repr(C)]
struct BufferData {
    object: u64,
    host: u64,
    element_type: *const c_char,
    element_size: u32,
    dimensions: u32,
    range: [u64; 3],
}

/// `std::optional<uint32_t>`; an unset value is undefined.
#[repr(C)]
#[derive(Clone, Copy)]
struct Optional {
    value: u32,
    has_value: u8,
    rest: [u8; 3],
}

const NONE: Optional = Optional { value: 0xdead, has_value: 0, rest: [7; 3] };

const fn some(value: u32) -> Optional {
    Optional { value, has_value: 1, rest: [7; 3] }
}

#[repr(C)]
struct ImageData {
    object: u64,
    host: u64,
    dimensions: u32,
    range: [u64; 3],
    format: u32,
    sampler: [Optional; 3],
}

#[repr(C)]
struct ImageAccessorData {
    object: u64,
    accessor: u64,
    target: Optional,
    mode: Optional,
    element_type: *const c_char,
    element_size: u32,
}

fn deliver<T>(runtime: &Runtime, stream: &CStr, trace_type: u16, event: Option<&Event>, data: &T) {
    runtime.on(stream, trace_type, event, next_instance(), std::ptr::from_ref(data).cast());
}

fn buffer(runtime: &Runtime, line: u32, object: u64, host: u64, dimensions: u32, range: [u64; 3]) {
    let place = runtime.event(line.into(), "main", "app.cpp", line, &[]);
    let data = BufferData { object, host, element_type: c"f".as_ptr(), element_size: 4, dimensions, range };
    deliver(runtime, BUFFERS, OBJECT_CONSTRUCT, Some(place), &data);
}

fn accessor(runtime: &Runtime, line: u32, object: u64, target: u32, mode: u32) {
    let place = runtime.event(line.into(), "operator()", "app.cpp", line, &[]);
    deliver(
        runtime,
        BUFFERS,
        ACCESSOR,
        Some(place),
        &[object, 0xacce, u64::from(mode) << 32 | u64::from(target)],
    );
}

fn command(runtime: &Runtime, id: u64, line: u32) {
    let metadata = [("kernel_name", Value::Text("work"))];
    let event = runtime.event(id, "work", "app.cpp", line, &metadata);
    runtime.sycl(NODE_CREATE, Some(event), next_instance(), Some(c"command_group_node"));
}

fn edge(runtime: &Runtime, source: u64, target: u64, object: u64, mode: i32) {
    let metadata = [("access_mode", Value::Signed(mode)), ("memory_object", Value::Unsigned(object))];
    let event = runtime.event(next_instance() << 32, "mode[object]", "", 0, &metadata);
    (event.source, event.target) = (source, target);
    runtime.sycl(EDGE_CREATE, Some(event), next_instance(), None);
}

/// Plays objects as in 2026.2: mostly without events, ends with the address only, reused addresses.
pub(crate) fn objects(runtime: &Runtime) {
    runtime.announce(BUFFERS);
    runtime.announce(IMAGES);
    const BUFFER: u64 = 0xb0f0;
    buffer(runtime, 10, BUFFER, 0x4057, 2, [8, 4, 0]);
    // A sub-buffer has the buffer's address, and passes it as the host's as well.
    buffer(runtime, 11, BUFFER, BUFFER, 1, [16, 0, 0]);
    // More handles of the whole and of the part.
    buffer(runtime, 12, BUFFER, BUFFER, 2, [8, 4, 0]);
    buffer(runtime, 13, BUFFER, BUFFER, 1, [16, 0, 0]);
    deliver(runtime, BUFFERS, OBJECT_ASSOCIATE, None, &[BUFFER, 0x3e3]);

    // Two accessors, one of them without an edge; then a command with the other mode.
    accessor(runtime, 20, BUFFER, 2014, 1024);
    accessor(runtime, 21, 0xffff_0000, 2014, 1025);
    let lock = runtime.event(200, "Memory Allocation[b0f0]", "", 0, &[]);
    command(runtime, 100, 20);
    runtime.sycl(NODE_CREATE, Some(lock), next_instance(), Some(c"memory_allocation_node"));
    edge(runtime, 200, 100, BUFFER, 1024);
    accessor(runtime, 22, BUFFER, 2014, 1026);
    command(runtime, 101, 22);
    edge(runtime, 100, 101, BUFFER, 1026);

    // The host locks the buffer before its accessor is announced.
    let name = "Host Accessor Creation/Buffer Lock[b0f0]";
    let lock = runtime.event(300, name, "", 0, &[("memory_object", Value::Unsigned(BUFFER))]);
    runtime.sycl(NODE_CREATE, Some(lock), next_instance(), Some(c"host_acc_create_buffer_lock_node"));
    edge(runtime, 101, 300, BUFFER, 1024);
    accessor(runtime, 30, BUFFER, 2018, 1024);

    deliver(runtime, BUFFERS, OBJECT_RELEASE, None, &[BUFFER, 0x3e3]);
    deliver(runtime, BUFFERS, OBJECT_DESTRUCT, None, &[BUFFER, 0, 0, 0, 0, 0, 0]);
    // The address is used again, twice: the end between them was lost.
    buffer(runtime, 40, BUFFER, 0, 1, [1, 0, 0]);
    buffer(runtime, 41, BUFFER, 0, 1, [2, 0, 0]);

    let place = runtime.event(50, "main", "app.cpp", 50, &[]);
    let mut image = ImageData {
        object: 0x1a6e,
        host: 0,
        dimensions: 2,
        range: [4, 4, 0],
        format: 9,
        sampler: [some(0x1132), some(1), some(0x1141)],
    };
    deliver(runtime, IMAGES, OBJECT_CONSTRUCT, Some(place), &image);
    (image.object, image.format, image.sampler) = (0x1a6f, 99, [NONE; 3]);
    deliver(runtime, IMAGES, OBJECT_CONSTRUCT, Some(place), &image);
    let mut accessor = ImageAccessorData {
        object: 0x1a6f,
        accessor: 0xacce,
        target: NONE,
        mode: some(1025),
        element_type: c"Dv4_f".as_ptr(),
        element_size: 16,
    };
    deliver(runtime, IMAGES, ACCESSOR, Some(place), &accessor);
    (accessor.object, accessor.target, accessor.mode) = (0x1a6e, some(1), NONE);
    deliver(runtime, IMAGES, ACCESSOR, Some(place), &accessor);
    deliver(runtime, IMAGES, OBJECT_DESTRUCT, None, &[0x1a6e_u64, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
}

/// Plays strings where the documentation promises structures, and structures where most runtimes pass strings.
pub(crate) fn texts_for_structures(runtime: &Runtime) {
    runtime.announce(BUFFERS);
    // Long enough to be read as the longest of the structures.
    let text = c"usm::alignedAlloc, and what else may lie behind it in the memory of the runtime, which is not to be read";
    let place = runtime.event(7, "main", "app.cpp", 7, &[]);
    for trace_type in [OBJECT_CONSTRUCT, OBJECT_DESTRUCT, OBJECT_ASSOCIATE, OBJECT_RELEASE, ACCESSOR] {
        runtime.on(BUFFERS, trace_type, Some(place), next_instance(), text.as_ptr().cast());
    }
    // An allocation as documented: no event, and a structure with a guard zone.
    let instance = next_instance();
    let mut memory = [0_u64, 0, 4096, 64, 0];
    runtime.memory(ALLOCATE_BEGIN, None, instance, memory.as_ptr().cast());
    memory[1] = 0xa000;
    runtime.memory(ALLOCATE_END, None, instance, memory.as_ptr().cast());
    let instance = next_instance();
    memory[2] = 0;
    runtime.memory(RELEASE_BEGIN, None, instance, memory.as_ptr().cast());
    runtime.memory(RELEASE_END, None, instance, memory.as_ptr().cast());
}
