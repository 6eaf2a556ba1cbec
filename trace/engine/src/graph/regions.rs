//! Regions of the program as paths: the names of a region and of the regions around it on its thread.

use rustc_hash::FxHashMap;
use syclscope_language::event::TrackKind;
use syclscope_language::sorting::Sorting as _;

use crate::cancel;
use crate::id::{NONE, StringId, some};
use crate::store::Trace;
use crate::store::cache::cached;
use crate::store::graph::NodeRow;
use crate::store::table::Table as _;
use crate::store::tracks::TrackRow;

/// Maximum length of a path. Regions deeper down count for the last one.
const DEEPEST: u32 = 16;

/// The regions of a trace with their paths.
pub(crate) struct RegionPaths {
    /// Outer ones before inner ones.
    paths: Vec<RegionPath>,
    /// Regions of each thread's track, and of each other track.
    slices: FxHashMap<u32, Vec<RegionSlice>>,
    /// By process: tracks with regions that belong to no thread.
    of_process: FxHashMap<u32, Vec<u32>>,
}

cached!(RegionPaths { paths, slices, of_process });

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RegionPath {
    pub(crate) outer: Option<u32>,
    pub(crate) name: StringId,
    pub(crate) depth: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RegionSlice {
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) slice: u32,
    pub(crate) path: u32,
    /// Index of the enclosing region on the track, or `NONE`.
    outer: u32,
}

impl Trace {
    /// Returns the paths of all regions. The first call costs a sort of them.
    pub(crate) fn region_paths(&self) -> &RegionPaths {
        self.shelf.slot().get_or_init(|| RegionPaths::new(self))
    }

    /// Returns the thread's track of a track: the track itself, or the parent of a stream.
    pub(crate) fn thread_of_track(&self, track: u32, row: &TrackRow) -> Option<u32> {
        let parent = match row.kind {
            TrackKind::Thread => return Some(track),
            TrackKind::Stream => some(row.parent)?,
            _ => return None,
        };
        self.tracks.get(parent).filter(|parent| parent.kind == TrackKind::Thread).map(|_| parent)
    }

    pub(crate) fn process_of_slice(&self, slice: usize) -> u32 {
        self.tracks.process.at(self.tracks.of_lane(self.slices.lane_of(slice)))
    }

    pub(crate) fn process_of_node(&self, node: &NodeRow) -> u32 {
        let track_of = |slice: u32| self.tracks.of_lane(self.slices.lane_of(slice as usize)) as u32;
        let queue = some(node.queue).and_then(|queue| self.queues.get(queue)).map(|queue| queue.track);
        let near = some(node.submission).or_else(|| some(node.execution)).map(track_of).or(queue);
        near.and_then(|near| self.tracks.get(near)).map_or(0, |track| track.process)
    }
}

impl RegionPaths {
    fn new(trace: &Trace) -> Self {
        let mut found =
            Self { paths: Vec::new(), slices: FxHashMap::default(), of_process: FxHashMap::default() };
        for of_track in trace.region_slices().chunk_by(|one, other| one.0 == other.0) {
            let track = of_track[0].0;
            let row = trace.tracks.row(track as usize);
            let place = trace.thread_of_track(track, &row).unwrap_or_else(|| {
                found.of_process.entry(row.process).or_default().push(track);
                track
            });
            let spans = found.slices.entry(place).or_default();
            spans.extend(of_track.iter().map(|(_, slice)| {
                cancel::row(*slice as usize);
                let (begin, end) = trace.slices.interval(*slice as usize);
                RegionSlice { begin, end, slice: *slice, path: 0, outer: NONE }
            }));
        }
        let mut numbers = FxHashMap::default();
        let mut places: Vec<u32> = found.slices.keys().copied().collect();
        places.sort_unstable();
        for place in places {
            let spans = found.slices.get_mut(&place).map(std::mem::take).unwrap_or_default();
            let spans = found.nested(trace, spans, &mut numbers);
            found.slices.insert(place, spans);
        }
        found
    }

    fn nested(
        &mut self,
        trace: &Trace,
        mut spans: Vec<RegionSlice>,
        numbers: &mut FxHashMap<(Option<u32>, StringId), u32>,
    ) -> Vec<RegionSlice> {
        spans.arrange_by_key(|span| (span.begin, std::cmp::Reverse(span.end), span.slice));
        let mut open: Vec<u32> = Vec::new();
        for place in 0..spans.len() {
            let span = spans[place];
            // An open region that ends before this one does not enclose it.
            while open.last().is_some_and(|last| spans[*last as usize].end < span.end.max(span.begin + 1)) {
                open.pop();
            }
            let outer = open.last().map(|last| spans[*last as usize].path);
            spans[place].outer = open.last().copied().unwrap_or(NONE);
            spans[place].path = match outer {
                Some(outer) if self.paths[outer as usize].depth + 1 == DEEPEST => outer,
                _ => {
                    let name = trace.slices.name.at(span.slice as usize);
                    *numbers.entry((outer, name)).or_insert_with(|| {
                        let depth = outer.map_or(0, |outer| self.paths[outer as usize].depth + 1);
                        self.paths.push(RegionPath { outer, name, depth });
                        self.paths.len() as u32 - 1
                    })
                }
            };
            open.push(place as u32);
        }
        spans
    }

    pub(crate) fn paths(&self) -> &[RegionPath] {
        &self.paths
    }

    /// Returns every region with its path.
    pub(crate) fn slices(&self) -> impl Iterator<Item = &RegionSlice> {
        self.slices.values().flatten()
    }

    /// Returns the path of the innermost region around a moment of a thread's track, or of another track.
    pub(crate) fn around(&self, track: u32, at: u64) -> Option<u32> {
        let spans = self.slices.get(&track)?;
        let mut place = spans.partition_point(|span| span.begin <= at).checked_sub(1)? as u32;
        loop {
            let span = spans.get(place as usize)?;
            if span.end > at {
                return Some(span.path);
            }
            place = some(span.outer)?;
        }
    }

    /// Returns the paths of the innermost regions around a moment: of some tracks of a thread, and of its process.
    pub(crate) fn innermost<'a>(
        &'a self,
        threads: impl Iterator<Item = u32> + 'a,
        process: u32,
        at: u64,
    ) -> impl Iterator<Item = u32> + 'a {
        let of_process = self.of_process.get(&process).into_iter().flatten().copied();
        threads.chain(of_process).filter_map(move |track| self.around(track, at))
    }

    /// Returns a path and those around it, inner ones first.
    pub(crate) fn outward(&self, path: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(path), |path| self.paths[*path as usize].outer)
    }
}
