//! The summary of a run: where its time went, what ran, what waited, what is wrong.

use serde::{Deserialize, Serialize};

use super::{CriticalPath, Finding, LocationInfo, QueueIdle, Severity};
use crate::event::{AllocationKind, NodeKind};

/// The report of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Where the run's time went.
    #[serde(default)]
    pub split: RunSplit,
    /// Activity by the number of running commands.
    #[serde(default)]
    pub concurrency: Concurrency,
    /// Time that something took, where what overlaps counts once.
    #[serde(default)]
    pub covered: Covered,
    /// Gaps of the device metrics, work without recorded times: sentences for people.
    #[serde(default)]
    pub unseen: Vec<String>,
    /// Kernels and other commands, most device time first.
    pub commands: Vec<CommandReport>,
    /// Host tasks by place, most time first. No runtime reports when their bodies ran: these are estimates.
    #[serde(default)]
    pub host_tasks: Vec<HostTaskReport>,
    /// Copies by where from and where to, most device time first.
    pub copies: Vec<CopyReport>,
    /// Waits of the host by name and place, most time first.
    pub waits: Vec<WaitReport>,
    /// Memory by kind, in the order of [`AllocationKind::ALL`]; kinds that were not used are left out.
    pub memory: Vec<MemoryReport>,
    /// Memory that was never released, by place, most bytes first.
    pub unreleased: Vec<UnreleasedReport>,
    /// The chain of commands and host work that decided how long the run took.
    pub critical_path: CriticalPath,
    /// Where each queue's time went.
    pub queues: Vec<QueueIdle>,
    /// Findings: errors first, then those of steady iterations, then others; of each by gain, most first, then those without a gain.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Shortening of the run without all findings that have a gain, in ns, at most.
    #[serde(default)]
    pub together_ns: u64,
    /// Cost of recording for the thread with the highest; `None` where the recorder did not measure its cost.
    #[serde(default)]
    pub recording: Option<RecordingCost>,
    /// The remedy for run-time compilation in the first process, in a sentence.
    #[serde(default)]
    pub build_remedy: String,
}

impl Report {
    /// The finding to look at first: an error, or what would save a hundredth of the run or more, or what nobody knows the gain of.
    pub fn main_finding(&self) -> Option<&Finding> {
        let is_small =
            |finding: &&Finding| finding.severity != Severity::Error && finding.is_small(self.split.run_ns);
        self.findings.iter().find(|finding| !is_small(finding))
    }

    /// The finding with the largest gain, and that gain in ns, if it exceeds the gain of [`Self::main_finding`]: findings in
    /// steady iterations come first, and what occurs once may cost more.
    pub fn largest_gain(&self) -> Option<(&Finding, u64)> {
        let ns = |finding: &Finding| finding.gain.as_ref().map_or(0, |gain| gain.ns);
        let main_ns = self.main_finding().map(ns)?;
        let largest = self.findings.iter().max_by_key(|finding| ns(finding))?;
        (ns(largest) > main_ns).then(|| (largest, ns(largest)))
    }

    /// Returns the first thing to do and its cause, in sentences, either of which may be empty; for recordings of ours
    /// only, since few rules apply to those of other tools.
    pub fn advice(&self) -> (&str, &str) {
        let IdleTime { build_ns, start_ns, .. } = self.split.idle;
        match self.main_finding() {
            Some(finding) => (&finding.remedy, finding.cause()),
            None if build_ns > self.split.run_ns / 10 => (&self.build_remedy, ""),
            None if start_ns > self.split.run_ns / 2 => (
                "",
                "No finding would save 1 % or more. Most of this time lies before the first command: record a longer run.",
            ),
            None => ("", "No finding would save 1 % or more."),
        }
    }
}

/// Cost of recording for a thread, in the recorder's own code. The cost of the runtime's tracing and of a vendor's
/// records of devices is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordingCost {
    /// Track of the thread.
    pub track: u32,
    /// Its name.
    pub thread: String,
    /// Notifications on the thread, as far as they have left something on its tracks.
    pub notifications: u64,
    /// Cost with code and data always in the processor's caches, in ns.
    pub least_ns: u64,
    /// Cost with code and data never in the processor's caches, in ns.
    pub most_ns: u64,
    /// From the thread's first event to its last.
    pub thread_ns: u64,
}

impl RecordingCost {
    /// Describes the cost in a sentence; empty if it is less than a hundredth of the thread's time at most. `count`
    /// formats numbers.
    pub fn words(&self, count: impl Fn(u64) -> String) -> Option<String> {
        let Self { thread, notifications, least_ns, most_ns, thread_ns, .. } = self;
        if *notifications == 0 || most_ns.saturating_mul(100) < *thread_ns {
            return None;
        }
        let part = |ns: u64| (ns as f64 / (*thread_ns).max(1) as f64 * 100.0).min(100.0);
        let thread = if thread == "main thread" { "the main thread" } else { thread };
        Some(format!(
            "recording took {:.1} to {:.1} % of the time of {thread} in the recorder's own code ({} notifications of {} to {} ns); \
             what the runtime's tracing and a vendor's records of devices add is not known",
            part(*least_ns),
            part(*most_ns),
            count(*notifications),
            count(least_ns / notifications),
            count(most_ns / notifications)
        ))
    }
}

/// Where the time of a run went. Each moment counts once, for the first of these that is true, so that the parts sum up to
/// `run_ns`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSplit {
    /// The whole run.
    pub run_ns: u64,
    /// A device ran something other than copies.
    pub device_ns: u64,
    /// A device did nothing but copy.
    pub copy_ns: u64,
    /// All devices were idle and a thread of the host waited.
    pub wait_ns: u64,
    /// All devices were idle and no thread waited: work of the program or the runtime on the host.
    pub host_ns: u64,
    /// After the last device time that is known, where times of later commands were lost with a killed program: devices may have
    /// worked or not.
    #[serde(default)]
    pub unknown_ns: u64,
    /// When all devices were idle.
    pub idle: IdleTime,
}

impl RunSplit {
    /// Its parts by activity of the devices, for people. They sum up to the run.
    pub fn parts(&self) -> [(&'static str, u64); 7] {
        [
            ("devices computing", self.device_ns),
            ("devices only copying", self.copy_ns),
            ("run-time compilation, devices idle", self.idle.build_ns),
            ("before the first command", self.idle.start_ns),
            ("between commands, devices idle", self.idle.between_ns),
            ("after the last command", self.idle.end_ns),
            ("not known: device times were lost", self.unknown_ns),
        ]
    }
}

/// When all devices were idle. Each moment counts once, for the first of these that is true, so that the parts sum up to the time
/// in which a run's devices were idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleTime {
    /// While a program was being built.
    pub build_ns: u64,
    /// Before the first command ran; all of the run if none did.
    pub start_ns: u64,
    /// After the last command.
    pub end_ns: u64,
    /// Between commands.
    pub between_ns: u64,
}

impl IdleTime {
    /// All of it.
    pub fn ns(&self) -> u64 {
        [self.build_ns, self.start_ns, self.end_ns, self.between_ns].iter().sum()
    }

    /// Its parts in the order of the run, with what they are for people; those without length are left out.
    pub fn parts(&self) -> impl Iterator<Item = (u64, &'static str)> {
        let parts = [
            (self.start_ns, "before the first command"),
            (self.build_ns, "run-time compilation"),
            (self.between_ns, "between commands"),
            (self.end_ns, "after the last command"),
        ];
        parts.into_iter().filter(|(ns, _)| *ns > 0)
    }
}

/// Number of commands that ran on the devices at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Concurrency {
    /// Most kernels at one time.
    pub max_kernels: u64,
    /// Kernels at one time on average, over the time in which at least one ran; 0 without kernels.
    #[serde(with = "super::float")]
    pub mean_kernels: f64,
    /// Time in which at least one kernel ran.
    pub kernel_ns: u64,
    /// Time in which copies and kernels ran at the same time.
    pub copy_overlap_ns: u64,
}

/// Time in which something of a kind went on: what overlaps counts once, unlike in the sums of [`CommandReport`],
/// [`CopyReport`] and [`WaitReport`]. Of a part of a run, the slices count as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    /// A device ran something.
    pub device_ns: u64,
    /// A device copied.
    pub copy_ns: u64,
    /// A thread of the host waited.
    pub wait_ns: u64,
}

/// Executions of one name and kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandReport {
    /// Kernel or command name.
    pub name: String,
    /// Kernel, copy, fill, …
    pub kind: NodeKind,
    /// Executions.
    pub count: u64,
    /// Device time of all.
    pub total_ns: u64,
    /// Shortest device time.
    #[serde(default)]
    pub min_ns: u64,
    /// Mean device time.
    pub mean_ns: u64,
    /// Device time that half of them don't exceed.
    pub p50_ns: u64,
    /// Device time that 95 of 100 don't exceed.
    pub p95_ns: u64,
    /// Longest device time.
    pub max_ns: u64,
    /// Mean queueing delay: from the end of the submission to the start on the device; `None` if no submission was
    /// recorded. Starts before the submission's end count as no delay.
    pub mean_queueing_delay_ns: Option<u64>,
}

/// Host tasks of one place. Their times are estimates, from what is known of the time around them: each took that long
/// at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostTaskReport {
    /// Source code that submitted them.
    pub location: Option<LocationInfo>,
    /// Host tasks.
    pub count: u64,
    /// Host tasks with bounds on both sides.
    pub estimated: u64,
    /// Time in which at least one of these ran, at most.
    pub at_most_ns: u64,
    /// The longest of these, at most.
    pub longest_ns: u64,
}

/// Copies of one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CopyReport {
    /// Where from: `host`, `device`, `shared`, or empty if not known.
    pub from: String,
    /// Where to.
    pub to: String,
    /// Copies.
    pub count: u64,
    /// Bytes of those whose size is known.
    pub bytes: u64,
    /// Device time of all.
    pub total_ns: u64,
    /// Rate of those whose size is known, in bytes a nanosecond (which is GB/s); 0 if none is.
    #[serde(with = "super::float")]
    pub bytes_per_ns: f64,
}

/// Waits of one name and place. A thread is held once at a time: a wait in another one is part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitReport {
    /// `queue.wait`, `event.wait`, `host accessor`, `buffer destructor`, or the call of the runtime.
    pub name: String,
    /// Source code that waits; of a destructor, that made the buffer. `None` if it is not known.
    pub location: Option<LocationInfo>,
    /// Where that is not known: source code that submitted what was waited for, if that is one place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted: Option<LocationInfo>,
    /// Number of executions.
    pub count: u64,
    /// Time of all.
    pub total_ns: u64,
    /// Longest.
    pub max_ns: u64,
}

/// Memory of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryReport {
    /// Kind.
    pub kind: AllocationKind,
    /// Most bytes at one time.
    pub peak_bytes: u64,
    /// When that was.
    pub peak_at_ns: u64,
    /// Allocations.
    pub count: u64,
    /// Bytes of all of them.
    pub total_bytes: u64,
}

/// Memory of one place that was never released.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreleasedReport {
    /// Kind.
    pub kind: AllocationKind,
    /// Source code that allocated it.
    pub location: Option<LocationInfo>,
    /// Allocations.
    pub count: u64,
    /// Bytes of all of them.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::Report;
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
}
