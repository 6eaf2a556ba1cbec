//! Findings with their remedies, and problems.

use std::fmt::Write as _;

use syclscope_language::api::{
    Finding, Gain, Report, Severity, TraceInfo, bounded_gain, gain_bound, gain_bound_of_all, rule_title,
};

use super::super::speed_findings;
use super::elements::{place, section, sentence_case, words};
use syclscope_text::{bytes, count, duration};

const MAX_FINDINGS: usize = 8;
const MAX_PROBLEMS: usize = 12;

/// Lists findings about speed, the largest gain first.
pub(super) fn findings(out: &mut String, report: &Report) {
    let found = speed_findings(report);
    if found.is_empty() {
        return;
    }
    let run_ns = report.split.run_ns;
    let mut body = String::new();
    if found.iter().all(|finding| finding.is_small(run_ns)) {
        body += "<p>No finding would save 1 % or more.</p>\n";
    }
    body += "<ol class=\"findings\">\n";
    for finding in found.iter().take(MAX_FINDINGS) {
        write_finding(&mut body, finding);
    }
    body += "</ol>\n";
    // Infallible, here and below: writes to a String don't fail.
    if let Some(more) = found.len().checked_sub(MAX_FINDINGS).filter(|more| *more > 0) {
        let _ = writeln!(body, "<p class=\"quiet\">and {} more</p>", count(more as u64));
    }
    let gains = found.iter().filter(|finding| finding.gain.is_some()).count();
    let note = if gains > 1 && report.together_ns > 0 {
        let together = bounded_gain(gain_bound_of_all(&report.findings), &duration(report.together_ns));
        format!("predicted: together {together}")
    } else {
        String::new()
    };
    section(out, "Possible gains", &note, &body);
}

fn write_finding(out: &mut String, finding: &Finding) {
    let time = |ns: u64| bounded_gain(gain_bound(&finding.kind), &duration(ns));
    let gain = match &finding.gain {
        Some(Gain { ns: 0, bytes: 0, .. }) => "would save nothing".to_owned(),
        Some(Gain { ns: 0, bytes: size, .. }) => format!("<b>at most {}</b> predicted", bytes(*size)),
        Some(Gain { ns, bytes: 0, .. }) => format!("<b>{}</b> predicted", time(*ns)),
        Some(gain) => format!("<b>{}</b> and {} predicted", time(gain.ns), bytes(gain.bytes)),
        None => format!("affects {} measured", duration(finding.touches_ns)),
    };
    let place = place(finding.location.as_ref());
    let place = if place.is_empty() { place } else { format!(" <span class=\"place\">{place}</span>") };
    let _ = write!(
        out,
        "<li>\n<div class=\"head\"><h3>{}</h3>{place} <span class=\"gain\">{gain}</span></div>\n<p>{}",
        words(&sentence_case(&rule_title(&finding.kind))),
        words(finding.cause())
    );
    if !finding.remedy.is_empty() {
        let _ = write!(out, " <b>{}</b>", words(&finding.remedy));
    }
    *out += "</p>\n";
    let saves = finding.gain.as_ref().is_none_or(|gain| gain.ns > 0);
    if let Some(part) = finding.iterations.as_ref().filter(|_| saves) {
        let iterations = count(part.iterations);
        let _ = writeln!(
            out,
            "<p class=\"quiet\">In one of {iterations} steady iterations: {}.</p>",
            words(&part.words(&finding.kind, duration))
        );
    }
    if finding.gain.is_none() && !finding.no_gain.is_empty() {
        let _ = writeln!(out, "<p class=\"quiet\">No gain is known. {}</p>", words(&finding.no_gain));
    }
    *out += "</li>\n";
}

pub(super) fn problems(out: &mut String, info: &TraceInfo) {
    let is_bad = |severity| severity != Severity::Info;
    let of_trace = info
        .diagnostics
        .iter()
        .filter(|problem| is_bad(problem.severity))
        .map(|problem| format!("{} × {}", count(problem.count), words(&problem.message)));
    let of_program = info.findings.iter().filter(|finding| is_bad(finding.severity)).map(|finding| {
        let place = place(finding.location.as_ref());
        let place = if place.is_empty() { place } else { format!(" ({place})") };
        format!("{}{place}", words(&finding.message))
    });
    let all: Vec<String> = of_trace.chain(of_program).collect();
    if all.is_empty() {
        return;
    }
    let mut body = "<ul class=\"problems\">\n".to_owned();
    for line in all.iter().take(MAX_PROBLEMS) {
        let _ = writeln!(body, "<li>{line}</li>");
    }
    if let Some(more) = all.len().checked_sub(MAX_PROBLEMS).filter(|more| *more > 0) {
        let _ = writeln!(body, "<li class=\"quiet\">and {} more</li>", count(more as u64));
    }
    body += "</ul>\n";
    section(out, "Problems", "", &body);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_have_their_bounds() {
        let written = |kind: &str, ns: u64| {
            let gain = Some(Gain { ns, ..Gain::default() });
            let mut out = String::new();
            write_finding(&mut out, &Finding { kind: kind.to_owned(), gain, ..Finding::default() });
            out
        };
        let none = written("wait_after_kernel", 0);
        assert!(none.contains(">would save nothing<"), "{none}");
        let bound = written("wait_after_kernel", 5_000);
        assert!(bound.contains("<b>at most 5.000 µs</b> predicted"), "{bound}");
        let builds = written("build_inside_run", 5_000);
        assert!(builds.contains("<b>5.000 µs in recorded time</b> predicted"), "{builds}");
    }
}
