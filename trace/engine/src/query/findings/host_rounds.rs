//! Rounds of a thread: it submits commands and immediately waits for them.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::NodeKind;

use super::run::{Command, Run};
use crate::graph::blocking::Block;
use crate::id::some;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Commands of a thread between two waits, with the second wait.
pub(super) struct Round {
    /// Rows of the commands in the order of their submission.
    pub(super) nodes: Vec<u32>,
    pub(super) process: u32,
    pub(super) begin: u64,
    pub(super) end: u64,
}

impl Round {
    pub(super) fn ns(&self) -> u64 {
        self.end - self.begin
    }
}

/// A command with the time of its submission and its call.
struct Submitted<'r> {
    command: &'r Command,
    /// Start of the round, if this is its first command.
    round_begin: u64,
    begin: u64,
    end: u64,
}

/// Returns the rounds of all threads. Commands of `appended` are parts of command graphs, not submissions. A round is
/// on one queue, its wait is for that queue and starts at once, and everything the thread submitted before has ended.
pub(super) fn rounds(run: &Run<'_>, appended: &FxHashSet<u32>) -> Vec<Round> {
    let blocks = run.trace.blocking().blocks();
    let mut rounds = Vec::new();
    for (track, commands) in threads(run, appended) {
        let from = blocks.partition_point(|block| block.track < track);
        let to = blocks.partition_point(|block| block.track <= track);
        let (mut rest, mut waits, mut is_over) = (&commands[..], &blocks[from..to], true);
        while let Some(first) = rest.first() {
            waits = &waits[waits.partition_point(|wait| wait.begin < first.end)..];
            let wait = waits.first();
            let length = rest.partition_point(|one| wait.is_none_or(|wait| one.begin < wait.begin));
            let (commands, behind) = rest.split_at(length.max(1));
            rest = behind;
            let was_over = is_over;
            is_over = wait.is_some_and(|wait| is_for(run, wait, commands));
            let has_all = was_over && is_over && run.has(first.command.begun);
            if let Some(wait) = wait.filter(|wait| has_all && begins_at_once(wait, commands)) {
                rounds.push(Round {
                    nodes: commands.iter().map(|one| one.command.node).collect(),
                    process: first.command.process,
                    begin: first.round_begin,
                    end: wait.end,
                });
            }
        }
    }
    rounds
}

/// Returns the commands by track of the submitting thread, each track's by time.
fn threads<'r>(run: &'r Run<'_>, appended: &FxHashSet<u32>) -> FxHashMap<u32, Vec<Submitted<'r>>> {
    let slices = &run.trace.slices;
    let mut threads: FxHashMap<u32, Vec<Submitted<'_>>> = FxHashMap::default();
    for command in run.whole() {
        if command.kind == NodeKind::Virtual || appended.contains(&command.node) {
            continue;
        }
        let call = run.call(command);
        let of_call = || Some(run.trace.tracks.of_lane(slices.lane_of(call?)) as u32);
        let Some(track) = some(command.thread).or_else(of_call) else { continue };
        let begin = call.map_or(command.begun, |call| slices.start.at(call).min(command.begun));
        let end = call.map_or(command.submitted, |call| slices.end(call).max(command.submitted));
        // A graph's time starts with its call, so that the graph looks fast rather than slow.
        let of_graph = call.filter(|_| command.kind == NodeKind::CommandGraph);
        let round_begin = of_graph.map_or(begin, |call| slices.start.at(call));
        threads.entry(track).or_default().push(Submitted { command, round_begin, begin, end });
    }
    threads.values_mut().for_each(|commands| commands.arrange_by_key(|one| one.begin));
    threads
}

/// True if commands are on one queue, and a wait of the program is for the last of them or for the queue.
fn is_for(run: &Run<'_>, wait: &Block, commands: &[Submitted<'_>]) -> bool {
    let Some(Submitted { command: last, .. }) = commands.last() else { return false };
    let blocking = run.trace.blocking();
    let number = some(last.queue).and_then(|queue| run.trace.queues.get(queue)).map(|queue| queue.number);
    let is_of_queue = || number.is_some_and(|number| blocking.queues_of(run.trace, wait).contains(&number));
    !wait.is_of_runtime
        && commands.iter().all(|one| one.command.queue == last.queue)
        && (blocking.nodes_of(wait).binary_search(&last.node).is_ok() || is_of_queue())
}

/// True if a wait starts after the last submission within that submission's duration. In a longer time the host may do
/// other work.
fn begins_at_once(wait: &Block, commands: &[Submitted<'_>]) -> bool {
    commands.last().is_some_and(|last| wait.begin.saturating_sub(last.end) <= last.end - last.begin)
}
