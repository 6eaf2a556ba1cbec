//! Slices of a selection, or of a trace that tells nothing of commands.

use syclscope_language::api::Selected;

use super::{Room, cut, name};
use crate::text::{Align, Table, count, duration};

/// Slices by name, most time first, and all of them together.
pub(super) fn by_name(slices: &Selected, room: Room) -> Vec<String> {
    if slices.groups.is_empty() {
        return vec!["no slices are meant".to_owned()];
    }
    let mut table = Table::new([
        ("name", Align::Name),
        ("category", Align::Left),
        ("count", Align::Right),
        ("total", Align::Right),
        ("self", Align::Right),
        ("mean", Align::Right),
        ("p95", Align::Right),
        ("max", Align::Optional),
    ]);
    for group in slices.groups.iter().take(room.rows) {
        let stats = &group.stats;
        table.row([
            name(&group.name),
            group.category.as_str().replace('_', " "),
            count(stats.count),
            duration(stats.total_ns),
            duration(stats.self_ns),
            duration(stats.mean_ns),
            duration(stats.p95_ns),
            duration(stats.max_ns),
        ]);
    }
    let mut lines = cut(table.lines(room.width), slices.groups.len(), room.rows);
    let (total, names) = (&slices.total, slices.groups.len() as u64);
    lines.push(format!(
        "{} slices of {} names, {} of their own",
        count(total.count),
        count(names),
        duration(total.self_ns)
    ));
    lines
}
