//! Answers of queries over the task graph.

use serde::{Deserialize, Serialize};

use super::{LocationInfo, SliceRef, StepSamples};

/// The critical path: consecutive recorded times from the run's start to its end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CriticalPath {
    /// Length of the path, equal to the length of the run or range.
    pub length_ns: u64,
    /// Length of the longest chain of dependences: a lower bound of the run's time, with unlimited devices and a host
    /// without delay. A command without a device time, such as a host task, takes none in it. 0 for a range.
    pub unlimited_ns: u64,
    /// Device time on the path.
    pub device_ns: u64,
    /// Time in which commands were ready but had not started, because of latency in the runtime and driver, or other
    /// work of the device.
    #[serde(default)]
    pub launch_ns: u64,
    /// Time of submissions on the path.
    pub submission_ns: u64,
    /// Time of the runtime's calls on the path, outside of submissions.
    pub call_ns: u64,
    /// Time of waits on the path, without the parts that the awaited commands explain.
    pub wait_ns: u64,
    /// Time of the host on the path that no call, submission or wait explains.
    pub host_ns: u64,
    /// The part of `host_ns` in steps with at least one sample.
    #[serde(default)]
    pub sampled_ns: u64,
    /// The path, first to last.
    pub steps: Vec<CriticalStep>,
    /// Number of steps that are not listed: a long path's shortest ones.
    #[serde(default)]
    pub more_steps: u64,
}

impl CriticalPath {
    /// Returns the path reduced to its `most` longest steps, in order.
    #[must_use]
    pub fn longest(mut self, most: usize) -> Self {
        let beyond = self.steps.len().saturating_sub(most);
        if most == 0 {
            self.steps.clear();
            self.more_steps += beyond as u64;
        } else if beyond > 0 {
            let mut lengths: Vec<u64> = self.steps.iter().map(|step| step.duration_ns).collect();
            let (_, least, longest) = lengths.select_nth_unstable(beyond);
            let least = *least;
            let mut equal = most - longest.iter().filter(|length| **length > least).count();
            self.steps.retain(|step| {
                let is_longer = step.duration_ns > least;
                let is_equal = step.duration_ns == least && equal > 0;
                equal -= usize::from(is_equal);
                is_longer || is_equal
            });
            self.more_steps += beyond as u64;
        }
        self
    }
}

/// A step of the critical path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriticalStep {
    /// Kind of the step.
    pub kind: StepKind,
    /// Kernel or command name, name of the call or of the wait; for unknown time of the host, the name of its thread,
    /// or of the host task that ran in it.
    pub name: String,
    /// Start in nanoseconds; of the longest one if there are several calls. `None` for steps of `waits`.
    #[serde(default)]
    pub start_ns: Option<u64>,
    /// Time on the path: device time of a command, the part of a wait that the awaited commands do not explain, the
    /// thread's time for all other kinds.
    pub duration_ns: u64,
    /// Number of the node, for a command, its submission, or a host task.
    pub node: Option<u64>,
    /// Position: execution, else submission; the wait; the longest of the calls.
    pub at: Option<SliceRef>,
    /// Source code.
    pub location: Option<LocationInfo>,
    /// Number of calls in the step: calls with one name between two waits are one step.
    pub count: u64,
    /// For unknown time of the host: the previous call, or empty.
    #[serde(default)]
    pub after: String,
    /// For unknown time of the host: the thread's next call, or empty.
    #[serde(default)]
    pub until: String,
    /// For unknown time of the host: a summary of its samples, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<StepSamples>,
}

answer_words! {
    /// Kind of a step of the critical path.
    StepKind {
        /// A command on its device.
        Command = "command",
        /// A command was ready but had not started, because of latency in the runtime and driver, or other work of the
        /// device.
        Launch = "launch",
        /// Unrecorded host time: work of the program or of other processes.
        Host = "host",
        /// The host waits for the previous step.
        Wait = "wait",
        /// The host submits a command.
        Submission = "submission",
        /// A call of the runtime, with its name.
        Call = "call",
    }
}

/// A command's slack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeSlack {
    /// Number of the node.
    pub node: u64,
    /// Delay of its start that would not prolong the critical path, in ns.
    pub slack_ns: u64,
}

/// Breakdown of a queue's time, from its creation to its end; the parts add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueIdle {
    /// Number of the queue.
    pub queue: u64,
    /// Number of executions on it.
    #[serde(default)]
    pub executions: u64,
    /// Time in which at least one command ran.
    pub busy_ns: u64,
    /// Idle time in which the host had not submitted the next command.
    pub host_ns: u64,
    /// Idle time in which the next command's dependences had not ended.
    pub dependence_ns: u64,
    /// Idle time in which the next command could have run, but the device ran commands of other queues.
    #[serde(default)]
    pub other_ns: u64,
    /// Idle time in which the next command could have run and the device was idle: latency in the runtime and driver.
    pub ready_ns: u64,
    /// Idle time after the last command.
    pub after_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_steps_stay_where_others_are_equally_short() {
        let step = |duration_ns: u64| CriticalStep {
            kind: StepKind::Call,
            name: "call".to_owned(),
            start_ns: None,
            duration_ns,
            node: None,
            at: None,
            location: None,
            count: 1,
            after: String::new(),
            until: String::new(),
            samples: None,
        };
        let path = CriticalPath { steps: [1, 1, 3, 1, 5].map(step).into(), ..CriticalPath::default() };
        for (most, expected) in
            [(0, vec![]), (1, vec![5]), (2, vec![3, 5]), (3, vec![1, 3, 5]), (9, vec![1, 1, 3, 1, 5])]
        {
            let path = path.clone().longest(most);
            let lengths: Vec<u64> = path.steps.iter().map(|step| step.duration_ns).collect();
            assert_eq!((lengths, path.more_steps), (expected.clone(), 5 - expected.len() as u64));
        }
    }
}
