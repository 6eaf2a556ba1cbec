//! Conditions on tracks, queues and commands, each evaluated once for all commands.

use syclscope_language::api::ProcessInfo;
use syclscope_language::event::TrackKind;
use syclscope_language::filter::{Condition, Field, Op};

use super::{is_number, is_text};
use crate::id::{NONE, some};
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::store::tracks::{QueueRow, TrackRow};

/// Returns the tracks that a condition on track, thread, process or rank selects.
pub(super) fn tracks(trace: &Trace, condition: &Condition) -> Vec<bool> {
    if condition.field == Field::Rank {
        let is_meant =
            |process: &ProcessInfo| process.rank.is_some_and(|rank| is_number(condition, rank.into()));
        let meant: Vec<bool> = trace.processes.iter().map(is_meant).collect();
        let of_track = |process: u32| meant.get(process as usize).copied().unwrap_or_default();
        return trace.tracks.process.iter().map(of_track).collect();
    }
    let name = |track: &TrackRow| is_named(condition, trace.strings.get(track.name));
    let mut meant: Vec<bool> = Vec::with_capacity(trace.tracks.len());
    for track in trace.tracks.iter() {
        // Parents precede their children.
        let parent = some(track.parent).and_then(|parent| meant.get(parent as usize)).copied();
        let is_meant = match condition.field {
            Field::Thread => match track.kind {
                TrackKind::Thread => {
                    is_named_or_numbered(condition, trace.strings.get(track.name), track.tid)
                }
                _ => parent.unwrap_or_default(),
            },
            Field::Process => trace
                .processes
                .get(track.process as usize)
                .is_some_and(|process| is_named_or_numbered(condition, &process.name, process.pid)),
            _ => name(&track) || parent.unwrap_or_default(),
        };
        meant.push(is_meant);
    }
    if condition.op == Op::IsNot {
        negate(trace, condition, &mut meant);
    }
    meant
}

/// Negates a condition, except where the property is missing.
fn negate(trace: &Trace, condition: &Condition, meant: &mut [bool]) {
    let mut on_thread: Vec<bool> = Vec::with_capacity(meant.len());
    for (track, is_meant) in trace.tracks.iter().zip(meant) {
        let parent = some(track.parent).and_then(|parent| on_thread.get(parent as usize)).copied();
        let is_on_thread = track.kind == TrackKind::Thread || parent.unwrap_or_default();
        on_thread.push(is_on_thread);
        *is_meant = !*is_meant && (condition.field != Field::Thread || is_on_thread);
    }
}

fn is_named(condition: &Condition, name: &str) -> bool {
    match condition.op {
        Op::Has => is_text(condition, name),
        _ => name == condition.value,
    }
}

fn is_named_or_numbered(condition: &Condition, name: &str, number: u32) -> bool {
    is_named(condition, name) || condition.value.parse() == Ok(number)
}

/// Returns the queues that a condition on queue or device selects, and their tracks.
pub(super) fn queues(trace: &Trace, condition: &Condition) -> (Vec<bool>, Vec<bool>) {
    let is_meant = |queue: QueueRow| match condition.field {
        Field::Queue => is_number(condition, queue.number),
        _ => {
            let words = [queue.device, queue.title, queue.device_type];
            let is_it = words.iter().any(|word| is_named(condition, trace.strings.get(*word)));
            is_it != (condition.op == Op::IsNot)
        }
    };
    let rows: Vec<bool> = trace.queues.iter().map(is_meant).collect();
    let mut tracks = vec![false; trace.tracks.len()];
    let mut has_queue = vec![false; trace.tracks.len()];
    for (queue, is_meant) in trace.queues.iter().zip(&rows) {
        if let Some(track) = tracks.get_mut(queue.track as usize) {
            *track |= *is_meant;
            has_queue[queue.track as usize] = true;
        }
    }
    if condition.field == Field::Device {
        // Files of other tools have devices without recorded queues.
        let mut of_device = vec![None; trace.tracks.len()];
        for (row, track) in trace.tracks.iter().enumerate() {
            let parent = some(track.parent).and_then(|parent| *of_device.get(parent as usize)?);
            of_device[row] = match track.kind {
                TrackKind::Device => {
                    Some(is_named(condition, trace.strings.get(track.name)) != (condition.op == Op::IsNot))
                }
                _ => parent,
            };
            if !has_queue[row] {
                tracks[row] |= of_device[row].unwrap_or_default();
            }
        }
    }
    (rows, tracks)
}

pub(super) fn using(trace: &Trace, condition: &Condition) -> Vec<bool> {
    let objects = &trace.objects;
    // Only a value with `0x` is compared with addresses: otherwise `using>5` would match nearly every address.
    let is_address = condition.value.starts_with("0x");
    let is_at = |address: u64| is_address && address != 0 && is_number(condition, address);
    let meant: Vec<bool> = objects
        .rows
        .iter()
        .map(|object| is_at(object.address) || (!is_address && is_number(condition, object.number)))
        .collect();
    let is_object = |row: u32| meant.get(row as usize).copied().unwrap_or_default();
    let mut nodes = vec![false; trace.nodes.len()];
    let mut mark = |node: u32| {
        if let Some(node) = nodes.get_mut(node as usize) {
            *node = true;
        }
    };
    for accessor in
        objects.accessors.iter().filter(|accessor| accessor.node != NONE && is_object(accessor.object))
    {
        mark(accessor.node);
    }
    for edge in trace.edges.rows.iter() {
        if is_object(edge.object) || (edge.object == NONE && is_at(edge.memory_object)) {
            mark(edge.source);
            mark(edge.target);
        }
    }
    nodes
}
