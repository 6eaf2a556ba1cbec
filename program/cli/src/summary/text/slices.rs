//! Slices of a selection, or of a trace without commands.

use syclscope_language::api::Selected;

use super::{Room, cut, name};
use syclscope_text::{Align, Table, count, counted, duration};

/// Lists slices by name, the most time first, and their sum.
pub(super) fn by_name(slices: &Selected, room: Room) -> Vec<String> {
    if slices.groups.is_empty() {
        return vec!["no slices match".to_owned()];
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
    let names = slices.groups.len() as u64;
    lines.push(format!("{} with {}", counted(slices.total.count, "slice"), counted(names, "name")));
    // Times of different categories overlap, so each category has its own sum.
    for of in &slices.categories {
        lines.push(format!(
            "{}: {}, summed {}, self time {}",
            of.category.as_str().replace('_', " "),
            counted(of.stats.count, "slice"),
            duration(of.stats.total_ns),
            duration(of.stats.self_ns)
        ));
    }
    lines
}
