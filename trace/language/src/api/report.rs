//! The report of a run: breakdown of its time, commands, waits, problems.

use serde::{Deserialize, Serialize};

use super::{CriticalPath, Finding, LocationInfo, QueueIdle, Severity};
use crate::event::{AllocationKind, NodeKind};

/// The report of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Breakdown of the run's time.
    #[serde(default)]
    pub split: RunSplit,
    /// Activity by the number of running commands.
    #[serde(default)]
    pub concurrency: Concurrency,
    /// Time by kind of activity, counting overlaps once.
    #[serde(default)]
    pub covered: Covered,
    /// Gaps in the device metrics, that is, work without recorded times, as sentences.
    #[serde(default)]
    pub unseen: Vec<String>,
    /// Kernels and other commands, most device time first.
    pub commands: Vec<CommandReport>,
    /// Host tasks by source location, most time first. No runtime reports the times of their bodies: these are
    /// estimates.
    #[serde(default)]
    pub host_tasks: Vec<HostTaskReport>,
    /// Copies by direction, most device time first.
    pub copies: Vec<CopyReport>,
    /// Waits of the host by name and source location, most time first.
    pub waits: Vec<WaitReport>,
    /// Memory by kind, in the order of [`AllocationKind::ALL`]; unused kinds are left out.
    pub memory: Vec<MemoryReport>,
    /// Memory that was never released, by source location, most bytes first.
    pub unreleased: Vec<UnreleasedReport>,
    /// The critical path: the chain of commands and host work that determined the run's duration.
    pub critical_path: CriticalPath,
    /// Breakdown of each queue's time.
    pub queues: Vec<QueueIdle>,
    /// Findings: errors first, then those of steady iterations, then others; within each group largest gain first,
    /// those without a gain last.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Shortening of the run's replay without all findings that have a gain, in ns.
    #[serde(default)]
    pub together_ns: u64,
    /// Cost of recording for the thread with the highest cost; `None` if the recorder did not measure it.
    #[serde(default)]
    pub recording: Option<RecordingCost>,
    /// The remedy for run-time compilation in the process that builds longest, as a sentence.
    #[serde(default)]
    pub build_remedy: String,
}

impl Report {
    /// Returns the first important finding: an error, or a finding whose gain is unknown or at least a hundredth of the
    /// run or of its steady iterations.
    pub fn main_finding(&self) -> Option<&Finding> {
        let is_small =
            |finding: &&Finding| finding.severity != Severity::Error && finding.is_small(self.split.run_ns);
        self.findings.iter().find(|finding| !is_small(finding))
    }

    /// Returns the finding with the largest gain, and that gain in ns, if it exceeds the gain of
    /// [`Self::main_finding`]: findings in steady iterations come first, and a single occurrence may cost more.
    pub fn largest_gain(&self) -> Option<(&Finding, u64)> {
        let ns = |finding: &Finding| finding.gain.as_ref().map_or(0, |gain| gain.ns);
        let main_ns = self.main_finding().map(ns)?;
        let largest = self.findings.iter().max_by_key(|finding| ns(finding))?;
        (ns(largest) > main_ns).then(|| (largest, ns(largest)))
    }

    /// Returns the first recommended action, and its cause or the reason why there is none; either may be empty. Meant
    /// for our own recordings, because few rules apply to those of other tools.
    pub fn advice(&self) -> (&str, &str) {
        let IdleTime { build_ns, start_ns, .. } = self.split.idle;
        match self.main_finding() {
            Some(finding) => (&finding.remedy, finding.cause()),
            None if build_ns > self.split.run_ns / 10 => (&self.build_remedy, ""),
            None if start_ns > self.split.run_ns / 2 => (
                "",
                "No finding would save 1 % or more. Most of the run lies before the first command: record a longer run.",
            ),
            None => ("", "No finding would save 1 % or more."),
        }
    }

    /// Returns the heading of the advice: some findings have no remedy.
    pub fn advice_title(&self) -> &'static str {
        if self.main_finding().is_some_and(|finding| finding.remedy.is_empty()) {
            "Finding"
        } else {
            "Remedy"
        }
    }
}

/// Cost of recording for a thread, in the recorder's own code. The cost of the runtime's tracing and of a vendor's
/// records of devices is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordingCost {
    /// Track of the thread.
    pub track: u32,
    /// Its name.
    pub thread: String,
    /// Number of notifications on the thread, as far as visible on its tracks.
    pub notifications: u64,
    /// Cost with code and data always in the processor's caches, in ns.
    pub least_ns: u64,
    /// Cost with code and data never in the processor's caches, in ns.
    pub most_ns: u64,
    /// From the thread's first event to its last.
    pub thread_ns: u64,
}

impl RecordingCost {
    /// Describes the cost in a sentence; `None` if its upper bound is less than a hundredth of the thread's time.
    /// `count` formats numbers.
    pub fn words(&self, count: impl Fn(u64) -> String) -> Option<String> {
        let Self { thread, notifications, least_ns, most_ns, thread_ns, .. } = self;
        if *notifications == 0 || most_ns.saturating_mul(100) < *thread_ns {
            return None;
        }
        let part = |ns: u64| (ns as f64 / (*thread_ns).max(1) as f64 * 100.0).min(100.0);
        let thread = if thread == "main thread" { "the main thread" } else { thread };
        Some(format!(
            "recording took {:.1} to {:.1} % of the time of {thread} in the recorder's own code ({} notifications of {} to {} ns); \
             the overhead of the runtime's tracing and of a vendor's device records is unknown",
            part(*least_ns),
            part(*most_ns),
            count(*notifications),
            count(least_ns / notifications),
            count(most_ns / notifications)
        ))
    }
}

/// Breakdown of a run's time. Each moment counts once, for the first part that applies, so that the parts add up to
/// `run_ns`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSplit {
    /// The whole run.
    pub run_ns: u64,
    /// Time in which a device ran something other than copies.
    pub device_ns: u64,
    /// Time in which devices ran copies only.
    pub copy_ns: u64,
    /// Time in which all devices were idle and a host thread waited.
    pub wait_ns: u64,
    /// Time in which all devices were idle and no thread waited: work of the program or the runtime on the host.
    pub host_ns: u64,
    /// The time in which the activity of devices is unknown: after the last known device time, if the times of later
    /// commands were lost because the program was killed, and before the first known device time, from the first kernel
    /// or command graph without one on.
    #[serde(default)]
    pub unknown_ns: u64,
    /// Breakdown of the time in which all devices were idle.
    pub idle: IdleTime,
}

impl RunSplit {
    /// Returns its parts by activity of the devices, with descriptions. They add up to the run.
    pub fn parts(&self) -> [(&'static str, u64); 7] {
        [
            ("devices computing", self.device_ns),
            ("devices only copying", self.copy_ns),
            ("run-time compilation, devices idle", self.idle.build_ns),
            ("before the first command", self.idle.start_ns),
            ("between commands, devices idle", self.idle.between_ns),
            ("after the last command", self.idle.end_ns),
            ("not known: no device times", self.unknown_ns),
        ]
    }
}

/// Breakdown of the time in which all devices were idle. Each moment counts once, for the first part that applies, so
/// that the parts add up to the idle time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleTime {
    /// During a build of a program.
    pub build_ns: u64,
    /// Before the first command ran; all of the run if none did.
    pub start_ns: u64,
    /// After the last command.
    pub end_ns: u64,
    /// Between commands.
    pub between_ns: u64,
}

impl IdleTime {
    /// Returns the total idle time in nanoseconds.
    pub fn ns(&self) -> u64 {
        [self.build_ns, self.start_ns, self.end_ns, self.between_ns].iter().sum()
    }

    /// Returns its parts in the order of the run, with descriptions; empty ones are left out.
    pub fn parts(&self) -> impl Iterator<Item = (u64, &'static str)> {
        // Elsewhere the time before the first command includes builds.
        let start = match self.build_ns {
            0 => "before the first command",
            _ => "before the first command (without compilation)",
        };
        let parts = [
            (self.start_ns, start),
            (self.build_ns, "run-time compilation"),
            (self.between_ns, "between commands"),
            (self.end_ns, "after the last command"),
        ];
        parts.into_iter().filter(|(ns, _)| *ns > 0)
    }
}

/// Number of commands running on the devices at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Concurrency {
    /// Maximum number of kernels at a time.
    pub max_kernels: u64,
    /// Mean number of kernels at a time, over the time in which at least one ran; 0 without kernels.
    #[serde(with = "super::float")]
    pub mean_kernels: f64,
    /// Time in which at least one kernel ran.
    pub kernel_ns: u64,
    /// Time in which copies and kernels ran at the same time.
    pub copy_overlap_ns: u64,
}

/// Time by kind of activity, counting overlaps once, unlike the sums of [`CommandReport`], [`CopyReport`] and
/// [`WaitReport`]. For a part of a run, complete slices count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    /// Time in which at least one device ran something.
    pub device_ns: u64,
    /// Time in which at least one device copied.
    pub copy_ns: u64,
    /// Time in which at least one host thread waited.
    pub wait_ns: u64,
}

/// Executions with one name and kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandReport {
    /// Kernel or command name.
    pub name: String,
    /// Kernel, copy, fill, …
    pub kind: NodeKind,
    /// Number of executions.
    pub count: u64,
    /// Total device time.
    pub total_ns: u64,
    /// Shortest device time.
    #[serde(default)]
    pub min_ns: u64,
    /// Mean device time.
    pub mean_ns: u64,
    /// Median device time.
    pub p50_ns: u64,
    /// 95th percentile of the device time.
    pub p95_ns: u64,
    /// Longest device time.
    pub max_ns: u64,
    /// Mean queueing delay: from the end of the submission to the start on the device; `None` if no submission was
    /// recorded. Starts before the submission's end count as zero.
    pub mean_queueing_delay_ns: Option<u64>,
    /// Source code that submitted most of the device time.
    pub location: Option<LocationInfo>,
    /// Number of lines that submitted executions.
    #[serde(default)]
    pub locations: u64,
}

/// Host tasks of one source location. Their times are upper bounds of the bodies' durations, which may be far shorter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostTaskReport {
    /// Source code that submitted them.
    pub location: Option<LocationInfo>,
    /// Number of host tasks.
    pub count: u64,
    /// Number of host tasks with bounds on both sides.
    pub estimated: u64,
    /// Upper bound of the time in which at least one of these ran.
    pub at_most_ns: u64,
    /// Upper bound of the longest of these.
    pub longest_ns: u64,
}

/// Copies in one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CopyReport {
    /// Source: `host`, `device`, `shared`, or empty if unknown.
    pub from: String,
    /// Destination.
    pub to: String,
    /// Number of copies.
    pub count: u64,
    /// Bytes of the copies with a known size.
    pub bytes: u64,
    /// Total device time.
    pub total_ns: u64,
    /// Rate of the copies with a known size, in bytes per nanosecond (GB/s); 0 without such copies.
    #[serde(with = "super::float")]
    pub bytes_per_ns: f64,
}

/// Waits with one name and source location. A nested wait is part of the outer one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitReport {
    /// `queue.wait`, `event.wait`, `host accessor`, `buffer destructor`, or the call of the runtime.
    pub name: String,
    /// Source location of the wait; for a destructor, the location of the buffer's constructor. `None` if unknown.
    pub location: Option<LocationInfo>,
    /// If `location` is unknown: source location that submitted the awaited commands, if there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted: Option<LocationInfo>,
    /// Number of waits.
    pub count: u64,
    /// Total time.
    pub total_ns: u64,
    /// Longest wait.
    pub max_ns: u64,
}

/// Memory of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryReport {
    /// Kind.
    pub kind: AllocationKind,
    /// Maximum of the live bytes.
    pub peak_bytes: u64,
    /// Time of that maximum.
    pub peak_at_ns: u64,
    /// Number of allocations.
    pub count: u64,
    /// Their total size in bytes.
    pub total_bytes: u64,
}

/// Unreleased memory of one source location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreleasedReport {
    /// Kind.
    pub kind: AllocationKind,
    /// Source location that allocated it.
    pub location: Option<LocationInfo>,
    /// Number of allocations.
    pub count: u64,
    /// Their total size in bytes.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::{IdleTime, Report};
    use crate::api::{Finding, Gain};

    #[test]
    fn the_largest_gain_is_named_unless_it_is_the_main_findings() {
        let finding = |kind: &str, ns: Option<u64>| Finding {
            kind: kind.to_owned(),
            gain: ns.map(|ns| Gain { ns, ..Gain::default() }),
            ..Finding::default()
        };
        let largest = |findings: Vec<Finding>| {
            let report = Report { findings, ..Report::default() };
            report.largest_gain().map(|(finding, ns)| (finding.kind.clone(), ns))
        };
        let steady = || finding("host_bound", None);
        assert_eq!(largest(vec![]), None);
        assert_eq!(largest(vec![steady(), finding("idle", None)]), None);
        assert_eq!(largest(vec![finding("builds", Some(9)), finding("copies", Some(3))]), None);
        let found = vec![steady(), finding("copies", Some(3)), finding("builds", Some(9))];
        assert_eq!(largest(found), Some(("builds".to_owned(), 9)));
    }

    #[test]
    fn the_time_before_the_first_command_says_that_it_has_no_builds() {
        let first = |build_ns| {
            let idle = IdleTime { build_ns, start_ns: 5, ..IdleTime::default() };
            idle.parts().next().map(|(_, words)| words)
        };
        assert_eq!(first(0), Some("before the first command"));
        assert_eq!(first(7), Some("before the first command (without compilation)"));
    }

    #[test]
    fn a_finding_without_a_remedy_is_not_called_one() {
        let title = |remedy: &str| {
            let finding = Finding { remedy: remedy.to_owned(), ..Finding::default() };
            Report { findings: vec![finding], ..Report::default() }.advice_title()
        };
        assert_eq!(
            (title(""), title("Submit ahead."), Report::default().advice_title()),
            ("Finding", "Remedy", "Remedy")
        );
    }
}
