//! Devices, clocks, facts, source files and pauses.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use syclscope_language::event::{Device, DeviceClock, Fact, FactKind, Pause, SourceFile};

use super::TraceBuilder;
use crate::diagnostics::DiagnosticKind;
use crate::id::StringId;
use crate::store::machine::{ClockRow, DeviceRow, FactRow, Machine, PauseRow, SourceRow};
use crate::store::table::Table;

#[derive(Debug, Default)]
pub(super) struct MachineBuilder {
    devices: Latest<u64, DeviceRow>,
    clocks: Vec<ClockRow>,
    facts: Latest<(u32, FactKind, StringId), FactRow>,
    sources: Latest<(StringId, StringId), SourceRow>,
    pauses: Vec<PauseRow>,
    open_pauses: FxHashMap<u32, usize>,
}

impl MachineBuilder {
    pub(super) fn device_type(&self, number: u64) -> Option<StringId> {
        self.devices.get(&number).map(|row| row.device_type)
    }

    pub(super) fn devices(&self) -> &[DeviceRow] {
        &self.devices.rows
    }

    pub(super) fn devices_mut(&mut self) -> &mut [DeviceRow] {
        &mut self.devices.rows
    }

    pub(super) fn finish(self) -> Machine {
        Machine {
            devices: Table::of_rows(self.devices.rows.into_iter()),
            clocks: Table::of_rows(self.clocks.into_iter()),
            facts: Table::of_rows(self.facts.rows.into_iter()),
            sources: Table::of_rows(self.sources.rows.into_iter()),
            pauses: Table::of_rows(self.pauses.into_iter()),
        }
    }
}

/// Rows; each replaces an earlier one with the same key.
#[derive(Debug)]
struct Latest<K, R> {
    rows: Vec<R>,
    positions: FxHashMap<K, usize>,
}

impl<K, R> Default for Latest<K, R> {
    fn default() -> Self {
        Self { rows: Vec::new(), positions: FxHashMap::default() }
    }
}

impl<K: Hash + Eq, R> Latest<K, R> {
    fn get(&self, key: &K) -> Option<&R> {
        self.rows.get(*self.positions.get(key)?)
    }

    fn put(&mut self, key: K, row: R) {
        let position = *self.positions.entry(key).or_insert(self.rows.len());
        match self.rows.get_mut(position) {
            Some(old) => *old = row,
            None => self.rows.push(row),
        }
    }
}

impl TraceBuilder {
    /// Adds a device. A later description replaces an earlier one.
    pub(super) fn device(&mut self, device: &Device<'_>) {
        let row = DeviceRow {
            process: self.processes.number(),
            number: device.device,
            at: self.time(device.at),
            name: self.strings.intern(device.name),
            title: StringId::default(),
            handle: device.handle,
            device_type: self.strings.intern(device.device_type),
            platform: self.strings.intern(device.platform),
            driver: self.strings.intern(device.driver),
            args: self.args(device.args),
        };
        self.machine.devices.put(device.device, row);
    }

    pub(super) fn device_clock(&mut self, clock: &DeviceClock) {
        let at = self.time(clock.at);
        let DeviceClock { device_handle, at: _, pairs, offset_ns, drift_ppb, residual_ns } = *clock;
        let process = self.processes.number();
        let row = ClockRow { process, device_handle, at, pairs, offset_ns, drift_ppb, residual_ns };
        self.machine.clocks.push(row);
    }

    /// Adds a fact; the last value of a name wins.
    pub(super) fn fact(&mut self, fact: &Fact<'_>) {
        self.time(fact.at);
        let (name, value) = (self.strings.intern(fact.name), self.strings.intern(fact.value));
        let row = FactRow { process: self.processes.number(), kind: fact.kind, name, value };
        self.machine.facts.put((row.process, row.kind, row.name), row);
        let is_of_streams = fact.name == "device times" && fact.value.starts_with("the runtime's events");
        if fact.kind == FactKind::Setting && is_of_streams {
            self.diagnostics.count(DiagnosticKind::StreamStarts);
        }
    }

    pub(super) fn source_file(&mut self, file: &SourceFile<'_>) {
        self.time(file.at);
        let row = SourceRow {
            path: self.strings.intern(file.name),
            state: file.state,
            sha256: self.strings.intern(file.sha256),
            size_bytes: file.size_bytes,
            text: self.strings.intern(file.text),
        };
        self.machine.sources.put((row.path, row.sha256), row);
    }

    pub(super) fn pause(&mut self, pause: &Pause<'_>) {
        let at = self.time(pause.at);
        let process = self.processes.number();
        let reason = self.strings.intern(pause.reason);
        let MachineBuilder { pauses, open_pauses, .. } = &mut self.machine;
        let open = open_pauses.remove(&process);
        if !pause.is_paused {
            if let Some(row) = open.and_then(|row| pauses.get_mut(row)) {
                row.end = Some(at.max(row.start));
            }
            return;
        }
        let row = open.unwrap_or_else(|| {
            pauses.push(PauseRow { process, start: at, end: None, reason });
            pauses.len() - 1
        });
        open_pauses.insert(process, row);
    }
}
