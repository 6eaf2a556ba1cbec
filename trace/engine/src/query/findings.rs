//! What is probably wrong with the program itself, or slower than it must be. `docs/FINDINGS.md` says what each rule looks
//! for and why its bounds are what they are.
//!
//! A rule says only what the recording shows, and its gain is what would be saved at most.

mod allocations;
mod blocking;
mod builds;
mod claim;
mod copies;
mod devices;
mod false_dependence;
mod graphs;
mod handles;
mod host_tasks;
mod implicit;
mod launches;
mod order;
mod parts;
pub(super) mod remedies;
pub(super) mod run;
mod through_host;
pub(super) mod touches;
mod uses;
mod waits;
pub(super) mod words;

use self::run::{Draft, Run};
#[cfg(feature = "tables")]
pub(crate) use handles::HandleFindings;

use syclscope_language::api::{Finding, Gain, Severity};

use crate::store::Trace;

/// Every finding: errors first, then most gain first. The cost is that of a few walks over every slice.
pub(crate) fn all(trace: &Trace) -> Vec<Finding> {
    let mut findings = trace.handle_findings().to_vec();
    let run = Run::new(trace);
    if run.span_ns > 0 {
        // In the order in which they claim time: what the host is known to have done with it, then what it waited for,
        // then what it may have been too slow for; copies that nobody needs, then what commands could do in less time.
        let rules = [
            builds::findings,
            graphs::findings,
            allocations::findings,
            waits::findings,
            blocking::host_accessors,
            blocking::destructors,
            blocking::reads,
            launches::findings,
            copies::findings,
            through_host::findings,
            implicit::findings,
            false_dependence::findings,
            order::findings,
            devices::findings,
        ];
        // Of another tool's file only what holds for any interface, in words that fit it.
        let of_any: [fn(&Run<'_>) -> Vec<Draft>; 1] = [launches::findings];
        let rules = if trace.producer().is_some() { &of_any[..] } else { &rules[..] };
        findings.extend(claim::share_out(&run, rules.iter().map(|rule| rule(&run)).collect()));
    }
    findings.extend(host_tasks::finding(trace));
    findings.sort_by(|a, b| {
        let key = |finding: &Finding| {
            let gain =
                finding.gain.as_ref().map(|Gain { ns, bytes, shared_ns, .. }| (*ns, *bytes, *shared_ns));
            (finding.severity == Severity::Error, gain)
        };
        let first = key(b).cmp(&key(a));
        first.then_with(|| (a.at_ns, &a.kind, &a.evidence).cmp(&(b.at_ns, &b.kind, &b.evidence)))
    });
    findings
}
