//! Command graphs that are rebuilt for every run: building one costs more than submitting its commands.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::event::GraphChangeKind;

use super::run::{Draft, Run};
use super::touched;
use super::words::time;
use crate::id::{LocationId, some};
use crate::store::table::Table as _;
use crate::stretches::Stretches;

/// Fewer may be several distinct graphs of the program.
const MIN_GRAPHS: usize = 8;

/// The partitions built at a source location.
#[derive(Default)]
struct Built {
    partitions: usize,
    /// Graphs that ran once at most: the row, and the time range of the host's work on it.
    in_vain: Vec<(u32, Range<u64>)>,
}

/// Source locations at which most command graphs run once at most.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let graphs = &run.trace.command_graphs;
    let mut places: FxHashMap<(u32, LocationId), Built> = FxHashMap::default();
    for (row, partition) in graphs.rows.iter().enumerate() {
        if !run.has(partition.created) {
            continue;
        }
        let row = row as u32;
        // Runtimes seldom report the location at which a graph was finalized, but those of its commands.
        let first = graphs.commands_of(row).first().map(|first| graphs.commands.node.at(*first as usize));
        let location = match first {
            Some(node) if partition.location == LocationId(0) => run.trace.nodes.location.at(node as usize),
            _ => partition.location,
        };
        let built = places.entry((partition.process, location)).or_default();
        built.partitions += 1;
        let changed_at = |kind: GraphChangeKind| {
            let changes = graphs.changes_of(row).iter().map(|change| graphs.changes.row(*change as usize));
            changes.filter(|change| change.change == kind).map(|change| change.at).max()
        };
        let (ready, released) =
            (changed_at(GraphChangeKind::Finalized), changed_at(GraphChangeKind::Released));
        let has_life = run.trace.has_life(partition.process, partition.created, released);
        // It may have run in a later pause of the recording.
        let was_paused = run.trace.machine.pauses.iter().any(|pause| {
            pause.process == partition.process && pause.end.is_none_or(|end| end > partition.created)
        });
        if let Some(ready) = ready.filter(|_| graphs.runs_of(row).len() <= 1 && !was_paused && has_life) {
            built.in_vain.push((row, partition.created..ready.max(partition.created)));
        }
    }
    places
        .into_iter()
        .filter_map(|((process, location), built)| finding(run, process, location, &built))
        .collect()
}

fn finding(run: &Run<'_>, process: u32, location: LocationId, built: &Built) -> Option<Draft> {
    let (graphs, count) = (&run.trace.command_graphs, built.in_vain.len());
    let spans: Vec<(u64, u64)> = built.in_vain.iter().map(|(_, made)| (made.start, made.end)).collect();
    let touches_ns = touched::in_host_time(run, process, spans.clone());
    if count < MIN_GRAPHS || count * 4 < built.partitions * 3 || !run.is_worth(touches_ns) {
        return None;
    }
    let change = Run::without_times(built.in_vain.iter().filter_map(|(row, made)| {
        let tid = graphs.rows.get(*row)?.tid;
        Some((run.trace.rows_of_thread(process, tid).next()?, (made.start, made.end)))
    }));
    let nodes: Vec<u32> = built
        .in_vain
        .iter()
        .flat_map(|(row, _)| graphs.runs_of(*row).iter().map(|made| graphs.runs.node.at(*made as usize)))
        .collect();
    let commands: usize = built.in_vain.iter().map(|(row, _)| graphs.commands_of(*row).len()).sum();
    let submission = |node: u32| some(run.trace.nodes.submission.at(node as usize));
    // Runtimes report no submission of a graph's run: its first command's submission has the same location.
    let slice = |row: u32| {
        let runs = graphs.runs_of(row).iter().map(|made| graphs.runs.node.at(*made as usize));
        let commands =
            graphs.commands_of(row).iter().map(|command| graphs.commands.node.at(*command as usize));
        runs.chain(commands).find_map(submission)
    };
    Some(Draft {
        kind: "graph_built_for_one_run",
        message: format!(
            "{count} command graphs{} ran once at most, and making them ({commands} commands) took the host {}. The \
             runtime's own work on graphs is not recorded and can be saved, too.",
            run.at_place(location),
            time(Stretches::new(spans).ns()),
        ),
        remedy: "Finalize a graph once and run it again, with new data in the same memory or with its parameters updated; submit \
                 what runs once without a graph."
            .to_owned(),
        evidence: vec![format!(
            "{count} of {} partitions of command graphs from there are like this.",
            built.partitions
        )],
        process,
        location,
        slices: built.in_vain.iter().filter_map(|(row, _)| slice(*row)).collect(),
        nodes,
        count: count as u64,
        touches_ns,
        change: Ok(change),
        bytes: 0,
        how: "In recorded time: the run replayed without the time from the making of a graph to its end. The real \
              saving may be larger, because the runtime's unrecorded work is omitted, too.",
        filter: "category:ur name:urCommandBuffer".to_owned(),
    })
}
