//! Waits between kernels: the device idles while the host wakes up and submits the next one.

use rustc_hash::FxHashMap;
use syclscope_language::event::{AllocationKind, NodeKind, QueueOrder};

use super::run::{Command, Draft, Run};
use super::touched;
use super::words::{equals, time};
use crate::graph::blocking::{Block, Cause};
use crate::id::{LocationId, StringId, some};
use crate::store::table::Table as _;
use crate::stretches::Stretches;
use syclscope_language::sorting::Sorting as _;

/// Fewer waits at a location may be necessary.
const MIN_WAITS: usize = 8;
/// A host that works longer than this between a wait and the next submission may use the awaited results.
const MAX_HOST_NS: u64 = 50_000;

#[derive(Default)]
struct WaitPlace {
    waits: usize,
    /// Waits for one kernel, directly followed by another command.
    single: Vec<Needless>,
    /// Such waits for a fill, or for several kernels and fills.
    several: Vec<Needless>,
}

/// A wait that is directly followed by the next command.
#[derive(Clone, Copy)]
struct Needless {
    wait: Block,
    /// The last command before the wait.
    last: Command,
    /// Start of the next command.
    next: u64,
}

/// Waits for kernels that are directly followed by the next submission, at source locations with mostly such waits.
/// After a copy the program may use either side of it, so waits for copies are left out.
///
/// While memory is live that the host reads without a copy (shared or host USM), a wait may serve the program's own
/// access to it, and is left out, too.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let visible = visible_memory(run);
    let mut places: FxHashMap<(u32, StringId, LocationId), WaitPlace> = FxHashMap::default();
    let mut submissions: FxHashMap<u32, Vec<Command>> = FxHashMap::default();
    for command in run.whole() {
        submissions.entry(command.thread).or_default().push(*command);
    }
    for waits in run.trace.blocking().blocks().chunk_by(|one, other| one.track == other.track) {
        let (track, process) = (waits[0].track, run.trace.tracks.process.at(waits[0].track as usize));
        let commands = submissions.get(&track).map(Vec::as_slice).unwrap_or_default();
        let mut next = 0;
        for wait in waits {
            let first = next;
            next += commands[first..].partition_point(|command| command.begun < wait.begin);
            let follows = next + commands[next..].partition_point(|command| command.begun < wait.end);
            let name = run.trace.slices.name.at(wait.slice as usize);
            let own = wait.place;
            // Other rules cover host accessors and destructors. A thread of the runtime waits before host tasks.
            if wait.cause != Cause::Call || wait.is_of_runtime || !run.has(wait.begin) {
                continue;
            }
            let submitted = &commands[first..next];
            let is_on_device = |command: &Command| {
                command.execution.is_some() && matches!(command.kind, NodeKind::Kernel | NodeKind::Fill)
            };
            let Some(last) = submitted.last().filter(|_| submitted.iter().all(is_on_device)) else {
                places.entry((process, name, own)).or_default().waits += 1;
                continue;
            };
            let location = if own == LocationId(0) { last.location } else { own };
            let place = places.entry((process, name, location)).or_default();
            place.waits += 1;
            let follower = commands.get(follows).filter(|next| next.begun - wait.end <= MAX_HOST_NS);
            let Some((follower, starts)) = follower.and_then(|next| Some((next, next.execution?))) else {
                continue;
            };
            let is_ordered = submitted.iter().all(|command| is_before(run, command, follower));
            if !is_ordered || !is_for(run, wait, last) || is_live(&visible, process, wait.end) {
                continue;
            }
            let needless = Needless { wait: *wait, last: *last, next: starts.start };
            match submitted {
                [one] if one.kind == NodeKind::Kernel => place.single.push(needless),
                _ => place.several.push(needless),
            }
        }
    }
    places.into_iter().filter_map(|(key, place)| finding(run, key, &place)).collect()
}

fn finding(
    run: &Run<'_>,
    (process, name, location): (u32, StringId, LocationId),
    place: &WaitPlace,
) -> Option<Draft> {
    let is_most = |count: usize| count >= MIN_WAITS && count * 4 >= place.waits * 3;
    let is_for_one = is_most(place.single.len());
    let mut needless = place.single.clone();
    if !is_for_one {
        needless.extend(&place.several);
        needless.arrange_by_key(|needless| (needless.wait.begin, needless.wait.slice));
    }
    let count = needless.len();
    let late = needless.iter().filter_map(|needless| {
        Some(((needless.last.execution?.end, needless.next), needless.wait.duration()))
    });
    let touches_ns = touched::late(run, process, late);
    if !is_most(count) || !run.is_worth(touches_ns) {
        return None;
    }
    let change = run.without_waits(needless.iter().map(|needless| needless.wait.slice));
    let name = run.trace.strings.get(name);
    let mut kernels: Vec<String> = needless.iter().map(|needless| run.short_name(&needless.last)).collect();
    kernels.sort_unstable();
    kernels.dedup();
    kernels.truncate(3);
    let of = if is_for_one { "a single kernel" } else { "kernels" };
    Some(Draft {
        kind: if is_for_one { "wait_after_kernel" } else { "wait_between_kernels" },
        message: format!(
            "{count} times{} the host waited for {of} ({}) and then submitted the next command at once; \
             meanwhile the devices were idle for {}.",
            run.at_place(location),
            kernels.join(", "),
            time(touches_ns)
        ),
        remedy: "Remove these waits: dependences and in-order queues keep the order, and one wait before reading the results is \
                 enough."
            .to_owned(),
        evidence: vec![
            format!("{count} of {} waits ({name}) at this source line are like this.", place.waits),
            format!("The next submission follows such a wait within {}.", time(MAX_HOST_NS)),
        ],
        process,
        location,
        slices: needless.iter().map(|needless| needless.wait.slice).collect(),
        nodes: needless.iter().map(|needless| needless.last.node).collect(),
        count: count as u64,
        touches_ns,
        change: Ok(change),
        bytes: 0,
        how: "At most: the run replayed without these waits.",
        filter: format!("category:wait {}", equals("name", name)),
    })
}

/// True if a wait is for a command or its queue, or if the recording does not show what it is for.
fn is_for(run: &Run<'_>, wait: &Block, command: &Command) -> bool {
    let blocking = run.trace.blocking();
    let (nodes, queues) = (blocking.nodes_of(wait), blocking.queues_of(run.trace, wait));
    let queue = some(command.queue).and_then(|queue| run.trace.queues.get(queue));
    (nodes.is_empty() && queues.is_empty())
        || nodes.binary_search(&command.node).is_ok()
        || queue.is_some_and(|queue| queues.contains(&queue.number))
}

/// True if a command is ordered before another one without a wait of the host: by their in-order queue, or by a
/// dependence.
fn is_before(run: &Run<'_>, command: &Command, next: &Command) -> bool {
    let queue = some(command.queue).filter(|queue| some(next.queue) == Some(*queue));
    let queue = queue.and_then(|queue| run.trace.queues.get(queue));
    queue.is_some_and(|queue| queue.order == QueueOrder::InOrder)
        || run.trace.edges.incoming(next.node).any(|edge| edge.source == command.node)
}

/// Returns the times in which each process had memory that the host reads without a copy.
fn visible_memory(run: &Run<'_>) -> FxHashMap<u32, Stretches> {
    let mut spans: FxHashMap<u32, Vec<(u64, u64)>> = FxHashMap::default();
    for row in run.trace.allocations.iter() {
        if matches!(row.kind, AllocationKind::Shared | AllocationKind::Host) {
            spans.entry(row.process).or_default().push((row.at, row.released.unwrap_or(u64::MAX)));
        }
    }
    spans.into_iter().map(|(process, spans)| (process, Stretches::new(spans))).collect()
}

fn is_live(spans: &FxHashMap<u32, Stretches>, process: u32, at: u64) -> bool {
    let next = spans.get(&process).and_then(|spans| spans.from(at).next());
    next.is_some_and(|(begin, _)| begin <= at)
}
