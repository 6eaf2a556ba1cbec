//! The accessors of a command, and its buffers and images.

use syclscope_language::api::{AccessorDetail, ObjectDetail, ObjectMemory};

use super::{args, location, pointer, pointer_if_any};
use crate::id::some;
use crate::query::element_type;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Maximum number of dimensions of a buffer or image.
const MAX_DIMENSIONS: usize = 3;

pub(super) fn accessors(trace: &Trace, node: u32) -> Vec<AccessorDetail> {
    let accessors = trace.objects.accessors_of_node(node).map(|row| AccessorDetail {
        object: trace.objects.rows.get(row.object).map_or(0, |object| object.number),
        at_ns: row.at,
        target: trace.strings.get(row.target).to_owned(),
        mode: trace.strings.get(row.mode).to_owned(),
        address: pointer(row.address),
        location: location(trace, row.location),
        args: args(trace, row.args),
    });
    accessors.collect()
}

/// Returns the distinct objects of a node's accessors and edges, by number.
pub(super) fn of_node(trace: &Trace, node: u32) -> Vec<ObjectDetail> {
    let of_accessors = trace.objects.accessors_of_node(node).map(|accessor| accessor.object);
    let edges = trace.edges.incoming(node).chain(trace.edges.outgoing(node));
    let of_edges = edges.filter_map(|edge| some(edge.object));
    let mut rows: Vec<u32> = of_accessors.chain(of_edges).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.into_iter().filter_map(|row| object(trace, row)).collect()
}

fn object(trace: &Trace, row: u32) -> Option<ObjectDetail> {
    let object = trace.objects.rows.get(row)?;
    let dimensions = (object.dimensions as usize).min(MAX_DIMENSIONS);
    let memory = trace.objects.bindings_of(row).map(|binding| {
        let allocation = some(binding.allocation).and_then(|row| trace.allocations.get(row));
        ObjectMemory {
            handle: pointer(binding.handle),
            bound_ns: binding.bound,
            unbound_ns: binding.unbound,
            size_bytes: allocation.map(|allocation| allocation.size_bytes),
            allocated_ns: allocation.map(|allocation| allocation.at),
            released_ns: allocation.and_then(|allocation| allocation.released),
        }
    });
    Some(ObjectDetail {
        object: object.number,
        kind: object.kind,
        address: pointer_if_any(object.address),
        host_pointer: pointer_if_any(object.host_pointer),
        element_type: element_type::readable(trace.strings.get(object.element_type)),
        element_size_bytes: object.element_size_bytes,
        range: [object.range_0, object.range_1, object.range_2][..dimensions].to_vec(),
        created_ns: object.created,
        destroyed_ns: object.destroyed,
        location: location(trace, object.location),
        args: args(trace, object.args),
        memory: memory.collect(),
        accessors: trace.objects.accessor_count(row) as u64,
    })
}
