//! Details of one slice and of its command.

mod graphs;
mod objects;

use syclscope_language::api::{
    ArgValue, EdgeDetail, ExecutionDetail, FlowDetail, HostTaskEstimate, LocationInfo, NativeHandleDetail,
    NodeDetail, NodeRef, SliceDetail, SliceRef,
};
use syclscope_language::event::{CALL_STACK, Category, Value};

use crate::id::{ArgsId, LocationId, some};
use crate::store::Trace;
use crate::store::flows::FlowRow;
use crate::store::graph::EdgeRow;
use crate::store::native::HandleRow;
use crate::store::table::Table as _;

/// Returns the details of a slice that exists.
pub(super) fn slice(trace: &Trace, slice: u32) -> SliceDetail {
    let slices = &trace.slices;
    let row = slice as usize;
    let place = trace.waiting_place(row).unwrap_or(slices.location.at(row));
    SliceDetail {
        at: slice_ref(trace, slice),
        name: trace.strings.get(slices.name.at(row)).to_owned(),
        category: slices.category(row),
        unfinished: slices.is_unfinished(row),
        location: location(trace, place),
        args: args(trace, slices.args.at(row)),
        stack: trace.stack_frames(trace.stack_of_args(slices.args.at(row))),
        native_handles: native_handles(trace, row),
        node: node_of(trace, row).and_then(|node| node_detail(trace, node)),
        flows_in: trace.flows.incoming(slice).map(|flow| flow_detail(trace, &flow, flow.source)).collect(),
        flows_out: trace.flows.outgoing(slice).map(|flow| flow_detail(trace, &flow, flow.target)).collect(),
    }
}

fn flow_detail(trace: &Trace, flow: &FlowRow, other: u32) -> FlowDetail {
    FlowDetail {
        name: trace.strings.get(flow.name).to_owned(),
        slice: trace.strings.get(trace.slices.name.at(other as usize)).to_owned(),
        at: slice_ref(trace, other),
    }
}

pub(crate) fn slice_ref(trace: &Trace, slice: u32) -> SliceRef {
    let row = slice as usize;
    let lane = trace.slices.lane_of(row);
    let track = trace.tracks.of_lane(lane);
    let first_lane = trace.tracks.first_lane.at(track);
    SliceRef {
        slice,
        track: track as u32,
        lane: (lane as u32).saturating_sub(first_lane),
        start_ns: trace.slices.start.at(row),
        duration_ns: trace.slices.duration.at(row),
    }
}

/// Returns the node of a slice, or else of the innermost enclosing slice with a node.
pub(super) fn node_of(trace: &Trace, row: usize) -> Option<u32> {
    trace.with_enclosing(row).find_map(|around| some(trace.slices.node.at(around)))
}

fn node_detail(trace: &Trace, row: u32) -> Option<NodeDetail> {
    let node = trace.nodes.get(row)?;
    let submission = some(node.submission).map(|slice| slice_ref(trace, slice));
    let execution = some(node.execution).map(|slice| {
        let at = slice_ref(trace, slice);
        let submitted = some(node.submission).filter(|row| !trace.slices.is_unfinished(*row as usize));
        let submission_end = submitted.map(|row| trace.slices.end(row as usize));
        ExecutionDetail {
            at,
            queued_ns: trace.executions.get(slice).and_then(|row| row.queued),
            submitted_ns: trace.executions.get(slice).and_then(|row| row.submitted),
            // Times of a trace are below 2^62, so the difference fits.
            queueing_delay_ns: submission_end.map(|end| at.start_ns.cast_signed() - end.cast_signed()),
        }
    });
    Some(NodeDetail {
        id: node.number,
        kind: node.kind,
        name: trace.strings.get(node.name).to_owned(),
        queue: some(node.queue).and_then(|queue| trace.queues.get(queue)).map(|queue| queue.number),
        created_ns: node.created,
        location: location(trace, node.location),
        args: args(trace, node.args),
        stack: trace.stack_frames(trace.stack_of_args(node.args)),
        submission,
        execution,
        estimate: trace.host_tasks().get(row).map(|task| HostTaskEstimate {
            from_ns: task.from,
            to_ns: task.to,
            track: task.track,
        }),
        waits_for: trace.edges.incoming(row).map(|edge| edge_detail(trace, &edge, edge.source)).collect(),
        waited_by: trace.edges.outgoing(row).map(|edge| edge_detail(trace, &edge, edge.target)).collect(),
        accessors: objects::accessors(trace, row),
        objects: objects::of_node(trace, row),
        graph_commands: graphs::commands(trace, row),
        graph_runs: graphs::runs(trace, row),
    })
}

fn edge_detail(trace: &Trace, edge: &EdgeRow, other: u32) -> EdgeDetail {
    let NodeRef { node, kind, name, at } = node_ref(trace, other);
    EdgeDetail {
        node,
        kind,
        name,
        reason: edge.reason,
        access_mode: trace.strings.get(edge.access_mode).to_owned(),
        memory_object: pointer_if_any(edge.memory_object),
        object: some(edge.object).and_then(|row| trace.objects.rows.get(row)).map(|row| row.number),
        at,
    }
}

pub(super) fn node_ref(trace: &Trace, row: u32) -> NodeRef {
    let node = trace.nodes.get(row);
    let slice = node.and_then(|node| some(node.execution).or(some(node.submission)));
    NodeRef {
        node: node.map_or(0, |node| node.number),
        kind: node.map(|node| node.kind).unwrap_or_default(),
        name: node.map_or("", |node| trace.strings.get(node.name)).to_owned(),
        at: slice.map(|slice| slice_ref(trace, slice)),
    }
}

pub(crate) fn location(trace: &Trace, id: LocationId) -> Option<LocationInfo> {
    trace.locations.place(id, &trace.strings).map(|place| LocationInfo {
        function: place.function.to_owned(),
        file: place.file.to_owned(),
        line: place.line,
        column: place.column,
    })
}

pub(super) fn args(trace: &Trace, id: ArgsId) -> Vec<(String, ArgValue)> {
    let value = |value| match value {
        Value::Str(text) => ArgValue::Str(str::to_owned(text)),
        Value::Int(number) => ArgValue::Int(number),
        Value::Uint(number) => ArgValue::Uint(number),
        Value::Float(number) => ArgValue::Float(number),
        Value::Bool(truth) => ArgValue::Bool(truth),
        Value::Pointer(address) => ArgValue::Pointer(pointer(address)),
    };
    let is_shown = |(key, arg): &(&str, Value<'_>)| *key != CALL_STACK || !matches!(arg, Value::Uint(_));
    let args = trace.args.get(id, &trace.strings).filter(is_shown);
    args.map(|(key, arg)| (key.to_owned(), value(arg))).collect()
}

pub(super) fn pointer(address: u64) -> String {
    format!("{address:#x}")
}

fn pointer_if_any(address: u64) -> String {
    if address == 0 { String::new() } else { pointer(address) }
}

/// Returns the native handles that a call imported into SYCL or exported from it.
fn native_handles(trace: &Trace, row: usize) -> Vec<NativeHandleDetail> {
    let slices = &trace.slices;
    if trace.handles.len() == 0 || slices.category(row) != Category::Call {
        return Vec::new();
    }
    let track = trace.tracks.of_lane(slices.lane_of(row));
    let track = trace.tracks.row(track);
    let handles = trace.handles.on_thread(track.process, track.tid, slices.start.at(row), slices.end(row));
    handles.map(|handle| handle_detail(trace, &handle)).collect()
}

fn handle_detail(trace: &Trace, row: &HandleRow) -> NativeHandleDetail {
    NativeHandleDetail {
        object: trace.strings.get(row.object).to_owned(),
        handle: pointer(row.handle),
        native: pointer(row.native),
        direction: row.direction,
        ownership: row.ownership,
        at_ns: row.at,
        released_ns: row.released,
        location: location(trace, row.location),
    }
}
