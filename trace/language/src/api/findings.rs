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
    /// What would be gained without it, at most; `None` where nothing is known of that.
    #[serde(default)]
    pub gain: Option<Gain>,
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

/// An estimate of what a remedy brings, at most. Each moment counts with one finding, so that the gains of a process's
/// findings add up to what is there: idle and busy time of its devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gain {
    /// Time that counts with this finding.
    pub ns: u64,
    /// Bytes that would not be moved; 0 if it is not about bytes.
    pub bytes: u64,
    /// How it was estimated.
    pub how: String,
    /// Time that this finding concerns, too, but that counts with another one.
    #[serde(default)]
    pub shared_ns: u64,
    /// Kinds of the findings that it counts with.
    #[serde(default)]
    pub shared_with: Vec<String>,
}
