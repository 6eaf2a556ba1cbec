//! The core's functions in the specification's order, each with the minor version that introduced it (`7` for 1.7).
//! Those without an implementation return "unsupported".

use super::tables;
use crate::{
    append, context, device, driver, event, image, kernel, list, memory, module, mutable, properties, queue,
};

tables! {
    zeGetRTASBuilderProcAddrTable {
        CreateExt 13;
        GetBuildPropertiesExt 13;
        BuildExt 13;
        CommandListAppendCopyExt 13;
        DestroyExt 13;
    }
    zeGetRTASBuilderExpProcAddrTable {
        CreateExp 7;
        GetBuildPropertiesExp 7;
        BuildExp 7;
        DestroyExp 7;
    }
    zeGetRTASParallelOperationProcAddrTable {
        CreateExt 13;
        GetPropertiesExt 13;
        JoinExt 13;
        DestroyExt 13;
    }
    zeGetRTASParallelOperationExpProcAddrTable {
        CreateExp 7;
        GetPropertiesExp 7;
        JoinExp 7;
        DestroyExp 7;
    }
    zeGetGlobalProcAddrTable {
        Init 0 driver::init;
        InitDrivers 10 driver::init_drivers;
    }
    zeGetDriverProcAddrTable {
        Get 0 driver::get;
        GetApiVersion 0 driver::api_version;
        GetProperties 0 driver::properties;
        GetIpcProperties 0 driver::ipc_properties;
        GetExtensionProperties 0 driver::extensions;
        GetExtensionFunctionAddress 1 driver::extension_function;
        GetLastErrorDescription 6 driver::last_error;
        RTASFormatCompatibilityCheckExt 13;
        GetDefaultContext 14;
    }
    zeGetDriverExpProcAddrTable {
        RTASFormatCompatibilityCheckExp 7;
    }
    zeGetDeviceProcAddrTable {
        Get 0 driver::devices;
        GetSubDevices 0 device::tiles;
        GetProperties 0 properties::device;
        GetComputeProperties 0 properties::compute;
        GetModuleProperties 0 properties::module;
        GetCommandQueueGroupProperties 0 properties::groups;
        GetMemoryProperties 0 properties::memory;
        GetMemoryAccessProperties 0 properties::access;
        GetCacheProperties 0 properties::cache;
        GetImageProperties 0 properties::image;
        GetExternalMemoryProperties 0 properties::external_memory;
        GetP2PProperties 0 device::peer_properties;
        CanAccessPeer 0 device::can_access;
        GetStatus 0 device::status;
        GetGlobalTimestamps 1 device::timestamps;
        ReserveCacheExt 2;
        SetCacheAdviceExt 2;
        PciGetPropertiesExt 3 properties::pci;
        GetRootDevice 7 device::root;
        ImportExternalSemaphoreExt 12;
        ReleaseExternalSemaphoreExt 12;
        GetVectorWidthPropertiesExt 13;
        Synchronize 14 device::synchronize;
        GetAggregatedCopyOffloadIncrementValue 15;
        GetRuntimeRequirements 16;
        GetRuntimeRequirementsKey 16;
        ValidateRuntimeRequirements 16;
        GetCounterBasedEventMaxValue 17;
    }
    zeGetDeviceExpProcAddrTable {
        GetFabricVertexExp 4;
    }
    zeGetContextProcAddrTable {
        Create 0 context::create;
        Destroy 0 context::destroy;
        GetStatus 0 context::status;
        SystemBarrier 0 context::barrier;
        MakeMemoryResident 0 memory::make_resident;
        EvictMemory 0 memory::evict;
        MakeImageResident 0 image::make_resident;
        EvictImage 0;
        CreateEx 1 context::create_ex;
    }
    zeGetCommandQueueProcAddrTable {
        Create 0 queue::create;
        Destroy 0 queue::destroy;
        ExecuteCommandLists 0 queue::execute;
        Synchronize 0 queue::synchronize;
        GetOrdinal 9;
        GetIndex 9;
        GetFlags 17;
        GetMode 17;
        GetPriority 17;
    }
    zeGetCommandListProcAddrTable {
        Create 0 list::create;
        CreateImmediate 0 list::create_immediate;
        Destroy 0 list::destroy;
        Close 0 list::close;
        Reset 0 list::reset;
        AppendWriteGlobalTimestamp 0 append::write_time;
        AppendBarrier 0 append::barrier;
        AppendMemoryRangesBarrier 0 append::ranges_barrier;
        AppendMemoryCopy 0 append::copy;
        AppendMemoryFill 0 append::fill;
        AppendMemoryCopyRegion 0 append::copy_region;
        AppendMemoryCopyFromContext 0 append::copy_from_context;
        AppendImageCopy 0 append::image_copy;
        AppendImageCopyRegion 0 append::image_copy_region;
        AppendImageCopyToMemory 0 append::image_to_memory;
        AppendImageCopyFromMemory 0 append::image_from_memory;
        AppendMemoryPrefetch 0 append::prefetch;
        AppendMemAdvise 0 append::advise;
        AppendSignalEvent 0 append::signal;
        AppendWaitOnEvents 0 append::wait;
        AppendEventReset 0 append::reset_event;
        AppendQueryKernelTimestamps 0 append::write_times;
        AppendLaunchKernel 0 append::launch;
        AppendLaunchCooperativeKernel 0 append::launch_cooperative;
        AppendLaunchKernelIndirect 0;
        AppendLaunchMultipleKernelsIndirect 0;
        AppendImageCopyToMemoryExt 3;
        AppendImageCopyFromMemoryExt 3;
        HostSynchronize 6 list::synchronize;
        GetDeviceHandle 9 list::device_of;
        GetContextHandle 9;
        GetOrdinal 9 list::ordinal_of;
        ImmediateGetIndex 9;
        IsImmediate 9 list::is_immediate;
        AppendSignalExternalSemaphoreExt 12;
        AppendWaitExternalSemaphoreExt 12;
        AppendLaunchKernelWithParameters 14;
        AppendLaunchKernelWithArguments 14;
        AppendMemoryCopyWithParameters 16;
        AppendMemoryFillWithParameters 16;
        ImmediateAppendCommandListsWithParameters 16;
        GetFlags 17;
        ImmediateGetFlags 17;
        ImmediateGetMode 17;
        ImmediateGetPriority 17;
        BeginGraphCaptureExt 17;
        BeginCaptureIntoGraphExt 17;
        IsGraphCaptureEnabledExt 17;
        EndGraphCaptureExt 17;
        GetGraphExt 17;
        AppendGraphExt 17;
        AppendHostFunction 17 list::host_function;
    }
    zeGetCommandListExpProcAddrTable {
        CreateCloneExp 9;
        ImmediateAppendCommandListsExp 9 list::append_lists;
        GetNextCommandIdExp 9 mutable::next_id;
        UpdateMutableCommandsExp 9 mutable::update;
        UpdateMutableCommandSignalEventExp 9 mutable::update_signal;
        UpdateMutableCommandWaitEventsExp 9 mutable::update_waits;
        GetNextCommandIdWithKernelsExp 10 mutable::next_id_with_kernels;
        UpdateMutableCommandKernelsExp 10 mutable::update_kernels;
        IsMutableExp 17;
    }
    zeGetImageProcAddrTable {
        GetProperties 0 image::properties;
        Create 0 image::create;
        Destroy 0 image::destroy;
        GetAllocPropertiesExt 3;
        ViewCreateExt 5;
    }
    zeGetImageExpProcAddrTable {
        GetMemoryPropertiesExp 2;
        ViewCreateExp 2;
        GetDeviceOffsetExp 9;
    }
    zeGetMemProcAddrTable {
        AllocShared 0 memory::shared;
        AllocDevice 0 memory::device;
        AllocHost 0 memory::host;
        Free 0 memory::release;
        GetAllocProperties 0 memory::properties;
        GetAddressRange 0 memory::range;
        GetIpcHandle 0 memory::ipc_handle;
        OpenIpcHandle 0 memory::open_ipc;
        CloseIpcHandle 0 memory::close_ipc;
        FreeExt 3 memory::release_ext;
        PutIpcHandle 6 memory::put_ipc;
        GetPitchFor2dImage 9;
        GetIpcHandleWithProperties 15;
    }
    zeGetMemExpProcAddrTable {
        GetIpcHandleFromFileDescriptorExp 6;
        GetFileDescriptorFromIpcHandleExp 6;
        SetAtomicAccessAttributeExp 7;
        GetAtomicAccessAttributeExp 7;
    }
    zeGetFenceProcAddrTable {
        Create 0 queue::create_fence;
        Destroy 0 queue::destroy_fence;
        HostSynchronize 0 queue::synchronize_fence;
        QueryStatus 0 queue::query_fence;
        Reset 0 queue::reset_fence;
    }
    zeGetEventPoolProcAddrTable {
        Create 0 event::create_pool;
        Destroy 0 event::destroy_pool;
        GetIpcHandle 0;
        OpenIpcHandle 0;
        CloseIpcHandle 0;
        PutIpcHandle 6;
        GetContextHandle 9;
        GetFlags 9;
    }
    zeGetEventProcAddrTable {
        Create 0 event::create;
        Destroy 0 event::destroy;
        HostSignal 0 event::signal;
        HostSynchronize 0 event::synchronize;
        QueryStatus 0 event::query;
        HostReset 0 event::host_reset;
        QueryKernelTimestamp 0 event::kernel_times;
        QueryKernelTimestampsExt 6;
        GetEventPool 9 event::pool_of;
        GetSignalScope 9;
        GetWaitScope 9;
        CounterBasedCreate 15;
        CounterBasedGetIpcHandle 15;
        CounterBasedOpenIpcHandle 15;
        CounterBasedCloseIpcHandle 15;
        CounterBasedGetDeviceAddress 15;
        GetCounterBasedFlags 17;
    }
    zeGetEventExpProcAddrTable {
        QueryTimestampsExp 2;
    }
    zeGetModuleProcAddrTable {
        Create 0 module::create;
        Destroy 0 module::destroy;
        DynamicLink 0 module::link;
        GetNativeBinary 0 module::binary;
        GetGlobalPointer 0 module::global;
        GetKernelNames 0 module::names;
        GetProperties 0 module::properties;
        GetFunctionPointer 0 module::function;
        InspectLinkageExt 3;
    }
    zeGetModuleBuildLogProcAddrTable {
        Destroy 0 module::destroy_log;
        GetString 0 module::log_text;
    }
    zeGetKernelProcAddrTable {
        Create 0 kernel::create;
        Destroy 0 kernel::destroy;
        SetCacheConfig 0 kernel::cache;
        SetGroupSize 0 kernel::group_size;
        SuggestGroupSize 0 kernel::suggest;
        SuggestMaxCooperativeGroupCount 0 kernel::suggest_count;
        SetArgumentValue 0 kernel::argument;
        SetIndirectAccess 0 kernel::indirect;
        GetIndirectAccess 0 kernel::get_indirect;
        GetSourceAttributes 0 kernel::attributes;
        GetProperties 0 kernel::properties;
        GetName 0 kernel::name;
    }
    zeGetKernelExpProcAddrTable {
        SetGlobalOffsetExp 1 kernel::offset;
        SchedulingHintExp 2 kernel::hint;
        GetBinaryExp 11;
        GetAllocationPropertiesExp 14;
    }
    zeGetSamplerProcAddrTable {
        Create 0 image::create_sampler;
        Destroy 0 image::destroy_sampler;
    }
    zeGetPhysicalMemProcAddrTable {
        Create 0;
        Destroy 0;
        GetProperties 15;
    }
    zeGetVirtualMemProcAddrTable {
        Reserve 0;
        Free 0;
        QueryPageSize 0;
        Map 0;
        Unmap 0;
        SetAccessAttribute 0;
        GetAccessAttribute 0;
    }
    zeGetFabricVertexExpProcAddrTable {
        GetExp 4;
        GetSubVerticesExp 4;
        GetPropertiesExp 4;
        GetDeviceExp 4;
    }
    zeGetFabricEdgeExpProcAddrTable {
        GetExp 4;
        GetVerticesExp 4;
        GetPropertiesExp 4;
    }
}
