//! Findings: probable errors or performance problems of the program. `docs/FINDINGS.md` describes each rule and the
//! reason for its bounds.
//!
//! A rule states only recorded facts, the affected time, and the change to the run that its remedy would make. The gain
//! is the shortening of the replayed run by that change.

mod allocations;
mod blocking;
mod builds;
mod callers;
mod copies;
mod copies_unread;
mod devices;
mod false_dependence;
mod gains;
mod graph_rounds;
mod graphs;
mod handles;
mod host_bound;
mod host_rounds;
mod host_tasks;
mod host_tasks_in_queue;
mod implicit;
mod late_rank;
mod launches;
mod long_kernel;
mod memory_order;
mod needless_copies;
mod order;
mod processor_use;
mod queries;
pub(super) mod remedies;
pub(super) mod run;
mod slow_start;
mod through_host;
mod touched;
pub(super) mod touches;
mod uneven;
mod uses;
mod waits;
pub(crate) mod words;

use self::run::{Draft, Run};
#[cfg(feature = "tables")]
pub(crate) use handles::HandleFindings;

use std::ops::Range;

use syclscope_language::api::{Finding, FindingIterations, Findings, Severity};
use syclscope_language::question::FindingsQuestion;

use crate::query::iterations::SteadyIterations;
use crate::query::iterations::steps::Steps;
use crate::store::Trace;
use crate::store::cache::cached;
use syclscope_language::sorting::Sorting as _;

/// Findings of the whole run: errors first, then those of steady iterations, then others; largest gain first within
/// each group, those without a gain last.
struct AllFindings {
    findings: Vec<Finding>,
    /// Gain of removing all findings.
    together_ns: u64,
}

cached!(AllFindings { findings });

/// Returns the cached findings. The first call walks over every slice a few times, and replays up to 20 findings and 20
/// of steady iterations.
fn all(trace: &Trace) -> &AllFindings {
    trace.shelf.slot().get_or_init(|| find_all(trace))
}

fn find_all(trace: &Trace) -> AllFindings {
    let run = Run::new(trace);
    let in_steady = steady_iterations(trace).map(|steady| {
        let found = of_iterations(&run, &steady);
        (steady, found)
    });
    let mut of_run = drafts(&run);
    of_run.extend(trace.producer().is_none().then(|| slow_start::finding(&run)).flatten());
    let (found, together_ns) = gains::replayed(&run, of_run, in_steady);
    let mut findings = trace.handle_findings().to_vec();
    findings.extend(found);
    findings.extend(host_tasks::finding(trace));
    callers::add(trace, &mut findings);
    sort(&mut findings);
    AllFindings { findings, together_ns }
}

impl Trace {
    /// Returns the findings of the run, or of the events that start in a range. Gains are limited to that part. Walks
    /// over every slice a few times, and replays some 40 findings at most.
    pub fn findings(&self, question: &FindingsQuestion) -> Findings {
        let (mut findings, together_ns) = match (question.from_ns, question.to_ns) {
            (None, None) => {
                let whole = all(self);
                (whole.findings.clone(), whole.together_ns)
            }
            (from, to) => within(self, from.unwrap_or(0)..to.unwrap_or(u64::MAX)),
        };
        let rest = findings
            .split_off(question.limit.map_or(findings.len(), |limit| findings.len().min(limit as usize)));
        Findings { findings, more: rest.len() as u64, together_ns }
    }
}

fn within(trace: &Trace, range: Range<u64>) -> (Vec<Finding>, u64) {
    let (run, found) = drafts_within(trace, &range);
    let (mut findings, together_ns) = gains::replayed(&run, found, None);
    findings.extend(trace.handle_findings().iter().filter(|finding| range.contains(&finding.at_ns)).cloned());
    callers::add(trace, &mut findings);
    sort(&mut findings);
    (findings, together_ns)
}

fn drafts_within<'t>(trace: &'t Trace, range: &Range<u64>) -> (Run<'t>, Vec<Draft>) {
    let to = range.end.min(trace.duration_ns.saturating_add(1));
    let run = Run::new(trace).within(range.start..to, range.start..to);
    let found = if trace.producer().is_some() { launches::findings(&run) } else { drafts_of_part(&run) };
    (run, found)
}

fn sort(findings: &mut [Finding]) {
    findings.arrange_by(|a, b| {
        let key = |finding: &Finding| {
            let gain = finding.gain.as_ref().map(|gain| (gain.ns, gain.bytes));
            // A part whose gain is unknown, because replays are limited, is not listed first.
            let has_gain = finding.gain.is_some();
            let leads = |part: &&FindingIterations| !part.is_small() && (part.gain_ns.is_some() || !has_gain);
            let part = finding.iterations.as_ref().filter(leads);
            let in_part = part.map(|part| (part.gain_ns, part.touches_ns));
            (finding.severity == Severity::Error, in_part, gain, finding.touches_ns)
        };
        let first = key(b).cmp(&key(a));
        first.then_with(|| (a.at_ns, &a.kind, &a.evidence).cmp(&(b.at_ns, &b.kind, &b.evidence)))
    });
}

/// Returns the kind of each finding of the run, or of a part of it, except those of steady iterations and slow starts,
/// which depend on caches and on the machine. Walks over every slice a few times.
pub(crate) fn kinds(trace: &Trace, range: Option<Range<u64>>) -> Vec<String> {
    let is_in = |at: u64| range.as_ref().is_none_or(|range| range.contains(&at));
    let of_handles = trace.handle_findings().iter().filter(|finding| is_in(finding.at_ns));
    let of_handles = of_handles.map(|finding| finding.kind.clone());
    let found = match &range {
        None => drafts(&Run::new(trace)),
        Some(range) => drafts_within(trace, range).1,
    };
    let found = found.into_iter().map(|draft| draft.kind.to_owned());
    let of_host_tasks = host_tasks::finding(trace).filter(|_| range.is_none()).map(|finding| finding.kind);
    of_handles.chain(found).chain(of_host_tasks).collect()
}

fn of_iterations(run: &Run<'_>, steady: &SteadyIterations) -> Vec<Draft> {
    let part = run.within(steady.submitted.clone(), steady.range());
    let mut found = drafts_of_part(&part);
    let slow = uneven::Slow::new(steady);
    let mut steps = Steps::new(run.trace);
    for (number, (from, to)) in (steady.first..).zip(steady.intervals.iter().copied()) {
        steps.add(from..to, slow.has(number));
    }
    let steps = steps.into_list();
    found.extend(host_bound::finding(&part, steady, &steps));
    found.extend(uneven::finding(&part, steady, &slow, &steps));
    found
}

/// Returns the steady iterations, for our own recordings only: few rules apply to others.
fn steady_iterations(trace: &Trace) -> Option<SteadyIterations> {
    trace.producer().map_or_else(|| trace.steady_iterations(), |_| None)
}

fn drafts(run: &Run<'_>) -> Vec<Draft> {
    let of_run = [order::findings, devices::findings, long_kernel::findings, late_rank::findings];
    match run.trace.producer() {
        _ if run.span_ns == 0 => Vec::new(),
        // For another tool's file, only rules that apply to any interface, in suitable words.
        Some(_) => launches::findings(run),
        None => drafts_of_part(run).into_iter().chain(of_run.iter().flat_map(|rule| rule(run))).collect(),
    }
}

fn drafts_of_part(run: &Run<'_>) -> Vec<Draft> {
    let rules = [
        builds::findings,
        graphs::findings,
        graph_rounds::findings,
        allocations::small,
        allocations::large,
        waits::findings,
        host_tasks_in_queue::findings,
        queries::findings,
        blocking::host_accessors,
        blocking::destructors,
        blocking::reads,
        launches::findings,
        copies::findings,
        copies_unread::findings,
        through_host::findings,
        implicit::findings,
        false_dependence::findings,
    ];
    rules.iter().flat_map(|rule| rule(run)).collect()
}
