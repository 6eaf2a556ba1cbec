//! The memory of a copy's two ends, and of a call's other arguments.

use rustc_hash::FxHashMap;
use syclscope_language::api::Side;
use syclscope_language::event::AllocationKind;

use super::super::addresses::Addresses;
use super::super::calls::{Call, MemoryLocation};
use crate::id::{NONE, some};
use crate::store::Trace;
use crate::store::table::Table as _;

#[derive(Clone, Copy, Debug)]
pub(in crate::query::memory) struct End {
    pub(in crate::query::memory) side: Side,
    /// Id of the object, or `NONE`.
    pub(in crate::query::memory) id: u32,
    /// Row of the allocation, or `NONE`.
    pub(in crate::query::memory) allocation: u32,
    /// Address or handle.
    pub(in crate::query::memory) pointer: u64,
    pub(in crate::query::memory) is_handle: bool,
    /// First byte within the object, if known.
    pub(in crate::query::memory) offset: Option<u64>,
}

/// Lifetime of an object's handle: from, to, row of the object.
type Binding = (u64, u64, u32);

/// Memory by address or handle, at a moment that only moves forward.
pub(in crate::query::memory) struct Ends<'t> {
    trace: &'t Trace,
    pub(super) addresses: Addresses<'t>,
    /// Objects by process and handle.
    handles: FxHashMap<(u32, u64), Vec<Binding>>,
    /// Parts of buffers, by process and handle: creation time and offset.
    pub(super) origins: FxHashMap<(u32, u64), (u64, u64)>,
    now: u64,
}

impl<'t> Ends<'t> {
    pub(super) fn new(trace: &'t Trace) -> Self {
        let mut handles: FxHashMap<(u32, u64), Vec<Binding>> = FxHashMap::default();
        for binding in trace.objects.bindings.iter() {
            let Some(object) = trace.objects.rows.get(binding.object) else { continue };
            let (from, to) = (binding.bound.unwrap_or_default(), binding.unbound.unwrap_or(u64::MAX));
            handles.entry((object.process, binding.handle)).or_default().push((from, to, binding.object));
        }
        Self { trace, addresses: Addresses::new(trace), handles, origins: FxHashMap::default(), now: 0 }
    }

    pub(super) fn go_to(&mut self, at: u64) {
        self.now = at;
        self.addresses.go_to(at);
    }

    /// Records the handle of a part of a buffer with its offset.
    pub(super) fn part(&mut self, call: &Call) {
        if let Some(MemoryLocation { pointer, offset: Some(origin), .. }) = call.to {
            self.origins.insert((call.process, pointer), (self.now, origin));
        }
    }

    pub(super) fn resolve(&self, process: u32, location: MemoryLocation) -> End {
        let MemoryLocation { pointer, offset, is_handle } = location;
        let found = self.addresses.at(process, pointer).filter(|(_, behind)| !is_handle || *behind == 0);
        let allocation = found.map_or(NONE, |found| found.0);
        let unknown = End { side: Side::Unknown, id: NONE, allocation, pointer, is_handle, offset };
        if is_handle {
            let binding = self.handles.get(&(process, pointer)).map(Vec::as_slice).unwrap_or_default();
            // The recorder may report a binding after the first call with it.
            let object = binding
                .iter()
                .rev()
                .find(|binding| binding.0 <= self.now && self.now <= binding.1)
                .or_else(|| binding.iter().find(|binding| self.now < binding.0))
                .or(binding.last());
            let own = (allocation != NONE).then(|| self.trace.owners().id_of(allocation));
            let id = object.map(|binding| binding.2).or(own).unwrap_or(NONE);
            // Handles are reused: memory allocated since is no part.
            let is_since = |made: u64| {
                some(allocation).is_some_and(|row| self.trace.allocations.at.at(row as usize) >= made)
            };
            let part = self.origins.get(&(process, pointer)).filter(|(made, _)| !is_since(*made));
            let origin = part.map_or(0, |(_, origin)| *origin);
            let offset = offset.map(|offset| offset.saturating_add(origin));
            return End { side: Side::Device, id, offset, ..unknown };
        }
        let Some((row, behind)) = found else { return End { side: Side::Host, ..unknown } };
        let side = match self.trace.allocations.kind.at(row as usize) {
            AllocationKind::Device => Side::Device,
            AllocationKind::Shared => Side::Shared,
            AllocationKind::Host => Side::Host,
            _ => Side::Unknown,
        };
        End { side, id: self.trace.owners().id_of(row), offset: offset.map(|own| own + behind), ..unknown }
    }
}
