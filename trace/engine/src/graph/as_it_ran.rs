//! The graph of a run with its schedule, kept for the next question.

use std::sync::Arc;

use super::Schedule;
use super::commands::{Commands, Constraints};
use crate::store::Trace;
use crate::store::kept::kept;

/// Graphs of more steps are rebuilt for each question rather than kept: they take about 100 bytes a step.
const MOST_KEPT: usize = 4 << 20;

/// The commands, waits and threads of a run as it was, and when each could have started at the earliest.
#[derive(Debug)]
pub(crate) struct AsItRan {
    pub(crate) commands: Commands,
    pub(crate) schedule: Schedule,
}

kept!(AsItRan { commands, schedule });

impl Trace {
    /// The graph of the run and its schedule. The first question costs a walk over every slice.
    pub(crate) fn as_it_ran(&self) -> Arc<AsItRan> {
        let kept = self.shelf.of::<Arc<AsItRan>>();
        if let Some(known) = kept.get() {
            return known.clone();
        }
        let commands = Commands::new(self, Constraints::All, |_, device_ns| device_ns);
        let schedule = Schedule::new(&commands.steps);
        let made = Arc::new(AsItRan { commands, schedule });
        if made.commands.steps.len() <= MOST_KEPT {
            return kept.get_or_init(|| made).clone();
        }
        made
    }
}
