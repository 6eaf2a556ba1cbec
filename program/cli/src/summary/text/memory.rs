//! Peak memory, and memory that was never released.

use syclscope_language::api::{TraceInfo, UnreleasedReport};
use syclscope_language::event::TrackKind;

use super::{Room, Summary, cut, location, name};
use syclscope_text::{Align, Table, bytes, count, duration};

/// Counters that repeat the sizes of allocations.
const DERIVED: &str = "memory in use: ";

pub(super) fn memory(summary: &Summary, room: Room) -> Vec<String> {
    let Summary { info, report, is_part, .. } = summary;
    let mut lines = Vec::new();
    if !report.memory.is_empty() {
        let mut table = Table::new([
            ("kind", Align::Left),
            ("peak", Align::Right),
            ("at", Align::Right),
            ("allocations", Align::Right),
            ("total", Align::Right),
        ]);
        for memory in &report.memory {
            table.row([
                memory.kind.as_str().to_owned(),
                bytes(memory.peak_bytes),
                duration(memory.peak_at_ns),
                count(memory.count),
                bytes(memory.total_bytes),
            ]);
        }
        lines = table.lines(room.width);
    }
    // A counter's bounds cover the whole run.
    if !is_part {
        lines.extend(counters(info, room));
    }
    lines
}

fn counters(info: &TraceInfo, room: Room) -> Vec<String> {
    let is_derived = |name: &str| name.starts_with(DERIVED) && info.counts.allocations > 0;
    let tracks = info.tracks.iter().filter(|track| track.kind == TrackKind::Counter);
    let counters: Vec<_> = tracks
        .filter_map(|track| {
            Some((&track.name, track.counter.as_ref().filter(|counter| counter.unit == "bytes")?))
        })
        .filter(|(name, _)| !is_derived(name))
        .collect();
    if counters.is_empty() {
        return Vec::new();
    }
    let mut table =
        Table::new([("counter", Align::Name), ("lowest", Align::Right), ("highest", Align::Right)]);
    for (track, counter) in counters.iter().take(room.rows) {
        table.row([name(track), bytes(counter.min.max(0.0) as u64), bytes(counter.max.max(0.0) as u64)]);
    }
    cut(table.lines(room.width), counters.len(), room.rows)
}

pub(super) fn unreleased(unreleased: &[UnreleasedReport], room: Room) -> Vec<String> {
    if unreleased.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        ("bytes", Align::Right),
        ("allocations", Align::Right),
        ("kind", Align::Left),
        ("location", Align::Path),
    ]);
    for left in unreleased.iter().take(room.rows) {
        let location = Some(location(left.location.as_ref())).filter(|location| !location.is_empty());
        table.row([
            bytes(left.bytes),
            count(left.count),
            left.kind.as_str().to_owned(),
            location.unwrap_or_else(|| "unknown".to_owned()),
        ]);
    }
    cut(table.lines(room.width), unreleased.len(), room.rows)
}
