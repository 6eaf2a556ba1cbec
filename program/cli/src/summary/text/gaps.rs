//! Idle time of devices: sums by cause, and explanations of the longest gaps.

use syclscope_language::api::Gaps;

use super::problems::message;
use super::{Room, cut, name, share};
use syclscope_text::{Align, Table, count, counted, duration};

pub(super) fn gaps(gaps: &Gaps, room: Room) -> Vec<String> {
    if gaps.count == 0 {
        return Vec::new();
    }
    let mut lines = vec![format!("{} in {}", duration(gaps.idle_ns), counted(gaps.count, "gap"))];
    let mut table = Table::new([
        ("cause", Align::Left),
        ("time", Align::Right),
        ("share", Align::Right),
        ("gaps", Align::Right),
    ]);
    for class in &gaps.classes {
        table.row([
            class.class.as_words().to_owned(),
            duration(class.total_ns),
            share(class.total_ns, gaps.idle_ns),
            count(class.count),
        ]);
    }
    lines.extend(table.lines(room.width));
    let shown = gaps.gaps.len().min(room.steps);
    for gap in gaps.gaps.iter().take(shown) {
        lines.push(format!("from {} on {}", duration(gap.from_ns), name(&gap.name)));
        lines.extend(message(&gap.message, room.width));
    }
    cut(lines, gaps.count as usize, shown)
}
