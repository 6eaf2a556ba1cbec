//! The commands of a trace to match, in the order in which each thread requested them.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::CopyDirection;
use syclscope_language::event::{NodeKind, TrackKind};

use super::keys::{Key, Keys};
use super::part::WHOLE;
use super::regions::Regions;
use crate::cancel;
use crate::id::{LocationId, NONE, StringId, some};
use crate::query::report::copies::each_way;
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// The commands of a trace; its slices if it has none. Columns have a row for each, by sequence and time.
#[derive(Debug, Default)]
pub(super) struct Items {
    /// Row of the node, or `NONE`.
    pub(super) node: Vec<u32>,
    /// Slice of the execution (for a slice that is no command, the slice itself), or `NONE`.
    pub(super) slice: Vec<u32>,
    pub(super) key: Vec<u32>,
    pub(super) keys: Vec<Key>,
    /// Threads, or queues if no thread is known, by position in the trace.
    pub(super) sequences: Vec<Sequence>,
    /// The item of each node, or `NONE`.
    pub(super) of_node: Vec<u32>,
    /// True if the items are slices, because the trace has no commands.
    pub(super) are_slices: bool,
    /// Range of time in which the items start.
    pub(super) range: Range<u64>,
}

#[derive(Clone, Debug)]
pub(super) struct Sequence {
    pub(super) name: String,
    pub(super) track: u32,
    pub(super) items: Range<usize>,
}

struct Draft {
    track: u32,
    at: u64,
    node: u32,
    slice: u32,
    /// Rank among the items of one node.
    rank: u32,
    what: (NodeKind, StringId),
    location: LocationId,
    queue: u32,
    direction: CopyDirection,
}

impl Items {
    /// Returns the commands that start in a range, and those without an execution that are created in it.
    pub(super) fn new(trace: &Trace, range: Range<u64>) -> Self {
        let mut drafts = of_nodes(trace);
        drafts.extend(bare_executions(trace));
        add_pieces(trace, &mut drafts);
        let are_slices = drafts.is_empty();
        if are_slices {
            drafts = of_slices(trace);
        }
        let start = |draft: &Draft| some(draft.slice).map(|slice| trace.slices.start.at(slice as usize));
        drafts.retain(|draft| range.contains(&start(draft).unwrap_or(draft.at)));
        add_directions(trace, &mut drafts);
        drafts.sort_unstable_by_key(|draft| (draft.track, draft.at, draft.node, draft.rank, draft.slice));
        let mut items = Self { of_node: vec![NONE; trace.nodes.len()], are_slices, range, ..Self::default() };
        let (mut regions, mut keys) = (Regions::new(trace), Keys::default());
        for drafts in drafts.chunk_by(|one, next| one.track == next.track) {
            let first = items.key.len();
            for draft in drafts {
                let place = (draft.queue, regions.at(draft.track, draft.at));
                let key = keys.number(trace, &regions, draft.what, draft.location, place, draft.direction);
                if let Some(place) = items.of_node.get_mut(draft.node as usize) {
                    *place = items.key.len() as u32;
                }
                items.node.push(draft.node);
                items.slice.push(draft.slice);
                items.key.push(key);
            }
            let track = drafts[0].track;
            let name = trace.tracks.get(track).map_or("", |track| trace.strings.get(track.name)).to_owned();
            items.sequences.push(Sequence { name, track, items: first..items.key.len() });
        }
        items.keys = keys.list;
        items
    }

    pub(super) fn are_of_part(&self) -> bool {
        self.range != WHOLE
    }

    pub(super) fn len(&self) -> usize {
        self.key.len()
    }

    pub(super) fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.keys.len()];
        self.key.iter().for_each(|key| counts[*key as usize] += 1);
        counts
    }
}

fn add_directions(trace: &Trace, drafts: &mut [Draft]) {
    let is_copy = |(_, draft): &(usize, &Draft)| draft.what.0 == NodeKind::Copy;
    let copies: Vec<(u32, u32, usize)> = drafts
        .iter()
        .enumerate()
        .filter(is_copy)
        .map(|(number, draft)| (draft.node, draft.slice, number))
        .collect();
    if copies.is_empty() {
        return;
    }
    for (number, way) in each_way(trace, copies.into_iter()) {
        drafts[number].direction = way.direction();
    }
}

/// Returns a draft for each node, on the track of the thread that requested it, or else of its queue.
fn of_nodes(trace: &Trace) -> Vec<Draft> {
    let mut threads: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for (track, row) in trace.tracks.iter().enumerate().filter(|(_, row)| row.kind == TrackKind::Thread) {
        threads.entry((row.process, row.tid)).or_insert(track as u32);
    }
    let track_of = |slice: u32| trace.tracks.of_lane(trace.slices.lane_of(slice as usize)) as u32;
    let process = |track: u32| trace.tracks.get(track).map_or(0, |track| track.process);
    let draft = |(row, node): (usize, crate::store::graph::NodeRow)| {
        if node.kind == NodeKind::Virtual {
            return None;
        }
        let queue = some(node.queue).and_then(|queue| trace.queues.get(queue)).map(|queue| queue.track);
        let submitter = some(node.submission).map(track_of);
        let ran = some(node.execution).map(track_of);
        let near = submitter.or(queue).or(ran);
        // A thread of the runtime may submit what another thread requested.
        let asker = near.and_then(|near| threads.get(&(process(near), node.tid))).filter(|_| node.tid != 0);
        Some(Draft {
            track: asker.copied().or(near).unwrap_or(NONE),
            at: node.created,
            node: row as u32,
            slice: node.execution,
            rank: 0,
            what: (node.kind, node.name),
            location: node.location,
            queue: node.queue,
            direction: CopyDirection::Unknown,
        })
    };
    trace.nodes.iter().enumerate().filter_map(draft).collect()
}

/// Returns the executions that have no commands, from other tools' files.
fn bare_executions(trace: &Trace) -> impl Iterator<Item = Draft> {
    let rows = (0..trace.executions.len()).filter(|row| some(trace.slices.node.at(*row)).is_none());
    rows.map(|row| {
        cancel::row(row);
        Draft {
            track: trace.tracks.of_lane(trace.slices.lane_of(row)) as u32,
            at: trace.slices.start.at(row),
            node: NONE,
            slice: row as u32,
            rank: 0,
            what: (trace.executions.kind.at(row), trace.slices.name.at(row)),
            location: trace.slices.location.at(row),
            queue: NONE,
            direction: CopyDirection::Unknown,
        }
    })
}

/// Adds the pieces of commands after the commands, by name and time, because the order of different streams varies from
/// run to run.
fn add_pieces(trace: &Trace, drafts: &mut Vec<Draft>) {
    let of_node: FxHashMap<u32, usize> = drafts
        .iter()
        .enumerate()
        .filter(|(_, draft)| {
            some(draft.slice).is_some_and(|slice| trace.executions.in_pieces.at(slice as usize))
        })
        .map(|(place, draft)| (draft.node, place))
        .collect();
    if of_node.is_empty() {
        return;
    }
    let mut rows: Vec<usize> = trace.device_work().filter(|row| trace.is_piece(*row)).collect();
    rows.arrange_by_key(|row| (trace.strings.get(trace.slices.name.at(*row)), trace.slices.start.at(*row)));
    for (rank, row) in (0..).zip(rows) {
        let Some(whole) = of_node.get(&trace.slices.node.at(row)) else { continue };
        let Draft { track, at, location, queue, .. } = drafts[*whole];
        let what = (trace.executions.kind.at(row), trace.slices.name.at(row));
        let direction = CopyDirection::Unknown;
        drafts.push(Draft {
            track,
            at,
            node: NONE,
            slice: row as u32,
            rank,
            what,
            location,
            queue,
            direction,
        });
    }
}

fn of_slices(trace: &Trace) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (track, row) in trace.tracks.iter().enumerate() {
        for lane in row.lane_range() {
            for slice in trace.slices.lane(lane) {
                cancel::row(slice);
                drafts.push(Draft {
                    track: track as u32,
                    at: trace.slices.start.at(slice),
                    node: NONE,
                    slice: slice as u32,
                    rank: 0,
                    what: (NodeKind::Other, trace.slices.name.at(slice)),
                    location: trace.slices.location.at(slice),
                    queue: NONE,
                    direction: CopyDirection::Unknown,
                });
            }
        }
    }
    drafts
}
