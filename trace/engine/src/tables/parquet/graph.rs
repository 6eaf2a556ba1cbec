//! The tables of the task graph and its memory.

use super::{Table, row_number};
use crate::store::Trace;
use crate::store::table::Table as _;

pub(super) fn tables(trace: &Trace) -> Vec<Table<'_>> {
    vec![
        nodes(trace),
        edges(trace),
        queues(trace),
        allocations(trace),
        objects(trace),
        bindings(trace),
        accessors(trace),
        command_graphs(trace),
        graph_commands(trace),
        graph_runs(trace),
    ]
}

fn nodes(trace: &Trace) -> Table<'_> {
    let rows = &trace.nodes;
    Table::new("nodes", "Nodes of the task graph: commands.", rows.len())
        .int("node", "Row of the node", |row| row as u64)
        .int("number", "Its number in the recording", |row| rows.number.at(row))
        .int("created_ns", "Time of creation", |row| rows.created.at(row))
        .text("kind", "Kind (`kernel`, `copy`, `host_task`, …)", |row| rows.kind.at(row).as_str())
        .string("name", "Kernel or command name", trace, |row| rows.name.at(row))
        .maybe("queue", "Row of its queue in `queues`", |row| row_number(rows.queue.at(row)))
        .int("tid", "Thread that made it", |row| rows.tid.at(row).into())
        .maybe("submission", "Slice of its submission", |row| row_number(rows.submission.at(row)))
        .maybe("execution", "Slice of its execution", |row| row_number(rows.execution.at(row)))
        .place(trace, |row| rows.location.at(row))
        .args(trace, |row| rows.args.at(row))
}

fn edges(trace: &Trace) -> Table<'_> {
    let rows = &trace.edges.rows;
    Table::new("edges", "Dependences: the source must finish before the target starts.", rows.len())
        .int("source", "Row of the node that must finish", |row| rows.source.at(row).into())
        .int("target", "Row of the node that must wait", |row| rows.target.at(row).into())
        .int("at_ns", "Time of recording", |row| rows.at.at(row))
        .text("reason", "Reason (`accessor`, `event`, `in_order`, …)", |row| rows.reason.at(row).as_str())
        .string("access_mode", "Access mode, empty if not by an accessor", trace, |row| {
            rows.access_mode.at(row)
        })
        .address("memory_object", "Memory object, 0 if none", |row| rows.memory_object.at(row))
}

fn queues(trace: &Trace) -> Table<'_> {
    let rows = &trace.queues;
    Table::new("queues", "SYCL queues.", rows.len())
        .int("queue", "Row of the queue", |row| row as u64)
        .int("number", "Its number in the recording", |row| rows.number.at(row))
        .maybe("track", "Track of its executions", |row| row_number(rows.track.at(row)))
        .text("order", "`in_order`, `out_of_order` or `other`", |row| rows.order.at(row).as_str())
        .string("device", "Name of its device", trace, |row| rows.device.at(row))
        .string("device_type", "Type of its device", trace, |row| rows.device_type.at(row))
        .int("created_ns", "Time of creation", |row| rows.created.at(row))
        .maybe("destroyed_ns", "Time of destruction", |row| rows.destroyed.at(row))
        .address("handle", "Its handle", |row| rows.handle.at(row))
        .address("device_handle", "Its device's handle", |row| rows.device_handle.at(row))
        .address("context", "Its context's handle", |row| rows.context.at(row))
}

fn allocations(trace: &Trace) -> Table<'_> {
    let rows = &trace.allocations;
    Table::new("allocations", "Allocations of memory and their lifetimes.", rows.len())
        .int("allocation", "Row of the allocation", |row| row as u64)
        .int("process", "Row of its process in `processes`", |row| rows.process.at(row).into())
        .int("at_ns", "Time of allocation", |row| rows.at.at(row))
        .maybe("released_ns", "Time of release; null if it never was", |row| rows.released.at(row))
        .address("pointer", "Its address", |row| rows.pointer.at(row))
        .int("size_bytes", "Its size", |row| rows.size_bytes.at(row))
        .int("guard_bytes", "Guard zone around it", |row| rows.guard_bytes.at(row))
        .text("kind", "`device`, `host`, `shared`, `buffer`, `image` or `other`", |row| {
            rows.kind.at(row).as_str()
        })
        .string("device", "Name of the device, empty if not known", trace, |row| rows.device.at(row))
        .int("tid", "Thread that made it", |row| rows.tid.at(row).into())
        .place(trace, |row| rows.location.at(row))
}

fn objects(trace: &Trace) -> Table<'_> {
    let rows = &trace.objects.rows;
    Table::new("objects", "Memory objects: buffers and images.", rows.len())
        .int("object", "Row of the object", |row| row as u64)
        .int("process", "Row of its process in `processes`", |row| rows.process.at(row).into())
        .int("number", "Its number in the recording", |row| rows.number.at(row))
        .text("kind", "`buffer`, `image`, …", |row| rows.kind.at(row).as_str())
        .int("created_ns", "Time of creation", |row| rows.created.at(row))
        .maybe("destroyed_ns", "Time of destruction", |row| rows.destroyed.at(row))
        .address("address", "Its address", |row| rows.address.at(row))
        .address("host_pointer", "Address of the host memory that it uses; 0 if none", |row| {
            rows.host_pointer.at(row)
        })
        .string("element_type", "Name of its element type", trace, |row| rows.element_type.at(row))
        .int("element_size_bytes", "Size of an element", |row| rows.element_size_bytes.at(row))
        .int("dimensions", "Number of dimensions", |row| rows.dimensions.at(row).into())
        .int("range_0", "Elements along the first dimension", |row| rows.range_0.at(row))
        .int("range_1", "Elements along the second dimension", |row| rows.range_1.at(row))
        .int("range_2", "Elements along the third dimension", |row| rows.range_2.at(row))
        .int("tid", "Thread that made it", |row| rows.tid.at(row).into())
        .place(trace, |row| rows.location.at(row))
        .args(trace, |row| rows.args.at(row))
}

fn bindings(trace: &Trace) -> Table<'_> {
    let rows = &trace.objects.bindings;
    Table::new("bindings", "Memory that an object had in a context.", rows.len())
        .int("object", "Row of the object", |row| rows.object.at(row).into())
        .address("handle", "Its handle", |row| rows.handle.at(row))
        .maybe("bound_ns", "Time of binding", |row| rows.bound.at(row))
        .maybe("unbound_ns", "Time of unbinding", |row| rows.unbound.at(row))
        .maybe("allocation", "Row of the allocation that it is", |row| row_number(rows.allocation.at(row)))
}

fn accessors(trace: &Trace) -> Table<'_> {
    let rows = &trace.objects.accessors;
    Table::new("accessors", "Accessors of memory objects.", rows.len())
        .int("object", "Row of the object", |row| rows.object.at(row).into())
        .maybe("node", "Row of the node that uses it", |row| row_number(rows.node.at(row)))
        .int("at_ns", "Time of recording", |row| rows.at.at(row))
        .address("address", "Its address", |row| rows.address.at(row))
        .string("target", "Access target", trace, |row| rows.target.at(row))
        .string("mode", "Access mode", trace, |row| rows.mode.at(row))
        .int("tid", "Thread that made it", |row| rows.tid.at(row).into())
        .place(trace, |row| rows.location.at(row))
        .args(trace, |row| rows.args.at(row))
}

fn command_graphs(trace: &Trace) -> Table<'_> {
    let rows = &trace.command_graphs.rows;
    Table::new("command_graphs", "Command graphs, a row a partition.", rows.len())
        .int("partition", "Row of the partition", |row| row as u64)
        .int("process", "Row of its process in `processes`", |row| rows.process.at(row).into())
        .int("number", "Its number in the recording", |row| rows.number.at(row))
        .int("graph", "Number that the partitions of one graph share", |row| rows.group.at(row))
        .int("created_ns", "Time of creation", |row| rows.created.at(row))
        .address("handle", "Its handle", |row| rows.handle.at(row))
        .address("device_handle", "Its device's handle", |row| rows.device_handle.at(row))
        .truth("is_in_order", "True if its commands run one after the other", |row| rows.is_in_order.at(row))
        .truth("is_updatable", "True if its parameters can be replaced", |row| rows.is_updatable.at(row))
        .int("tid", "Thread that made it", |row| rows.tid.at(row).into())
        .place(trace, |row| rows.location.at(row))
        .args(trace, |row| rows.args.at(row))
}

fn graph_commands(trace: &Trace) -> Table<'_> {
    let rows = &trace.command_graphs.commands;
    Table::new("graph_commands", "Commands of command graphs.", rows.len())
        .int("partition", "Row in `command_graphs`", |row| rows.partition.at(row).into())
        .int("position", "Its position in the partition", |row| rows.position.at(row))
        .maybe("node", "Row in `nodes`", |row| row_number(rows.node.at(row)))
        .int("at_ns", "Time of appending", |row| rows.at.at(row))
        .maybe("sync_point", "Its sync point", |row| rows.sync_point.at(row))
}

fn graph_runs(trace: &Trace) -> Table<'_> {
    let rows = &trace.command_graphs.runs;
    Table::new("graph_runs", "Runs of command graphs.", rows.len())
        .int("partition", "Row in `command_graphs`", |row| rows.partition.at(row).into())
        .int("at_ns", "Time of submission", |row| rows.at.at(row))
        .maybe("node", "Row in `nodes`", |row| row_number(rows.node.at(row)))
}
