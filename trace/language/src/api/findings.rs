//! What is probably wrong with a program, or slower than it must be.

use serde::{Deserialize, Serialize};

use super::{LocationInfo, Severity, SliceRef};

/// Something that is probably wrong with the program itself or slower than it must be, with what tells so.
/// `docs/FINDINGS.md` says what each kind means.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable name (`kept_handle_never_released`, `wait_after_kernel`, …).
    pub kind: String,
    /// How bad.
    pub severity: Severity,
    /// In plain words: what is wrong and the remedy.
    pub message: String,
    /// What the recording holds that tells so.
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
    /// What to jump to: the call or the first of the slices that tell so.
    pub at: Option<SliceRef>,
    /// How often it happened; 0 where that means nothing.
    #[serde(default)]
    pub count: u64,
    /// How much shorter the run would be without it, at most; `None` where nothing is known of that.
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
}

/// What a remedy brings, at most. Gains of several findings don't add up: [`super::Report::together_ns`] is what they bring together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gain {
    /// How much shorter the replay of the run is without the finding's fault, as `what_if` replays runs.
    pub ns: u64,
    /// Bytes that would not be moved; 0 if it is not about bytes.
    pub bytes: u64,
    /// What was replayed.
    pub how: String,
}
