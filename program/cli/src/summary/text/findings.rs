//! Possible speedups.

use syclscope_language::api::{Finding, Gain, bounded_gain, gain_bound, gain_bound_of_all, rule_title};

use super::problems::message;
use super::{Room, Summary, at_location, cut};
use syclscope_text::{bytes, duration, printable};

/// Lists findings about speed in the order of the report, with kind, gain and location, and the explanation
/// below. Then lists findings that concern neither speed nor problems of the program.
pub(super) fn findings(summary: &Summary, room: Room) -> Vec<String> {
    let Summary { info, report, is_part, .. } = summary;
    let is_of_speed = |finding: &&Finding| finding.gain.is_some() || finding.touches_ns > 0;
    let of_speed = || report.findings.iter().filter(is_of_speed);
    let gains: Vec<u64> = of_speed().filter_map(|finding| Some(finding.gain.as_ref()?.ns)).collect();
    let mut lines = Vec::new();
    for finding in of_speed().take(room.rows) {
        let kind = printable(&rule_title(&finding.kind), 80);
        let time = |ns: u64| bounded_gain(gain_bound(&finding.kind), &duration(ns));
        let what = match &finding.gain {
            Some(Gain { ns: 0, bytes: 0, .. }) => "would save nothing".to_owned(),
            Some(Gain { ns: 0, bytes: size, .. }) => {
                format!("{} {}", gain_bound(&finding.kind), bytes(*size))
            }
            Some(Gain { ns, bytes: 0, .. }) => time(*ns),
            Some(gain) => format!("{} and {}", time(gain.ns), bytes(gain.bytes)),
            None => format!("affects {}", duration(finding.touches_ns)),
        };
        lines.push(at_location(&format!("{kind}: {what}"), finding.location.as_ref(), room.width));
        lines.extend(message(&finding.message, room.width));
        if finding.gain.is_none() {
            lines.extend(message(&format!("No gain is known. {}", finding.no_gain), room.width));
        }
        let saves = finding.gain.as_ref().is_none_or(|gain| gain.ns > 0);
        if let Some(part) = finding.iterations.as_ref().filter(|_| saves) {
            let words = part.words(&finding.kind, duration);
            lines.extend(message(
                &format!("In one of {} steady iterations: {words}.", part.iterations),
                room.width,
            ));
        }
    }
    let all = of_speed().count();
    let mut lines = cut(lines, all, room.rows.min(all));
    let run_ns = report.split.run_ns;
    let is_small = |finding: &Finding| finding.is_small(run_ns);
    if !gains.is_empty() && of_speed().filter(|finding| finding.gain.is_some()).all(is_small) {
        let known = if all == gains.len() { "" } else { " of known gain" };
        lines.push(format!("no finding{known} would save 1 % or more"));
    } else if gains.len() > 1 {
        let whole = if *is_part { "part" } else { "run" };
        let of = if run_ns == 0 { String::new() } else { format!(", of a {whole} of {}", duration(run_ns)) };
        let together = bounded_gain(gain_bound_of_all(&report.findings), &duration(report.together_ns));
        lines.push(format!("together {together}{of}"));
    }
    let others = report.findings.iter().filter(|found| !is_of_speed(found) && !info.findings.contains(found));
    for finding in others {
        lines.push(printable(&rule_title(&finding.kind), 80));
        lines.extend(message(&finding.message, room.width));
    }
    lines
}
