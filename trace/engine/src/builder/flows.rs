//! Flows: their points, joined into arrows between slices.

mod by_time;

use rustc_hash::FxHashMap;
use syclscope_language::event::{Flow, FlowBinding, FlowStep};

use super::TraceBuilder;
use crate::diagnostics::{DiagnosticKind, Diagnostics};
use crate::id::{NONE, StringId, some};
use crate::store::flows::{FlowRow, Flows};
use crate::store::slices::Slices;
use crate::store::table::Table as _;
use crate::store::tracks::Tracks;

#[derive(Clone, Copy, Debug)]
struct Point {
    flow: u64,
    at: u64,
    /// Index of the track in the builder.
    track: u32,
    /// Index of the slice on this track, or `NONE`.
    slice: u32,
    name: StringId,
    step: FlowStep,
    binding: FlowBinding,
}

/// The slice from which the next arrow of a flow starts.
#[derive(Clone, Copy, Debug)]
struct Source {
    flow: u64,
    slice: u32,
    /// The last end that it leads to; `NONE` if the flow continues.
    end: u32,
}

/// Points of flows, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct FlowBuilder {
    points: Vec<Point>,
    /// For each track with points: its row, and the rows of its slices by their index on the track; `NONE` and empty
    /// until it is laid out.
    laid_out: FxHashMap<u32, (u32, Vec<u32>)>,
}

impl FlowBuilder {
    pub(super) fn shift(&mut self, origin: u64) {
        for point in &mut self.points {
            point.at = point.at.saturating_sub(origin);
        }
    }

    /// Moves points with their slices, which were appended to another track.
    pub(super) fn follow(&mut self, moved: &FxHashMap<u32, (u32, u32)>) {
        for point in &mut self.points {
            if let Some((track, offset)) = moved.get(&point.track) {
                point.track = *track;
                point.slice = some(point.slice).map_or(NONE, |slice| slice + offset);
            }
        }
    }

    pub(super) fn register_tracks(&mut self) {
        for point in &self.points {
            self.laid_out.entry(point.track).or_insert((NONE, Vec::new()));
        }
    }

    /// Records the row of a track, and the rows of its slices, which are laid out from `first_row` in the given order.
    pub(super) fn place(&mut self, track: usize, track_row: u32, first_row: u32, order: &[u32]) {
        if let Some(place) = self.laid_out.get_mut(&(track as u32)) {
            let mut rows = vec![0; order.len()];
            for (row, slice) in (first_row..).zip(order) {
                rows[*slice as usize] = row;
            }
            *place = (track_row, rows);
        }
    }

    /// Returns the arrows, after every slice has its row.
    pub(super) fn finish(mut self, slices: &Slices, tracks: &Tracks, diagnostics: &mut Diagnostics) -> Flows {
        // Points of one flow stay together, ordered by time; a start precedes its targets.
        self.points.sort_by_key(|point| (point.flow, point.at, point.step));
        let by_time = self.bound_by_time(slices, tracks);
        let mut rows = Vec::new();
        let mut before: Option<Source> = None;
        for (number, point) in self.points.iter().enumerate() {
            let slice = match some(point.slice) {
                Some(slice) => {
                    let place = self.laid_out.get(&point.track);
                    place.and_then(|(_, rows)| rows.get(slice as usize).copied())
                }
                None => by_time.get(&number).copied(),
            };
            let Some(slice) = slice else {
                diagnostics.count(DiagnosticKind::UnboundFlow);
                continue;
            };
            let source = before.filter(|source| source.flow == point.flow);
            let is_end = point.step == FlowStep::End;
            // After an end, another step with the flow's number starts a flow.
            let leads = |source: &Source| match point.step {
                FlowStep::Start => false,
                FlowStep::End => source.end != slice,
                _ => source.end == NONE,
            };
            if let Some(source) = source.filter(leads).filter(|source| source.slice != slice) {
                rows.push(FlowRow { source: source.slice, target: slice, name: point.name });
            }
            before = match source {
                // A call that launches a graph leads to each of its kernels.
                Some(source) if is_end => Some(Source { end: slice, ..source }),
                None if is_end => None,
                _ => Some(Source { flow: point.flow, slice, end: NONE }),
            };
        }
        // The numbers of flows carry no meaning: arrows are ordered by their arrival.
        rows.sort_by_key(|row| (slices.start.at(row.target as usize), row.target));
        Flows::new(rows)
    }

    /// Returns the slices of points that are bound by time, by the point's index.
    fn bound_by_time(&self, slices: &Slices, tracks: &Tracks) -> FxHashMap<usize, u32> {
        let mut of_tracks: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (number, point) in self.points.iter().enumerate().filter(|(_, point)| point.slice == NONE) {
            of_tracks.entry(point.track).or_default().push(number);
        }
        let mut found = FxHashMap::default();
        for (track, numbers) in of_tracks {
            let row = self.laid_out.get(&track).and_then(|(row, _)| tracks.get(*row));
            let Some(row) = row else { continue };
            let moments: Vec<_> = numbers
                .iter()
                .map(|number| (self.points[*number].at, self.points[*number].binding))
                .collect();
            let bound = by_time::bound(slices, &row, &moments);
            found.extend(numbers.into_iter().zip(bound).filter_map(|(number, row)| Some((number, row?))));
        }
        found
    }
}

impl TraceBuilder {
    pub(super) fn flow(&mut self, flow: &Flow<'_>) {
        let at = self.time(flow.at);
        let name = self.strings.intern(flow.name);
        let track = self.track_row(flow.track, false);
        let on = &self.tracks[track as usize];
        let slice = match flow.binding {
            FlowBinding::Latest => on.slices.len().checked_sub(1).map_or(NONE, |row| row as u32),
            FlowBinding::Ended => on.ended,
            _ => NONE,
        };
        let (step, binding) = (flow.step, flow.binding);
        self.flows.points.push(Point { flow: flow.flow, at, track, slice, name, step, binding });
    }
}
