//! Replay of the run with some commands faster or gone.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashSet;
use syclscope_language::api::WhatIf;
use syclscope_language::event::{Category, NodeKind};
use syclscope_language::matching::SearchWords;
use syclscope_language::question::{Factor, WhatIfQuestion};

use super::what_if_schedule;
use crate::graph::Schedule;
use crate::graph::commands::{Change, Commands, Constraints};
use crate::id::{StringId, some};
use crate::query::{BuildTimes, QueryError};
use crate::store::Trace;
use crate::store::cache::Cached;
use crate::store::table::Table as _;
use crate::stretches::Stretches;

const MAX_SIMILAR: usize = 3;

/// Maximum number of commands in a cached replay. Larger replays are computed again for each question.
const MAX_CACHED: usize = 4 << 20;

#[derive(Debug)]
pub(super) struct Replay {
    /// The question without its schedule.
    question: WhatIfQuestion,
    /// The answer without a schedule.
    answer: WhatIf,
    /// Begin and duration (ns) of each node in the replay; empty if the replay is refused.
    pub(super) times_ns: Vec<(u64, u64)>,
}

/// The last replay, since each zoom into its schedule repeats the question.
#[derive(Debug, Default)]
struct LastReplay(Mutex<Option<Arc<Replay>>>);

impl LastReplay {
    fn get(&self) -> Option<Arc<Replay>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn put(&self, replay: Arc<Replay>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(replay);
    }
}

impl Cached for LastReplay {
    fn cached_bytes(&self) -> usize {
        self.get().map_or(0, |replay| replay.times_ns.cached_bytes())
    }
}

impl Trace {
    /// Replays the run, and finds the longest chain of dependences, as recorded and with some commands faster. In a
    /// range, only the time of commands and builds within it changes, so that the run loses no more than the range's
    /// length.
    ///
    /// # Errors
    /// Returns an error if no command has the name of the query's kernel.
    pub fn what_if(&self, question: &WhatIfQuestion) -> Result<WhatIf, QueryError> {
        let last = self.shelf.slot::<LastReplay>().get_or_init(LastReplay::default);
        let without_schedule = WhatIfQuestion { schedule: None, ..question.clone() };
        let replay = match last.get().filter(|replay| replay.question == without_schedule) {
            Some(known) => known,
            None => {
                let replay = Arc::new(self.replayed(without_schedule)?);
                if replay.times_ns.len() <= MAX_CACHED {
                    last.put(replay.clone());
                }
                replay
            }
        };
        let answer = &replay.answer;
        let end_ns = answer.recorded_ns.max(answer.changed_path_ns);
        let schedule = question.schedule.as_ref().filter(|_| !answer.is_refused);
        let schedule = schedule.map(|range| what_if_schedule::schedule(self, &replay, end_ns, range));
        Ok(WhatIf { schedule, ..answer.clone() })
    }

    fn replayed(&self, question: WhatIfQuestion) -> Result<Replay, QueryError> {
        if let Some(kernel) = &question.kernel {
            self.check_command_name(kernel)?;
        }
        let is_copy = |kind: NodeKind| matches!(kind.category(), Category::Copy | Category::Fill);
        let faster = question.faster.unwrap_or(Factor::TWICE);
        let becomes = |(kind, name): (NodeKind, StringId), device_ns: u64| {
            if question.without_copies && is_copy(kind) {
                0
            } else if question.kernel.as_deref().is_some_and(|kernel| kernel == self.strings.get(name)) {
                faster.shortens(device_ns)
            } else {
                device_ns
            }
        };
        let of_slice = |row: usize| (self.executions.kind.at(row), self.slices.name.at(row));
        let range = question.from_ns.unwrap_or(0)..question.to_ns.unwrap_or(u64::MAX);
        // Time of a slice in the range, and outside of it.
        let parts = |row: usize| {
            let (start, end) = self.slices.interval(row);
            let within_ns = end.min(range.end).saturating_sub(start.max(range.start));
            (within_ns, self.slices.duration.at(row) - within_ns)
        };
        let becomes_of = |command: (NodeKind, StringId), row: usize| {
            let (within_ns, beside_ns) = parts(row);
            becomes(command, within_ns) + beside_ns
        };
        let pieces = self.pieces();
        let mut changed = Change::default();
        for node in 0..self.nodes.len() as u32 {
            let Some(slice) = some(self.nodes.execution.at(node as usize)) else { continue };
            let was = self.slices.duration.at(slice as usize);
            let is = match pieces.get(&node) {
                // The execution's kind, which may differ from the node's: the execution of a release may be an unmap.
                None => becomes_of(of_slice(slice as usize), slice as usize),
                // A faster piece saves no time while an unchanged one runs.
                Some(rows) => {
                    was.saturating_sub(saved_ns(self, rows, &range, |row, ns| becomes(of_slice(row), ns)))
                }
            };
            if is != was {
                changed.takes_ns.insert(node, is);
            }
        }
        if question.without_builds {
            let built = BuildTimes::new(self).into_stretches().into_iter();
            changed.saved =
                built.map(|(track, built)| (track, built.clipped(range.start, range.end))).collect();
        }
        let unlimited = |change: &Change| {
            Schedule::new(&Commands::new(self, Constraints::Dependences, change).steps).length_ns()
        };
        let graph = self.run_graph();
        let (path_ns, is_refused) = (graph.replay_ns(), graph.is_refused());
        let replayed = (!is_refused).then(|| graph.changed(self, &changed));
        let mut answer = WhatIf {
            recorded_ns: graph.recorded_ns,
            path_ns,
            is_refused,
            unlimited_ns: unlimited(&Change::default()),
            changed_path_ns: replayed.as_ref().map_or(path_ns, |(_, schedule)| schedule.length_ns()),
            changed_unlimited_ns: unlimited(&changed),
            range_ns: (question.from_ns.is_some() || question.to_ns.is_some())
                .then(|| range.end.min(self.duration_ns).saturating_sub(range.start)),
            ..WhatIf::default()
        };
        for row in self.device_work() {
            let (was, _) = parts(row);
            // Commands that the program itself submitted to the driver are the same in every replay.
            let is_replayed = some(self.slices.node.at(row)).is_some();
            let is = if is_replayed { becomes(of_slice(row), was) } else { was };
            answer.device_ns = answer.device_ns.saturating_add(was);
            answer.changed_device_ns = answer.changed_device_ns.saturating_add(is);
            answer.changed += u64::from(was != is);
        }
        let times = |(commands, schedule): (Commands, Schedule)| {
            let nodes = 0..self.nodes.len() as u32;
            nodes.map(|node| (schedule.earliest_ns(node), commands.steps.duration_ns(node))).collect()
        };
        let times_ns = replayed.map(times).unwrap_or_default();
        Ok(Replay { question, answer, times_ns })
    }

    pub(in crate::query) fn check_command_name(&self, name: &str) -> Result<(), QueryError> {
        let of_nodes = (0..self.nodes.len()).map(|row| self.nodes.name.at(row));
        let of_work = (0..self.executions.len()).map(|row| self.slices.name.at(row));
        let names: FxHashSet<StringId> = of_nodes.chain(of_work).collect();
        if names.iter().any(|known| self.strings.get(*known) == name) {
            return Ok(());
        }
        let wanted = SearchWords::new(name);
        let rank = |known: &StringId| {
            let known = self.strings.get(*known);
            Some((wanted.rank(known)?, known))
        };
        let mut similar: Vec<(u32, &str)> = names.iter().filter_map(rank).collect();
        similar.sort_unstable();
        let similar = similar.into_iter().take(MAX_SIMILAR).map(|(_, name)| name.to_owned()).collect();
        Err(QueryError::NoCommandName { name: name.to_owned(), similar })
    }
}

/// Returns the shortening of a command in pieces by changes in a range. Of the changed pieces, the one with the
/// smallest change counts for all.
fn saved_ns(trace: &Trace, rows: &[usize], range: &Range<u64>, becomes: impl Fn(usize, u64) -> u64) -> u64 {
    let span = |row: &usize| trace.slices.interval(*row);
    let is_changed =
        |row: &usize| becomes(*row, trace.slices.duration.at(*row)) != trace.slices.duration.at(*row);
    let (changed, same): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| is_changed(row));
    let same = Stretches::new(same.iter().map(span).collect());
    let alone = Stretches::new(changed.iter().map(span).collect()).without(&same);
    let alone = alone.clipped(range.start, range.end).ns();
    let most = changed.iter().map(|row| becomes(*row, alone)).max();
    most.map_or(0, |most| alone.saturating_sub(most))
}
