//! Numbers and names of XPTI's trace types, which give the subject of a notification.
//!
//! Tests and examples simulate the runtime with the same numbers (they include this file); recordings of real programs
//! prove that the numbers are XPTI's own (`e2e/recording/`).

macro_rules! trace_types {
    ($($name:ident = $number:literal $word:literal,)+) => {
        $(#[doc = concat!("`xpti::trace_point_type_t::", $word, "`")] pub(crate) const $name: u16 = $number;)+

        /// Names of the standard trace types, by number. An end has the number after its start.
        pub(crate) const STANDARD: &[(u16, &str)] = &[$(($name, $word),)+];
    };
}

trace_types! {
    GRAPH_CREATE = 2 "graph_create",
    NODE_CREATE = 4 "node_create",
    EDGE_CREATE = 6 "edge_create",
    REGION_BEGIN = 8 "region_begin",
    REGION_END = 9 "region_end",
    TASK_BEGIN = 10 "task_begin",
    TASK_END = 11 "task_end",
    BARRIER_BEGIN = 12 "barrier_begin",
    BARRIER_END = 13 "barrier_end",
    LOCK_BEGIN = 14 "lock_begin",
    LOCK_END = 15 "lock_end",
    SIGNAL = 16 "signal",
    TRANSFER_BEGIN = 18 "transfer_begin",
    TRANSFER_END = 19 "transfer_end",
    THREAD_BEGIN = 20 "thread_begin",
    THREAD_END = 21 "thread_end",
    WAIT_BEGIN = 22 "wait_begin",
    WAIT_END = 23 "wait_end",
    FUNCTION_BEGIN = 24 "function_begin",
    FUNCTION_END = 25 "function_end",
    METADATA = 26 "metadata",
    FUNCTION_WITH_ARGS_BEGIN = 28 "function_with_args_begin",
    FUNCTION_WITH_ARGS_END = 29 "function_with_args_end",
    ALLOCATE_BEGIN = 32 "mem_alloc_begin",
    ALLOCATE_END = 33 "mem_alloc_end",
    RELEASE_BEGIN = 34 "mem_release_begin",
    RELEASE_END = 35 "mem_release_end",
    OBJECT_CONSTRUCT = 36 "offload_alloc_memory_object_construct",
    OBJECT_DESTRUCT = 37 "offload_alloc_memory_object_destruct",
    OBJECT_ASSOCIATE = 38 "offload_alloc_memory_object_associate",
    OBJECT_RELEASE = 39 "offload_alloc_memory_object_release",
    ACCESSOR = 40 "offload_alloc_accessor",
    QUEUE_CREATE = 42 "queue_create",
    QUEUE_DESTROY = 43 "queue_destroy",
    DIAGNOSTICS = 126 "diagnostics",
}

pub(crate) fn name_of(trace_type: u16) -> Option<&'static str> {
    STANDARD.iter().find(|(number, _)| *number == trace_type).map(|(_, name)| *name)
}
