//! Devices, facts, source files and pauses for views.

use syclscope_language::api::{ClockInfo, DeviceInfo, FactInfo, PauseInfo, SourceInfo, SourceText};

use super::detail::{args, pointer};
use crate::store::Trace;
use crate::store::machine::{ClockRow, DeviceRow};
use crate::store::table::Table as _;

pub(super) fn devices(trace: &Trace) -> Vec<DeviceInfo> {
    let text = |id| trace.strings.get(id).to_owned();
    let info = |row: DeviceRow| DeviceInfo {
        device: row.number,
        process: row.process,
        name: text(row.name),
        device_type: text(row.device_type),
        platform: text(row.platform),
        driver: text(row.driver),
        handle: pointer(row.handle),
        args: args(trace, row.args),
        clock: clock(trace, &row),
    };
    trace.machine.devices.iter().map(info).collect()
}

/// Returns the last mapping of a device's clock, with the largest residual of all.
fn clock(trace: &Trace, device: &DeviceRow) -> Option<ClockInfo> {
    let is_its = |clock: &ClockRow| clock.process == device.process && clock.device_handle == device.handle;
    let clocks: Vec<_> = trace.machine.clocks.iter().filter(is_its).collect();
    let residual_ns = clocks.iter().map(|clock| clock.residual_ns).max()?;
    let last = clocks.iter().max_by_key(|clock| clock.at)?;
    Some(ClockInfo {
        mappings: clocks.len() as u64,
        pairs: last.pairs,
        offset_ns: last.offset_ns,
        drift_ppb: last.drift_ppb,
        residual_ns,
    })
}

pub(super) fn facts(trace: &Trace, most: usize) -> Vec<FactInfo> {
    let facts = trace.machine.facts.iter().take(most).map(|row| FactInfo {
        process: row.process,
        kind: row.kind,
        name: trace.strings.get(row.name).to_owned(),
        value: trace.strings.get(row.value).to_owned(),
    });
    facts.collect()
}

pub(super) fn pauses(trace: &Trace, most: usize) -> Vec<PauseInfo> {
    let pauses = trace.machine.pauses.iter().take(most).map(|row| PauseInfo {
        process: row.process,
        start_ns: row.start,
        end_ns: row.end,
        reason: trace.strings.get(row.reason).to_owned(),
    });
    pauses.collect()
}

pub(super) fn source(trace: &Trace, row: u32) -> Option<SourceInfo> {
    let row = trace.machine.sources.get(row)?;
    Some(SourceInfo {
        path: trace.strings.get(row.path).to_owned(),
        state: row.state,
        sha256: trace.strings.get(row.sha256).to_owned(),
        size_bytes: row.size_bytes,
    })
}

pub(super) fn source_text(trace: &Trace, row: u32) -> Option<SourceText> {
    let text = trace.strings.get(trace.machine.sources.get(row)?.text);
    Some(SourceText { file: source(trace, row)?, text: text.to_owned() })
}

pub(super) fn source_file(trace: &Trace, path: &str) -> Option<SourceText> {
    let paths = trace.machine.sources.path.iter();
    let row = paths.enumerate().filter(|(_, known)| trace.strings.get(*known) == path).last()?.0;
    source_text(trace, u32::try_from(row).ok()?)
}
