//! Memory objects, their memory, and accessors.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Accessor, AllocationKind, MemoryObject, ObjectBinding, ObjectDestroy};

use super::TraceBuilder;
use crate::diagnostics::{DiagnosticKind, Diagnostics};
use crate::id::NONE;
use crate::store::memory::AllocationRow;
use crate::store::objects::{AccessorRow, BindingRow, ObjectRow, Objects};

/// Memory objects in the order of their first mention.
#[derive(Debug, Default)]
pub(super) struct ObjectBuilder {
    rows: Vec<ObjectRow>,
    numbers: FxHashMap<u64, u32>,
    /// The newest object of a process at an address.
    addresses: FxHashMap<(u32, u64), u32>,
    bindings: Vec<BindingRow>,
    /// The current binding of an object by object and handle.
    bound: FxHashMap<(u32, u64), usize>,
    accessors: Vec<AccessorRow>,
}

impl ObjectBuilder {
    /// Returns the row of an object; adds a placeholder for one that was not announced yet.
    fn row(&mut self, number: u64, process: u32) -> u32 {
        *self.numbers.entry(number).or_insert_with(|| {
            self.rows.push(ObjectRow { process, number, ..ObjectRow::default() });
            self.rows.len() as u32 - 1
        })
    }

    /// Returns the row of the present object at an address, or [`NONE`].
    pub(super) fn at_address(&self, process: u32, address: u64) -> u32 {
        if address == 0 {
            return NONE;
        }
        self.addresses.get(&(process, address)).copied().unwrap_or(NONE)
    }

    pub(super) fn finish(
        self,
        allocations: &[AllocationRow],
        nodes: usize,
        diagnostics: &mut Diagnostics,
    ) -> Objects {
        let Self { rows, mut bindings, accessors, .. } = self;
        for _ in rows.iter().filter(|object| !object.announced) {
            diagnostics.count(DiagnosticKind::UnknownObject);
        }
        let mut of_pointer: FxHashMap<(u32, u64), Vec<u32>> = FxHashMap::default();
        if !bindings.is_empty() {
            for (row, allocation) in allocations.iter().enumerate() {
                if matches!(allocation.kind, AllocationKind::Buffer | AllocationKind::Image) {
                    of_pointer.entry((allocation.process, allocation.pointer)).or_default().push(row as u32);
                }
            }
        }
        for binding in &mut bindings {
            let Some(object) = rows.get(binding.object as usize) else { continue };
            let Some(candidates) = of_pointer.get(&(object.process, binding.handle)) else { continue };
            let at = binding.bound.or(binding.unbound).unwrap_or_default();
            // Allocations are ordered by time. The recorder may report a binding before its memory.
            let later = candidates.partition_point(|row| allocations[*row as usize].at <= at);
            let live = later
                .checked_sub(1)
                .map(|before| candidates[before])
                .filter(|row| allocations[*row as usize].released.is_none_or(|released| released >= at));
            // Handles are reused: after the destruction of this object, later memory belongs to another one.
            let until = binding.unbound.into_iter().chain(object.destroyed).min().unwrap_or(u64::MAX);
            let next = candidates.get(later).filter(|row| allocations[**row as usize].at <= until);
            binding.allocation = live.or(next.copied()).unwrap_or(NONE);
        }
        Objects::new(rows, bindings, accessors, nodes)
    }
}

impl TraceBuilder {
    pub(super) fn memory_object(&mut self, object: &MemoryObject<'_>) {
        let created = self.time(object.at);
        let process = self.processes.number();
        let element_type = self.strings.intern(object.element_type);
        let location = self.location(&object.location);
        let args = self.args(object.args);
        let row = self.objects.row(object.object, process);
        let entry = &mut self.objects.rows[row as usize];
        *entry = ObjectRow {
            process,
            number: object.object,
            created,
            destroyed: entry.destroyed,
            kind: object.kind,
            address: object.address,
            host_pointer: object.host_pointer,
            element_type,
            element_size_bytes: object.element_size_bytes,
            dimensions: object.dimensions,
            range_0: object.range_0,
            range_1: object.range_1,
            range_2: object.range_2,
            tid: object.tid,
            location,
            args,
            announced: true,
        };
        self.objects.addresses.insert((process, object.address), row);
    }

    pub(super) fn object_binding(&mut self, binding: &ObjectBinding) {
        let at = self.time(binding.at);
        let object = self.objects.row(binding.object, self.processes.number());
        let ObjectBuilder { bindings, bound, .. } = &mut self.objects;
        let key = (object, binding.handle);
        let open = bound.remove(&key);
        let empty =
            BindingRow { object, handle: binding.handle, bound: None, unbound: None, allocation: NONE };
        if binding.is_bound {
            bound.insert(key, bindings.len());
            bindings.push(BindingRow { bound: Some(at), ..empty });
        } else if let Some(row) = open.and_then(|row| bindings.get_mut(row)) {
            row.unbound = Some(at);
        } else {
            bindings.push(BindingRow { unbound: Some(at), ..empty });
        }
    }

    pub(super) fn object_destroy(&mut self, destroy: &ObjectDestroy) {
        let at = self.time(destroy.at);
        let row = self.objects.row(destroy.object, self.processes.number());
        self.objects.rows[row as usize].destroyed = Some(at);
    }

    pub(super) fn accessor(&mut self, accessor: &Accessor<'_>) {
        let at = self.time(accessor.at);
        let object = self.objects.row(accessor.object, self.processes.number());
        let row = AccessorRow {
            object,
            at,
            address: accessor.address,
            target: self.strings.intern(accessor.target),
            mode: self.strings.intern(accessor.mode),
            node: self.node_row(accessor.node),
            tid: accessor.tid,
            location: self.location(&accessor.location),
            args: self.args(accessor.args),
        };
        self.objects.accessors.push(row);
    }
}
