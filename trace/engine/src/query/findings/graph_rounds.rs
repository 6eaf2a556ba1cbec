//! Command graphs that are no faster than their commands one by one.
//!
//! Both are looked at in rounds: from the host's first call to the end of the wait that follows at once. Recording makes the
//! rounds of single commands longer, so it makes no graph look slow. Where the vendor's library times the commands of a graph
//! one by one, recording makes the graph slow, and nothing is said.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::NodeKind;

use super::run::{Command, Draft, Run};
use super::words::time;
use crate::graph::blocking::Block;
use crate::id::{LocationId, StringId, some};
use crate::query::percentile::percentile;
use crate::store::table::Table as _;

/// Rounds of either kind: three quarters of so many are on one side of the other kind's median by chance in less than four of
/// 100 runs.
const LEAST: usize = 16;
/// Rounds of a graph that are looked at.
const MOST_ROUNDS: usize = 4_096;

/// Commands of a round in their order: kinds, and names of kernels.
type Sequence = Vec<(NodeKind, Option<StringId>)>;

/// A round of the host.
#[derive(Clone, Copy)]
struct Round {
    /// Row of the first node.
    node: u32,
    begin: u64,
    end: u64,
}

impl Round {
    fn ns(&self) -> u64 {
        self.end - self.begin
    }
}

/// Command graphs that run in rounds as long as those of their commands one by one.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let graphs = &run.trace.command_graphs;
    let mut of_graphs: FxHashMap<(u32, Sequence), (LocationId, Vec<Round>)> = FxHashMap::default();
    let (mut appended, placed) = (FxHashSet::default(), Rounds { run });
    for (row, partition) in (0..).zip(graphs.rows.iter()) {
        let commands =
            graphs.commands_of(row).iter().map(|command| graphs.commands.node.at(*command as usize));
        let nodes: Vec<u32> = commands.collect();
        appended.extend(nodes.iter().copied());
        if partition.partitions != 1 || nodes.is_empty() {
            continue;
        }
        let place = match partition.location {
            LocationId(0) => run.trace.nodes.location.at(nodes[0] as usize),
            place => place,
        };
        let runs = graphs.runs_of(row).iter().map(|made| graphs.runs.node.at(*made as usize));
        let rounds = runs.take(MOST_ROUNDS).filter_map(|node| placed.of_graph(node));
        let known =
            of_graphs.entry((partition.process, sequence(run, &nodes))).or_insert((place, Vec::new()));
        known.1.extend(rounds);
    }
    of_graphs.retain(|_, (_, rounds)| rounds.len() >= LEAST);
    if of_graphs.is_empty() {
        return Vec::new();
    }
    let mut one_by_one: FxHashMap<(u32, Sequence), Vec<Round>> = FxHashMap::default();
    for (process, sequence, round) in placed.of_commands(&appended) {
        if let Some(rounds) = one_by_one.get_mut(&(process, sequence.clone())) {
            rounds.push(round);
        } else if of_graphs.contains_key(&(process, sequence.clone())) {
            one_by_one.insert((process, sequence), vec![round]);
        }
    }
    let found = of_graphs.into_iter().filter_map(|(key, (place, rounds))| {
        finding(run, key.0, place, key.1.len(), (&rounds, one_by_one.get(&key)?))
    });
    found.collect()
}

/// Kernels have their names in graphs, too; the runtime has other names for copies in them.
fn sequence(run: &Run<'_>, nodes: &[u32]) -> Sequence {
    let of = |node: &u32| {
        let kind = run.trace.nodes.kind.at(*node as usize);
        let name = (kind == NodeKind::Kernel).then(|| run.trace.nodes.name.at(*node as usize));
        (kind, name)
    };
    nodes.iter().map(of).collect()
}

/// Finds the rounds of a run.
struct Rounds<'r, 't> {
    run: &'r Run<'t>,
}

impl<'t> Rounds<'_, 't> {
    /// The round of a graph's run, if its commands have no times of their own.
    fn of_graph(&self, node: u32) -> Option<Round> {
        let trace = self.run.trace;
        let execution = some(trace.nodes.execution.at(node as usize));
        if execution.is_some_and(|slice| trace.executions.in_pieces.at(slice as usize)) {
            return None;
        }
        let call = some(self.run.calls[node as usize])? as usize;
        let begin = trace.slices.start.at(call);
        let track = trace.tracks.of_lane(trace.slices.lane_of(call)) as u32;
        let wait = self.wait_for(track, trace.slices.end(call), &[node])?;
        self.run.has(begin).then_some(Round { node, begin, end: wait.end })
    }

    /// The first wait of a thread from a moment on, if it is for one of some commands.
    fn wait_for(&self, track: u32, from: u64, nodes: &[u32]) -> Option<&'t Block> {
        let trace = self.run.trace;
        let blocking = trace.blocking();
        let place = blocking.blocks().partition_point(|block| (block.track, block.begin) < (track, from));
        let wait = blocking.blocks().get(place).filter(|block| block.track == track)?;
        let queues = blocking.queues_of(trace, wait);
        let is_of_queue = |node: &u32| {
            let queue = some(trace.nodes.queue.at(*node as usize)).and_then(|queue| trace.queues.get(queue));
            queue.is_some_and(|queue| queues.contains(&queue.number))
        };
        let is_awaited = |node: &u32| blocking.nodes_of(wait).contains(node) || is_of_queue(node);
        nodes.iter().any(is_awaited).then_some(wait)
    }

    /// Rounds of single commands: those of a thread between two waits, of which the second is for the last of them.
    fn of_commands(&self, appended: &FxHashSet<u32>) -> Vec<(u32, Sequence, Round)> {
        let mut threads: FxHashMap<u32, Vec<&Command>> = FxHashMap::default();
        let is_single = |command: &&Command| {
            let is_runtime = matches!(command.kind, NodeKind::Virtual | NodeKind::CommandGraph);
            some(command.thread).is_some() && !appended.contains(&command.node) && !is_runtime
        };
        for command in self.run.commands().iter().filter(is_single) {
            threads.entry(command.thread).or_default().push(command);
        }
        let mut rounds = Vec::new();
        for (track, commands) in threads {
            let mut rest = &commands[..];
            while let Some(first) = rest.first() {
                let (length, wait) = self.round(track, rest);
                let (round, behind) = rest.split_at(length);
                rest = behind;
                let nodes: Vec<u32> = round.iter().map(|command| command.node).collect();
                let last = round.last().map_or(first.node, |last| last.node);
                let is_whole = wait.filter(|wait| self.wait_for(track, wait.begin, &[last]).is_some());
                if let Some(wait) = is_whole {
                    let round = Round { node: first.node, begin: first.begun, end: wait.end };
                    rounds.push((first.process, sequence(self.run, &nodes), round));
                }
            }
        }
        rounds
    }

    /// The number of commands before the next wait of their thread, and the wait.
    fn round(&self, track: u32, commands: &[&Command]) -> (usize, Option<&'t Block>) {
        let blocks = self.run.trace.blocking().blocks();
        let from = commands.first().map_or(0, |first| first.submitted);
        let place = blocks.partition_point(|block| (block.track, block.begin) < (track, from));
        let wait = blocks.get(place).filter(|block| block.track == track);
        let length = commands.partition_point(|command| wait.is_none_or(|wait| command.begun < wait.begin));
        (length.max(1), wait)
    }
}

fn finding(
    run: &Run<'_>,
    process: u32,
    location: LocationId,
    commands: usize,
    (of_graph, one_by_one): (&[Round], &[Round]),
) -> Option<Draft> {
    let median = |rounds: &[Round]| {
        let mut times: Vec<u64> = rounds.iter().map(Round::ns).collect();
        times.sort_unstable();
        percentile(&times, 50)
    };
    let (graph_ns, single_ns) = (median(of_graph), median(one_by_one));
    let slower = of_graph.iter().filter(|round| round.ns() >= single_ns).count();
    let touches_ns = of_graph.iter().map(Round::ns).sum();
    if one_by_one.len() < LEAST || slower * 4 < of_graph.len() * 3 || !run.is_worth(touches_ns) {
        return None;
    }
    let call = |round: &Round| some(run.calls[round.node as usize]);
    Some(Draft {
        kind: "graph_without_gain",
        message: format!(
            "A command graph{} of {commands} commands is no faster than the same commands one by one: a run of it and the wait for \
             it take {} (median of {}), and the commands with their wait {} (median of {}). Put more commands into a graph, or \
             submit these without one.",
            run.at_place(location),
            time(graph_ns),
            of_graph.len(),
            time(single_ns),
            one_by_one.len()
        ),
        evidence: vec![
            format!(
                "{slower} of {} runs of it take longer than the median of the commands one by one.",
                of_graph.len()
            ),
            "Recording makes single commands slower, and runs of this graph less.".to_owned(),
        ],
        process,
        location,
        slices: of_graph.iter().filter_map(call).collect(),
        nodes: of_graph.iter().map(|round| round.node).collect(),
        count: of_graph.len() as u64,
        touches_ns,
        change: Err("How long the run takes with single commands in the place of the graph is not known."),
        bytes: 0,
        how: "",
        filter: "category:ur name:urEnqueueCommandBuffer".to_owned(),
    })
}
