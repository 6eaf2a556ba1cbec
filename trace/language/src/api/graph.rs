//! What follows from the task graph.

use serde::{Deserialize, Serialize};

use super::{LocationInfo, SliceRef};

/// The chain of commands and host work that decided how long a run took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CriticalPath {
    /// Length of the chain: commands, the host's work and its waits, dependences and the order of queues.
    pub length_ns: u64,
    /// Length of the longest chain of dependences alone: with unlimited devices and a host without delay the run
    /// could not have been shorter.
    pub unlimited_ns: u64,
    /// Device time on the chain.
    pub device_ns: u64,
    /// Time of the host on the chain, between its waits and submissions.
    pub host_ns: u64,
    /// The chain, first to last.
    pub steps: Vec<CriticalStep>,
    /// Commands that are left out because their edges form a circle.
    pub left_out: u64,
    /// Steps beyond those listed: a long chain's shortest ones.
    #[serde(default)]
    pub more_steps: u64,
}

impl CriticalPath {
    /// The same with this many steps at most: the longest ones, in their order.
    #[must_use]
    pub fn longest(mut self, most: usize) -> Self {
        let beyond = self.steps.len().saturating_sub(most);
        if beyond > 0 {
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
    /// What it is.
    pub kind: StepKind,
    /// Kernel or command name, name of the thread or of the wait.
    pub name: String,
    /// Device time of a command, or the host's time until the next submission or wait.
    pub duration_ns: u64,
    /// Number of the node, for a command.
    pub node: Option<u64>,
    /// Where to look: execution, else submission; the wait.
    pub at: Option<SliceRef>,
    /// Source code.
    pub location: Option<LocationInfo>,
}

/// What a step of the critical path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// A command on its device.
    Command,
    /// A thread of the host works towards the next step.
    Host,
    /// The host waits for the step before.
    Wait,
}

/// A command's place in the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeSlack {
    /// Number of the node.
    pub node: u64,
    /// How much later it could have started without making the critical path longer.
    pub slack_ns: u64,
}

/// Where a queue's time went, from its creation to its end; the parts add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueIdle {
    /// Number of the queue.
    pub queue: u64,
    /// At least one command ran.
    pub busy_ns: u64,
    /// Idle: the host had not submitted the next command.
    pub host_ns: u64,
    /// Idle: what the next command depends on had not ended.
    pub dependence_ns: u64,
    /// Idle though the next command could have run: the way through runtime and driver.
    pub ready_ns: u64,
    /// Idle after the last command.
    pub after_ns: u64,
}
