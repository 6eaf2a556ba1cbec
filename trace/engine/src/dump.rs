//! A trace as readable text: one line a row, in table order.

mod objects;

use std::fmt::{self, Write as _};

use syclscope_language::event::{SourceLocation, Value};

use crate::id::{ArgsId, LocationId, some};
use crate::store::Trace;
use crate::store::table::Table as _;

impl Trace {
    /// Returns the whole trace as readable text, for tests and for debugging. Not a stable format.
    pub fn dump(&self) -> String {
        let mut out = String::new();
        // Writing to a String does not fail.
        let _ = write_trace(self, &mut out);
        out
    }
}

fn write_trace(trace: &Trace, out: &mut String) -> fmt::Result {
    for process in &trace.processes {
        writeln!(out, "process {} {:?} {:?}", process.pid, process.name, process.command_line)?;
        write!(out, "host {:?} recorder {:?}", process.host, process.recorder)?;
        writeln!(out, " start {} complete {}", process.start_unix_ns, process.complete)?;
        if process.from_ns.is_some() || process.until_ns.is_some() {
            writeln!(out, "part from {:?} until {:?}", process.from_ns, process.until_ns)?;
        }
    }
    writeln!(out, "duration {} complete {}", trace.duration_ns, trace.complete)?;
    for diagnostic in &trace.diagnostics {
        let at = diagnostic.first_offset.map(|offset| format!(" first at byte {offset}")).unwrap_or_default();
        writeln!(out, "{:?} {} × {}{at}", diagnostic.severity, diagnostic.kind, diagnostic.count)?;
    }
    for row in 0..trace.tracks.len() {
        write_track(trace, row, out)?;
    }
    for queue in trace.queues.iter() {
        write!(out, "queue {} track {} {}", queue.number, queue.track, queue.order.as_str())?;
        let (device, device_type) = (trace.strings.get(queue.device), trace.strings.get(queue.device_type));
        write!(out, " device {device:?} {device_type:?} {:#x}", queue.device_handle)?;
        write!(out, " id {} handle {:#x} context {:#x}", queue.runtime_id, queue.handle, queue.context)?;
        writeln!(out, " [{}, {:?}]", queue.created, queue.destroyed)?;
    }
    let mut nodes: Vec<_> = trace.nodes.iter().collect();
    nodes.sort_by_key(|node| node.number);
    for node in nodes {
        let name = trace.strings.get(node.name);
        write!(out, "node {} {} {name:?} at {}", node.number, node.kind.as_str(), node.created)?;
        if let Some(queue) = some(node.queue).and_then(|row| trace.queues.get(row)) {
            write!(out, " queue {}", queue.number)?;
        }
        if !node.announced {
            write!(out, " not announced")?;
        }
        write!(out, " tid {}", node.tid)?;
        write!(out, " submission {:?} execution {:?}", some(node.submission), some(node.execution))?;
        write_tail(trace, node.location, node.args, out)?;
    }
    for edge in trace.edges.rows.iter() {
        let number = |row: u32| trace.nodes.get(row).map_or(0, |node| node.number);
        write!(out, "edge {} → {} at {}", number(edge.source), number(edge.target), edge.at)?;
        write!(out, " {} {:?}", edge.reason.as_str(), trace.strings.get(edge.access_mode))?;
        write!(out, " {:#x}", edge.memory_object)?;
        match some(edge.object).and_then(|row| trace.objects.rows.get(row)) {
            Some(object) => writeln!(out, " object {}", object.number)?,
            None => writeln!(out)?,
        }
    }
    for flow in trace.flows.rows.iter() {
        writeln!(out, "flow {} → {} {:?}", flow.source, flow.target, trace.strings.get(flow.name))?;
    }
    for allocation in trace.allocations.iter() {
        write!(out, "allocation {:#x} {} bytes", allocation.pointer, allocation.size_bytes)?;
        write!(out, " {} {:?}", allocation.kind.as_str(), trace.strings.get(allocation.device))?;
        write!(out, " [{}, {:?}] tid {}", allocation.at, allocation.released, allocation.tid)?;
        if allocation.guard_bytes != 0 {
            write!(out, " guard {}", allocation.guard_bytes)?;
        }
        write_tail(trace, allocation.location, ArgsId(0), out)?;
    }
    for stray in trace.strays.iter() {
        writeln!(
            out,
            "stray release {:#x} at {} process {} tid {}",
            stray.pointer, stray.at, stray.process, stray.tid
        )?;
    }
    objects::write(trace, out)?;
    write_machine(trace, out)?;
    for kernel in trace.kernels() {
        write!(out, "summary {} {:?} × {}", kernel.kind.as_str(), kernel.name, kernel.count)?;
        writeln!(out, " total {} min {} max {}", kernel.total_ns, kernel.min_ns, kernel.max_ns)?;
    }
    Ok(())
}

fn write_track(trace: &Trace, row: usize, out: &mut String) -> fmt::Result {
    let track = trace.tracks.row(row);
    let name = trace.strings.get(track.name);
    writeln!(out, "track {row} {} {name:?} in {:?}", track.kind.as_str(), some(track.parent))?;
    for lane in 0..track.lanes {
        for slice in trace.slices.lane((track.first_lane + lane) as usize) {
            write_slice(trace, lane, slice, out)?;
        }
    }
    if let Some(counter) = some(track.counter) {
        let unit = trace.counters.units.at(counter as usize);
        writeln!(out, "  unit {:?}", trace.strings.get(unit))?;
        for sample in trace.counters.rows(counter) {
            writeln!(out, "  at {} = {:?}", trace.counters.at[sample], trace.counters.value[sample])?;
        }
    }
    Ok(())
}

fn write_slice(trace: &Trace, lane: u32, row: usize, out: &mut String) -> fmt::Result {
    let slices = &trace.slices;
    write!(out, "  {row} lane {lane} [{}, {}]", slices.start.at(row), slices.end(row))?;
    write!(out, " {} {:?}", slices.category(row).as_str(), trace.strings.get(slices.name.at(row)))?;
    if slices.is_unfinished(row) {
        write!(out, " unfinished")?;
    }
    if let Some(node) = some(slices.node.at(row)).and_then(|row| trace.nodes.get(row)) {
        write!(out, " node {}", node.number)?;
    }
    if let Some(execution) = trace.executions.get(row as u32) {
        let crate::store::graph::ExecutionRow { kind, queued, submitted, in_pieces } = execution;
        write!(out, " {} queued {queued:?} submitted {submitted:?}", kind.as_str())?;
        if in_pieces {
            write!(out, " in pieces")?;
        }
    }
    write_tail(trace, slices.location.at(row), slices.args.at(row), out)
}

fn write_tail(trace: &Trace, location: LocationId, args: ArgsId, out: &mut String) -> fmt::Result {
    if let Some(place) = trace.locations.place(location, &trace.strings) {
        let SourceLocation { function, file, line, column } = place;
        write!(out, " in {function:?} {file:?}:{line}:{column}")?;
    }
    for (key, value) in trace.args.get(args, &trace.strings) {
        match value {
            Value::Str(text) => write!(out, " {key}={text:?}")?,
            Value::Int(number) => write!(out, " {key}={number:+}")?,
            Value::Uint(number) => write!(out, " {key}={number}")?,
            Value::Float(number) => write!(out, " {key}={number:?}")?,
            Value::Bool(truth) => write!(out, " {key}={truth}")?,
            Value::Pointer(address) => write!(out, " {key}={address:#x}")?,
        }
    }
    out.push('\n');
    Ok(())
}

/// Writes devices, facts, source files, pauses and findings.
fn write_machine(trace: &Trace, out: &mut String) -> fmt::Result {
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
