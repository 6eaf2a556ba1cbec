//! Positions of parameters in the Unified Runtime's calls, by function name.
//!
//! Made by `scripts/ur_functions.py` from the parameter structs of `unified-runtime/ur_api.h` of
//! intel-sycl-rt 2026.2.0. Functions that are not listed are recorded by name and result only.

use syclscope_trace::event::{AllocationKind, NodeKind};

use super::{Role, Slot, UrFunction};

/// The functions of which more than the name matters, sorted by name.
pub(super) static TABLE: &[UrFunction] = &[
    UrFunction { role: Role::TearDown, ..UrFunction::named("urAdapterRelease") },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(10),
        event: Slot(12),
        ..UrFunction::named("urBindlessImagesImageCopyExp")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Other),
        queue: Slot(0),
        wait_list: Slot(4),
        event: Slot(6),
        ..UrFunction::named("urBindlessImagesSignalExternalSemaphoreExp")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Other),
        queue: Slot(0),
        wait_list: Slot(4),
        event: Slot(6),
        ..UrFunction::named("urBindlessImagesWaitExternalSemaphoreExp")
    },
    UrFunction {
        role: Role::DeviceInfo,
        out: Slot(3),
        bytes: Slot(2),
        flags: Slot(1),
        device: Slot(0),
        ..UrFunction::named("urDeviceGetInfo")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::CommandGraph),
        queue: Slot(0),
        wait_list: Slot(2),
        event: Slot(4),
        ..UrFunction::named("urEnqueueCommandBufferExp")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(7),
        event: Slot(9),
        bytes: Slot(4),
        ..UrFunction::named("urEnqueueDeviceGlobalVariableRead")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(7),
        event: Slot(9),
        bytes: Slot(4),
        ..UrFunction::named("urEnqueueDeviceGlobalVariableWrite")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Barrier),
        queue: Slot(0),
        wait_list: Slot(1),
        event: Slot(3),
        ..UrFunction::named("urEnqueueEventsWait")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Barrier),
        queue: Slot(0),
        wait_list: Slot(1),
        event: Slot(3),
        ..UrFunction::named("urEnqueueEventsWaitWithBarrier")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Barrier),
        queue: Slot(0),
        wait_list: Slot(2),
        event: Slot(4),
        ..UrFunction::named("urEnqueueEventsWaitWithBarrierExt")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::CommandGraph),
        queue: Slot(0),
        wait_list: Slot(2),
        event: Slot(4),
        ..UrFunction::named("urEnqueueGraphExp")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::HostTask),
        queue: Slot(0),
        wait_list: Slot(4),
        event: Slot(6),
        ..UrFunction::named("urEnqueueHostTaskExp")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Kernel),
        queue: Slot(0),
        wait_list: Slot(9),
        event: Slot(11),
        kernel: Slot(1),
        work: Slot(2),
        ..UrFunction::named("urEnqueueKernelLaunchWithArgsExp")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(6),
        event: Slot(8),
        bytes: Slot(5),
        ..UrFunction::named("urEnqueueMemBufferCopy")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(10),
        event: Slot(12),
        ..UrFunction::named("urEnqueueMemBufferCopyRect")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Fill),
        queue: Slot(0),
        wait_list: Slot(6),
        event: Slot(8),
        bytes: Slot(5),
        ..UrFunction::named("urEnqueueMemBufferFill")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Map),
        queue: Slot(0),
        wait_list: Slot(6),
        event: Slot(8),
        bytes: Slot(5),
        ..UrFunction::named("urEnqueueMemBufferMap")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(6),
        event: Slot(8),
        bytes: Slot(4),
        ..UrFunction::named("urEnqueueMemBufferRead")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(11),
        event: Slot(13),
        ..UrFunction::named("urEnqueueMemBufferReadRect")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(6),
        event: Slot(8),
        bytes: Slot(4),
        ..UrFunction::named("urEnqueueMemBufferWrite")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(11),
        event: Slot(13),
        ..UrFunction::named("urEnqueueMemBufferWriteRect")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(6),
        event: Slot(8),
        ..UrFunction::named("urEnqueueMemImageCopy")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(8),
        event: Slot(10),
        ..UrFunction::named("urEnqueueMemImageRead")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(8),
        event: Slot(10),
        ..UrFunction::named("urEnqueueMemImageWrite")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Unmap),
        queue: Slot(0),
        wait_list: Slot(3),
        event: Slot(5),
        ..UrFunction::named("urEnqueueMemUnmap")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Other),
        queue: Slot(0),
        wait_list: Slot(6),
        event: Slot(8),
        ..UrFunction::named("urEnqueueNativeCommandExp")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(6),
        event: Slot(8),
        bytes: Slot(5),
        ..UrFunction::named("urEnqueueReadHostPipe")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Other),
        queue: Slot(0),
        wait_list: Slot(2),
        event: Slot(4),
        ..UrFunction::named("urEnqueueTimestampRecordingExp")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Advise),
        queue: Slot(0),
        event: Slot(4),
        bytes: Slot(2),
        ..UrFunction::named("urEnqueueUSMAdvise")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Allocation),
        queue: Slot(0),
        wait_list: Slot(4),
        event: Slot(7),
        bytes: Slot(2),
        ..UrFunction::named("urEnqueueUSMDeviceAllocExp")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Fill),
        queue: Slot(0),
        wait_list: Slot(5),
        event: Slot(7),
        bytes: Slot(4),
        ..UrFunction::named("urEnqueueUSMFill")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Fill),
        queue: Slot(0),
        wait_list: Slot(7),
        event: Slot(9),
        width: Slot(5),
        ..UrFunction::named("urEnqueueUSMFill2D")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Deallocation),
        queue: Slot(0),
        wait_list: Slot(3),
        event: Slot(5),
        ..UrFunction::named("urEnqueueUSMFreeExp")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Allocation),
        queue: Slot(0),
        wait_list: Slot(4),
        event: Slot(7),
        bytes: Slot(2),
        ..UrFunction::named("urEnqueueUSMHostAllocExp")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(5),
        event: Slot(7),
        bytes: Slot(4),
        ..UrFunction::named("urEnqueueUSMMemcpy")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(8),
        event: Slot(10),
        width: Slot(6),
        ..UrFunction::named("urEnqueueUSMMemcpy2D")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Prefetch),
        queue: Slot(0),
        wait_list: Slot(4),
        event: Slot(6),
        bytes: Slot(2),
        ..UrFunction::named("urEnqueueUSMPrefetch")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Allocation),
        queue: Slot(0),
        wait_list: Slot(4),
        event: Slot(7),
        bytes: Slot(2),
        ..UrFunction::named("urEnqueueUSMSharedAllocExp")
    },
    UrFunction {
        role: Role::Enqueue(NodeKind::Copy),
        queue: Slot(0),
        wait_list: Slot(6),
        event: Slot(8),
        bytes: Slot(5),
        ..UrFunction::named("urEnqueueWriteHostPipe")
    },
    UrFunction {
        role: Role::KernelCreate,
        out: Slot(2),
        kernel_name: Slot(1),
        ..UrFunction::named("urKernelCreate")
    },
    UrFunction {
        role: Role::KernelInfo,
        out: Slot(3),
        bytes: Slot(2),
        kernel: Slot(0),
        flags: Slot(1),
        ..UrFunction::named("urKernelGetInfo")
    },
    UrFunction {
        role: Role::Plain,
        queue: Slot(1),
        kernel: Slot(0),
        ..UrFunction::named("urKernelGetSuggestedLocalWorkSize")
    },
    UrFunction {
        role: Role::Plain,
        queue: Slot(1),
        kernel: Slot(0),
        ..UrFunction::named("urKernelGetSuggestedLocalWorkSizeWithArgs")
    },
    UrFunction {
        role: Role::BufferCreate,
        out: Slot(4),
        bytes: Slot(2),
        flags: Slot(1),
        context: Slot(0),
        ..UrFunction::named("urMemBufferCreate")
    },
    UrFunction { role: Role::MemoryRelease, handle: Slot(0), ..UrFunction::named("urMemRelease") },
    UrFunction { role: Role::MemoryRetain, handle: Slot(0), ..UrFunction::named("urMemRetain") },
    UrFunction { role: Role::Plain, queue: Slot(0), ..UrFunction::named("urQueueBeginCaptureIntoGraphExp") },
    UrFunction { role: Role::Plain, queue: Slot(0), ..UrFunction::named("urQueueBeginGraphCaptureExp") },
    UrFunction {
        role: Role::QueueCreate,
        out: Slot(3),
        properties: Slot(2),
        device: Slot(1),
        context: Slot(0),
        ..UrFunction::named("urQueueCreate")
    },
    UrFunction {
        role: Role::QueueCreateNative,
        out: Slot(4),
        device: Slot(2),
        context: Slot(1),
        ..UrFunction::named("urQueueCreateWithNativeHandle")
    },
    UrFunction { role: Role::Plain, queue: Slot(0), ..UrFunction::named("urQueueEndGraphCaptureExp") },
    UrFunction { role: Role::Plain, queue: Slot(0), ..UrFunction::named("urQueueFinish") },
    UrFunction { role: Role::Plain, queue: Slot(0), ..UrFunction::named("urQueueFlush") },
    UrFunction { role: Role::Plain, queue: Slot(0), ..UrFunction::named("urQueueGetGraphExp") },
    UrFunction { role: Role::Plain, queue: Slot(0), bytes: Slot(2), ..UrFunction::named("urQueueGetInfo") },
    UrFunction { role: Role::Plain, queue: Slot(0), ..UrFunction::named("urQueueGetNativeHandle") },
    UrFunction { role: Role::Plain, queue: Slot(0), ..UrFunction::named("urQueueIsGraphCaptureEnabledExp") },
    UrFunction { role: Role::Plain, queue: Slot(0), ..UrFunction::named("urQueueRelease") },
    UrFunction { role: Role::Plain, queue: Slot(0), ..UrFunction::named("urQueueRetain") },
    UrFunction {
        role: Role::Allocate(AllocationKind::Device),
        out: Slot(5),
        bytes: Slot(4),
        device: Slot(1),
        context: Slot(0),
        ..UrFunction::named("urUSMDeviceAlloc")
    },
    UrFunction { role: Role::Free, handle: Slot(1), context: Slot(0), ..UrFunction::named("urUSMFree") },
    UrFunction {
        role: Role::Allocate(AllocationKind::Host),
        out: Slot(4),
        bytes: Slot(3),
        context: Slot(0),
        ..UrFunction::named("urUSMHostAlloc")
    },
    UrFunction {
        role: Role::Allocate(AllocationKind::Shared),
        out: Slot(5),
        bytes: Slot(4),
        device: Slot(1),
        context: Slot(0),
        ..UrFunction::named("urUSMSharedAlloc")
    },
];
