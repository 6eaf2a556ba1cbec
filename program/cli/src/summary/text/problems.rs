//! Problems of the recording and of the program.

use syclscope_language::api::{Severity, TraceInfo};

use super::{INDENT, Room, at_location, count, cut};
use syclscope_text::{printable, wrapped};

const MESSAGE_COLUMNS: usize = 600;

/// Lists problems of the file, then findings about the program: count and kind, with the explanation below.
pub(super) fn problems(info: &TraceInfo, room: Room) -> Vec<String> {
    let mut lines = Vec::new();
    for problem in &info.diagnostics {
        let severity = severity(problem.severity);
        lines.push(format!("{} × {} ({severity})", count(problem.count), printable(&problem.kind, 80)));
        lines.extend(message(&problem.message, room.width));
    }
    for finding in info.findings.iter().take(room.rows) {
        let start = format!("{} ({})", printable(&finding.kind, 80), severity(finding.severity));
        lines.push(at_location(&start, finding.location.as_ref(), room.width));
        lines.extend(message(&finding.message, room.width));
    }
    cut(lines, info.findings.len(), room.rows.min(info.findings.len()))
}

pub(in super::super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::DataLoss => "data loss",
        Severity::Error => "error",
    }
}

pub(super) fn message(message: &str, width: usize) -> impl Iterator<Item = String> {
    let lines = wrapped(&printable(message, MESSAGE_COLUMNS), width.saturating_sub(INDENT.len()));
    lines.into_iter().map(|line| format!("{INDENT}{line}"))
}
