//! What is slower than it must be.

use syclscope_language::api::Report;

use super::problems::message;
use super::{Room, cut, place};
use crate::text::{bytes, duration, printable};

/// Findings with what they promise, most first: what it is and what would be gained, and below what it means.
pub(super) fn findings(report: &Report, room: Room) -> Vec<String> {
    let mut lines = Vec::new();
    let with_gain = || report.findings.iter().filter_map(|finding| Some((finding, finding.gain.as_ref()?)));
    for (finding, gain) in with_gain().take(room.rows) {
        let place = place(finding.location.as_ref());
        let place = if place.is_empty() { place } else { format!(", {place}") };
        let moved = if gain.bytes > 0 { format!(" and {}", bytes(gain.bytes)) } else { String::new() };
        let kind = printable(&finding.kind, 80).replace('_', " ");
        lines.push(format!("{kind}: at most {}{moved}{place}", duration(gain.ns)));
        lines.extend(message(&finding.message, room.width));
    }
    let all = with_gain().count();
    cut(lines, all, room.rows.min(all))
}
