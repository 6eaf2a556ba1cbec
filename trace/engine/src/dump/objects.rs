//! Memory objects, command graphs and native handles as text.

use std::fmt::{self, Write as _};

use super::write_tail;
use crate::id::{ArgsId, some};
use crate::store::Trace;
use crate::store::table::Table as _;

pub(super) fn write(trace: &Trace, out: &mut String) -> fmt::Result {
    memory_objects(trace, out)?;
    command_graphs(trace, out)?;
    for handle in trace.handles.iter() {
        let (object, process) = (trace.strings.get(handle.object), handle.process);
        write!(out, "native {object:?} {:#x} as {:#x} process {process}", handle.native, handle.handle)?;
        write!(out, " {} {}", handle.direction.as_str(), handle.ownership.as_str())?;
        write!(out, " [{}, {:?}] tid {}", handle.at, handle.released, handle.tid)?;
        write_tail(trace, handle.location, ArgsId(0), out)?;
    }
    Ok(())
}

fn memory_objects(trace: &Trace, out: &mut String) -> fmt::Result {
    let objects = &trace.objects;
    for object in objects.rows.iter() {
        write!(out, "object {} {} {:#x}", object.number, object.kind.as_str(), object.address)?;
        if !object.announced {
            write!(out, " not announced")?;
        }
        write!(out, " over {:#x}", object.host_pointer)?;
        write!(out, " of {:?} × {}", trace.strings.get(object.element_type), object.element_size_bytes)?;
        write!(
            out,
            " {} dimensions {:?} process {}",
            object.dimensions,
            [object.range_0, object.range_1, object.range_2],
            object.process
        )?;
        write!(out, " [{}, {:?}] tid {}", object.created, object.destroyed, object.tid)?;
        write_tail(trace, object.location, object.args, out)?;
    }
    let number = |row: u32| objects.rows.get(row).map_or(0, |object| object.number);
    for binding in objects.bindings.iter() {
        write!(out, "memory {:#x} of object {}", binding.handle, number(binding.object))?;
        write!(out, " [{:?}, {:?}]", binding.bound, binding.unbound)?;
        writeln!(out, " allocation {:?}", some(binding.allocation))?;
    }
    for accessor in objects.accessors.iter() {
        write!(out, "accessor {:#x} of object {}", accessor.address, number(accessor.object))?;
        let (target, mode) = (trace.strings.get(accessor.target), trace.strings.get(accessor.mode));
        write!(out, " {target:?} {mode:?} at {}", accessor.at)?;
        if let Some(node) = some(accessor.node).and_then(|row| trace.nodes.get(row)) {
            write!(out, " node {}", node.number)?;
        }
        write!(out, " tid {}", accessor.tid)?;
        write_tail(trace, accessor.location, accessor.args, out)?;
    }
    Ok(())
}

fn command_graphs(trace: &Trace, out: &mut String) -> fmt::Result {
    let graphs = &trace.command_graphs;
    for partition in graphs.rows.iter() {
        write!(out, "partition {} of graph {}", partition.number, partition.group)?;
        if !partition.announced {
            write!(out, " not announced")?;
        }
        write!(out, " {} of {}", partition.place + 1, partition.partitions)?;
        write!(out, " {:#x} on {:#x}", partition.handle, partition.device_handle)?;
        write!(out, " in-order {} updatable {}", partition.is_in_order, partition.is_updatable)?;
        write!(out, " at {} tid {} process {}", partition.created, partition.tid, partition.process)?;
        write_tail(trace, partition.location, partition.args, out)?;
    }
    let number = |row: u32| graphs.rows.get(row).map_or(0, |partition| partition.number);
    let node = |row: u32| trace.nodes.get(row).map_or(0, |node| node.number);
    for command in graphs.commands.iter() {
        write!(out, "command {} of partition {}", command.position, number(command.partition))?;
        write!(out, " node {} at {}", node(command.node), command.at)?;
        writeln!(out, " sync point {:?}", command.sync_point)?;
    }
    for change in graphs.changes.iter() {
        write!(out, "partition {} {} at {}", number(change.partition), change.change.as_str(), change.at)?;
        write_tail(trace, Default::default(), change.args, out)?;
    }
    for run in graphs.runs.iter() {
        writeln!(out, "run of partition {} node {} at {}", number(run.partition), node(run.node), run.at)?;
    }
    Ok(())
}
