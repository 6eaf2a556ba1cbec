//! Numbers of the Perfetto fields that we write or read, one module a message, with Perfetto's own names.

/// `Trace`.
pub(crate) mod trace {
    pub(crate) const PACKET: u32 = 1;
}

/// `TracePacket`.
pub(crate) mod packet {
    pub(crate) const FTRACE_EVENTS: u32 = 1;
    pub(crate) const CLOCK_SNAPSHOT: u32 = 6;
    pub(crate) const TIMESTAMP: u32 = 8;
    pub(crate) const TRUSTED_PACKET_SEQUENCE_ID: u32 = 10;
    pub(crate) const TRACK_EVENT: u32 = 11;
    pub(crate) const INTERNED_DATA: u32 = 12;
    pub(crate) const SEQUENCE_FLAGS: u32 = 13;
    pub(crate) const INCREMENTAL_STATE_CLEARED: u32 = 41;
    pub(crate) const PREVIOUS_PACKET_DROPPED: u32 = 42;
    pub(crate) const THREAD_DESCRIPTOR: u32 = 44;
    pub(crate) const COMPRESSED_PACKETS: u32 = 50;
    pub(crate) const GPU_RENDER_STAGE_EVENT: u32 = 53;
    pub(crate) const TIMESTAMP_CLOCK_ID: u32 = 58;
    pub(crate) const TRACE_PACKET_DEFAULTS: u32 = 59;
    pub(crate) const TRACK_DESCRIPTOR: u32 = 60;
    pub(crate) const FIRST_PACKET_ON_SEQUENCE: u32 = 87;
    pub(crate) const GPU_INFO: u32 = 128;
    pub(crate) const ZSTD_COMPRESSED_PACKETS: u32 = 133;

    /// `SequenceFlags.SEQ_INCREMENTAL_STATE_CLEARED`.
    pub(crate) const STATE_CLEARED: u64 = 1;
    /// `SequenceFlags.SEQ_NEEDS_INCREMENTAL_STATE`.
    pub(crate) const NEEDS_STATE: u64 = 2;
}

/// `TracePacketDefaults`.
pub(crate) mod defaults {
    pub(crate) const TRACK_EVENT_DEFAULTS: u32 = 11;
    pub(crate) const TIMESTAMP_CLOCK_ID: u32 = 58;
}

/// `ClockSnapshot` and its `Clock`.
pub(crate) mod clock {
    pub(crate) const CLOCKS: u32 = 1;
    pub(crate) const CLOCK_ID: u32 = 1;
    pub(crate) const TIMESTAMP: u32 = 2;
    pub(crate) const IS_INCREMENTAL: u32 = 3;
    pub(crate) const UNIT_MULTIPLIER_NS: u32 = 4;

    pub(crate) const REALTIME: u64 = 1;
    pub(crate) const MONOTONIC: u64 = 3;
    pub(crate) const BOOTTIME: u64 = 6;
}

/// `TrackDescriptor`.
pub(crate) mod track {
    pub(crate) const UUID: u32 = 1;
    pub(crate) const NAME: u32 = 2;
    pub(crate) const PROCESS: u32 = 3;
    pub(crate) const THREAD: u32 = 4;
    pub(crate) const PARENT_UUID: u32 = 5;
    pub(crate) const CHROME_PROCESS: u32 = 6;
    pub(crate) const COUNTER: u32 = 8;
    pub(crate) const STATIC_NAME: u32 = 10;
    pub(crate) const SIBLING_ORDER_RANK: u32 = 12;
    pub(crate) const ATRACE_NAME: u32 = 13;
    pub(crate) const DESCRIPTION: u32 = 14;
}

/// `ProcessDescriptor`.
pub(crate) mod process {
    pub(crate) const PID: u32 = 1;
    pub(crate) const CMDLINE: u32 = 2;
    pub(crate) const PROCESS_NAME: u32 = 6;
    pub(crate) const LABELS: u32 = 8;

    /// `ChromeProcessDescriptor.process_type`.
    pub(crate) const CHROME_TYPE: u32 = 1;
}

/// `ThreadDescriptor`.
pub(crate) mod thread {
    pub(crate) const PID: u32 = 1;
    pub(crate) const TID: u32 = 2;
    pub(crate) const THREAD_NAME: u32 = 5;
    pub(crate) const REFERENCE_TIMESTAMP_US: u32 = 6;
}

/// `CounterDescriptor`.
pub(crate) mod counter {
    pub(crate) const TYPE: u32 = 1;
    pub(crate) const CATEGORIES: u32 = 2;
    pub(crate) const UNIT: u32 = 3;
    pub(crate) const UNIT_MULTIPLIER: u32 = 4;
    pub(crate) const IS_INCREMENTAL: u32 = 5;
    pub(crate) const UNIT_NAME: u32 = 6;

    /// `Unit.UNIT_SIZE_BYTES`.
    pub(crate) const SIZE_BYTES: u64 = 3;
}

/// `TrackEvent`.
pub(crate) mod event {
    pub(crate) const TIMESTAMP_DELTA_US: u32 = 1;
    pub(crate) const CATEGORY_IIDS: u32 = 3;
    pub(crate) const DEBUG_ANNOTATIONS: u32 = 4;
    pub(crate) const TASK_EXECUTION: u32 = 5;
    pub(crate) const LEGACY_EVENT: u32 = 6;
    pub(crate) const TYPE: u32 = 9;
    pub(crate) const NAME_IID: u32 = 10;
    pub(crate) const TRACK_UUID: u32 = 11;
    pub(crate) const EXTRA_COUNTER_VALUES: u32 = 12;
    pub(crate) const TIMESTAMP_ABSOLUTE_US: u32 = 16;
    pub(crate) const CATEGORIES: u32 = 22;
    pub(crate) const NAME: u32 = 23;
    pub(crate) const COUNTER_VALUE: u32 = 30;
    pub(crate) const EXTRA_COUNTER_TRACKS: u32 = 31;
    pub(crate) const SOURCE_LOCATION: u32 = 33;
    pub(crate) const SOURCE_LOCATION_IID: u32 = 34;
    pub(crate) const FLOW_IDS_OLD: u32 = 36;
    pub(crate) const TERMINATING_FLOW_IDS_OLD: u32 = 42;
    pub(crate) const DOUBLE_COUNTER_VALUE: u32 = 44;
    pub(crate) const EXTRA_DOUBLE_COUNTER_TRACKS: u32 = 45;
    pub(crate) const EXTRA_DOUBLE_COUNTER_VALUES: u32 = 46;
    pub(crate) const FLOW_IDS: u32 = 47;
    pub(crate) const TERMINATING_FLOW_IDS: u32 = 48;
    /// `GpuCorrelation`, an extension.
    pub(crate) const GPU_CORRELATION: u32 = 3000;

    /// `Type.TYPE_SLICE_BEGIN`.
    pub(crate) const SLICE_BEGIN: u64 = 1;
    /// `Type.TYPE_SLICE_END`.
    pub(crate) const SLICE_END: u64 = 2;
    /// `Type.TYPE_INSTANT`.
    pub(crate) const INSTANT: u64 = 3;
    /// `Type.TYPE_COUNTER`.
    pub(crate) const COUNTER: u64 = 4;
    /// `Type.TYPE_STATE`.
    pub(crate) const STATE: u64 = 5;
}

/// `TrackEvent.LegacyEvent`.
pub(crate) mod legacy {
    pub(crate) const NAME_IID: u32 = 1;
    pub(crate) const PHASE: u32 = 2;
    pub(crate) const DURATION_US: u32 = 3;
    pub(crate) const UNSCOPED_ID: u32 = 6;
    pub(crate) const ID_SCOPE: u32 = 7;
    pub(crate) const BIND_ID: u32 = 8;
    pub(crate) const LOCAL_ID: u32 = 10;
    pub(crate) const GLOBAL_ID: u32 = 11;
    pub(crate) const BIND_TO_ENCLOSING: u32 = 12;
    pub(crate) const FLOW_DIRECTION: u32 = 13;
    pub(crate) const PID_OVERRIDE: u32 = 18;
    pub(crate) const TID_OVERRIDE: u32 = 19;
}

/// `GpuCorrelation`.
pub(crate) mod correlation {
    pub(crate) const SUBMISSION_EVENT_IDS: u32 = 1;
    pub(crate) const WAIT_EVENT_IDS: u32 = 2;
}

/// `DebugAnnotation`.
pub(crate) mod annotation {
    pub(crate) const NAME_IID: u32 = 1;
    pub(crate) const BOOL_VALUE: u32 = 2;
    pub(crate) const UINT_VALUE: u32 = 3;
    pub(crate) const INT_VALUE: u32 = 4;
    pub(crate) const DOUBLE_VALUE: u32 = 5;
    pub(crate) const STRING_VALUE: u32 = 6;
    pub(crate) const POINTER_VALUE: u32 = 7;
    pub(crate) const NESTED_VALUE: u32 = 8;
    pub(crate) const LEGACY_JSON_VALUE: u32 = 9;
    pub(crate) const NAME: u32 = 10;
    pub(crate) const DICT_ENTRIES: u32 = 11;
    pub(crate) const ARRAY_VALUES: u32 = 12;
    pub(crate) const STRING_VALUE_IID: u32 = 17;
}

/// `InternedData`; every entry has its number in field 1.
pub(crate) mod interned {
    pub(crate) const EVENT_CATEGORIES: u32 = 1;
    pub(crate) const EVENT_NAMES: u32 = 2;
    pub(crate) const DEBUG_ANNOTATION_NAMES: u32 = 3;
    pub(crate) const SOURCE_LOCATIONS: u32 = 4;
    pub(crate) const GRAPHICS_CONTEXTS: u32 = 23;
    pub(crate) const GPU_SPECIFICATIONS: u32 = 24;
    pub(crate) const DEBUG_ANNOTATION_STRING_VALUES: u32 = 29;

    /// Every entry's number.
    pub(crate) const IID: u32 = 1;
    /// The text of a category, a name, an annotation's name or value.
    pub(crate) const TEXT: u32 = 2;
}

/// `SourceLocation`.
pub(crate) mod location {
    pub(crate) const FILE_NAME: u32 = 2;
    pub(crate) const FUNCTION_NAME: u32 = 3;
    pub(crate) const LINE_NUMBER: u32 = 4;
}

/// `InternedGraphicsContext`.
pub(crate) mod context {
    pub(crate) const PID: u32 = 2;
}

/// `InternedGpuRenderStageSpecification`.
pub(crate) mod specification {
    pub(crate) const NAME: u32 = 2;
    pub(crate) const DESCRIPTION: u32 = 3;
    pub(crate) const CATEGORY: u32 = 4;

    /// `RenderStageCategory.OTHER`.
    pub(crate) const OTHER: u64 = 0;
    /// `RenderStageCategory.COMPUTE`.
    pub(crate) const COMPUTE: u64 = 2;
}

/// `GpuRenderStageEvent` and its `ExtraData`.
pub(crate) mod stage {
    pub(crate) const EVENT_ID: u32 = 1;
    pub(crate) const DURATION: u32 = 2;
    pub(crate) const HW_QUEUE_ID: u32 = 3;
    pub(crate) const STAGE_ID: u32 = 4;
    pub(crate) const CONTEXT: u32 = 5;
    pub(crate) const EXTRA_DATA: u32 = 6;
    pub(crate) const SPECIFICATIONS: u32 = 7;
    pub(crate) const SUBMISSION_ID: u32 = 10;
    pub(crate) const GPU_ID: u32 = 11;
    pub(crate) const HW_QUEUE_IID: u32 = 13;
    pub(crate) const STAGE_IID: u32 = 14;
    pub(crate) const NAME: u32 = 17;
    pub(crate) const EVENT_WAIT_IDS: u32 = 18;
    pub(crate) const NAME_IID: u32 = 20;

    pub(crate) const EXTRA_NAME: u32 = 1;
    pub(crate) const EXTRA_VALUE: u32 = 2;

    /// `Specifications`.
    pub(crate) const LISTED_QUEUES: u32 = 2;
    pub(crate) const LISTED_STAGES: u32 = 3;
}

/// `GpuInfo` and its `Gpu`.
pub(crate) mod gpu_info {
    pub(crate) const GPUS: u32 = 1;
    pub(crate) const NAME: u32 = 1;
    pub(crate) const VENDOR: u32 = 2;
    pub(crate) const ARCHITECTURE: u32 = 4;
    pub(crate) const EXTRA_INFO: u32 = 6;
    pub(crate) const EXTRA_KEY: u32 = 1;
    pub(crate) const EXTRA_VALUE: u32 = 2;
}
