//! What is wrong with a trace, in plain words and with counts.

use std::cmp::Reverse;

use syclscope_trace::api::{DiagnosticInfo, Severity, TraceInfo};

use crate::format;

/// A kind of problem, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How bad.
    pub severity: Severity,
    /// What it is, with its count.
    pub title: String,
    /// What it means and the remedy.
    pub text: String,
}

/// Every kind of problem once: a recording that was cut short, then lost events and diagnostics, the worst first.
/// Lost events are told by their diagnostics, or by one line where the trace has only their number.
pub fn problems(info: &TraceInfo) -> Vec<Problem> {
    let cut_short = (!info.complete).then(|| Problem {
        severity: Severity::DataLoss,
        title: "Recording was cut short".to_owned(),
        text: "The program ended or was killed before the recorder could finish. Everything up to its last flush is \
               here."
            .to_owned(),
    });
    let is_told = info.diagnostics.iter().any(|diagnostic| diagnostic.kind.starts_with("dropped_"));
    let dropped = (info.counts.dropped > 0 && !is_told).then(|| Problem {
        severity: Severity::DataLoss,
        title: format!("{} dropped", format::counted(info.counts.dropped, "event", "events")),
        text: "A buffer of the recorder was full, so these events are not in the trace.".to_owned(),
    });
    let mut diagnostics: Vec<_> = info.diagnostics.iter().map(of_diagnostic).collect();
    diagnostics.sort_by_key(|problem| Reverse(problem.severity));
    cut_short.into_iter().chain(dropped).chain(diagnostics).collect()
}

/// The worst problem's severity.
pub fn worst(problems: &[Problem]) -> Option<Severity> {
    problems.iter().map(|problem| problem.severity).max()
}

fn of_diagnostic(diagnostic: &DiagnosticInfo) -> Problem {
    let DiagnosticInfo { severity, kind, message, count, first_offset } = diagnostic;
    let mut title = kind.replace('_', " ");
    if *count > 1 {
        title += &format!(" × {}", format::count(*count));
    }
    let text = match first_offset {
        Some(offset) => format!("{message} First at byte {}.", format::count(*offset)),
        None => message.clone(),
    };
    Problem { severity: *severity, title, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(severity: Severity, kind: &str, count: u64) -> DiagnosticInfo {
        DiagnosticInfo { severity, kind: kind.into(), message: "Why.".into(), count, first_offset: None }
    }

    fn info(complete: bool, dropped: u64, diagnostics: Vec<DiagnosticInfo>) -> TraceInfo {
        let mut info = TraceInfo { complete, diagnostics, ..TraceInfo::default() };
        info.counts.dropped = dropped;
        info
    }

    fn titles(info: &TraceInfo) -> Vec<String> {
        problems(info).into_iter().map(|problem| problem.title).collect()
    }

    #[test]
    fn dropped_events_are_listed_once() {
        let told = info(true, 1200, vec![diagnostic(Severity::DataLoss, "dropped_full_buffer.node", 1200)]);
        assert_eq!(titles(&told), ["dropped full buffer.node × 1,200"]);
        assert_eq!(titles(&info(true, 1200, Vec::new())), ["1,200 events dropped"]);
    }

    #[test]
    fn the_worst_comes_first_after_a_recording_that_was_cut_short() {
        let mut late = diagnostic(Severity::Error, "malformed_packet", 1);
        late.first_offset = Some(4096);
        let info = info(false, 0, vec![diagnostic(Severity::Info, "unknown_event", 2), late]);
        assert_eq!(titles(&info), ["Recording was cut short", "malformed packet", "unknown event × 2"]);
        assert_eq!(problems(&info)[1].text, "Why. First at byte 4,096.");
        assert_eq!(worst(&problems(&info)), Some(Severity::Error));
    }

    #[test]
    fn a_whole_recording_has_no_problems() {
        assert_eq!(problems(&info(true, 0, Vec::new())), []);
        assert_eq!(worst(&[]), None);
    }
}
