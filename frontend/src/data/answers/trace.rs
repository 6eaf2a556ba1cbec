use syclscope_language::api::{
    AccessorDetail, ClockInfo, Contents, CounterInfo, Counts, DeviceInfo, DiagnosticInfo, EdgeDetail,
    ErrorBody, ErrorInfo, ExecutionDetail, FactInfo, Finding, FindingIterations, FlowDetail, Gain,
    GraphChangeDetail, GraphCommandDetail, GraphRunDetail, HostTaskEstimate, KernelSummary, KindContents,
    LocationInfo, NativeHandleDetail, NodeDetail, NodeRef, ObjectDetail, ObjectMemory, PartitionDetail,
    PauseInfo, ProcessInfo, QueueInfo, Severity, SliceDetail, SliceRef, SourceInfo, SourceText,
    StackFrameInfo, TraceEntry, TraceInfo, TrackInfo,
};

use crate::data::json::{members, words};

members! {
    Contents { kinds };
    KindContents { kind, count, examples };
    CounterInfo { min, max, unit };
    Counts {
        slices, nodes, commands, launches, edges, executions, allocations, unreleased, flows, calls, native_calls, objects,
        accessors, partitions, graph_commands, graph_runs, native_handles, regions, stack_frames, dropped,
    } may lack { slices, nodes, commands, launches, edges, executions, allocations, unreleased, flows, calls, native_calls, objects, accessors, partitions, graph_commands, graph_runs, native_handles, regions, stack_frames, dropped };
    DiagnosticInfo { severity, kind, message, count, first_offset };
    EdgeDetail { node, kind, name, reason, access_mode, memory_object, object, at };
    ErrorBody { error };
    ErrorInfo { code, message };
    HostTaskEstimate { from_ns, to_ns, track };
    ExecutionDetail { at, queued_ns, submitted_ns, queueing_delay_ns };
    FlowDetail { name, slice, at };
    KernelSummary { name, kind, count, total_ns, min_ns, max_ns };
    LocationInfo { function, file, line, column };
    NodeDetail {
        id, kind, name, queue, created_ns, location, args, stack, submission, execution, estimate, waits_for,
        waited_by, accessors, objects, graph_commands, graph_runs,
    } may lack { stack, accessors, objects, graph_commands, graph_runs };
    ProcessInfo { pid, name, command_line, host, start_unix_ns, start_monotonic_ns, start_ns, from_ns, until_ns, recorder, complete, rank, rank_count, local_rank } may lack { start_monotonic_ns, start_ns, from_ns, until_ns, complete, rank, rank_count, local_rank };
    QueueInfo { id, track, order, device, device_type, created_ns, destroyed_ns };
    SliceDetail {
        at, name, category, unfinished, location, args, stack, native_handles, node, flows_in, flows_out,
    } may lack { stack, native_handles, flows_in, flows_out };
    SliceRef { slice, track, lane, start_ns, duration_ns };
    StackFrameInfo { kind, is_inlined, name, module, location } may lack { is_inlined, module };
    TraceEntry { id, name, size_bytes, stored_unix_ns };
    TraceInfo {
        api_version, program, duration_ns, process, processes, tracks, queues, counts, kernels, diagnostics, findings,
        devices, facts, sources, pauses, active_ns, complete,
    } may lack { program, processes, findings, devices, facts, sources, pauses, active_ns };
    TrackInfo { id, parent, process, kind, name, lanes, slices, counter } may lack { process };
    ClockInfo { mappings, pairs, offset_ns, drift_ppb, residual_ns };
    DeviceInfo { device, process, name, device_type, platform, driver, handle, args, clock };
    FactInfo { process, kind, name, value };
    PauseInfo { process, start_ns, end_ns, reason };
    SourceInfo { path, state, sha256, size_bytes };
    SourceText { file, text };
    Finding {
        kind, severity, message, remedy, evidence, process, at_ns, until_ns, location, at, count, gain, no_gain,
        touches_ns, slices, nodes, filter, iterations,
    } may lack { remedy, until_ns, count, no_gain, touches_ns, slices, nodes, filter, iterations };
    FindingIterations { iterations, mean_ns, count, touches_ns, gain_ns };
    Gain { ns, bytes, how };
    AccessorDetail { object, at_ns, target, mode, address, location, args };
    ObjectDetail {
        object, kind, address, host_pointer, element_type, element_size_bytes, range, created_ns, destroyed_ns,
        location, args, memory, accessors,
    };
    ObjectMemory { handle, bound_ns, unbound_ns, size_bytes, allocated_ns, released_ns };
    NativeHandleDetail { object, handle, native, direction, ownership, at_ns, released_ns, location };
    GraphChangeDetail { at_ns, change, args };
    GraphCommandDetail { partition, position, sync_point, runs };
    GraphRunDetail { partition, run, commands };
    NodeRef { node, kind, name, at };
    PartitionDetail {
        partition, graph, place, partitions, handle, device, is_in_order, is_updatable, created_ns, changes,
        change_count, commands, runs, location, args,
    };
}

words!(Severity);
