//! Findings: likely errors of a program, or causes of slowness.

use serde::{Deserialize, Serialize};

use super::{LocationInfo, Severity, SliceRef};

/// Something that is probably wrong with the program itself or slower than it must be, with what tells so.
/// `docs/FINDINGS.md` says what each kind means.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable name (`kept_handle_never_released`, `wait_after_kernel`, …).
    pub kind: String,
    /// Severity.
    pub severity: Severity,
    /// In plain words: what is wrong and the remedy.
    pub message: String,
    /// The end of `message`: what to do; empty if it does not say.
    #[serde(default)]
    pub remedy: String,
    /// Recorded evidence.
    pub evidence: Vec<String>,
    /// Its process, an index into [`super::TraceInfo::processes`].
    pub process: u32,
    /// When; the first time of several.
    pub at_ns: u64,
    /// When the last of it was over, if that is known; else `at_ns`.
    #[serde(default)]
    pub until_ns: u64,
    /// Source code where it began.
    pub location: Option<LocationInfo>,
    /// Place to jump to: the call, or the first of the slices in evidence.
    pub at: Option<SliceRef>,
    /// Number of occurrences; 0 where that means nothing.
    #[serde(default)]
    pub count: u64,
    /// Gain: the time by which the run would be shorter without it, at most; `None` if unknown.
    #[serde(default)]
    pub gain: Option<Gain>,
    /// Why there is no gain; empty where there is one, or the finding is not about speed.
    #[serde(default)]
    pub no_gain: String,
    /// The time that it is about: idle time of devices that it may cause, or time of commands that it may make longer. It may be as long
    /// without it.
    #[serde(default)]
    pub touches_ns: u64,
    /// Slices that tell so: the first of them, not more than 20.
    #[serde(default)]
    pub slices: Vec<SliceRef>,
    /// Numbers of commands that tell so: the first of them, not more than 20.
    #[serde(default)]
    pub nodes: Vec<u64>,
    /// A filter (`docs/QUERIES.md`) that finds what tells so in a view, or something near it; empty if there is none.
    #[serde(default)]
    pub filter: String,
    /// Its part in the steady iterations of the main loop; `None` if it has none, or if no loop is the main part of the run.
    #[serde(default)]
    pub iterations: Option<FindingIterations>,
}

/// Returns the title of the rule of this name, as the page and all texts show it.
pub fn rule_title(kind: &str) -> String {
    kind.replace('_', " ")
}

impl Finding {
    /// The beginning of the message: what is wrong.
    pub fn cause(&self) -> &str {
        self.message.strip_suffix(&self.remedy).unwrap_or(&self.message).trim_end()
    }

    /// True if its gain is known, and less than a hundredth of the run and of an iteration.
    pub fn is_small(&self, run_ns: u64) -> bool {
        let is_small_gain = self.gain.as_ref().is_some_and(|gain| gain.ns < run_ns / 100);
        is_small_gain && self.iterations.as_ref().is_none_or(FindingIterations::is_small)
    }
}

/// Findings of a run, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// Errors first, then those of steady iterations, then others; of each by gain, most first, then those without a gain.
    pub findings: Vec<Finding>,
    /// Findings behind the list.
    pub more: u64,
    /// Shortening of the run without all findings that have a gain, in ns, at most.
    pub together_ns: u64,
}

/// The part of a finding in the steady iterations of the main loop ([`super::Iterations`]). Counts and times are sums over
/// all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingIterations {
    /// Number of the iterations.
    pub iterations: u64,
    /// Their mean duration, in ns.
    pub mean_ns: u64,
    /// Number of occurrences.
    pub count: u64,
    /// The time that it is about, in ns.
    pub touches_ns: u64,
    /// Shortening of the run's replay if the finding's fault is removed from these iterations only, in ns; `None` if unknown.
    pub gain_ns: Option<u64>,
}

impl FindingIterations {
    /// True if its gain is known, and less than a hundredth of the iterations.
    pub fn is_small(&self) -> bool {
        let least_ns = self.mean_ns.saturating_mul(self.iterations) / 100;
        self.gain_ns.is_some_and(|ns| ns < least_ns)
    }

    /// Describes the gain in one iteration; `duration` formats ns.
    pub fn words(&self, duration: impl Fn(u64) -> String) -> String {
        let of_one = |ns: u64| duration(ns / self.iterations.max(1));
        let of = duration(self.mean_ns);
        match self.gain_ns {
            Some(ns) => format!("at most {} of {of}", of_one(ns)),
            None => format!("affects {} of {of}", of_one(self.touches_ns)),
        }
    }
}

/// Upper bound of a remedy's gain. Gains of several findings don't add up: [`super::Report::together_ns`] is their gain
/// together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gain {
    /// Shortening of the run's replay without the finding's fault, in ns, as `what_if` replays runs.
    pub ns: u64,
    /// Bytes that would not be moved; 0 if it is not about bytes.
    pub bytes: u64,
    /// Description of the replayed change.
    pub how: String,
}

#[cfg(test)]
mod tests {
    use super::rule_title;

    #[test]
    fn a_rule_has_its_names_words_as_title() {
        assert_eq!(rule_title("order_without_need"), "order without need");
    }
}
