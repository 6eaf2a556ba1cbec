//! What could be faster.

use syclscope_language::api::{Report, TraceInfo};

use super::problems::message;
use super::{Room, cut, location};
use crate::text::{bytes, duration, printable};

/// Findings with a possible gain, the largest first: kind, gain and location, and below them the explanation; then those that promise
/// none and are no problem of the program.
pub(super) fn findings(info: &TraceInfo, report: &Report, room: Room) -> Vec<String> {
    let mut lines = Vec::new();
    // Each moment of a process counts with one finding, so what they gain adds up. Several processes may gain more together
    // than the run took.
    let all_ns: u64 = report.findings.iter().filter_map(|finding| Some(finding.gain.as_ref()?.ns)).sum();
    let with_gain = || report.findings.iter().filter_map(|finding| Some((finding, finding.gain.as_ref()?)));
    for (finding, gain) in with_gain().take(room.rows) {
        let location = location(finding.location.as_ref());
        let location = if location.is_empty() { location } else { format!(", {location}") };
        let moved = if gain.bytes > 0 { format!(" and {}", bytes(gain.bytes)) } else { String::new() };
        let kind = printable(&finding.kind, 80).replace('_', " ");
        let shared = match gain.shared_ns {
            0 => String::new(),
            ns => format!(
                ", and {} that counts with: {}",
                duration(ns),
                gain.shared_with.join(", ").replace('_', " ")
            ),
        };
        lines.push(format!("{kind}: at most {}{moved}{location}{shared}", duration(gain.ns)));
        lines.extend(message(&finding.message, room.width));
    }
    let all = with_gain().count();
    let mut lines = cut(lines, all, room.rows.min(all));
    if all > 1 {
        let of_run = match report.split.run_ns {
            run_ns if all_ns <= run_ns => format!(" of a run of {}", duration(run_ns)),
            _ => String::new(),
        };
        let once = "within a process no moment counts twice";
        lines.push(format!("together at most {}{of_run}; {once}", duration(all_ns)));
    }
    for finding in
        report.findings.iter().filter(|found| found.gain.is_none() && !info.findings.contains(found))
    {
        lines.push(printable(&finding.kind, 80).replace('_', " "));
        lines.extend(message(&finding.message, room.width));
    }
    lines
}
