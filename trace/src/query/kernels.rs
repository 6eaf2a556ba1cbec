//! Executions by kernel: tracks that a trace does not have, laid out when somebody first asks for one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::timeline::Names;
use crate::api::{TileLane, TimelineTile};
use crate::hash::FastMap;
use crate::query::matcher::Matcher;
use crate::source::TileKey;
use crate::store::Trace;
use crate::store::kept::kept;

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

kept!(KernelTracks { rows, lane_starts, kernels });

impl KernelTracks {
    fn new(trace: &Trace) -> Self {
        let mut numbers: FastMap<(&str, u8), usize> = FastMap::default();
        for (number, kernel) in trace.kernels.iter().enumerate() {
            numbers.insert((kernel.name.as_str(), kernel.kind as u8), number);
        }
        // Names repeat: look each up once.
        let mut known: FastMap<(u32, u8), Option<usize>> = FastMap::default();
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); trace.kernels.len()];
        for row in 0..trace.executions.kind.len() {
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

    /// Appends the lanes of one kernel: each slice on the lane that has been free for longest, else on a new one.
    fn add(&mut self, trace: &Trace, mut rows: Vec<u32>) {
        rows.sort_by_key(|row| (trace.slices.start.at(*row as usize), *row));
        let mut lanes: Vec<Vec<u32>> = Vec::new();
        let mut free: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        for row in rows {
            let start = trace.slices.start.at(row as usize);
            let lane = match free.peek() {
                Some(Reverse((end, lane))) if *end <= start => {
                    let lane = *lane;
                    free.pop();
                    lane
                }
                _ => {
                    lanes.push(Vec::new());
                    lanes.len() - 1
                }
            };
            free.push(Reverse((trace.slices.end(row as usize), lane)));
            lanes[lane].push(row);
        }
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
    /// How many lanes the track of each kernel has, in the order of [`TraceInfo::kernels`](crate::api::TraceInfo).
    pub fn kernel_lanes(&self) -> Vec<u32> {
        self.kernel_tracks().kernels.iter().map(|lanes| lanes.end - lanes.start).collect()
    }

    fn kernel_tracks(&self) -> &KernelTracks {
        self.kernel_tracks.get_or_init(|| KernelTracks::new(self))
    }
}

/// The executions of a kernel in the tile's span; `None` if there is no such kernel. The cost is that of a walk over
/// them.
pub(super) fn tile(
    trace: &Trace,
    key: TileKey,
    mut matcher: Option<&mut Matcher<'_>>,
) -> Option<TimelineTile> {
    let tracks = trace.kernel_tracks();
    let lanes = tracks.kernels.get(key.track as usize)?.clone();
    let mut names = Names::new(trace);
    let lanes = lanes
        .map(|number| lane(trace, tracks.lane(number), key, &mut names, matcher.as_deref_mut()))
        .collect();
    Some(TimelineTile { names: names.names, lanes })
}

/// What a bucket shows.
struct Group {
    longest: usize,
    count: u32,
    total_ns: u64,
    matching: u32,
}

fn lane(
    trace: &Trace,
    rows: &[u32],
    key: TileKey,
    names: &mut Names<'_>,
    mut matcher: Option<&mut Matcher<'_>>,
) -> TileLane {
    let slices = &trace.slices;
    let (from, to) = key.span_ns();
    let bucket_ns = key.bucket_ns();
    let start = |row: &u32| slices.start.at(*row as usize);
    let first = rows.partition_point(|row| start(row) < from);
    let end = rows.partition_point(|row| start(row) < to);
    let is_filtered = matcher.is_some();
    let mut is_match = |row: usize| {
        let track = trace.tracks.of_lane(slices.lane_of(row)) as u32;
        u32::from(matcher.as_mut().is_some_and(|matcher| matcher.is_match(row, track)))
    };
    let mut shown = TileLane::default();
    let mut show = |group: Group| {
        shown.start_ns.push(slices.start.at(group.longest));
        shown.duration_ns.push(slices.duration.at(group.longest));
        shown.name.push(names.number(slices.name.at(group.longest).0));
        shown.category.push(slices.category(group.longest));
        shown.slice.push(group.longest as u32);
        shown.count.push(group.count);
        shown.total_ns.push(group.total_ns);
        if is_filtered {
            shown.matching.push(group.matching);
        }
    };
    // Of those before, the last one may reach into the span. A short one is merged where it starts.
    let before = first.checked_sub(1).map(|before| rows[before] as usize);
    if let Some(row) = before
        && slices.duration.at(row) >= bucket_ns
        && slices.end(row) > from
    {
        show(Group { longest: row, count: 1, total_ns: slices.duration.at(row), matching: is_match(row) });
    }
    let mut pending: Option<(u64, Group)> = None;
    for row in rows[first..end.max(first)].iter().map(|row| *row as usize) {
        let (bucket, duration) = (slices.start.at(row) / bucket_ns, slices.duration.at(row));
        let alone = Group { longest: row, count: 1, total_ns: duration, matching: is_match(row) };
        match &mut pending {
            Some((of, group)) if *of == bucket && duration < bucket_ns => {
                if duration > slices.duration.at(group.longest) {
                    group.longest = row;
                }
                group.count += 1;
                group.matching += alone.matching;
                group.total_ns = group.total_ns.saturating_add(duration);
            }
            pending => {
                if let Some((_, group)) = pending.take() {
                    show(group);
                }
                if duration < bucket_ns {
                    *pending = Some((bucket, alone));
                } else {
                    show(alone);
                }
            }
        }
    }
    if let Some((_, group)) = pending {
        show(group);
    }
    shown
}
