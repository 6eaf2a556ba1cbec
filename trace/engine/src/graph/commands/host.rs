//! The host's side of the graph: each thread's work between its waits, and the awaited commands.

use rustc_hash::FxHashMap;

use super::Change;
use super::unnamed::Ends;
use crate::graph::Arc;
use crate::graph::blocking::{Block, Blocking};
use crate::graph::handover::Handover;
use crate::graph::launches::Launches;
use crate::graph::silence::is_silent;
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

/// A thread that requested commands or waited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thread {
    pub(crate) track: u32,
    /// Its first known moment.
    pub(crate) first: u64,
}

/// The end of threads that the first thread of their process created and waited for, which no runtime records.
#[derive(Clone, Debug)]
pub(crate) struct Join {
    /// Track of the thread that waited.
    pub(crate) track: u32,
    /// First moment of the threads.
    from: u64,
    /// Their last moment.
    pub(crate) to: u64,
    /// Track and last moment of each thread.
    ends: Vec<(u32, u64)>,
}

/// With more threads than this, a wait for a queue follows the previous one of any thread: links from all commands to a
/// wait of every thread would be too many.
const MAX_SEPARATE_WAITS: usize = 64;

/// A moment of a thread, the end of a wait or of a join: its step, its time, and the thread's own work since the step's
/// end, across removed waits.
#[derive(Clone, Copy, Debug)]
struct Point {
    step: u32,
    at: u64,
    work_ns: i64,
}

#[derive(Debug, Default)]
pub(super) struct Host {
    /// Threads in the order of their steps.
    pub(super) threads: Vec<Thread>,
    first_thread: u32,
    /// By track, then by time, in the order of their steps. They do not overlap.
    pub(super) joins: Vec<Join>,
    /// By process: the index of its first thread.
    mains: FxHashMap<u32, u32>,
    pub(super) arcs: Vec<Arc>,
    /// End of each wait.
    points: Vec<Point>,
    /// Unexplained part of each wait, in ns.
    pub(super) waits_ns: Vec<u64>,
    /// Unexplained time before each thread.
    pub(super) threads_ns: Vec<u64>,
}

impl Host {
    /// Builds the host's part of the graph. Steps are numbered: nodes first, then blocks, threads and joins.
    pub(super) fn new(trace: &Trace, launches: &Launches, change: &Change) -> Self {
        let blocking = trace.blocking();
        let mut host = Self::default();
        host.find_threads(trace, blocking, launches.handovers());
        host.find_joins(trace, launches.handovers());
        host.find_points(trace, blocking, launches, change);
        host.link_threads(trace, blocking, launches, change);
        host.link_begins(trace, blocking, change);
        host.link_joins(blocking, change);
        host.link_waits(trace, blocking, launches, change);
        host
    }

    /// Finds the threads that hand commands over or wait, by track, and the first one of each process.
    fn find_threads(&mut self, trace: &Trace, blocking: &Blocking, handovers: &[Handover]) {
        let blocks = blocking.blocks();
        let tracks =
            blocks.iter().map(|block| block.track).chain(handovers.iter().map(|handover| handover.track));
        let mut tracks: Vec<u32> = tracks.collect();
        tracks.sort_unstable();
        tracks.dedup();
        for track in tracks {
            let own = &handovers[of_track(handovers, track, |handover| handover.track)];
            let own_blocks = of_track(blocks, track, |block| block.track);
            let known = [
                own.first().map(|handover| handover.at),
                blocks[own_blocks].first().map(|block| block.begin),
            ];
            let known = known.into_iter().flatten().chain(first_slice(trace, track));
            self.threads.push(Thread { track, first: known.min().unwrap_or_default() });
        }
        self.first_thread = trace.nodes.len() as u32 + blocks.len() as u32;
        self.threads_ns = vec![0; self.threads.len()];
        for (number, thread) in (0..).zip(&self.threads) {
            let process = trace.tracks.process.at(thread.track as usize);
            let main = self.mains.entry(process).or_insert(number);
            let first = |number: u32| (self.threads[number as usize].first, number);
            *main = if first(*main) <= first(number) { *main } else { number };
        }
    }

    /// Finds the threads that the first one of their process waited for, as on the critical path: it has no event
    /// while they live. Threads that request no commands are the runtime's own.
    fn find_joins(&mut self, trace: &Trace, handovers: &[Handover]) {
        let mut lives: Vec<(u32, u64, u64, u32)> = Vec::new();
        for (number, thread) in (0..).zip(&self.threads) {
            let main = self.mains[&trace.tracks.process.at(thread.track as usize)];
            if main == number || of_track(handovers, thread.track, |handover| handover.track).is_empty() {
                continue;
            }
            let main = self.threads[main as usize].track;
            let ends = last_slice_end(trace, thread.track).zip(last_slice_end(trace, main));
            // The first thread of the process that is in the graph may have ended before.
            let Some((last, _)) = ends.filter(|(last, end)| thread.first < *last && last < end) else {
                continue;
            };
            if is_silent(trace, main, thread.first, last) {
                lives.push((main, thread.first, last, thread.track));
            }
        }
        lives.sort_unstable();
        for (track, from, to, thread) in lives {
            match self.joins.last_mut().filter(|join| join.track == track && from < join.to) {
                Some(join) => {
                    join.to = join.to.max(to);
                    join.ends.push((thread, to));
                }
                None => self.joins.push(Join { track, from, to, ends: vec![(thread, to)] }),
            }
        }
    }

    /// Returns the later of a thread's moment and its last join by a time.
    fn or_joined(&self, track: u32, point: Point, by: u64) -> Point {
        let after = self.joins.partition_point(|join| (join.track, join.to) <= (track, by));
        let last = after.checked_sub(1).filter(|row| self.joins[*row].track == track);
        let joined = last.map(|row| Point {
            step: self.first_thread + (self.threads.len() + row) as u32,
            at: self.joins[row].to,
            work_ns: 0,
        });
        joined.filter(|joined| joined.at > point.at).unwrap_or(point)
    }

    /// Sets the end of each wait. A removed wait ends as soon as the thread's own work since the previous wait has
    /// ended.
    fn find_points(&mut self, trace: &Trace, blocking: &Blocking, launches: &Launches, change: &Change) {
        let nodes = trace.nodes.len() as u32;
        for (row, block) in (0..).zip(blocking.blocks()) {
            let own = Point { step: nodes + row, at: block.end, work_ns: 0 };
            let is_first = row == 0 || blocking.blocks()[row as usize - 1].track != block.track;
            let before = if is_first { self.begin_of(block.track) } else { self.points.last().copied() };
            let before = before.map(|before| self.or_joined(block.track, before, block.begin));
            let point = before.filter(|before| {
                change.removes(blocking, block)
                    && self.woken_by(trace, blocking, launches, block, before.at).is_none()
            });
            self.points.push(point.map_or(own, |before| Point {
                at: block.end,
                work_ns: before.work_ns + change.work_ns(block.track, before.at..block.begin),
                ..before
            }));
        }
    }

    fn begin_of(&self, track: u32) -> Option<Point> {
        let number = self.threads.binary_search_by_key(&track, |thread| thread.track).ok()?;
        let step = self.first_thread + number as u32;
        Some(Point { step, at: self.threads[number].first, work_ns: 0 })
    }

    /// Returns a thread's last wait or join that had ended by a moment, or the thread's start.
    fn point_before(&self, blocking: &Blocking, track: u32, at: u64) -> Option<Point> {
        let wait = blocking.before(track, at).map(|row| self.points[row]);
        Some(self.or_joined(track, wait.or_else(|| self.begin_of(track))?, at))
    }

    /// Links a thread's waits in order, and each command to the last wait or join before its handover.
    fn link_threads(&mut self, trace: &Trace, blocking: &Blocking, launches: &Launches, change: &Change) {
        let (nodes, blocks) = (trace.nodes.len() as u32, blocking.blocks());
        let mut arcs = Vec::new();
        for (number, thread) in (0..).zip(&self.threads) {
            let track = thread.track;
            // The thread's latest visited moment.
            let mut last = Point { step: self.first_thread + number, at: thread.first, work_ns: 0 };
            let waits = of_track(blocks, track, |block| block.track);
            let mut waits = waits.map(|block| (block as u32, &blocks[block])).peekable();
            let mut pass = |until: u64, last: &mut Point, arcs: &mut Vec<Arc>| {
                while let Some((row, block)) = waits.next_if(|(_, block)| block.end <= until) {
                    let target = nodes + row;
                    *last = self.or_joined(track, *last, block.begin);
                    let lag_ns = match self.woken_by(trace, blocking, launches, block, last.at) {
                        Some(handover) => {
                            let from = self.point_before(blocking, handover.track, handover.at);
                            arcs.extend(from.map(|from| {
                                let way_ns = (block.begin - handover.at).cast_signed();
                                let lag_ns = until_ns(change, handover.track, from, handover.at);
                                Arc { source: from.step, target, lag_ns: lag_ns + way_ns }
                            }));
                            0
                        }
                        None => until_ns(change, track, *last, block.begin),
                    };
                    arcs.push(Arc { source: last.step, target, lag_ns });
                    *last = self.points[row as usize];
                }
            };
            let handovers = launches.handovers();
            for handover in &handovers[of_track(handovers, track, |handover| handover.track)] {
                pass(handover.at, &mut last, &mut arcs);
                last = self.or_joined(track, last, handover.at);
                let lag_ns = until_ns(change, track, last, handover.at);
                arcs.push(Arc { source: last.step, target: handover.node, lag_ns });
            }
            pass(u64::MAX, &mut last, &mut arcs);
        }
        self.arcs.extend(arcs);
    }

    /// Links each thread's start to the first thread of its process, which existed before it: the creation of threads
    /// is not recorded.
    fn link_begins(&mut self, trace: &Trace, blocking: &Blocking, change: &Change) {
        for (number, thread) in (0..).zip(&self.threads) {
            let main = self.mains[&trace.tracks.process.at(thread.track as usize)];
            if main == number {
                self.threads_ns[number as usize] = thread.first;
                continue;
            }
            let main = self.threads[main as usize].track;
            let Some(from) = self.point_before(blocking, main, thread.first) else { continue };
            let lag_ns = until_ns(change, main, from, thread.first);
            self.arcs.push(Arc { source: from.step, target: self.first_thread + number, lag_ns });
        }
    }

    /// Links each join to its thread's work before the joined threads began, and to their ends.
    fn link_joins(&mut self, blocking: &Blocking, change: &Change) {
        let mut arcs = Vec::new();
        for (target, join) in (self.first_thread + self.threads.len() as u32..).zip(&self.joins) {
            let moments = std::iter::once((join.track, join.from)).chain(join.ends.iter().copied());
            arcs.extend(moments.filter_map(|(track, at)| {
                let from = self.point_before(blocking, track, at)?;
                Some(Arc { source: from.step, target, lag_ns: until_ns(change, track, from, at) })
            }));
        }
        self.arcs.extend(arcs);
    }

    /// Returns the handover by another thread that woke a thread of the runtime that had been idle since `from`: the
    /// last handover of the commands awaited by `block`.
    fn woken_by<'l>(
        &self,
        trace: &Trace,
        blocking: &Blocking,
        launches: &'l Launches,
        block: &Block,
        from: u64,
    ) -> Option<&'l Handover> {
        let main = self.mains.get(&trace.tracks.process.at(block.track as usize))?;
        if self.threads[*main as usize].track == block.track {
            return None;
        }
        let awaited = blocking.nodes_of(block).iter().filter_map(|node| launches.handover(*node));
        let others = awaited.filter(|handover| {
            handover.track != block.track && from < handover.at && handover.at <= block.begin
        });
        others.max_by_key(|handover| (handover.at, handover.node))
    }

    /// Links waits to the awaited commands, or to all commands requested earlier of the awaited queue.
    fn link_waits(&mut self, trace: &Trace, blocking: &Blocking, launches: &Launches, change: &Change) {
        let nodes = trace.nodes.len();
        let mut handed_at = vec![u64::MAX; nodes];
        for handover in launches.handovers() {
            handed_at[handover.node as usize] = handover.at;
        }
        let mut queues: FxHashMap<u32, Vec<(u64, u32)>> = FxHashMap::default();
        for handover in launches.handovers() {
            if let Some(queue) = some(trace.nodes.queue.at(handover.node as usize)) {
                queues.entry(queue).or_default().push((handover.at, handover.node));
            }
        }
        queues.values_mut().for_each(|commands| commands.sort_unstable());
        let numbers: FxHashMap<u64, u32> =
            trace.queues.iter().enumerate().map(|(row, queue)| (queue.number, row as u32)).collect();
        let ends = Ends::new(trace, launches.handovers());
        let end = |node: u32| launches.ends().get(node).map_or(0, |end| end.at);
        let blocks = blocking.blocks();
        self.waits_ns = vec![0; blocks.len()];
        let mut by_end: Vec<u32> = (0..blocks.len() as u32).collect();
        by_end.sort_by_key(|row| (blocks[*row as usize].end, blocks[*row as usize].begin, *row));
        // For each queue and thread: the number of its commands covered by earlier waits, and the last of those waits.
        // Waits are ordered by their end, so that each covers everything that the earlier ones covered. A wait of
        // another thread is no explanation: it may have started late for other reasons.
        let shares_waits = self.threads.len() > MAX_SEPARATE_WAITS;
        let mut covered: FxHashMap<(u32, u32), (usize, u32)> = FxHashMap::default();
        for row in by_end {
            let block = &blocks[row as usize];
            let target = nodes as u32 + row;
            // End of the part that the awaited commands explain.
            let mut until = block.begin;
            let named = blocking.nodes_of(block).iter().copied();
            // A command requested after the end of the wait can't have been awaited: the event's address was reused.
            let may_be = |node: &u32| {
                let at = handed_at[*node as usize];
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
            if !change.removes(blocking, block) {
                self.waits_ns[row as usize] = block.end.saturating_sub(until);
            }
        }
    }
}

fn until_ns(change: &Change, track: u32, from: Point, to: u64) -> i64 {
    from.work_ns + change.work_ns(track, from.at..to.max(from.at))
}

pub(in crate::graph) fn first_slice(trace: &Trace, track: u32) -> Option<u64> {
    let row = trace.tracks.get(track)?;
    row.lane_range()
        .filter_map(|lane| trace.slices.lane(lane).next())
        .map(|slice| trace.slices.start.at(slice))
        .min()
}

fn last_slice_end(trace: &Trace, track: u32) -> Option<u64> {
    let lanes = trace.tracks.get(track)?.lane_range();
    let lasts = lanes.filter_map(|lane| trace.slices.lane(lane).next_back());
    lasts.map(|slice| trace.slices.end(slice)).max()
}

pub(in crate::graph) fn of_track<T>(
    rows: &[T],
    track: u32,
    track_of: impl Fn(&T) -> u32,
) -> std::ops::Range<usize> {
    let first = rows.partition_point(|row| track_of(row) < track);
    first..first + rows[first..].partition_point(|row| track_of(row) == track)
}
