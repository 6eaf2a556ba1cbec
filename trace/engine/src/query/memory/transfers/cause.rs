//! Causes of copies.

use syclscope_language::api::{Side, TransferCause, TransferCauseKind};
use syclscope_language::event::NodeKind;

use super::IMPLICIT;
use crate::id::{LocationId, some};
use crate::query::detail::{location, slice_ref};
use crate::query::memory::activity::Copy;
use crate::store::Trace;
use crate::store::graph::EdgeRow;
use crate::store::table::Table as _;

pub(super) fn cause(trace: &Trace, copy: &Copy) -> TransferCause {
    let call = || TransferCause {
        kind: TransferCauseKind::Program,
        name: trace.strings.get(trace.slices.name.at(copy.call as usize)).to_owned(),
        at: Some(slice_ref(trace, copy.call)),
        ..TransferCause::default()
    };
    let Some(node) = some(copy.node).and_then(|node| trace.nodes.get(node)) else { return call() };
    if !trace.strings.get(node.name).starts_with(IMPLICIT) {
        return TransferCause { location: location(trace, node.location), ..call() };
    }
    // The runtime's own copy: the commands that waited for it needed the data.
    let kind_of = |edge: &EdgeRow| trace.nodes.get(edge.target).map_or(NodeKind::Other, |node| node.kind);
    let needs = |edge: &EdgeRow| !matches!(kind_of(edge), NodeKind::Allocation | NodeKind::Deallocation);
    let edge = trace.edges.outgoing(copy.node).filter(needs).min_by_key(|edge| (edge.at, edge.target));
    match edge {
        Some(edge) => of_command(trace, &edge, kind_of(&edge)),
        None if copy.to.side == Side::Host => {
            let object = some(copy.from.id).filter(|id| *id < trace.owners().objects());
            let place = object.map(|row| trace.objects.rows.location.at(row as usize));
            TransferCause {
                kind: TransferCauseKind::WriteBack,
                location: place.and_then(|place| location(trace, place)),
                ..TransferCause::default()
            }
        }
        None => TransferCause::default(),
    }
}

/// Returns the cause of a copy: a command whose accessor needed the data.
fn of_command(trace: &Trace, edge: &EdgeRow, kind: NodeKind) -> TransferCause {
    let node = trace.nodes.row(edge.target as usize);
    let accessor = trace
        .objects
        .accessors_of_node(edge.target)
        .find(|accessor| some(edge.object).is_none_or(|object| object == accessor.object));
    let own = accessor.map(|accessor| accessor.location).filter(|place| *place != LocationId(0));
    let mode = accessor.map_or(edge.access_mode, |accessor| accessor.mode);
    let slice = some(node.execution).or(some(node.submission));
    TransferCause {
        kind: match kind {
            NodeKind::HostAccessor => TransferCauseKind::HostAccessor,
            _ => TransferCauseKind::Accessor,
        },
        node: Some(node.number),
        name: trace.strings.get(node.name).to_owned(),
        mode: trace.strings.get(mode).to_owned(),
        at: slice.map(|slice| slice_ref(trace, slice)),
        location: location(trace, own.unwrap_or(node.location)),
    }
}
