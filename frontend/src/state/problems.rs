//! Problems of a trace, in plain words and with counts.

use std::cmp::Reverse;
use std::collections::HashSet;

use syclscope_language::api::{DiagnosticInfo, Finding, Severity, SliceRef, TraceInfo, rule_title};

use crate::format;
use crate::state::words;
use syclscope_language::sorting::Sorting as _;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    pub title: String,
    pub text: String,
    /// One sentence each.
    pub evidence: Vec<String>,
    /// Source location, empty if unknown.
    pub place: String,
    pub at: Option<SliceRef>,
}

impl Problem {
    fn new(severity: Severity, title: impl Into<String>, text: impl Into<String>) -> Self {
        let (title, text) = (title.into(), text.into());
        Self { severity, title, text, evidence: Vec::new(), place: String::new(), at: None }
    }
}

/// Minimum error of device times that is worth a note.
const RESIDUAL_NS: u64 = 10_000;

/// True if our own recording has no end. Other tools' files have no end marker.
pub fn is_cut_short(info: &TraceInfo) -> bool {
    let is_ours =
        std::iter::once(&info.process).chain(&info.processes).any(|process| !process.recorder.is_empty());
    !info.complete && is_ours && info.producer().is_none()
}

pub fn why_empty(info: &TraceInfo) -> &'static str {
    if alerts(&problems(info)).is_some() {
        "The readable part of this recording has no slices, and the rest is missing or damaged: see its problems."
    } else {
        "The program used no SYCL while it was recorded, or ended before its first command."
    }
}

/// Returns one entry per kind of problem, worst first: truncated recording, lost events, errors of the program,
/// diagnostics, pauses, and notes about clocks. Lost events come from their diagnostics, or are one line if the trace
/// has only their number.
pub fn problems(info: &TraceInfo) -> Vec<Problem> {
    let cut_short = is_cut_short(info).then(|| {
        let text = "The program ended or was killed before the recorder finished. The trace holds everything up to the last flush.";
        Problem::new(Severity::DataLoss, "Recording was cut short", text)
    });
    let is_told = info.diagnostics.iter().any(|diagnostic| diagnostic.kind.starts_with("dropped_"));
    let dropped = (info.counts.dropped > 0 && !is_told).then(|| {
        let title = format!("{} dropped", format::counted(info.counts.dropped, "event", "events"));
        let text = "A recorder buffer was full, so the trace lacks these events.";
        Problem::new(Severity::DataLoss, title, text)
    });
    let findings = info.findings.iter().map(of_finding);
    let diagnostics = info.diagnostics.iter().map(of_diagnostic);
    let mut others: Vec<_> =
        findings.chain(diagnostics).chain(of_pauses(info)).chain(of_clocks(info)).collect();
    others.arrange_by_key(|problem| Reverse(problem.severity));
    cut_short.into_iter().chain(dropped).chain(others).collect()
}

fn of_finding(finding: &Finding) -> Problem {
    let Finding { kind, severity, message, evidence, location, at, .. } = finding;
    Problem {
        evidence: evidence.clone(),
        place: location.as_ref().map(words::place).unwrap_or_default(),
        at: *at,
        ..Problem::new(*severity, rule_title(kind), message.clone())
    }
}

fn of_pauses(info: &TraceInfo) -> Option<Problem> {
    let paused_ns = |pause: &syclscope_language::api::PauseInfo| {
        pause.end_ns.unwrap_or(info.duration_ns).saturating_sub(pause.start_ns)
    };
    let total_ns: u64 = info.pauses.iter().map(paused_ns).fold(0, u64::saturating_add);
    let times = format::counted(info.pauses.len() as u64, "time", "times");
    let processes: HashSet<u32> = info.pauses.iter().map(|pause| pause.process).collect();
    // Pauses of several processes overlap.
    let of = match processes.len() {
        0 | 1 => "of the run".to_owned(),
        several => format!("summed over {several} processes"),
    };
    (!info.pauses.is_empty()).then(|| {
        let text = format!(
            "{} {of} was not recorded, as requested. The timeline shows where.",
            format::duration(total_ns as f64)
        );
        Problem::new(Severity::Info, format!("Recording was paused {times}"), text)
    })
}

fn of_clocks(info: &TraceInfo) -> impl Iterator<Item = Problem> {
    info.devices.iter().filter_map(|device| {
        let clock = device.clock?;
        let name = &device.name;
        // A device without pairs is no problem: it uses the host's clock, as its first command showed.
        (clock.residual_ns >= RESIDUAL_NS).then(|| {
            let off = format::duration(clock.residual_ns as f64);
            let text = format!("{name}: Device timestamps may be off by ±{off} relative to host calls.");
            Problem::new(Severity::Info, "Device clock drifts", text)
        })
    })
}

/// Returns the number of problems other than notes, and the worst severity. Notes are only in the list.
pub fn alerts(problems: &[Problem]) -> Option<(usize, Severity)> {
    let severities = || problems.iter().map(|problem| problem.severity).filter(|one| *one > Severity::Info);
    Some((severities().count(), severities().max()?))
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
    Problem::new(*severity, title, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(severity: Severity, kind: &str, count: u64) -> DiagnosticInfo {
        DiagnosticInfo { severity, kind: kind.into(), message: "Why.".into(), count, first_offset: None }
    }

    fn info(complete: bool, dropped: u64, diagnostics: Vec<DiagnosticInfo>) -> TraceInfo {
        let mut info = TraceInfo { complete, diagnostics, ..TraceInfo::default() };
        info.process.recorder = "syclscope".into();
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
    fn a_file_of_another_program_was_not_cut_short() {
        let mut foreign = info(false, 0, Vec::new());
        foreign.process.recorder = String::new();
        assert!(problems(&foreign).is_empty());
        assert!(!is_cut_short(&foreign) && is_cut_short(&info(false, 0, Vec::new())));
    }

    #[test]
    fn the_worst_comes_first_after_a_recording_that_was_cut_short() {
        let mut late = diagnostic(Severity::Error, "malformed_packet", 1);
        late.first_offset = Some(4096);
        let info = info(false, 0, vec![diagnostic(Severity::Info, "unknown_event", 2), late]);
        assert_eq!(titles(&info), ["Recording was cut short", "malformed packet", "unknown event × 2"]);
        assert_eq!(problems(&info)[1].text, "Why. First at byte 4,096.");
        assert_eq!(alerts(&problems(&info)), Some((2, Severity::Error)));
    }

    #[test]
    fn an_empty_trace_is_blamed_on_the_program_only_if_all_of_it_was_read() {
        assert!(why_empty(&info(true, 0, Vec::new())).contains("used no SYCL"));
        let cut = diagnostic(Severity::DataLoss, "truncated_file", 1);
        for damaged in [info(true, 0, vec![cut]), info(false, 0, Vec::new())] {
            assert!(why_empty(&damaged).contains("missing"));
        }
    }

    #[test]
    fn a_whole_recording_has_no_problems() {
        assert_eq!(problems(&info(true, 0, Vec::new())), []);
        assert_eq!(alerts(&[]), None);
    }

    #[test]
    fn findings_pauses_and_clocks_are_told() {
        use syclscope_language::api::{ClockInfo, DeviceInfo, LocationInfo, PauseInfo};
        let mut info = info(true, 0, Vec::new());
        info.duration_ns = 5_000;
        info.findings = vec![Finding {
            kind: "kept_handle_destroyed_early".into(),
            severity: Severity::Error,
            message: "What and how.".into(),
            evidence: vec!["This.".into()],
            process: 0,
            at_ns: 7,
            location: Some(LocationInfo { file: "a.cpp".into(), line: 3, ..LocationInfo::default() }),
            ..Finding::default()
        }];
        info.pauses = vec![
            PauseInfo { start_ns: 1_000, end_ns: Some(2_000), ..PauseInfo::default() },
            PauseInfo { start_ns: 4_000, ..PauseInfo::default() },
        ];
        let device = |pairs, residual_ns| DeviceInfo {
            name: "gpu".into(),
            clock: Some(ClockInfo { pairs, residual_ns, ..ClockInfo::default() }),
            ..DeviceInfo::default()
        };
        info.devices = vec![device(8, 90), device(8, 20_000), device(0, 0), DeviceInfo::default()];
        let expected = ["kept handle destroyed early", "Recording was paused 2 times", "Device clock drifts"];
        assert_eq!(titles(&info), expected);
        let problems = problems(&info);
        assert_eq!((problems[0].place.as_str(), problems[0].evidence.len()), ("a.cpp:3", 1));
        assert!(problems[1].text.contains("2 µs of"), "{}", problems[1].text);
        assert!(problems[2].text.contains("by ±20 µs relative to"), "{}", problems[2].text);
        assert_eq!(alerts(&problems), Some((1, Severity::Error)));
        assert_eq!(alerts(&problems[1..]), None, "a note about a clock is no alert");
    }

    #[test]
    fn pauses_of_several_processes_are_not_a_part_of_the_run() {
        use syclscope_language::api::PauseInfo;
        let mut info = info(true, 0, Vec::new());
        info.duration_ns = 5_000;
        let pause =
            |process| PauseInfo { process, start_ns: 1_000, end_ns: Some(4_000), ..PauseInfo::default() };
        info.pauses = (0..4).map(pause).collect();
        let text = &problems(&info)[0].text;
        assert!(text.starts_with("12 µs summed over 4 processes was not recorded"), "{text}");
    }
}
