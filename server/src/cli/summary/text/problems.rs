//! What is wrong with the recording or the program.

use syclscope_language::api::{Severity, TraceInfo};

use super::{INDENT, Room, count, cut, place};
use crate::text::{printable, wrapped};

/// Longest message.
const MESSAGE_CHARACTERS: usize = 600;

/// Problems of the file, then findings about the program: a count and a kind, and below what it means.
pub(super) fn problems(info: &TraceInfo, room: Room) -> Vec<String> {
    let mut lines = Vec::new();
    for problem in &info.diagnostics {
        let severity = severity(problem.severity);
        lines.push(format!("{} × {} ({severity})", count(problem.count), printable(&problem.kind, 80)));
        lines.extend(message(&problem.message, room.width));
    }
    for finding in info.findings.iter().take(room.rows) {
        let place = place(finding.location.as_ref());
        let place = if place.is_empty() { place } else { format!(", {place}") };
        lines.push(format!("{} ({}){place}", printable(&finding.kind, 80), severity(finding.severity)));
        lines.extend(message(&finding.message, room.width));
    }
    cut(lines, info.findings.len(), room.rows.min(info.findings.len()))
}

/// A severity's name.
pub(in super::super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::DataLoss => "data loss",
        Severity::Error => "error",
    }
}

/// A message in lines, indented.
pub(super) fn message(message: &str, width: usize) -> impl Iterator<Item = String> {
    let lines = wrapped(&printable(message, MESSAGE_CHARACTERS), width.saturating_sub(INDENT.len()));
    lines.into_iter().map(|line| format!("{INDENT}{line}"))
}
