//! Tables of commands, slices and memory.

use std::cmp::Reverse;

use syclscope_language::api::{Report, Selected, SliceGroup};
use syclscope_language::event::Category;

use super::super::percent;
use super::elements::{Column, bar, code, place, section, table};
use syclscope_text::{bytes, count, counted, duration, short_names};

const MAX_ROWS: usize = 12;
const MAX_PLACES: usize = 5;
const NAME_COLUMNS: usize = 110;

/// Lists kernels and other commands, the most device time first.
pub(super) fn commands(out: &mut String, report: &Report) {
    if report.commands.is_empty() {
        return;
    }
    let all_ns: u64 = report.commands.iter().map(|command| command.total_ns).fold(0, u64::saturating_add);
    let listed = || report.commands.iter().take(MAX_ROWS);
    let names = short_names(listed().map(|command| command.name.as_str()));
    let rows: Vec<[String; 8]> = listed()
        .map(|command| {
            let class = match command.kind.category() {
                Category::Kernel => "kernel",
                Category::Copy => "copy",
                Category::Fill => "fill",
                _ => "other",
            };
            [
                code(&names.fit(&command.name, NAME_COLUMNS)),
                command.kind.as_str().replace('_', " "),
                count(command.count),
                duration(command.total_ns),
                percent(command.total_ns, all_ns),
                bar(class, command.total_ns as f64 / all_ns.max(1) as f64),
                duration(command.mean_ns),
                duration(command.p95_ns),
            ]
        })
        .collect();
    let columns = [
        Column::Words("Command"),
        Column::Words("Kind"),
        Column::Number("Runs"),
        Column::Number("Summed"),
        Column::Number("Share of sum"),
        Column::Bar,
        Column::Number("Mean"),
        Column::Number("95th perc."),
    ];
    let mut body = String::new();
    table(&mut body, columns, &rows);
    body += &more(report.commands.len(), MAX_ROWS);
    let note = format!("measured, devices busy for {}", duration(report.covered.device_ns));
    section(out, "Busiest commands", &note, &body);
}

pub(super) fn slices(out: &mut String, slices: &Selected, is_part: bool) {
    if slices.groups.is_empty() {
        return;
    }
    let time_ns = |group: &SliceGroup| if is_part { group.stats.clipped_ns } else { group.stats.total_ns };
    let mut groups: Vec<&SliceGroup> = slices.groups.iter().collect();
    groups.sort_by_key(|group| Reverse(time_ns(group)));
    groups.truncate(MAX_ROWS);
    let names = short_names(groups.iter().map(|group| group.name.as_str()));
    let rows: Vec<[String; 6]> = groups
        .iter()
        .map(|group| {
            [
                code(&names.fit(&group.name, NAME_COLUMNS)),
                group.category.as_str().replace('_', " "),
                count(group.stats.count),
                duration(time_ns(group)),
                duration(group.stats.mean_ns),
                duration(group.stats.p95_ns),
            ]
        })
        .collect();
    let columns = [
        Column::Words("Slice"),
        Column::Words("Category"),
        Column::Number("Count"),
        Column::Number(if is_part { "In the part" } else { "Time" }),
        Column::Number("Mean"),
        Column::Number("95th perc."),
    ];
    let mut body = String::new();
    table(&mut body, columns, &rows);
    body += &more(slices.groups.len() + slices.more_groups as usize, MAX_ROWS);
    section(out, "Slices by name", &format!("measured, {}", counted(slices.total.count, "slice")), &body);
}

fn more(all: usize, shown: usize) -> String {
    match all.checked_sub(shown).filter(|more| *more > 0) {
        Some(more) => format!("<p class=\"quiet\">and {} more</p>\n", count(more as u64)),
        None => String::new(),
    }
}

/// Lists peaks of memory by kind, and memory that was never released.
pub(super) fn memory(out: &mut String, report: &Report) {
    if report.memory.is_empty() {
        return;
    }
    let most = report.memory.iter().map(|memory| memory.peak_bytes).max().unwrap_or_default().max(1) as f64;
    let rows: Vec<[String; 6]> = report
        .memory
        .iter()
        .map(|memory| {
            [
                memory.kind.as_str().replace('_', " "),
                bytes(memory.peak_bytes),
                bar("memory", memory.peak_bytes as f64 / most),
                duration(memory.peak_at_ns),
                count(memory.count),
                bytes(memory.total_bytes),
            ]
        })
        .collect();
    let columns = [
        Column::Words("Kind"),
        Column::Number("Peak"),
        Column::Bar,
        Column::Number("At"),
        Column::Number("Allocations"),
        Column::Number("Total allocated"),
    ];
    let mut body = String::new();
    table(&mut body, columns, &rows);
    if !report.unreleased.is_empty() {
        body += "<h3>Never released</h3>\n";
        let rows: Vec<[String; 4]> = report
            .unreleased
            .iter()
            .take(MAX_PLACES)
            .map(|left| {
                let place = place(left.location.as_ref());
                let place = if place.is_empty() { "unknown location".to_owned() } else { place };
                [place, left.kind.as_str().replace('_', " "), count(left.count), bytes(left.bytes)]
            })
            .collect();
        let columns = [
            Column::Words("Place"),
            Column::Words("Kind"),
            Column::Number("Allocations"),
            Column::Number("Size"),
        ];
        table(&mut body, columns, &rows);
        body += &more(report.unreleased.len(), MAX_PLACES);
    }
    section(out, "Memory", "measured", &body);
}
