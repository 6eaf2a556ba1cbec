//! Roles of functions in a recording.

use syclscope_language::event::{AllocationKind, NodeKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A call without further meaning.
    Plain,
    /// Enqueues a command.
    Enqueue(NodeKind),
    QueueCreate,
    QueueCreateNative,
    /// Returns when commands have ended: those of a queue, or those of events.
    Wait,
    DeviceInfo,
    KernelCreate,
    KernelInfo,
    Allocate(AllocationKind),
    Free,
    BufferCreate,
    MemoryRetain,
    MemoryRelease,
    /// Creates the adapters, and with them the connection to the driver.
    AdapterGet,
    /// Queries an adapter's platforms: the driver is loaded by then at the latest.
    PlatformGet,
    /// Shuts the runtime down: no event can be read afterwards.
    TearDown,
}

/// Returns the role of a function; `puts_on_queue` is true if it has a queue and returns an event.
pub(super) fn role(name: &str, puts_on_queue: bool) -> Role {
    match name {
        "urQueueCreate" => Role::QueueCreate,
        "urQueueCreateWithNativeHandle" => Role::QueueCreateNative,
        "urEventWait" | "urQueueFinish" => Role::Wait,
        "urDeviceGetInfo" => Role::DeviceInfo,
        "urKernelCreate" => Role::KernelCreate,
        "urKernelGetInfo" => Role::KernelInfo,
        "urUSMDeviceAlloc" => Role::Allocate(AllocationKind::Device),
        "urUSMHostAlloc" => Role::Allocate(AllocationKind::Host),
        "urUSMSharedAlloc" => Role::Allocate(AllocationKind::Shared),
        "urUSMFree" => Role::Free,
        "urMemBufferCreate" => Role::BufferCreate,
        "urMemRetain" => Role::MemoryRetain,
        "urMemRelease" => Role::MemoryRelease,
        "urAdapterGet" => Role::AdapterGet,
        "urPlatformGet" => Role::PlatformGet,
        "urAdapterRelease" | "urLoaderTearDown" => Role::TearDown,
        _ if puts_on_queue => Role::Enqueue(command_kind(name)),
        _ => Role::Plain,
    }
}

/// Returns the kind of a command by the function that enqueues it or appends it to a command graph.
pub(crate) fn command_kind(name: &str) -> NodeKind {
    let name = name.strip_prefix("urCommandBufferAppend").unwrap_or(name);
    let has = |part: &str| name.contains(part);
    if has("KernelLaunch") {
        NodeKind::Kernel
    } else if has("EventsWait") {
        NodeKind::Barrier
    } else if has("Unmap") {
        NodeKind::Unmap
    } else if has("BufferMap") {
        NodeKind::Map
    } else if has("Fill") {
        NodeKind::Fill
    } else if has("Prefetch") {
        NodeKind::Prefetch
    } else if has("Advise") {
        NodeKind::Advise
    } else if has("AllocExp") {
        NodeKind::Allocation
    } else if has("USMFreeExp") {
        NodeKind::Deallocation
    } else if has("CommandBuffer") || has("GraphExp") {
        NodeKind::CommandGraph
    } else if has("HostTask") {
        NodeKind::HostTask
    } else if has("TimestampRecording") || has("NativeCommand") || has("ExternalSemaphore") {
        NodeKind::Other
    } else {
        NodeKind::Copy
    }
}

pub(super) fn is_build(name: &str) -> bool {
    ["Build", "Compile", "Link"]
        .iter()
        .any(|part| name.strip_prefix("urProgram").is_some_and(|rest| rest.starts_with(part)))
}

/// True if the events of a function's calls, besides the call itself, have a source location.
pub(super) fn has_place(name: &str) -> bool {
    ["CommandBuffer", "Graph", "NativeHandle"].iter().any(|part| name.contains(part))
}

/// True if the model depends on a function's calls, so that its parameters are copied at every level of detail.
pub(super) fn is_followed(name: &str, role: Role) -> bool {
    const PARTS: [&str; 7] =
        ["CommandBuffer", "NativeHandle", "Graph", "Create", "Retain", "Release", "VirtualMem"];
    const QUERIES: [&str; 5] =
        ["urPlatformGetInfo", "urDeviceGet", "urDeviceGetInfo", "urAdapterGetInfo", "urUSMGetMemAllocInfo"];
    role != Role::Plain || PARTS.iter().any(|part| name.contains(part)) || QUERIES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_by_name() {
        let kinds = [
            ("urEnqueueKernelLaunchWithArgsExp", NodeKind::Kernel),
            ("urEnqueueCooperativeKernelLaunchExp", NodeKind::Kernel),
            ("urEnqueueEventsWaitWithBarrierExt", NodeKind::Barrier),
            ("urEnqueueMemUnmap", NodeKind::Unmap),
            ("urEnqueueMemBufferMap", NodeKind::Map),
            ("urEnqueueUSMFill2D", NodeKind::Fill),
            ("urEnqueueUSMDeviceAllocExp", NodeKind::Allocation),
            ("urEnqueueUSMFreeExp", NodeKind::Deallocation),
            ("urCommandBufferEnqueueExp", NodeKind::CommandGraph),
            ("urEnqueueCommandBufferExp", NodeKind::CommandGraph),
            ("urEnqueueGraphExp", NodeKind::CommandGraph),
            ("urEnqueueHostTaskExp", NodeKind::HostTask),
            ("urBindlessImagesWaitExternalSemaphoreExp", NodeKind::Other),
            ("urBindlessImagesImageCopyExp", NodeKind::Copy),
            ("urEnqueueMemBufferCopyRect", NodeKind::Copy),
        ];
        for (name, kind) in kinds {
            assert_eq!(role(name, true), Role::Enqueue(kind), "{name}");
        }
        assert_eq!(role("urQueueFinish", false), Role::Wait);
        assert_eq!(role("urQueueFlush", false), Role::Plain);
    }

    #[test]
    fn an_appended_command_is_what_it_would_be_on_a_queue() {
        let kinds = [
            ("urCommandBufferAppendKernelLaunchWithArgsExp", NodeKind::Kernel),
            ("urCommandBufferAppendMemBufferFillExp", NodeKind::Fill),
            ("urCommandBufferAppendUSMMemcpyExp", NodeKind::Copy),
            ("urCommandBufferAppendMemBufferWriteRectExp", NodeKind::Copy),
            ("urCommandBufferAppendUSMPrefetchExp", NodeKind::Prefetch),
        ];
        for (name, kind) in kinds {
            assert_eq!(command_kind(name), kind, "{name}");
        }
    }
}
