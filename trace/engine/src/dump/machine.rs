//! Devices, facts, source files, pauses and findings as text.

use std::fmt::{self, Write as _};

use super::write_tail;
use crate::store::Trace;
use crate::store::table::Table as _;

pub(super) fn write(trace: &Trace, out: &mut String) -> fmt::Result {
    let machine = &trace.machine;
    let text = |id| trace.strings.get(id);
    for device in machine.devices.iter() {
        write!(out, "device {} {:?} {:?}", device.number, text(device.name), text(device.device_type))?;
        write!(out, " {:?} {:?}", text(device.platform), text(device.driver))?;
        write!(out, " {:#x} at {} process {}", device.handle, device.at, device.process)?;
        write_tail(trace, Default::default(), device.args, out)?;
    }
    for clock in machine.clocks.iter() {
        write!(out, "clock of {:#x} process {} at {}", clock.device_handle, clock.process, clock.at)?;
        write!(out, " {} pairs offset {:+}", clock.pairs, clock.offset_ns)?;
        writeln!(out, " drift {:+} residual {}", clock.drift_ppb, clock.residual_ns)?;
    }
    for fact in machine.facts.iter() {
        write!(out, "fact {} process {}", fact.kind.as_str(), fact.process)?;
        writeln!(out, " {:?} = {:?}", text(fact.name), text(fact.value))?;
    }
    for file in machine.sources.iter() {
        write!(out, "source {:?} {} {:?}", text(file.path), file.state.as_str(), text(file.sha256))?;
        writeln!(out, " {} bytes {:?}", file.size_bytes, text(file.text))?;
    }
    for pause in machine.pauses.iter() {
        write!(out, "pause of process {} [{}, {:?}]", pause.process, pause.start, pause.end)?;
        writeln!(out, " {:?}", text(pause.reason))?;
    }
    for finding in trace.handle_findings() {
        write!(out, "{:?} {} at {}", finding.severity, finding.kind, finding.at_ns)?;
        writeln!(out, " {:?}", finding.evidence)?;
    }
    Ok(())
}
