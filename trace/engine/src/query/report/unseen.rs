//! Gaps of the device metrics: work without recorded times.

use rustc_hash::FxHashMap;
use syclscope_language::event::{FactKind, HandleDirection};

use crate::graph::submitting_calls;
use crate::id::{StringId, some};
use crate::query::findings::words::time;
use crate::query::host_work::HostWork;
use crate::query::percentile::percentile;
use crate::store::Trace;
use crate::store::native::HandleRow;
use crate::store::table::Table as _;
use crate::stretches::Stretches;
use syclscope_language::sorting::Sorting as _;

/// Median duration of the commands in executions of command graphs, below which a vendor's record of each command slows
/// down the run. On an H100, an execution with kernels of 2 to 7 µs took up to twice as long, and one with kernels of
/// 10 µs as long as without recording.
const CHANGED_NS: u64 = 10_000;

/// Returns a sentence for each gap.
pub(super) fn unseen(trace: &Trace) -> Vec<String> {
    let (mut untimed, mut whole) = (0_u64, 0_u64);
    for run in trace.command_graphs.runs.iter() {
        match trace.nodes.get(run.node).and_then(|node| some(node.execution)) {
            None => untimed += 1,
            Some(slice) => whole += u64::from(!trace.executions.in_pieces.at(slice as usize)),
        }
    }
    let runs =
        |count: u64| format!("{count} execution{} of command graphs", if count == 1 { "" } else { "s" });
    let mut sentences = Vec::new();
    if untimed > 0 {
        sentences.push(format!("{} without device times: counted as idle", runs(untimed)));
    }
    if whole > 0 {
        sentences.push(format!(
            "{} as one command each: the times of the kernels and copies in them are not recorded",
            runs(whole)
        ));
    }
    sentences.extend(changed_graphs(trace, runs));
    let left_out = trace.kernels_left_out();
    sentences.extend(left_out.map(|kernels| format!("{kernels}; devices count as idle while they ran")));
    if is_native_unseen(trace) {
        sentences.push(
            "work that the program gave the driver itself is not recorded: devices may have been busy with it where they \
             count as idle"
                .to_owned(),
        );
    }
    sentences.extend(before_part(trace));
    sentences.extend(paused(trace));
    sentences.extend(host_tasks(trace));
    sentences
}

/// Describes the time before the file's part of a run.
fn before_part(trace: &Trace) -> Option<String> {
    let from_ns =
        trace.processes.iter().filter_map(|process| process.from_ns).max().filter(|from| *from > 0)?;
    Some(format!(
        "the file lacks events of the first {}: devices count as idle where no known command ran",
        time(from_ns)
    ))
}

/// Describes the time in which a process was not recorded.
fn paused(trace: &Trace) -> Option<String> {
    let pauses = trace.machine.pauses.iter();
    let spans = pauses.map(|pause| (pause.start, pause.end.unwrap_or(trace.duration_ns)));
    let paused_ns = Stretches::new(spans.collect()).ns_within(0, trace.duration_ns);
    (paused_ns > 0).then(|| {
        format!(
            "the recording was paused for {}: devices count as idle where no known command ran",
            time(paused_ns)
        )
    })
}

/// Describes the cost of recording in executions of command graphs with short work.
fn changed_graphs(trace: &Trace, runs: impl Fn(u64) -> String) -> Option<String> {
    let pieces = trace.pieces();
    let (mut count, mut times, mut ran_ns, mut least_ns) = (0, Vec::new(), 0, 0);
    for run in trace.command_graphs.runs.iter() {
        let Some(rows) = pieces.get(&run.node) else { continue };
        count += 1;
        times.extend(rows.iter().map(|row| trace.slices.duration.at(*row)));
        ran_ns += span_ns(trace, rows);
        least_ns += least_span_ns(trace, run.partition, rows);
    }
    times.sort_unstable();
    let median_ns = percentile(&times, 50);
    (count > 0 && median_ns < CHANGED_NS).then(|| {
        format!(
            "{} with device times of each kernel, copy and fill in them: at a median of {} recording these can make an execution longer, \
             with fewer of them at once: by at most {} of {}, if it makes no kernel itself longer; `record --graphs whole` times each \
             execution as one",
            runs(count),
            time(median_ns),
            time(ran_ns - least_ns),
            time(ran_ns)
        )
    })
}

fn span_ns(trace: &Trace, pieces: &[usize]) -> u64 {
    let start = pieces.iter().map(|row| trace.slices.start.at(*row)).min();
    let end = pieces.iter().map(|row| trace.slices.end(*row)).max();
    end.unwrap_or(0).saturating_sub(start.unwrap_or(0))
}

/// Returns a lower bound of an execution's span (ns) without recording: the longest chain of dependent commands, each
/// as long as the shortest piece of its name, or the longest piece. A piece does not identify its command.
fn least_span_ns(trace: &Trace, partition: u32, pieces: &[usize]) -> u64 {
    let mut shortest: FxHashMap<StringId, u64> = FxHashMap::default();
    for row in pieces {
        let duration = trace.slices.duration.at(*row);
        shortest
            .entry(trace.slices.name.at(*row))
            .and_modify(|least| *least = duration.min(*least))
            .or_insert(duration);
    }
    let graphs = &trace.command_graphs;
    let is_in_order = graphs.rows.get(partition).is_some_and(|row| row.is_in_order);
    let mut commands: Vec<_> =
        graphs.commands_of(partition).iter().filter_map(|row| graphs.commands.get(*row)).collect();
    commands.arrange_by_key(|command| command.position);
    let mut chains: FxHashMap<u32, u64> = FxHashMap::default();
    let (mut longest, mut previous) = (0, 0);
    for command in commands {
        let name = trace.nodes.get(command.node).map(|node| node.name);
        let own = name.and_then(|name| shortest.get(&name)).copied().unwrap_or(0);
        let sources = trace.edges.incoming(command.node).filter_map(|edge| chains.get(&edge.source)).max();
        let before = if is_in_order { previous } else { sources.copied().unwrap_or(0) };
        previous = before + own;
        chains.insert(command.node, previous);
        longest = longest.max(previous);
    }
    let piece = pieces.iter().map(|row| trace.slices.duration.at(*row)).max().unwrap_or(0);
    longest.max(piece).min(span_ns(trace, pieces))
}

/// True if the program obtained the driver's queue or enqueued native commands, and no vendor's records show this work.
fn is_native_unseen(trace: &Trace) -> bool {
    let text = |id| trace.strings.get(id);
    let is_told = trace.machine.facts.iter().any(|fact| {
        (fact.kind, text(fact.name)) == (FactKind::Setting, "device times")
            && text(fact.value).starts_with("CUPTI")
    });
    let leaves = |row: HandleRow| row.direction == HandleDirection::Leaves && text(row.object) == "queue";
    let is_native = |call: u32| text(trace.slices.name.at(call as usize)).contains("NativeCommand");
    !is_told
        && (trace.handles.iter().any(leaves)
            || submitting_calls(trace).into_iter().filter_map(some).any(is_native))
}

fn host_tasks(trace: &Trace) -> Option<String> {
    let work = HostWork::new(trace);
    let HostWork { count, bounded, at_most_ns, .. } = work;
    let one = if count == 1 { "host task" } else { "host tasks" };
    let bound = match bounded {
        0 => " for an unknown time".to_owned(),
        _ if bounded == count => format!(" for at most {}", time(at_most_ns)),
        _ => format!(", {bounded} of them for at most {}, the others for an unknown time", time(at_most_ns)),
    };
    (count > 0).then(|| {
        format!(
            "{count} {one} ran on threads of the host{bound}: devices count as idle where nothing else runs{}",
            work.from(trace)
        )
    })
}
