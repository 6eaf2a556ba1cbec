//! Executions by kernel: tracks that a trace does not store, laid out on first use.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::{TileLane, TimelineTile};
use syclscope_language::question::TileKey;

use super::limits;
use super::timeline::Names;
use super::timeline::merged::{lanes_of, merged};
use crate::cancel;
use crate::query::matcher::Matcher;
use crate::store::Trace;
use crate::store::cache::cached;

/// The executions of each kernel in lanes on which they don't overlap.
#[derive(Clone, Debug, Default)]
pub(crate) struct KernelTracks {
    /// Slices of a lane by start, lane after lane.
    rows: Vec<u32>,
    /// First of `rows` of each lane, and their number.
    lane_starts: Vec<u32>,
    /// Lanes of each kernel, in the order of the trace's kernels.
    kernels: Vec<Range<u32>>,
}

cached!(KernelTracks { rows, lane_starts, kernels });

impl KernelTracks {
    fn new(trace: &Trace) -> Self {
        let mut numbers: FxHashMap<(&str, u8), usize> = FxHashMap::default();
        let kernels = trace.kernels();
        for (number, kernel) in kernels.iter().enumerate() {
            numbers.insert((kernel.name.as_str(), kernel.kind as u8), number);
        }
        // Names repeat: each is looked up once.
        let mut known: FxHashMap<(u32, u8), Option<usize>> = FxHashMap::default();
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); kernels.len()];
        for row in trace.device_work() {
            cancel::row(row);
            let (name, kind) = (trace.slices.name.at(row), trace.executions.kind.at(row) as u8);
            let number = *known
                .entry((name.0, kind))
                .or_insert_with(|| numbers.get(&(trace.strings.get(name), kind)).copied());
            if let Some(rows) = number.and_then(|number| rows.get_mut(number)) {
                rows.push(row as u32);
            }
        }
        let mut tracks = Self::default();
        for rows in rows {
            tracks.add(trace, rows);
        }
        tracks.lane_starts.push(tracks.rows.len() as u32);
        tracks
    }

    fn add(&mut self, trace: &Trace, mut rows: Vec<u32>) {
        rows.sort_by_key(|row| (trace.slices.start.at(*row as usize), *row));
        let slices = &trace.slices;
        let lanes = lanes_of(rows, |row| slices.interval(row as usize));
        let first = self.lane_starts.len() as u32;
        for lane in lanes {
            self.lane_starts.push(self.rows.len() as u32);
            self.rows.extend(lane);
        }
        self.kernels.push(first..self.lane_starts.len() as u32);
    }

    fn lane(&self, lane: u32) -> &[u32] {
        let bounds = (self.lane_starts.get(lane as usize), self.lane_starts.get(lane as usize + 1));
        let (Some(start), Some(end)) = bounds else { return &[] };
        self.rows.get(*start as usize..*end as usize).unwrap_or_default()
    }
}

impl Trace {
    /// Returns the number of lanes of each kernel's track, in the order of
    /// [`TraceInfo::kernels`](syclscope_language::api::TraceInfo).
    pub fn kernel_lanes(&self) -> Vec<u32> {
        let kernels = self.kernel_tracks().kernels.iter().take(limits::KERNELS);
        kernels.map(|lanes| (lanes.end - lanes.start).min(limits::LANES)).collect()
    }

    fn kernel_tracks(&self) -> &KernelTracks {
        self.shelf.slot().get_or_init(|| KernelTracks::new(self))
    }
}

/// Returns the executions of a kernel in the tile's range; `None` if there is no such kernel. Walks over all its
/// executions.
pub(super) fn tile(
    trace: &Trace,
    key: TileKey,
    mut matcher: Option<&mut Matcher<'_>>,
) -> Option<TimelineTile> {
    let tracks = trace.kernel_tracks();
    let lanes = tracks.kernels.get(key.track as usize)?.clone();
    let mut names = Names::new(trace);
    let lanes = lanes
        .take(limits::LANES as usize)
        .map(|number| lane(trace, tracks.lane(number), key, &mut names, matcher.as_deref_mut()))
        .collect();
    Some(TimelineTile { names: names.names, lanes })
}

fn lane(
    trace: &Trace,
    rows: &[u32],
    key: TileKey,
    names: &mut Names<'_>,
    mut matcher: Option<&mut Matcher<'_>>,
) -> TileLane {
    let slices = &trace.slices;
    let is_filtered = matcher.is_some();
    let is_match = |row: u32| matcher.as_deref_mut().is_some_and(|matcher| matcher.is_match_anywhere(row));
    let mut shown = TileLane::default();
    let time = |row: u32| (slices.start.at(row as usize), slices.duration.at(row as usize));
    merged(rows, key, time, is_match, |group| {
        let longest = group.longest as usize;
        shown.start_ns.push(slices.start.at(longest));
        shown.duration_ns.push(slices.duration.at(longest));
        shown.name.push(names.number(slices.name.at(longest).0));
        shown.category.push(slices.category(longest));
        shown.slice.push(group.longest);
        shown.count.push(group.count);
        shown.total_ns.push(group.total_ns);
        if is_filtered {
            shown.matching.push(group.matching);
        }
    });
    shown
}
