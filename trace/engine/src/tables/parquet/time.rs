//! The tables of events: slices, executions, calls, counters, flows, and their tracks.

use std::cell::OnceCell;
use std::rc::Rc;

use syclscope_language::event::{Category, Value};

use super::{Table, row_number};
use crate::graph::queues_of_tracks;
use crate::store::Trace;
use crate::store::table::Table as _;

pub(super) fn tables(trace: &Trace) -> Vec<Table<'_>> {
    vec![
        tracks(trace),
        slices(trace),
        executions(trace),
        calls(trace),
        counters(trace),
        flows(trace),
        samples(trace),
        stack_frames(trace),
    ]
}

fn tracks(trace: &Trace) -> Table<'_> {
    let rows = &trace.tracks;
    Table::new("tracks", "Lanes of events, and the track groups that hold them.", rows.len())
        .int("track", "Number of the track", |row| row as u64)
        .maybe("parent", "Track group that holds it", |row| row_number(rows.parent.at(row)))
        .int("process", "Row of its process in `processes`", |row| rows.process.at(row).into())
        .int("tid", "Thread id, 0 if it is no thread", |row| rows.tid.at(row).into())
        .text("kind", "Kind of its content", |row| rows.kind.at(row).as_str())
        .string("name", "Its name", trace, |row| rows.name.at(row))
        .int("lanes", "Number of lanes", |row| rows.lanes.at(row).into())
}

fn of_slices<'a>(table: Table<'a>, trace: &'a Trace, row: impl Fn(usize) -> usize + Clone + 'a) -> Table<'a> {
    let slices = &trace.slices;
    let [a, b, c, d, e, f, g] = std::array::from_fn(|_| row.clone());
    let track = move |at| trace.tracks.of_lane(slices.lane_of(a(at)));
    table
        .int("slice", "Number of the slice", move |at| row(at) as u64)
        .int("track", "Track that it lies on", move |at| track(at) as u64)
        .int("start_ns", "Start", move |at| slices.start.at(b(at)))
        .int("duration_ns", "Duration", move |at| slices.duration.at(c(at)))
        .string("name", "Its name", trace, move |at| slices.name.at(d(at)))
        .maybe("node", "Row in `nodes` of the command that it belongs to", move |at| {
            row_number(slices.node.at(e(at)))
        })
        .truth("unfinished", "True if the recording ended before it did", move |at| {
            slices.is_unfinished(f(at))
        })
        .args(trace, move |at| slices.args.at(g(at)))
}

fn slices(trace: &Trace) -> Table<'_> {
    let slices = &trace.slices;
    let table = Table::new("slices", "Events with a duration, on the host and on devices.", slices.len());
    let lane = |row| {
        let lane = slices.lane_of(row);
        (lane as u64).saturating_sub(trace.tracks.first_lane.at(trace.tracks.of_lane(lane)).into())
    };
    of_slices(table, trace, |row| row)
        .int("lane", "Lane of the track, from the top: nesting depth on a thread", lane)
        .text("category", "Category (`kernel`, `copy`, `submission`, `wait`, `ur`, …)", |row| {
            slices.category(row).as_str()
        })
        .place(trace, |row| slices.location.at(row))
}

fn executions(trace: &Trace) -> Table<'_> {
    let (slices, executions) = (&trace.slices, &trace.executions);
    let of_tracks = OnceCell::new();
    let queue = move |row: usize| {
        let of_node = trace.nodes.get(slices.node.at(row)).and_then(|node| row_number(node.queue));
        // Work that the program gave the driver itself has a queue and no node.
        let of_track = || {
            let of_tracks = of_tracks.get_or_init(|| queues_of_tracks(trace));
            row_number(*of_tracks.get(trace.tracks.of_lane(slices.lane_of(row)))?)
        };
        of_node.or_else(of_track)
    };
    let table = Table::new("executions", "Runs of commands on devices.", executions.len());
    of_slices(table, trace, |row| row)
        .text("kind", "Kind (`kernel`, `copy`, `fill`, …)", |row| executions.kind.at(row).as_str())
        .maybe("queue", "Row of its queue in `queues`", queue)
        .maybe("queued_ns", "Time of enqueueing", |row| executions.queued.at(row))
        .maybe("submitted_ns", "Time of submission to the device", |row| executions.submitted.at(row))
        .truth("in_pieces", "Its pieces are rows, too: leave it out of sums", |row| {
            executions.in_pieces.at(row)
        })
}

fn calls(trace: &Trace) -> Table<'_> {
    let slices = &trace.slices;
    let is_call = |row: &u32| matches!(slices.category(*row as usize), Category::Call | Category::Native);
    let rows: Rc<[u32]> = (0..slices.len() as u32).filter(is_call).collect();
    let (all, for_category) = (Rc::clone(&rows), Rc::clone(&rows));
    let (for_error, for_code, for_name) = (Rc::clone(&rows), Rc::clone(&rows), Rc::clone(&rows));
    let about = "Calls of the Unified Runtime and of the native API below it; each is a slice too.";
    let table = Table::new("calls", about, rows.len());
    let result = move |row: u32| trace.result(slices.args.at(row as usize));
    let code = move |at: usize| match result(for_code[at])? {
        Value::Int(code) => Some(code),
        Value::Uint(code) => i64::try_from(code).ok(),
        _ => None,
    };
    let name = move |at: usize| match result(for_name[at]) {
        Some(Value::Str(name)) => name,
        _ => "",
    };
    of_slices(table, trace, move |at| all[at] as usize)
        .text("category", "`ur` or `native`", move |at| slices.category(for_category[at] as usize).as_str())
        .signed(
            "result",
            "Returned number; 0 is success, and null where it was not recorded or has a name",
            code,
        )
        .text("result_name", "Returned error by name (`UR_RESULT_ERROR_…`); empty without one", name)
        .truth("is_error", "True if it failed", move |at| {
            trace.is_error(slices.args.at(for_error[at] as usize))
        })
}

fn counters(trace: &Trace) -> Table<'_> {
    let counters = &trace.counters;
    let mut track_of = vec![0_u32; counters.units.len()];
    for (track, counter) in trace.tracks.counter.iter().enumerate() {
        if let Some(place) = track_of.get_mut(counter as usize) {
            *place = track as u32;
        }
    }
    let counter =
        |row: usize| counters.starts.partition_point(|start| *start as usize <= row).saturating_sub(1);
    Table::new("counters", "Samples of counters; a value holds until the next sample.", counters.at.len())
        .int("track", "Track of the counter", move |row| {
            track_of.get(counter(row)).copied().unwrap_or_default().into()
        })
        .int("at_ns", "Start of the value", |row| counters.at.at(row))
        .float("value", "The value", |row| counters.value.at(row))
        .string("unit", "Its unit, empty if not known", trace, move |row| counters.units.at(counter(row)))
}

fn flows(trace: &Trace) -> Table<'_> {
    let rows = &trace.flows.rows;
    Table::new("flows", "Arrows from one slice to another.", rows.len())
        .int("source", "Slice that it comes from", |row| rows.source.at(row).into())
        .int("target", "Slice that it goes to", |row| rows.target.at(row).into())
        .string("name", "Its name", trace, |row| rows.name.at(row))
}

fn samples(trace: &Trace) -> Table<'_> {
    let rows = &trace.samples;
    let system_call = |row: usize| u64::from(rows.system_call.at(row)).checked_sub(1);
    Table::new("samples", "Samples of host threads at regular moments.", rows.len())
        .int("track", "Track of the thread", |row| rows.track.at(row).into())
        .int("at_ns", "Moment of the sample", |row| rows.at.at(row))
        .maybe("frame", "Row in `stack_frames` of its innermost frame", |row| row_number(rows.stack.at(row)))
        .int("period_ns", "Interval between samples", |row| rows.period_ns.at(row))
        .int("missed", "Moments since the thread's last sample without one", |row| rows.missed.at(row))
        .truth("is_blocked", "True if the thread was not running", |row| rows.is_blocked.at(row))
        .maybe("system_call", "Number of the Linux x86-64 system call in which it was blocked", system_call)
}

fn stack_frames(trace: &Trace) -> Table<'_> {
    let rows = &trace.stacks;
    Table::new("stack_frames", "Frames of call stacks, each with the one that called it.", rows.len())
        .int("frame", "Number of the frame", |row| row as u64)
        .maybe("caller", "Frame that called it", |row| row_number(rows.caller.at(row)))
        .text("kind", "Origin of the code (`program`, `python`, `runtime`, …)", |row| {
            rows.kind.at(row).as_str()
        })
        .truth("is_inlined", "True if the compiler has put it into its caller", |row| rows.is_inlined.at(row))
        .string("module", "File of its machine code", trace, |row| rows.module.at(row))
        .place(trace, |row| rows.location.at(row))
}
