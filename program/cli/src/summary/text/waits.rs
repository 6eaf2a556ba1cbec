//! Host waits, and busy and idle time of queues.

use syclscope_language::api::{QueueIdle, QueueInfo, TraceInfo, WaitReport};
use syclscope_language::event::QueueOrder;

use super::{Room, cut, location, name};
use syclscope_text::{Align, Table, count, counted, duration, wrapped};

/// Headings of the queues' idle times, and their explanations; empty if the heading is clear.
const IDLE_TIMES: [(&str, &str); 5] = [
    ("for host", ""),
    ("dependence", ""),
    ("others", " (other queues ran)"),
    ("launch", " (overhead)"),
    ("after", " (the last command)"),
];

pub(super) fn waits(waits: &[WaitReport], room: Room) -> Vec<String> {
    if waits.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        ("wait", Align::Name),
        ("count", Align::Right),
        ("total", Align::Right),
        ("max", Align::Right),
        ("location", Align::Path),
    ]);
    for wait in waits.iter().take(room.rows) {
        table.row([
            name(&wait.name),
            count(wait.count),
            duration(wait.total_ns),
            duration(wait.max_ns),
            match &wait.submitted {
                Some(submitted) => format!("for {}", location(Some(submitted))),
                None => location(wait.location.as_ref()),
            },
        ]);
    }
    cut(table.lines(room.width), waits.len(), room.rows)
}

/// Returns a queue's number for the heading `queue`, or its name in another tool's trace.
fn number_or_name(info: &TraceInfo, queue: u64) -> String {
    let name = info.queue_name(queue);
    name.strip_prefix("queue ").map_or_else(|| name.clone(), str::to_owned)
}

/// Lists busy and idle time of the queues with executions, and the number of other queues.
pub(super) fn queues(info: &TraceInfo, idle: &[QueueIdle], room: Room) -> Vec<String> {
    if idle.is_empty() {
        return Vec::new();
    }
    let time_of = |queue: &QueueInfo| idle.iter().find(|idle| idle.queue == queue.id);
    let used: Vec<_> = info
        .queues
        .iter()
        .filter_map(|queue| Some((queue, time_of(queue)?)))
        .filter(|(_, time)| time.executions > 0)
        .collect();
    let mut table = Table::new([
        ("queue", Align::Right),
        ("order", Align::Left),
        ("commands", Align::Right),
        ("busy", Align::Right),
        ("for host", Align::Right),
        ("dependence", Align::Right),
        ("others", Align::Optional),
        ("launch", Align::Right),
        ("after", Align::Optional),
        ("device", Align::Name),
    ]);
    for (queue, time) in used.iter().take(room.rows) {
        let order = match queue.order {
            QueueOrder::InOrder => "in-order",
            QueueOrder::OutOfOrder => "out-of-order",
            QueueOrder::Other => "unknown",
        };
        table.row([
            number_or_name(info, queue.id),
            order.to_owned(),
            count(time.executions),
            duration(time.busy_ns),
            duration(time.host_ns),
            duration(time.dependence_ns),
            duration(time.other_ns),
            duration(time.ready_ns),
            duration(time.after_ns),
            name(&queue.device),
        ]);
    }
    let mut lines = Vec::new();
    if !used.is_empty() {
        lines = cut(table.lines(room.width), used.len(), room.rows);
        let heading = lines[0].clone();
        let shown = IDLE_TIMES.iter().filter(|(column, _)| heading.contains(column));
        let shown: Vec<String> = shown.map(|(column, meaning)| format!("{column}{meaning}")).collect();
        lines.extend(wrapped(&format!("idle: {}", shown.join(", ")), room.width));
    }
    match info.queues.len() - used.len() {
        0 => {}
        unused => lines.push(format!("{} without executions", counted(unused as u64, "queue"))),
    }
    lines
}
