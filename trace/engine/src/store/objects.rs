//! Memory objects (buffers and images), their memory, and the accessors to them.

use syclscope_language::event::ObjectKind;

use super::adjacency::Adjacency;
use super::table::{Table as _, columns, table};
use crate::id::{ArgsId, LocationId, StringId};

table! {
    /// Memory objects in the order of their first mention.
    ObjectTable,
    /// A buffer or image.
    ObjectRow {
        process: u32,
        /// Its number in the recording.
        number: u64,
        /// Time of its creation.
        created: u64,
        /// Time of its destruction; `None` if it never was destroyed.
        destroyed: Option<u64>,
        kind: ObjectKind,
        address: u64,
        /// Host memory that it was created over, 0 if none.
        host_pointer: u64,
        element_type: StringId,
        element_size_bytes: u64,
        dimensions: u32,
        /// Elements along the first dimension.
        range_0: u64,
        /// Elements along the second dimension.
        range_1: u64,
        /// Elements along the third dimension.
        range_2: u64,
        /// Thread that created it.
        tid: u32,
        /// Source location that created it.
        location: LocationId,
        args: ArgsId,
        /// True if the file announces it.
        announced: bool,
    }
}

table! {
    /// Bindings in recorded order.
    Bindings,
    /// Memory of an object in a context.
    BindingRow {
        /// Row of the object.
        object: u32,
        handle: u64,
        /// Time when it got the memory; `None` if only the loss was recorded.
        bound: Option<u64>,
        /// Time when it lost the memory; `None` if it never did.
        unbound: Option<u64>,
        /// Row of the allocation that is this memory, or `NONE`.
        allocation: u32,
    }
}

table! {
    /// Accessors in recorded order.
    Accessors,
    AccessorRow {
        /// Row of the object.
        object: u32,
        /// Time of its recording.
        at: u64,
        address: u64,
        /// Target of the accessor (device, host, …).
        target: StringId,
        mode: StringId,
        /// Row of the node that uses it, or `NONE`.
        node: u32,
        /// Thread that created it.
        tid: u32,
        /// Source location that created it.
        location: LocationId,
        args: ArgsId,
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    pub(crate) rows: ObjectTable,
    pub(crate) bindings: Bindings,
    pub(crate) accessors: Accessors,
    bindings_of: Adjacency,
    accessors_of: Adjacency,
    accessors_of_node: Adjacency,
}

columns!(Objects { rows, bindings, accessors, bindings_of, accessors_of, accessors_of_node });

impl Objects {
    pub(crate) fn new(
        rows: Vec<ObjectRow>,
        bindings: Vec<BindingRow>,
        accessors: Vec<AccessorRow>,
        nodes: usize,
    ) -> Self {
        let bindings = Bindings::of_rows(bindings.into_iter());
        let accessors = Accessors::of_rows(accessors.into_iter());
        Self {
            bindings_of: Adjacency::new(rows.len(), bindings.object.iter()),
            accessors_of: Adjacency::new(rows.len(), accessors.object.iter()),
            accessors_of_node: Adjacency::new(nodes, accessors.node.iter()),
            rows: ObjectTable::of_rows(rows.into_iter()),
            bindings,
            accessors,
        }
    }

    pub(crate) fn bindings_of(&self, object: u32) -> impl Iterator<Item = BindingRow> {
        self.bindings_of.get(object).iter().filter_map(|row| self.bindings.get(*row))
    }

    pub(crate) fn accessors_of(&self, object: u32) -> impl Iterator<Item = AccessorRow> {
        self.accessors_of.get(object).iter().filter_map(|row| self.accessors.get(*row))
    }

    pub(crate) fn accessor_count(&self, object: u32) -> usize {
        self.accessors_of.get(object).len()
    }

    pub(crate) fn accessors_of_node(&self, node: u32) -> impl Iterator<Item = AccessorRow> {
        self.accessors_of_node.get(node).iter().filter_map(|row| self.accessors.get(*row))
    }
}
