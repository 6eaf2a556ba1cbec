//! Commands that ran on devices.

use syclscope_language::api::{CommandReport, CopyReport, HostTaskReport};

use super::{Room, cut, location, name, share};
use syclscope_text::{Align, Table, bytes, columns, count, counted, duration, without_start};

/// Minimum width of a table of commands with whole paths.
const WIDE: usize = 150;
/// Minimum width of a table of commands with lines and the 95th percentile.
const MEDIUM: usize = 90;

/// Lists the first `limit` kernels and other commands by device time, and the number of the others.
pub(crate) fn kernels(kernels: &[CommandReport], limit: usize, width: usize) -> Vec<String> {
    if kernels.is_empty() {
        return vec!["no device times were recorded".to_owned()];
    }
    let all_ns: u64 = kernels.iter().map(|kernel| kernel.total_ns).fold(0, u64::saturating_add);
    // Recordings of other tools have no locations.
    let has_places = kernels.iter().any(|kernel| kernel.locations > 0);
    let mut heading = vec![
        ("name", Align::Name),
        ("kind", Align::Left),
        ("count", Align::Right),
        ("total", Align::Right),
        ("share", Align::Right),
        ("mean", Align::Right),
        ("p95", if has_places && width < MEDIUM { Align::Optional } else { Align::Right }),
        ("max", Align::Optional),
        ("queueing", Align::Optional),
    ];
    if has_places {
        heading.push(("location", Align::Path));
    }
    let heading = heading.into_iter().map(|(name, align)| (name.to_owned(), align));
    let mut table = Table::from_columns(heading.collect());
    for kernel in kernels.iter().take(limit) {
        let mut cells = vec![
            name(&kernel.name),
            kernel.kind.as_str().replace('_', " "),
            count(kernel.count),
            duration(kernel.total_ns),
            share(kernel.total_ns, all_ns),
            duration(kernel.mean_ns),
            duration(kernel.p95_ns),
            duration(kernel.max_ns),
            kernel.mean_queueing_delay_ns.map_or_else(|| "–".to_owned(), duration),
        ];
        if has_places {
            cells.push(place(kernel, width));
        }
        table.add(cells);
    }
    cut(table.lines(width), kernels.len(), limit)
}

/// Returns the line that submitted a command, or the number of lines. Below [`WIDE`] columns a file's folder would
/// displace numbers.
fn place(kernel: &CommandReport, width: usize) -> String {
    if kernel.locations > 1 {
        return format!("{} places", count(kernel.locations));
    }
    let place = location(kernel.location.as_ref());
    match place.rsplit_once('/') {
        Some((_, file)) if width < WIDE => file.to_owned(),
        _ => place,
    }
}

/// Lists host tasks with upper bounds of their times, since no runtime reports exact ones.
pub(super) fn host_tasks(tasks: &[HostTaskReport], room: Room) -> Vec<String> {
    let line = |task: &HostTaskReport| {
        let HostTaskReport { count, estimated, at_most_ns, longest_ns, .. } = task;
        let time = match estimated {
            0 => "time unknown".to_owned(),
            _ => {
                let (all, longest) = (duration(*at_most_ns), duration(*longest_ns));
                let known = if estimated == count { String::new() } else { format!("{estimated} of them ") };
                let each = if *estimated == 1 { String::new() } else { format!(", each at most {longest}") };
                format!("{known}at most {all}{each}")
            }
        };
        let line = format!("{}: {time} ", counted(*count, "host task"));
        let left = room.width.saturating_sub(columns(&line));
        format!("{line}{}", without_start(&location(task.location.as_ref()), left)).trim_end().to_owned()
    };
    cut(tasks.iter().take(room.rows).map(line).collect(), tasks.len(), room.rows)
}

pub(super) fn copies(copies: &[CopyReport], room: Room) -> Vec<String> {
    if copies.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        ("direction", Align::Left),
        ("count", Align::Right),
        ("bytes", Align::Right),
        ("total", Align::Right),
        ("rate", Align::Right),
    ]);
    let shown = copies.iter().take(room.rows);
    // All rates have one unit: a small one needs more digits.
    let is_fine = shown.clone().any(|copy| copy.bytes_per_ns > 0.0 && copy.bytes_per_ns < 0.1);
    for copy in shown {
        let is_sized = copy.bytes > 0;
        table.row([
            direction(&copy.from, &copy.to),
            count(copy.count),
            if is_sized { bytes(copy.bytes) } else { "–".to_owned() },
            duration(copy.total_ns),
            if copy.bytes_per_ns > 0.0 { rate(copy.bytes_per_ns, is_fine) } else { "–".to_owned() },
        ]);
    }
    cut(table.lines(room.width), copies.len(), room.rows)
}

fn direction(from: &str, to: &str) -> String {
    let side = |side| if str::is_empty(side) { "?".to_owned() } else { name(side) };
    match (from, to) {
        ("", "") => "unknown".to_owned(),
        _ => format!("{} → {}", side(from), side(to)),
    }
}

/// Formats a rate; bytes per nanosecond are gigabytes per second.
fn rate(bytes_per_ns: f64, is_fine: bool) -> String {
    match is_fine {
        true if bytes_per_ns < 0.000_1 => "< 0.0001 GB/s".to_owned(),
        true => format!("{bytes_per_ns:.4} GB/s"),
        false => format!("{bytes_per_ns:.2} GB/s"),
    }
}
