//! The tables of the machine, the processes and the recording itself.

use super::{Table, row_number};
use crate::store::Trace;
use crate::store::table::Table as _;

pub(super) fn tables(trace: &Trace) -> Vec<Table<'_>> {
    vec![processes(trace), devices(trace), clocks(trace), facts(trace), handles(trace), diagnostics(trace)]
}

fn processes(trace: &Trace) -> Table<'_> {
    let rows = &trace.processes;
    Table::new("processes", "Recorded processes.", rows.len())
        .int("process", "Row of the process", |row| row as u64)
        .int("pid", "Process id", |row| rows[row].pid.into())
        .text("name", "Program name", |row| &rows[row].name)
        .text("command_line", "Command line", |row| &rows[row].command_line)
        .text("host", "Host name", |row| &rows[row].host)
        .int("start_unix_ns", "Start of its recording, ns since 1970-01-01 UTC", |row| {
            rows[row].start_unix_ns
        })
        .int("start_monotonic_ns", "The same on `CLOCK_MONOTONIC`, ns; 0 if not known", |row| {
            rows[row].start_monotonic_ns
        })
        .int("start_ns", "The same by the trace's time, ns", |row| rows[row].start_ns)
        .maybe("rank", "MPI rank", |row| rows[row].rank.map(u64::from))
        .maybe("rank_count", "Number of MPI ranks", |row| rows[row].rank_count.map(u64::from))
        .maybe("local_rank", "Rank among those of its host", |row| rows[row].local_rank.map(u64::from))
}

fn devices(trace: &Trace) -> Table<'_> {
    let rows = &trace.machine.devices;
    Table::new("devices", "Devices.", rows.len())
        .int("process", "Row of the process that saw it", |row| rows.process.at(row).into())
        .int("number", "Its number in the recording", |row| rows.number.at(row))
        .string("name", "Its name", trace, |row| rows.name.at(row))
        .string("type", "Its type", trace, |row| rows.device_type.at(row))
        .string("platform", "Its platform", trace, |row| rows.platform.at(row))
        .string("driver", "Version of its driver", trace, |row| rows.driver.at(row))
        .address("handle", "Its handle", |row| rows.handle.at(row))
        .args(trace, |row| rows.args.at(row))
}

fn clocks(trace: &Trace) -> Table<'_> {
    let rows = &trace.machine.clocks;
    Table::new("clocks", "Mappings of device clocks to the host's.", rows.len())
        .int("process", "Row of the process", |row| rows.process.at(row).into())
        .address("device_handle", "Handle of the device", |row| rows.device_handle.at(row))
        .int("at_ns", "Time of the mapping", |row| rows.at.at(row))
        .int("pairs", "Pairs of readings that it rests on", |row| rows.pairs.at(row))
        .signed("offset_ns", "Host time minus device time", |row| Some(rows.offset_ns.at(row)))
        .signed(
            "drift_ppb",
            "Drift of the host's clock, parts per billion; positive if it is faster",
            |row| Some(rows.drift_ppb.at(row)),
        )
        .int("residual_ns", "Maximum error of a command's end", |row| rows.residual_ns.at(row))
}

fn facts(trace: &Trace) -> Table<'_> {
    let rows = &trace.machine.facts;
    Table::new("facts", "Versions, settings and environment of the processes.", rows.len())
        .int("process", "Row of the process", |row| rows.process.at(row).into())
        .text("kind", "`version`, `setting`, `environment`, `cost` or `other`", |row| {
            rows.kind.at(row).as_str()
        })
        .string("name", "Its name", trace, |row| rows.name.at(row))
        .string("value", "Its value", trace, |row| rows.value.at(row))
}

fn handles(trace: &Trace) -> Table<'_> {
    let rows = &trace.handles;
    Table::new("native_handles", "Native handles that entered or left SYCL.", rows.len())
        .int("process", "Row of the process", |row| rows.process.at(row).into())
        .int("at_ns", "Time", |row| rows.at.at(row))
        .maybe("released_ns", "Time of release", |row| rows.released.at(row))
        .string("object", "Object behind the handle", trace, |row| rows.object.at(row))
        .address("handle", "Handle of the Unified Runtime", |row| rows.handle.at(row))
        .address("native", "Native handle", |row| rows.native.at(row))
        .text("direction", "`enters`, `leaves` or `other`", |row| rows.direction.at(row).as_str())
        .text("ownership", "Owner that releases it", |row| rows.ownership.at(row).as_str())
        .maybe("tid", "Thread", |row| row_number(rows.tid.at(row)))
        .place(trace, |row| rows.location.at(row))
}

fn diagnostics(trace: &Trace) -> Table<'_> {
    let rows = &trace.diagnostics;
    Table::new("diagnostics", "Problems found on import and events lost while recording.", rows.len())
        .text("kind", "Stable name", |row| &rows[row].kind)
        .text("message", "Message", |row| &rows[row].message)
        .int("count", "Count", |row| rows[row].count)
        .maybe("first_offset", "Offset of the first one in the file, in bytes", |row| rows[row].first_offset)
}
