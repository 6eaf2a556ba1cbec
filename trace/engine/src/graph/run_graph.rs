//! The graph of a run with its schedule, cached for later queries.

use std::sync::Arc;

use super::Schedule;
use super::commands::{Change, Commands, Constraints, Step};
use super::launches::Launches;
use super::path::Path;
use crate::cancel;
use crate::store::Trace;
use crate::store::cache::cached;

/// Graphs with more steps are rebuilt for each query, not cached: they take about 100 bytes a step.
const MAX_CACHED_STEPS: usize = 4 << 20;

/// Reciprocal of the largest accepted deviation of an unchanged run's replay from the run.
const MAX_DIFFERENCE: u64 = 20;

/// Cost of a step of a replay, in query steps.
const WORK_OF_A_STEP: usize = 100;

/// The commands, waits and threads of a run as recorded, its replay, and its critical path.
#[derive(Debug)]
pub(crate) struct RunGraph {
    pub(crate) commands: Commands,
    pub(crate) schedule: Schedule,
    pub(crate) launches: Launches,
    pub(crate) path: Path,
    /// End of the last recorded step, in nanoseconds.
    pub(crate) recorded_ns: u64,
}

cached!(RunGraph { commands, schedule, launches, path });

impl RunGraph {
    pub(crate) fn replay_ns(&self) -> u64 {
        self.schedule.length_ns()
    }

    /// True if the replay deviates too much from the run to predict changes.
    pub(crate) fn is_refused(&self) -> bool {
        self.replay_ns().abs_diff(self.recorded_ns) > self.recorded_ns / MAX_DIFFERENCE
    }

    pub(crate) fn changed_ns(&self, trace: &Trace, change: &Change) -> u64 {
        self.changed(trace, change).1.length_ns()
    }

    pub(crate) fn changed(&self, trace: &Trace, change: &Change) -> (Commands, Schedule) {
        cancel::spend(self.commands.steps.len() * WORK_OF_A_STEP);
        let commands = Commands::new(trace, Constraints::All(&self.launches), change);
        let schedule = Schedule::new(&commands.steps);
        (commands, schedule)
    }
}

impl Trace {
    /// Returns the graph of the run and its schedule. Walks over every slice unless the graph is cached.
    pub(crate) fn run_graph(&self) -> Arc<RunGraph> {
        let kept = self.shelf.slot::<Arc<RunGraph>>();
        if let Some(known) = kept.get() {
            return known.clone();
        }
        let launches = Launches::new(self);
        let commands = Commands::new(self, Constraints::All(&launches), &Change::default());
        let schedule = Schedule::new(&commands.steps);
        let path = Path::new(self, &launches);
        let steps = 0..commands.steps.len() as u32;
        let last = steps.filter_map(|step| self.end_of(&commands, &launches, step)).max();
        let recorded_ns = last.unwrap_or(0);
        let made = Arc::new(RunGraph { commands, schedule, launches, path, recorded_ns });
        if made.commands.steps.len() <= MAX_CACHED_STEPS {
            return kept.get_or_init(|| made).clone();
        }
        made
    }

    fn end_of(&self, commands: &Commands, launches: &Launches, step: u32) -> Option<u64> {
        match commands.step(step) {
            Step::Node(node) => launches.ends().get(node).map(|end| end.at),
            Step::Wait(slice) => self.blocking().of_slice(slice).map(|block| block.end),
            Step::Thread(_) => commands.thread(step).map(|thread| thread.first),
            Step::Join(_) => commands.join(step).map(|join| join.to),
        }
    }
}
