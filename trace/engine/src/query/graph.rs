//! What follows from the task graph: the critical path, slack, what would be if, and why queues were idle.

mod components;
mod folding;
mod frames;
mod members;
mod path;
mod picture;
mod standing;
mod texts;
mod view;
mod what_if;

use syclscope_language::api::{CriticalPath, CriticalStep, NodeSlack, QueueIdle, StepKind};
use syclscope_language::event::NodeKind;

use super::detail::{location, slice_ref};
use crate::graph::commands::{Commands, Constraints, Step};
use crate::graph::idle;
use crate::graph::{AsItRan, Schedule};
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

/// What the time is called that lies before the first that is known of a process.
const BEFORE_ALL: &str = "before the first event";

impl Trace {
    /// The chain of commands and host work that decided how long the run took.
    pub fn critical_path(&self) -> CriticalPath {
        let ran = self.as_it_ran();
        let AsItRan { commands, schedule } = &*ran;
        let mut path = CriticalPath {
            length_ns: schedule.length_ns(),
            unlimited_ns: self.lower_bound_ns(|_, device_ns| device_ns),
            left_out: schedule.left_out() as u64,
            ..CriticalPath::default()
        };
        let mut before = None;
        for number in schedule.critical_path() {
            path::add_host(self, commands, before.replace(number), number, &mut path);
            let step = commands.step(number);
            let duration_ns = commands.steps.duration_ns(number);
            // The first that is known of a thread takes no time, unless there is nothing that comes before it.
            match step {
                Step::Thread(_) if duration_ns == 0 => {}
                Step::Thread(_) => {
                    path::push(&mut path, path::step(StepKind::Host, BEFORE_ALL, duration_ns));
                }
                Step::Node(_) | Step::Wait(_) => path::push(&mut path, self.critical_step(step, duration_ns)),
            }
        }
        path
    }

    /// How much later each command could have started without making the critical path longer, in the order of nodes.
    pub fn slack(&self) -> Vec<NodeSlack> {
        let ran = self.as_it_ran();
        let rows = self.nodes.iter().enumerate();
        rows.map(|(row, node)| NodeSlack { node: node.number, slack_ns: ran.schedule.slack_ns(row as u32) })
            .collect()
    }

    /// The shortest that the run's commands could take with unlimited devices and a host without delay, in
    /// nanoseconds: the longest chain of dependences. `duration` gives a command's device time from its node's number
    /// and the recorded time, so that a caller can ask what would be if a kernel was faster.
    pub fn lower_bound_ns(&self, duration: impl Fn(u64, u64) -> u64) -> u64 {
        let of_row = |row: u32, device_ns| duration(self.nodes.number.at(row as usize), device_ns);
        Schedule::new(&Commands::new(self, Constraints::Dependences, of_row).steps).length_ns()
    }

    /// Where each queue's time went, in the order of the queues' numbers.
    pub fn queue_idle(&self) -> Vec<QueueIdle> {
        let rows = idle::of_queues(self).into_iter().zip(self.queues.iter());
        let mut queues: Vec<QueueIdle> = rows
            .map(|(time, queue)| QueueIdle {
                queue: queue.number,
                busy_ns: time.busy_ns,
                host_ns: time.host_ns,
                dependence_ns: time.dependence_ns,
                ready_ns: time.ready_ns,
                after_ns: time.after_ns,
            })
            .collect();
        queues.sort_by_key(|queue| queue.queue);
        queues
    }

    fn track_name(&self, track: usize) -> String {
        self.tracks.get(track as u32).map_or("host", |track| self.strings.get(track.name)).to_owned()
    }

    /// A step of the critical path's graph: a command with its device time, a wait of the host, the begin of a thread.
    pub(super) fn critical_step(&self, step: Step, duration_ns: u64) -> CriticalStep {
        match step {
            Step::Node(row) => self.command_step(row, duration_ns),
            Step::Wait(slice) => {
                let block = self.blocking().of_slice(slice);
                CriticalStep {
                    at: Some(slice_ref(self, slice)),
                    location: block.and_then(|block| location(self, block.place)),
                    ..path::step(StepKind::Wait, block.map_or("wait", |block| block.name(self)), duration_ns)
                }
            }
            Step::Thread(track) => path::step(StepKind::Host, &self.track_name(track as usize), duration_ns),
        }
    }

    fn command_step(&self, row: u32, duration_ns: u64) -> CriticalStep {
        let node = self.nodes.row(row as usize);
        // What a host task took is not known, only how long at most.
        let kind = if node.kind == NodeKind::HostTask { StepKind::Host } else { StepKind::Command };
        CriticalStep {
            node: Some(node.number),
            at: some(node.execution).or(some(node.submission)).map(|slice| slice_ref(self, slice)),
            location: location(self, node.location),
            ..path::step(kind, self.strings.get(node.name), duration_ns)
        }
    }
}
