//! Regions of the program by path.

use syclscope_language::api::Regions;

use super::{Room, cut, name};
use syclscope_text::{Align, Table, count, duration};

const SUMS: &str =
    "device and copies are sums of the commands submitted in the regions; those that overlap count each";

pub(super) fn regions(found: &Regions, room: Room) -> Vec<String> {
    if found.regions.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        ("total", Align::Right),
        ("count", Align::Right),
        ("median", Align::Right),
        ("longest", Align::Right),
        ("commands", Align::Right),
        ("device", Align::Right),
        ("copies", Align::Right),
        ("waited", Align::Right),
        ("region", Align::Name),
    ]);
    let shown = found.regions.len().min(room.rows);
    for region in &found.regions[..shown] {
        table.row([
            duration(region.total_ns),
            count(region.count),
            duration(region.median_ns),
            duration(region.max_ns),
            count(region.commands),
            duration(region.device_ns),
            duration(region.copy_ns),
            duration(region.wait_ns),
            name(&region.path.join(" / ")),
        ]);
    }
    let mut lines = cut(table.lines(room.width), found.regions.len() + found.more as usize, shown);
    lines.push(SUMS.to_owned());
    lines
}
