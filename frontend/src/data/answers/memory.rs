use syclscope_language::api::{
    AccessorCount, AllocationItem, AllocationList, Amount, FreeMemory, Growth, LeakPlace, Leaks, MemoryAt,
    MemoryBlock, MemoryChange, MemoryPeak, MemoryPlace, MemoryRegion, MemorySeries, MemorySpace, MemoryUse,
    Misuse, MisuseKind, NativeMemory, Need, ObjectEvent, ObjectEventKind, ObjectHistory, ObjectItem,
    ObjectList, ObjectProblem, ObjectWhat, PlaceChange, Placement, Side, Transfer, TransferCause,
    TransferCauseKind, TransferList, TransferSums,
};

use crate::data::json::{members, words};

members! {
    Amount { count, bytes };
    MemoryPlace { process, kind, device, location } with amount: Amount { count, bytes };
    MemoryAt { at_ns, to_ns, live, spaces, blocks, offset, total, locations, places, more_places, change };
    MemoryBlock {
        allocation, space, pointer, span_bytes, count, bytes, at_ns, released_ns, location, object, kept_bytes,
        allocated_bytes, released_bytes,
    } may lack { kept_bytes, allocated_bytes, released_bytes };
    MemoryChange { kept, allocated, released, passed, places, more_places };
    MemoryRegion { pointer, span_bytes, live, gaps, gap_bytes, largest_gap_bytes };
    MemorySpace {
        process, kind, device, has_addresses, live, lowest, highest, regions, more_regions, gap_bytes,
        largest_gap_bytes, largest_gap_at, utilisation,
    };
    PlaceChange { process, kind, device, location, kept, allocated, released, passed };
    Growth {
        process, kind, device, location, rounds, is_loop, loop_location, bytes_per_round, count_per_round,
        at_ns, live,
    };
    LeakPlace { process, kind, device, location, live, made, first_ns, last_ns, objects };
    Leaks {
        complete, at_end, places, more_places, growth, more_growth, misuse, more_misuse,
    } may lack { more_growth };
    Misuse {
        kind, message, process, at_ns, pointer, location, certain, at, object, allocated_location, released_ns,
        released_location, released_at, result,
    } may lack { certain };
    AllocationItem {
        allocation, process, kind, device, pointer, size_bytes, guard_bytes, tid, at_ns, released_ns, location,
        object,
    };
    AllocationList { total, offset, allocations };
    AccessorCount { target, mode, count };
    NativeMemory { allocation, handle, native, size_bytes, from_ns, to_ns };
    ObjectEvent { kind, start_ns, end_ns, name, mode, bytes, offset_bytes, node, at, location };
    ObjectHistory {
        args, parts, lanes, events, offset, total,
    }
    with item: ObjectItem {
        id, what, object, process, pointer, host_pointer, over, part_of, device, element_type,
        element_size_bytes, range, size_bytes, made_ns, gone_ns, location, memory, accessors, commands,
        copied_in, copied_out, first_use_ns, last_use_ns, uses_known, unused, untouched_bytes, idle_at_end_ns,
        problems, placement,
    } may lack { lanes };
    ObjectItem {
        id, what, object, process, pointer, host_pointer, over, part_of, device, element_type,
        element_size_bytes, range, size_bytes, made_ns, gone_ns, location, memory, accessors, commands,
        copied_in, copied_out, first_use_ns, last_use_ns, uses_known, unused, untouched_bytes, idle_at_end_ns,
        problems, placement,
    };
    ObjectList { total, offset, objects, marked } may lack { marked };
    Placement { from_ns, to_ns, side };
    Transfer {
        transfer, node, name, at, call, start_ns, duration_ns, from, to, from_object, to_object, from_pointer,
        to_pointer, bytes, bytes_per_ns, cause, need, unchanged, read, why, evidence, location,
    };
    TransferCause { kind, node, name, mode, at, location };
    TransferList {
        total, needed, unchanged, never_read, unknown, offset, transfers, marked,
    } may lack { marked };
    TransferSums { count, bytes, total_ns, bytes_per_ns };
    FreeMemory { track, process, device, before_bytes, at_ns, min_bytes, last_bytes };
    MemoryPeak { at_ns, bytes, count, series_bytes, places, more_places };
    MemorySeries { process, kind, device, before_bytes, max_bytes, last_bytes, peak_bytes, peak_at_ns };
    MemoryUse { from_ns, to_ns, at_ns, series, total_max_bytes, total_last_bytes, peak, free };
}

words! {
    ObjectWhat else Other, ObjectProblem, ObjectEventKind else Other, Side else Unknown,
    MisuseKind else Other, Need else Unknown, TransferCauseKind else Unknown,
}
