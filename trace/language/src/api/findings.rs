//! Findings: probable errors or performance problems of a program.

use serde::{Deserialize, Serialize};

use super::{LocationInfo, Severity, SliceRef};

/// A probable error or performance problem of the program, with evidence. `docs/FINDINGS.md` explains each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable name (`kept_handle_never_released`, `wait_after_kernel`, …).
    pub kind: String,
    /// Severity.
    pub severity: Severity,
    /// Description of the problem and its remedy, in plain words.
    pub message: String,
    /// The end of `message`: the remedy; empty if there is none.
    #[serde(default)]
    pub remedy: String,
    /// Recorded evidence.
    pub evidence: Vec<String>,
    /// Its process, an index into [`super::TraceInfo::processes`].
    pub process: u32,
    /// Time of the finding; the first one of several.
    pub at_ns: u64,
    /// End of its last occurrence, if known; else `at_ns`.
    #[serde(default)]
    pub until_ns: u64,
    /// Its source location, if it has one.
    pub location: Option<LocationInfo>,
    /// Position of the call, or of the first slice in evidence.
    pub at: Option<SliceRef>,
    /// Number of occurrences; 0 if not applicable.
    #[serde(default)]
    pub count: u64,
    /// Time by which the run would be shorter without it; `None` if unknown.
    #[serde(default)]
    pub gain: Option<Gain>,
    /// Reason why there is no gain; empty if there is one, or if the finding is not about speed.
    #[serde(default)]
    pub no_gain: String,
    /// The affected time: idle time of devices that it may cause, or time of commands that it may prolong. It may
    /// remain without the finding.
    #[serde(default)]
    pub touches_ns: u64,
    /// The first slices in evidence, at most 20.
    #[serde(default)]
    pub slices: Vec<SliceRef>,
    /// Numbers of the first commands in evidence, at most 20.
    #[serde(default)]
    pub nodes: Vec<u64>,
    /// A filter (`docs/QUERIES.md`) that selects the evidence in a view, or slices close to it; empty if there is none.
    #[serde(default)]
    pub filter: String,
    /// Its part in the steady iterations of the main loop; `None` if it has none, or if no loop takes most of the run.
    #[serde(default)]
    pub iterations: Option<FindingIterations>,
}

/// Rules whose gain is no bound: their remedies also save unrecorded work of the runtime, and cached builds take time.
const RULES_OF_UNRECORDED_WORK: [&str; 3] = ["build_inside_run", "graph_built_for_one_run", "slow_start"];

/// Returns the words before a gain: "at most", or "in recorded time" for rules about unrecorded work.
pub fn gain_bound(kind: &str) -> &'static str {
    if RULES_OF_UNRECORDED_WORK.contains(&kind) { "in recorded time" } else { "at most" }
}

/// Returns a gain with its bound: `at most 3 s`, `3 s in recorded time`; `bound` is that of [`gain_bound`] or
/// [`gain_bound_of_all`].
pub fn bounded_gain(bound: &str, duration: &str) -> String {
    match bound {
        "at most" => format!("at most {duration}"),
        _ => format!("{duration} {bound}"),
    }
}

/// Returns a gain as the object of "could save"; `bound` is that of [`gain_bound`] or [`gain_bound_of_all`].
pub fn saving(bound: &str, duration: &str) -> String {
    match bound {
        "at most" => format!("up to {duration}"),
        _ => format!("{duration} {bound}"),
    }
}

/// Returns the sign before a gain in a table, with a space; empty for a gain that is no bound.
pub fn gain_sign(kind: &str) -> &'static str {
    if RULES_OF_UNRECORDED_WORK.contains(&kind) { "" } else { "≤ " }
}

/// Returns the words before the joint gain of several findings: `in recorded time` if one of the gains is no bound,
/// else `at most`.
pub fn gain_bound_of_all(findings: &[Finding]) -> &'static str {
    let with_gain = findings.iter().filter(|finding| finding.gain.is_some());
    with_gain.map(|finding| gain_bound(&finding.kind)).find(|bound| *bound != "at most").unwrap_or("at most")
}

/// Returns the display title of a rule.
pub fn rule_title(kind: &str) -> String {
    kind.replace('_', " ")
}

impl Finding {
    /// Returns the start of the message: the cause.
    pub fn cause(&self) -> &str {
        self.message.strip_suffix(&self.remedy).unwrap_or(&self.message).trim_end()
    }

    /// True if its gain is known, and less than a hundredth of the run and of its steady iterations, if it has any.
    pub fn is_small(&self, run_ns: u64) -> bool {
        let is_small_gain = self.gain.as_ref().is_some_and(|gain| gain.ns < run_ns / 100);
        is_small_gain && self.iterations.as_ref().is_none_or(FindingIterations::is_small)
    }
}

/// Findings of a run, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// Errors first, then those of steady iterations, then others; within each group largest gain first, those without
    /// a gain last.
    pub findings: Vec<Finding>,
    /// Number of findings that are not listed.
    pub more: u64,
    /// Shortening of the run's replay without all findings that have a gain, in ns.
    pub together_ns: u64,
}

/// The part of a finding in the steady iterations of the main loop ([`super::Iterations`]). Counts and times are sums
/// over all of these iterations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingIterations {
    /// Number of the iterations.
    pub iterations: u64,
    /// Their mean duration, in ns.
    pub mean_ns: u64,
    /// Number of occurrences.
    pub count: u64,
    /// The affected time, in ns.
    pub touches_ns: u64,
    /// Shortening of the run's replay if the finding's fault is removed from these iterations only, in ns; `None` if
    /// unknown.
    pub gain_ns: Option<u64>,
}

impl FindingIterations {
    /// True if its gain is known, and less than a hundredth of the iterations.
    pub fn is_small(&self) -> bool {
        let least_ns = self.mean_ns.saturating_mul(self.iterations) / 100;
        self.gain_ns.is_some_and(|ns| ns < least_ns)
    }

    /// Describes the gain of a rule in one iteration; `duration` formats ns.
    pub fn words(&self, kind: &str, duration: impl Fn(u64) -> String) -> String {
        let of_one = |ns: u64| duration(ns / self.iterations.max(1));
        let of = duration(self.mean_ns);
        match self.gain_ns {
            Some(ns) => format!("{} {} of {of}", gain_bound(kind), of_one(ns)),
            None => format!("affects {} of {of}", of_one(self.touches_ns)),
        }
    }
}

/// Upper bound of a remedy's gain. For `build_inside_run`, `graph_built_for_one_run` and `slow_start` it is no bound:
/// their remedies also save unrecorded work of the runtime. Gains of several findings don't add up:
/// [`super::Report::together_ns`] is their gain together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gain {
    /// Shortening of the run's replay without the finding's fault, in ns, as `what_if` replays runs.
    pub ns: u64,
    /// Bytes that would not be moved; 0 if the finding is not about bytes.
    pub bytes: u64,
    /// Description of the replayed change.
    pub how: String,
}

#[cfg(test)]
mod tests {
    use super::{Finding, Gain, bounded_gain, gain_bound_of_all, rule_title, saving};

    #[test]
    fn a_gain_that_is_no_bound_makes_none_of_the_sum() {
        let finding = |kind: &str, gain: Option<u64>| Finding {
            kind: kind.to_owned(),
            gain: gain.map(|ns| Gain { ns, ..Gain::default() }),
            ..Finding::default()
        };
        let (builds, waits) = (finding("build_inside_run", Some(2)), finding("wait_after_kernel", Some(1)));
        assert_eq!(gain_bound_of_all(std::slice::from_ref(&builds)), "in recorded time");
        assert_eq!(gain_bound_of_all(&[waits.clone(), waits.clone()]), "at most");
        assert_eq!(gain_bound_of_all(&[waits.clone(), builds]), "in recorded time");
        assert_eq!(gain_bound_of_all(&[waits, finding("build_inside_run", None)]), "at most");
        assert_eq!(saving("in recorded time", "3 s"), "3 s in recorded time");
        assert_eq!(bounded_gain("at most", "3 s"), "at most 3 s");
        assert_eq!(bounded_gain("in recorded time", "3 s"), "3 s in recorded time");
    }

    #[test]
    fn a_rule_has_its_names_words_as_title() {
        assert_eq!(rule_title("order_without_need"), "order without need");
    }
}
