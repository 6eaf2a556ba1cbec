//! Queries over the task graph: critical path, slack, what-if, and reasons of idle queues.

mod components;
mod context;
mod device_time;
mod folding;
mod frames;
mod members;
pub(in crate::query) mod path;
mod picture;
mod standing;
mod texts;
mod view;
mod what_if;
mod what_if_schedule;

use std::ops::Range;

use syclscope_language::api::{CriticalPath, CriticalStep, NodeSlack, QueueIdle, StepKind};
use syclscope_language::event::{NodeKind, TrackKind};
use syclscope_language::question::PathQuestion;
use syclscope_language::sorting::Sorting as _;

use super::detail::{location, slice_ref};
use crate::graph::commands::{Change, Commands, Constraints, Step};
use crate::graph::idle;
use crate::graph::{Schedule, device_title};
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;
use device_time::DeviceTime;
use standing::Standing;

pub(super) use path::{PieceSteps, step};

/// Maximum number of steps of the critical path in an answer.
const MAX_STEPS: usize = 20_000;

impl Trace {
    /// Returns the critical path: recorded times that follow one another from the run's start to its end.
    pub fn critical_path(&self) -> CriticalPath {
        let unlimited = Commands::new(self, Constraints::Dependences, &Change::default());
        let unlimited_ns = Schedule::new(&unlimited.steps).length_ns();
        CriticalPath { unlimited_ns, ..path::steps(self, &self.run_graph().path, &(0..u64::MAX)) }
    }

    /// Returns the part of the run's critical path that lies in a question's range.
    pub fn critical_path_within(&self, question: &PathQuestion) -> CriticalPath {
        let most = question.limit.map_or(MAX_STEPS, |limit| (limit as usize).min(MAX_STEPS));
        let path = match (question.from_ns, question.to_ns) {
            (None, None) => self.critical_path(),
            (from, to) => {
                let range = from.unwrap_or(0)..to.unwrap_or(u64::MAX);
                path::steps(self, &self.run_graph().path, &range)
            }
        };
        path.longest(most)
    }

    /// Returns each command's slack, in the order of nodes: the delay of its start that would not make the critical
    /// path longer.
    pub fn slack(&self) -> Vec<NodeSlack> {
        let slack_ns = Standing::new(self).slack_ns;
        let rows = self.nodes.iter().zip(slack_ns);
        rows.map(|(node, slack_ns)| NodeSlack { node: node.number, slack_ns }).collect()
    }

    /// Returns the time of each queue in a range by activity, in the order of the queues' numbers.
    pub fn queue_idle(&self, range: &Range<u64>) -> Vec<QueueIdle> {
        let device_time = DeviceTime::new(self);
        let idle = idle::of_queues(self, range, |queue, range| device_time.within(queue, range));
        let rows = idle.into_iter().zip(self.queues.iter());
        let mut queues: Vec<QueueIdle> = rows
            .map(|(time, queue)| QueueIdle {
                queue: queue.number,
                executions: time.executions,
                busy_ns: time.busy_ns,
                host_ns: time.host_ns,
                dependence_ns: time.dependence_ns,
                other_ns: time.other_ns,
                ready_ns: time.ready_ns,
                after_ns: time.after_ns,
            })
            .collect();
        queues.arrange_by_key(|queue| queue.queue);
        queues
    }

    pub(super) fn track_name(&self, track: usize) -> &str {
        let Some(row) = self.tracks.get(track as u32) else { return "host" };
        let title = match row.kind {
            TrackKind::Device => device_title(self, track as u32),
            _ => None,
        };
        self.strings.get(title.unwrap_or(row.name))
    }

    /// Returns a step of the replay's graph: a command with its device time, a wait of the host, the start of a thread,
    /// or the end of threads that it waited for.
    pub(super) fn critical_step(&self, step: Step, duration_ns: u64) -> CriticalStep {
        match step {
            Step::Node(row) => {
                // The time of a host task is unknown.
                let is_task = self.nodes.kind.at(row as usize) == NodeKind::HostTask;
                let kind = if is_task { StepKind::Host } else { StepKind::Command };
                self.command_step(row, kind, duration_ns)
            }
            Step::Wait(slice) => self.wait_step(slice, duration_ns),
            Step::Thread(track) | Step::Join(track) => {
                path::step(StepKind::Host, self.track_name(track as usize), duration_ns)
            }
        }
    }

    fn wait_step(&self, slice: u32, duration_ns: u64) -> CriticalStep {
        let block = self.blocking().of_slice(slice);
        CriticalStep {
            at: Some(slice_ref(self, slice)),
            location: block.and_then(|block| location(self, block.place)),
            ..path::step(StepKind::Wait, block.map_or("wait", |block| block.name(self)), duration_ns)
        }
    }

    fn command_step(&self, row: u32, kind: StepKind, duration_ns: u64) -> CriticalStep {
        let node = self.nodes.row(row as usize);
        CriticalStep {
            node: Some(node.number),
            at: some(node.execution).or(some(node.submission)).map(|slice| slice_ref(self, slice)),
            location: location(self, node.location),
            ..path::step(kind, self.strings.get(node.name), duration_ns)
        }
    }
}
