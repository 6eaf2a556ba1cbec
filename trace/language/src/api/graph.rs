//! Answers of queries over the task graph.

use serde::{Deserialize, Serialize};

use super::{LocationInfo, SliceRef, StepSamples};

/// The critical path: recorded times that follow one another from the run's start to its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CriticalPath {
    /// Length of the path: that of the run, or of the range.
    pub length_ns: u64,
    /// Length of the longest chain of dependences alone: with unlimited devices and a host without delay the run
    /// could not have been shorter. 0 for a range.
    pub unlimited_ns: u64,
    /// Device time on the path.
    pub device_ns: u64,
    /// Commands that could start had not started: the way through runtime and driver, or other work of the device.
    #[serde(default)]
    pub launch_ns: u64,
    /// Submissions on the path.
    pub submission_ns: u64,
    /// Calls of the runtime on the path, outside of submissions.
    pub call_ns: u64,
    /// Waits on the path, as far as what they waited for does not explain them.
    pub wait_ns: u64,
    /// Time of the host on the path that no call, submission or wait explains.
    pub host_ns: u64,
    /// The part of it in steps that have samples.
    #[serde(default)]
    pub sampled_ns: u64,
    /// The path, first to last.
    pub steps: Vec<CriticalStep>,
    /// Steps beyond those listed: a long chain's shortest ones.
    #[serde(default)]
    pub more_steps: u64,
}

impl CriticalPath {
    /// The same with this many steps at most: the longest ones, in their order.
    #[must_use]
    pub fn longest(mut self, most: usize) -> Self {
        let beyond = self.steps.len().saturating_sub(most);
        if most == 0 {
            self.steps.clear();
            self.more_steps += beyond as u64;
        } else if beyond > 0 {
            let mut lengths: Vec<u64> = self.steps.iter().map(|step| step.duration_ns).collect();
            let (_, least, _) = lengths.select_nth_unstable(beyond);
            let least = *least;
            self.steps.retain(|step| step.duration_ns >= least);
            self.steps.truncate(most);
            self.more_steps += beyond as u64;
        }
        self
    }
}

/// A link of the critical path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriticalStep {
    /// Kind of the step.
    pub kind: StepKind,
    /// Kernel or command name, name of the call or of the wait; of unknown time of the host, the name of its thread, or
    /// of the host task that ran in it.
    pub name: String,
    /// When it began, in nanoseconds; of several calls, the longest one. Steps of `waits` have none.
    #[serde(default)]
    pub start_ns: Option<u64>,
    /// Time of the path: device time of a command, the part of a wait that what it waited for does not explain, the
    /// time of the thread for all else.
    pub duration_ns: u64,
    /// Number of the node, for a command, its submission, or a host task.
    pub node: Option<u64>,
    /// Where to look: execution, else submission; the wait; the longest of the calls.
    pub at: Option<SliceRef>,
    /// Source code.
    pub location: Option<LocationInfo>,
    /// Number of calls in the step: those of one name between two waits are one step.
    pub count: u64,
    /// Unknown time of the host: the call before it, or empty.
    #[serde(default)]
    pub after: String,
    /// Unknown time of the host: what the thread did next, or empty.
    #[serde(default)]
    pub until: String,
    /// Unknown time of the host: what samples show of it, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<StepSamples>,
}

answer_words! {
    /// Kind of a step of the critical path.
    StepKind {
        /// A command on its device.
        Command = "command",
        /// A command that could start had not started: the way through runtime and driver, or other work of the device.
        Launch = "launch",
        /// Time of the host of which the recording says nothing: the program's own work, or that of others.
        Host = "host",
        /// The host waits for the step before.
        Wait = "wait",
        /// The host submits a command.
        Submission = "submission",
        /// A call of the runtime, by its name.
        Call = "call",
    }
}

/// A command's place in the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeSlack {
    /// Number of the node.
    pub node: u64,
    /// Delay of its start that would not make the critical path longer, in ns.
    pub slack_ns: u64,
}

/// Where a queue's time went, from its creation to its end; the parts add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueIdle {
    /// Number of the queue.
    pub queue: u64,
    /// Executions on it.
    #[serde(default)]
    pub executions: u64,
    /// At least one command ran.
    pub busy_ns: u64,
    /// Idle: the host had not submitted the next command.
    pub host_ns: u64,
    /// Idle: what the next command depends on had not ended.
    pub dependence_ns: u64,
    /// Idle though the next command could have run: the device ran commands of other queues.
    #[serde(default)]
    pub other_ns: u64,
    /// Idle though the next command could have run and the device was idle: the way through runtime and driver.
    pub ready_ns: u64,
    /// Idle after the last command.
    pub after_ns: u64,
}
