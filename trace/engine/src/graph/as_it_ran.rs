//! The graph of a run with its schedule, kept for the next question.

use std::sync::Arc;

use super::Schedule;
use super::asked::asked;
use super::commands::{Commands, Constraints, Step};
use super::known_ends::KnownEnds;
use super::launches::Launches;
use super::path::Path;
use crate::store::Trace;
use crate::store::kept::kept;

/// Graphs of more steps are rebuilt for each question rather than kept: they take about 100 bytes a step.
const MOST_KEPT: usize = 4 << 20;

/// The commands, waits and threads of a run as it was, its replay, and its critical path.
#[derive(Debug)]
pub(crate) struct AsItRan {
    pub(crate) commands: Commands,
    pub(crate) schedule: Schedule,
    pub(crate) path: Path,
    /// When the last of its steps ended.
    pub(crate) recorded_ns: u64,
}

kept!(AsItRan { commands, schedule, path });

impl Trace {
    /// The graph of the run and its schedule. The first question costs a walk over every slice.
    pub(crate) fn as_it_ran(&self) -> Arc<AsItRan> {
        let kept = self.shelf.of::<Arc<AsItRan>>();
        if let Some(known) = kept.get() {
            return known.clone();
        }
        let commands = Commands::new(self, Constraints::All, |_, device_ns| device_ns, |_, _| 0);
        let schedule = Schedule::new(&commands.steps);
        let (asked, ends) = (asked(self, self.blocking()), KnownEnds::new(self));
        let path = Path::new(self, &asked, &ends, &Launches::new(self, &asked, &ends));
        let last =
            (0..commands.steps.len() as u32).filter_map(|step| self.end_of(&commands, &ends, step)).max();
        let made = Arc::new(AsItRan { commands, schedule, path, recorded_ns: last.unwrap_or(0) });
        if made.commands.steps.len() <= MOST_KEPT {
            return kept.get_or_init(|| made).clone();
        }
        made
    }

    /// When a step had ended, as far as that is recorded.
    fn end_of(&self, commands: &Commands, ends: &KnownEnds, step: u32) -> Option<u64> {
        match commands.step(step) {
            Step::Node(node) => ends.of(node).map(|end| end.at),
            Step::Wait(slice) => self.blocking().of_slice(slice).map(|block| block.end),
            Step::Thread(_) => commands.thread(step).map(|thread| thread.first),
        }
    }
}
