//! Command graphs that are not faster than their single commands.
//!
//! Both are compared in rounds: from the host's first call to the end of the wait that follows at once. A round
//! contains one run of a graph and nothing else, or the same single commands: kernels with the same names and ranges,
//! copies of equal size. Recording slows down rounds of single commands, so that graphs appear faster rather than
//! slower. Where the vendor's library times the commands of a graph one by one, recording slows down the graph, and
//! there is no finding.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::NodeKind;

use super::host_rounds::{Round, rounds};
use super::run::{Draft, Run};
use super::words::time;
use crate::id::{ArgsId, LocationId, StringId, some};
use crate::query::kernel::sizes::{Size, size};
use crate::query::percentile::percentile;
use crate::query::report::copies::number;
use crate::store::table::Table as _;

/// Minimum rounds of either kind: fewer may be chance.
const MIN_ROUNDS: usize = 16;
/// Maximum number of examined rounds of a graph.
const MAX_ROUNDS: usize = 4_096;

/// Commands of a round in order: kinds, names of kernels, and numbers of sizes.
type Sequence = Vec<(NodeKind, Option<StringId>, u32)>;

struct OfGraph {
    process: u32,
    place: LocationId,
    commands: usize,
    of_graph: Vec<Round>,
    one_by_one: Vec<Round>,
}

/// Command graphs that take as long as their single commands.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let graphs = &run.trace.command_graphs;
    let mut sizes = Sizes::default();
    // Graphs of a process with the same commands count as one.
    let mut numbers: FxHashMap<(u32, Sequence), usize> = FxHashMap::default();
    let mut of_graphs: Vec<OfGraph> = Vec::new();
    // The graph's index by the node of a run.
    let mut graph_of: FxHashMap<u32, usize> = FxHashMap::default();
    let mut appended = FxHashSet::default();
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
        let (process, commands) = (partition.process, nodes.len());
        let Some(sequence) = sizes.sequence(run, nodes.into_iter()) else { continue };
        let number = *numbers.entry((process, sequence)).or_insert_with(|| {
            of_graphs.push(OfGraph {
                process,
                place,
                commands,
                of_graph: Vec::new(),
                one_by_one: Vec::new(),
            });
            of_graphs.len() - 1
        });
        let runs = graphs.runs_of(row).iter().map(|made| graphs.runs.node.at(*made as usize));
        graph_of.extend(runs.map(|node| (node, number)));
    }
    if graph_of.len() < MIN_ROUNDS {
        return Vec::new();
    }
    for round in rounds(run, &appended) {
        let is_graph = |node: &u32| run.trace.nodes.kind.at(*node as usize) == NodeKind::CommandGraph;
        match round.nodes[..] {
            [node] if is_graph(&node) => {
                let Some(number) = graph_of.get(&node).filter(|_| !is_in_pieces(run, node)) else { continue };
                let rounds = &mut of_graphs[*number].of_graph;
                if rounds.len() < MAX_ROUNDS {
                    rounds.push(round);
                }
            }
            ref nodes if nodes.iter().any(is_graph) => {}
            ref nodes => {
                let Some(sequence) = sizes.sequence(run, nodes.iter().copied()) else { continue };
                if let Some(number) = numbers.get(&(round.process, sequence)) {
                    of_graphs[*number].one_by_one.push(round);
                }
            }
        }
    }
    of_graphs.iter().filter_map(|rounds| finding(run, rounds)).collect()
}

/// True if the commands of a graph's run have their own times.
fn is_in_pieces(run: &Run<'_>, node: u32) -> bool {
    let execution = some(run.trace.nodes.execution.at(node as usize));
    execution.is_some_and(|slice| run.trace.executions.in_pieces.at(slice as usize))
}

/// Numbers of launch sizes: the range of a kernel, the bytes of a copy.
#[derive(Default)]
struct Sizes {
    numbers: FxHashMap<Size, u32>,
    /// Similar commands share their arguments.
    of_args: FxHashMap<ArgsId, Size>,
}

impl Sizes {
    /// Returns commands with their sizes; `None` if a size is unknown. Kernels keep their names within graphs, copies
    /// don't.
    fn sequence(&mut self, run: &Run<'_>, nodes: impl Iterator<Item = u32>) -> Option<Sequence> {
        let of = |node: u32| {
            let kind = run.trace.nodes.kind.at(node as usize);
            let name = (kind == NodeKind::Kernel).then(|| run.trace.nodes.name.at(node as usize));
            Some((kind, name, self.number(run, kind, node)?))
        };
        nodes.map(of).collect()
    }

    fn number(&mut self, run: &Run<'_>, kind: NodeKind, node: u32) -> Option<u32> {
        let size = match kind {
            NodeKind::Kernel => Some(self.range(run, node)).filter(Size::has_range)?,
            NodeKind::Copy | NodeKind::Fill => {
                let of_call = || number(run.trace, some(run.calls[node as usize])? as usize, "size");
                Size::of_bytes(self.range(run, node).bytes.or_else(of_call)?)
            }
            _ => Size::default(),
        };
        let next = self.numbers.len() as u32;
        Some(*self.numbers.entry(size).or_insert(next))
    }

    /// Returns the size from a command's own arguments, or from its execution's.
    fn range(&mut self, run: &Run<'_>, node: u32) -> Size {
        let trace = run.trace;
        let mut of = |args: ArgsId| self.of_args.entry(args).or_insert_with(|| size(trace, args)).clone();
        let own = of(trace.nodes.args.at(node as usize));
        match some(trace.nodes.execution.at(node as usize)) {
            Some(execution) if own == Size::default() => of(trace.slices.args.at(execution as usize)),
            _ => own,
        }
    }
}

fn finding(run: &Run<'_>, rounds: &OfGraph) -> Option<Draft> {
    let OfGraph { process, place: location, commands, of_graph, one_by_one } = rounds;
    let (process, location) = (*process, *location);
    if of_graph.len() < MIN_ROUNDS || one_by_one.len() < MIN_ROUNDS {
        return None;
    }
    let median = |rounds: &[Round]| {
        let mut times: Vec<u64> = rounds.iter().map(Round::ns).collect();
        times.sort_unstable();
        percentile(&times, 50)
    };
    let (graph_ns, single_ns) = (median(of_graph), median(one_by_one));
    let slower = of_graph.iter().filter(|round| round.ns() >= single_ns).count();
    let touches_ns = of_graph.iter().map(Round::ns).sum();
    if slower * 4 < of_graph.len() * 3 || !run.is_worth(touches_ns) {
        return None;
    }
    let call = |round: &Round| some(run.calls[round.nodes[0] as usize]);
    Some(Draft {
        kind: "graph_without_gain",
        message: format!(
            "A command graph{} of {commands} commands is no faster than the same commands one by one: a run of it and the wait for \
             it take {} (median of {}), and the commands with their wait {} (median of {}).",
            run.at_place(location),
            time(graph_ns),
            of_graph.len(),
            time(single_ns),
            one_by_one.len()
        ),
        remedy: "Put more commands into a graph, or submit these without one.".to_owned(),
        evidence: vec![
            format!(
                "{slower} of {} runs of it take at least as long as the median of the commands one by one.",
                of_graph.len()
            ),
            "Recording makes single commands slower, and runs of this graph less.".to_owned(),
        ],
        process,
        location,
        slices: of_graph.iter().filter_map(call).collect(),
        nodes: of_graph.iter().map(|round| round.nodes[0]).collect(),
        count: of_graph.len() as u64,
        touches_ns,
        change: Err("The run time with single commands instead of the graph is unknown."),
        bytes: 0,
        how: "",
        filter: "category:ur name:urEnqueueCommandBuffer".to_owned(),
    })
}
