//! The host's side of the graph: what each thread did between its waits, and what it waited for.

use rustc_hash::FxHashMap;

use super::unnamed::Ends;
use crate::graph::Arc;
use crate::graph::asked::Asked;
use crate::graph::blocking::Blocking;
use crate::graph::known_ends::KnownEnds;
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

/// A thread that asked for commands or waited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thread {
    pub(crate) track: u32,
    /// When it did the first that is known of it: nobody knows of it before.
    pub(crate) first: u64,
}

/// Where more threads than these wait, a wait for a queue follows the last one of any thread: links from all commands to a wait
/// of every thread would be too many.
const MOST_ALONE: usize = 64;

/// The time that a thread, by track, saves of a part of its time.
type Saved<'a> = &'a dyn Fn(u32, std::ops::Range<u64>) -> u64;

/// Threads, waits and what leads to the commands.
#[derive(Debug, Default)]
pub(super) struct Host {
    /// By the number of their steps.
    pub(super) threads: Vec<Thread>,
    pub(super) arcs: Vec<Arc>,
    /// Of each wait the part that is not explained by what it waited for.
    pub(super) waits_ns: Vec<u64>,
    /// Of each thread the time before it that nothing explains.
    pub(super) threads_ns: Vec<u64>,
}

impl Host {
    /// What the threads of a trace did. Steps are the nodes, then the blocks, then the threads.
    pub(super) fn new(trace: &Trace, asked: &[Asked], ends: &KnownEnds, saved: Saved<'_>) -> Self {
        let blocking = trace.blocking();
        let mut host = Self::default();
        host.link_threads(trace, blocking, asked, saved);
        host.link_waits(trace, blocking, ends, asked);
        host
    }

    /// A thread's waits follow one another, and each command follows the last wait before it was asked for. A thread
    /// follows what the first thread of its process had done by then.
    fn link_threads(&mut self, trace: &Trace, blocking: &Blocking, asked: &[Asked], saved: Saved<'_>) {
        let (nodes, blocks) = (trace.nodes.len() as u32, blocking.blocks());
        let first_thread = nodes + blocks.len() as u32;
        let tracks = blocks.iter().map(|block| block.track).chain(asked.iter().map(|asked| asked.track));
        let mut tracks: Vec<u32> = tracks.collect();
        tracks.sort_unstable();
        tracks.dedup();
        for track in tracks {
            let own_asked = &asked[of_track(asked, track, |asked| asked.track)];
            let own_blocks = of_track(blocks, track, |block| block.track);
            let known = [
                own_asked.first().map(|asked| asked.at),
                blocks[own_blocks.clone()].first().map(|block| block.begin),
            ];
            let known = known.into_iter().flatten().chain(first_slice(trace, track));
            let first = known.min().unwrap_or_default();
            // The last point of the thread: its step, and when it was.
            let mut last = (first_thread + self.threads.len() as u32, first);
            let mut waits = own_blocks.map(|block| (block as u32, &blocks[block])).peekable();
            let lag_ns = |from: u64, to: u64| {
                let length = to.saturating_sub(from);
                (length - saved(track, from..from + length).min(length)).cast_signed()
            };
            let mut pass = |until: u64, last: &mut (u32, u64), arcs: &mut Vec<Arc>| {
                while let Some((number, block)) = waits.next_if(|(_, block)| block.end <= until) {
                    let target = nodes + number;
                    arcs.push(Arc { source: last.0, target, lag_ns: lag_ns(last.1, block.begin) });
                    *last = (target, block.end);
                }
            };
            for asked in own_asked {
                pass(asked.at, &mut last, &mut self.arcs);
                let lag_ns = lag_ns(last.1, asked.at);
                self.arcs.push(Arc { source: last.0, target: asked.node, lag_ns });
            }
            pass(u64::MAX, &mut last, &mut self.arcs);
            self.threads.push(Thread { track, first });
        }
        self.threads_ns = vec![0; self.threads.len()];
        self.link_begins(trace, blocking, first_thread);
    }

    /// Nobody records what made a thread; the first thread of the process, which was there before it, comes before it.
    fn link_begins(&mut self, trace: &Trace, blocking: &Blocking, first_thread: u32) {
        let process = |thread: &Thread| trace.tracks.process.at(thread.track as usize);
        let mut mains: FxHashMap<u32, (u64, usize)> = FxHashMap::default();
        for (number, thread) in self.threads.iter().enumerate() {
            let main = mains.entry(process(thread)).or_insert((thread.first, number));
            *main = (*main).min((thread.first, number));
        }
        let blocks = blocking.blocks();
        for (number, thread) in self.threads.iter().enumerate() {
            let (main_first, main) = mains[&process(thread)];
            if main == number {
                self.threads_ns[number] = main_first;
                continue;
            }
            let own = of_track(blocks, self.threads[main].track, |block| block.track);
            let before = blocks[own.clone()].partition_point(|block| block.end <= thread.first);
            let (source, at) = match before.checked_sub(1) {
                Some(last) => {
                    let block = own.start + last;
                    (trace.nodes.len() as u32 + block as u32, blocks[block].end)
                }
                None => (first_thread + main as u32, main_first),
            };
            let target = first_thread + number as u32;
            self.arcs.push(Arc { source, target, lag_ns: (thread.first - at).cast_signed() });
        }
    }

    /// A wait ends after what it waited for: commands, or all that was asked of a queue before.
    fn link_waits(&mut self, trace: &Trace, blocking: &Blocking, known: &KnownEnds, asked: &[Asked]) {
        let nodes = trace.nodes.len();
        let mut asked_at = vec![u64::MAX; nodes];
        for asked in asked {
            asked_at[asked.node as usize] = asked.at;
        }
        let mut queues: FxHashMap<u32, Vec<(u64, u32)>> = FxHashMap::default();
        for asked in asked {
            if let Some(queue) = some(trace.nodes.queue.at(asked.node as usize)) {
                queues.entry(queue).or_default().push((asked.at, asked.node));
            }
        }
        queues.values_mut().for_each(|commands| commands.sort_unstable());
        let numbers: FxHashMap<u64, u32> =
            trace.queues.iter().enumerate().map(|(row, queue)| (queue.number, row as u32)).collect();
        let ends = Ends::new(trace, asked);
        let end = |node: u32| known.of(node).map_or(0, |end| end.at);
        let blocks = blocking.blocks();
        self.waits_ns = vec![0; blocks.len()];
        let mut by_end: Vec<u32> = (0..blocks.len() as u32).collect();
        by_end.sort_by_key(|row| (blocks[*row as usize].end, blocks[*row as usize].begin, *row));
        // For each queue and thread: how many of its commands earlier waits have covered, and the last of those waits. Waits
        // are in the order of their end, so that one covers what those before it have covered. A wait of another
        // thread explains nothing: it may have begun late for a reason of its own.
        let shares_waits = self.threads.len() > MOST_ALONE;
        let mut covered: FxHashMap<(u32, u32), (usize, u32)> = FxHashMap::default();
        for row in by_end {
            let block = &blocks[row as usize];
            let target = nodes as u32 + row;
            // Until when what it waited for explains it.
            let mut until = block.begin;
            let named = blocking.nodes_of(block).iter().copied();
            // What is asked for later can't have been waited for: the event's address was used again.
            let may_be = |node: &u32| {
                let at = asked_at[*node as usize];
                at <= block.begin || at < block.end || at == u64::MAX
            };
            for node in named.filter(may_be) {
                self.arcs.push(Arc { source: node, target, lag_ns: 0 });
                until = until.max(end(node));
            }
            let awaited_queues = blocking.queues_of(trace, block);
            if blocking.nodes_of(block).is_empty()
                && awaited_queues.is_empty()
                && let Some((end, node)) = ends.awaited(trace, block)
            {
                self.arcs.push(Arc { source: node, target, lag_ns: 0 });
                until = until.max(end);
            }
            for number in awaited_queues {
                let queue = numbers.get(&number).and_then(|queue| queues.get_key_value(queue));
                let Some((queue, commands)) = queue else { continue };
                let asked_before = commands.partition_point(|(at, _)| *at <= block.begin);
                let waiter = if shares_waits { 0 } else { block.track };
                let before = covered.insert((*queue, waiter), (asked_before, row));
                let from = before.map_or(0, |(from, _)| from.min(asked_before));
                if let Some((_, earlier)) = before {
                    self.arcs.push(Arc { source: nodes as u32 + earlier, target, lag_ns: 0 });
                    until = until.max(blocks[earlier as usize].end);
                }
                for (_, node) in &commands[from..asked_before] {
                    self.arcs.push(Arc { source: *node, target, lag_ns: 0 });
                    until = until.max(end(*node));
                }
            }
            self.waits_ns[row as usize] = block.end.saturating_sub(until);
        }
    }
}

/// When the first slice of a track begins.
pub(in crate::graph) fn first_slice(trace: &Trace, track: u32) -> Option<u64> {
    let row = trace.tracks.get(track)?;
    let lanes = row.first_lane as usize..(row.first_lane + row.lanes) as usize;
    lanes.filter_map(|lane| trace.slices.lane(lane).next()).map(|slice| trace.slices.start.at(slice)).min()
}

/// The rows of a track among rows that are ordered by track.
pub(in crate::graph) fn of_track<T>(
    rows: &[T],
    track: u32,
    track_of: impl Fn(&T) -> u32,
) -> std::ops::Range<usize> {
    let first = rows.partition_point(|row| track_of(row) < track);
    first..first + rows[first..].partition_point(|row| track_of(row) == track)
}
