//! Calls of the Unified Runtime, and the recorder's changes of them.

use crate::nodes::node;
use crate::runtime::Runtime;
use crate::runtime::trace_type::{TASK_BEGIN, TASK_END};
use crate::{CONTEXT, DEVICE, QUEUE};

/// `ur_queue_properties_t`
#[repr(C)]
pub(crate) struct QueueProperties {
    structure_type: u32,
    next: u64,
    flags: u32,
}

/// Creates a queue by a call; returns the flags that the adapter would have seen.
pub(crate) fn ur_queue_create(
    runtime: &Runtime,
    handle: u64,
    properties: Option<&QueueProperties>,
) -> (u32, u64) {
    let mut made = 0_u64;
    let properties = properties.map_or(0, |properties| std::ptr::from_ref(properties) as u64);
    let mut seen = (0, 0);
    runtime.call(11, c"urQueueCreate", &[CONTEXT, DEVICE, properties, &raw mut made as u64], |row| {
        // SAFETY: the recorder's copy, or ours.
        let properties = unsafe { &*(row[2] as *const QueueProperties) };
        assert_eq!(properties.structure_type, 14);
        seen = (properties.flags, properties.next);
        // SAFETY: our own place.
        unsafe { *(row[3] as *mut u64) = handle };
        0
    });
    seen
}

/// Plays a copy: `event` creates the adapter's event within the call; `wanted` is true if the program requests it.
pub(crate) fn ur_copy(
    runtime: &Runtime,
    waits: &[u64],
    event: impl Fn() -> u64,
    wanted: bool,
) -> Option<u64> {
    let mut place = 0_u64;
    let out = if wanted { &raw mut place as u64 } else { 0 };
    let row = [QUEUE, 0, 0xd, 0x5, 4096, waits.len() as u64, waits.as_ptr() as u64, out];
    let mut given = None;
    runtime.call(33, c"urEnqueueUSMMemcpy", &row, |row| {
        if row[7] != 0 {
            let made = event();
            // SAFETY: the program's place, or the recorder's.
            unsafe { *(row[7] as *mut u64) = made };
            given = Some(made);
        }
        0
    });
    given
}

pub(crate) fn calls(runtime: &Runtime) {
    let own = QueueProperties { structure_type: 14, next: 0x77, flags: 1 };
    assert_eq!(ur_queue_create(runtime, QUEUE, Some(&own)), (3, 0x77), "profiling is added, extensions stay");
    assert_eq!(own.flags, 1, "the program's own properties stay as they are");
    assert_eq!(ur_queue_create(runtime, 0x1001, None), (2, 0));
    runtime.call(77, c"urPlatformGet", &[0; 5], |_| {
        runtime.call(78, c"urFromTheFuture", &[], |_| 5);
        0
    });
    // A kernel that SYCL names after the function that submits it.
    let mut kernel = 0_u64;
    let row = [0, c"from_elsewhere".as_ptr() as u64, &raw mut kernel as u64];
    runtime.call(40, c"urKernelCreate", &row, |row| {
        // SAFETY: our own place.
        unsafe { *(row[2] as *mut u64) = 0x4e };
        0
    });
    let event = node(runtime, 100, "main", 11, 500);
    runtime.sycl(TASK_BEGIN, Some(event), 500, None);
    let (global, local) = ([1024_u64, 8], [16_u64, 8]);
    let sizes = [&raw const global as u64, &raw const local as u64];
    let row = [QUEUE, 0x4e, 2, 0, sizes[0], sizes[1], 0, 0, 0, 0, 0, 0];
    runtime.call(295, c"urEnqueueKernelLaunchWithArgsExp", &row, |_| 0);
    runtime.sycl(TASK_END, Some(event), 500, None);
}
