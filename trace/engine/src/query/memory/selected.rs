//! Memory selected by a query.

use syclscope_language::api::has_name;
use syclscope_language::event::AllocationKind;
use syclscope_language::question::MemoryFilter;

use crate::id::StringId;
use crate::query::QueryError;
use crate::store::Trace;

/// A [`MemoryFilter`] compiled for fast checks.
pub(super) struct SelectedMemory {
    process: Option<u32>,
    /// True for each selected kind, by its number.
    kinds: Vec<bool>,
    device: Device,
}

enum Device {
    Any,
    /// Devices with a name, or one device by its name and number; empty if no memory is on such a device.
    These(Vec<StringId>),
}

impl SelectedMemory {
    /// Returns the memory that a question selects.
    ///
    /// # Errors
    /// Returns an error if there is no such process.
    pub(super) fn new(trace: &Trace, of: &MemoryFilter) -> Result<Self, QueryError> {
        let MemoryFilter { process, kinds, device } = of;
        if let Some(process) = process.filter(|process| *process as usize >= trace.processes.len()) {
            return Err(QueryError::NoProcess(process));
        }
        let is_meant = |kind: &AllocationKind| kinds.as_ref().is_none_or(|kinds| kinds.contains(kind));
        let device = match device {
            None => Device::Any,
            Some(name) => {
                let devices = trace.memory_history().series.iter().map(|series| series.device);
                Device::These(devices.filter(|device| has_name(trace.strings.get(*device), name)).collect())
            }
        };
        Ok(Self { process: *process, kinds: AllocationKind::ALL.iter().map(is_meant).collect(), device })
    }

    pub(super) fn has(&self, process: u32, kind: AllocationKind, device: StringId) -> bool {
        let kind = AllocationKind::ALL.iter().position(|known| *known == kind);
        self.process.is_none_or(|selected| selected == process)
            && kind.and_then(|kind| self.kinds.get(kind)).is_some_and(|is_meant| *is_meant)
            && match &self.device {
                Device::Any => true,
                Device::These(selected) => selected.contains(&device),
            }
    }

    pub(super) fn has_row(&self, trace: &Trace, row: usize) -> bool {
        let rows = &trace.allocations;
        self.has(rows.process.at(row), rows.kind.at(row), rows.title.at(row))
    }
}
