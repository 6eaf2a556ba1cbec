//! Selections of slices: sums, lists, and search.
//!
//! Slices of a lane are ordered by start and don't overlap, so that binary search finds the slices of a range. Large
//! selections are summed up block by block. With a filter, every slice is visited.

pub(crate) mod blocks;
mod children;
mod durations;
mod groups;
mod list;
mod stats;
mod step;

use std::ops::Range;

pub(super) use list::item;

use syclscope_language::api::{
    DensityTile, Found, Selected, SliceList, SliceRef, Stepped, TimelineTile, TrackMatches,
};
use syclscope_language::event::TrackKind;
use syclscope_language::filter::{Field, Filter};
use syclscope_language::question::{
    ListQuestion, SearchQuestion, SelectQuestion, Selection, StepQuestion, TileKey, TileView,
};

use self::blocks::{Blocks, Part};
use super::matcher::Matcher;
use super::timeline;
use super::{density, kernels};
use crate::cancel::Steps;
use crate::convention::device_of_stream;
use crate::id::some;
use crate::query::QueryError;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Minimum number of slices that are summed up block by block, if they are a large part of the trace.
const MIN_BLOCKWISE: usize = 1 << 18;
/// Query steps of a part of a block: its slices are sorted together with others.
const PART_STEPS: usize = 1 << 8;

impl Trace {
    /// Returns the sums of a selection's slices.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown track or object.
    pub fn select(&self, question: &SelectQuestion) -> Result<Selected, QueryError> {
        let selection = SelectedSlices::new(self, &question.selection)?;
        Ok(groups::selected(selection, question.sort, question.groups as usize))
    }

    /// Returns a page of the list of a selection's slices.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown track or object.
    pub fn slices(&self, question: &ListQuestion) -> Result<SliceList, QueryError> {
        let selection = SelectedSlices::new(self, &question.selection)?;
        Ok(list::list(selection, question))
    }

    /// Returns the positions of a selection's slices.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown track, object or slice.
    pub fn search(&self, question: &SearchQuestion) -> Result<Found, QueryError> {
        let mut selection = SelectedSlices::new(self, &question.selection)?;
        let mut found = Found::default();
        let asked = match question.slice {
            None => None,
            Some(slice) => {
                let start = self.slices.get(slice).ok_or(QueryError::NoSlice(slice))?.start;
                Some((start, slice as usize))
            }
        };
        let (mut place, mut is_among) = (0, false);
        let (mut first, mut last) = (None, None);
        selection.for_each(|slice| {
            found.total += 1;
            match found.tracks.last_mut() {
                Some(known) if known.track == slice.track => known.count += 1,
                _ => found.tracks.push(TrackMatches { track: slice.track, count: 1 }),
            }
            let key = (self.slices.start.at(slice.row), slice.row);
            place += u64::from(asked.is_some_and(|asked| key <= asked));
            is_among |= asked == Some(key);
            first = Some(first.map_or(key, |first: (u64, usize)| first.min(key)));
            last = Some(last.map_or(key, |last: (u64, usize)| last.max(key)));
        });
        let item = |key: Option<(u64, usize)>| key.map(|(_, row)| item(self, row));
        (found.first, found.last) = (item(first), item(last));
        found.place = is_among.then_some(place);
        Ok(found)
    }

    /// Returns the slices of a track at a resolution, and the number of slices that match a filter.
    ///
    /// # Errors
    /// Returns an error if the track, kernel or object does not exist, or the track has no lanes.
    pub fn filtered_tile(&self, key: TileKey, filter: &Filter) -> Result<TimelineTile, QueryError> {
        let mut matcher = Matcher::new(self, filter);
        if key.view == TileView::Kernel {
            return kernels::tile(self, key, Some(&mut matcher)).ok_or(QueryError::NoTrack(key.track));
        }
        if key.view == TileView::Object {
            return self.object_tile(key, Some(&mut matcher));
        }
        let mut tile = self.timeline_tile(key)?;
        let first = self.tracks.first_lane.at(key.track as usize) as usize;
        for (lane, shown) in tile.lanes.iter_mut().enumerate() {
            timeline::mark(self, first + lane, key, shown, &mut matcher);
        }
        Ok(tile)
    }

    /// Returns the density of a track at a resolution, and the number of matching slices in each bucket.
    ///
    /// # Errors
    /// Returns an error if the track does not exist or has no lanes.
    pub fn filtered_density(&self, key: TileKey, filter: &Filter) -> Result<DensityTile, QueryError> {
        let track = self.tracks.get(key.track).filter(|track| track.lanes > 0);
        let track = track.ok_or(QueryError::NoTrack(key.track))?;
        let mut tile = density::tile(&self.slices, &track, key);
        density::mark(self, &track, key, &mut tile, &mut Matcher::new(self, filter));
        Ok(tile)
    }

    /// Returns the selected slice after another slice or a moment, or the previous one.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown track, object or slice.
    pub fn step(&self, question: &StepQuestion) -> Result<Stepped, QueryError> {
        let selection = SelectedSlices::new(self, &question.selection)?;
        let row = step::step(selection, question.from, question.back)?;
        Ok(Stepped { slice: row.map(|row| item(self, row)) })
    }
}

pub(super) fn rows(trace: &Trace, selection: &Selection) -> Result<Vec<usize>, QueryError> {
    let mut rows = Vec::new();
    SelectedSlices::new(trace, selection)?.for_each(|slice| rows.push(slice.row));
    Ok(rows)
}

pub(super) struct SelectedSlices<'t> {
    pub(super) trace: &'t Trace,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) lanes: Vec<Lane>,
    pub(super) matcher: Matcher<'t>,
}

#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub(super) track: u32,
    number: usize,
    pub(super) rows: Range<usize>,
    /// The next inner lane, if there is one.
    below: Option<usize>,
}

enum Piece<'t, 'l> {
    Slice(Slice<'l>),
    Part(Part<'t>, &'l Lane),
}

#[derive(Clone, Copy)]
pub(super) struct Slice<'l> {
    pub(super) row: usize,
    pub(super) track: u32,
    lane: &'l Lane,
}

impl<'t> SelectedSlices<'t> {
    /// Returns the lanes and the filter of a selection.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown track or object.
    pub(super) fn new(trace: &'t Trace, selection: &Selection) -> Result<Self, QueryError> {
        let (from, to) = (selection.from_ns.unwrap_or_default(), selection.to_ns.unwrap_or(u64::MAX));
        let matcher = Matcher::new(trace, &selection.filter);
        let tracks = match (&selection.tracks, &selection.objects) {
            (None, Some(_)) => Some(&[][..]),
            (tracks, _) => tracks.as_deref(),
        };
        let selected = match tracks {
            None if !names_tracks(&selection.filter) => without_streams(trace),
            _ => self::tracks(trace, tracks)?,
        };
        let mut lanes = Vec::new();
        for (track, row) in trace.tracks.iter().enumerate().filter(|(track, _)| selected[*track]) {
            for lane in 0..row.lanes {
                let number = row.first_lane.saturating_add(lane) as usize;
                let rows = rows_in(trace, number, from, to);
                if rows.is_empty() {
                    continue;
                }
                let below = (lane + 1 < row.lanes && children::are_below(row.kind)).then_some(number + 1);
                lanes.push(Lane { track: track as u32, number, rows, below });
            }
        }
        if let Some(objects) = &selection.objects {
            touching(trace, objects, (from, to), &selected, &mut lanes)?;
        }
        Ok(Self { trace, from, to, lanes, matcher })
    }

    /// Calls `take` with each slice, lane by lane, by start.
    pub(super) fn for_each(&mut self, mut take: impl FnMut(Slice<'_>)) {
        self.for_each_piece(None, |piece| match piece {
            Piece::Slice(slice) => take(slice),
            // Without blocks, there are no parts of blocks.
            Piece::Part(..) => {}
        });
    }

    /// Returns the blocks for summing up the slices. They are not built for few slices.
    fn blocks(&self) -> Option<&'t Blocks> {
        if !self.matcher.is_everything() {
            return None;
        }
        let count = self.lanes.iter().map(|lane| lane.rows.len()).sum::<usize>();
        let are_many = count >= MIN_BLOCKWISE && count >= self.trace.slices.len() / 8;
        if are_many { Some(self.trace.blocks()) } else { self.trace.shelf.slot().get() }
    }

    /// Calls `take` with the parts of blocks, one by one, and with the slices outside of blocks, ordered by start; a
    /// part counts with its first slice.
    fn for_each_piece(&mut self, blocks: Option<&'t Blocks>, mut take: impl FnMut(Piece<'t, '_>)) {
        let Self { trace, from, to, lanes, matcher } = self;
        let is_everything = matcher.is_everything();
        let mut steps = Steps::default();
        for lane in &*lanes {
            steps.add(1);
            let mut next = lane.rows.start;
            for (rows, parts) in blocks.into_iter().flat_map(|blocks| blocks.within(&lane.rows)) {
                // Slices at the edges of the range are clipped.
                let (start, end) = (trace.slices.start.at(rows.start), trace.slices.end(rows.end - 1));
                if start >= *from && end <= *to && rows.start >= next {
                    for row in next..rows.start {
                        if is_everything || matcher.is_match(row, lane.track) {
                            take(Piece::Slice(Slice { row, track: lane.track, lane }));
                        }
                    }
                    parts.for_each(|part| {
                        steps.add(PART_STEPS);
                        take(Piece::Part(part, lane));
                    });
                    next = rows.end;
                }
            }
            for row in next..lane.rows.end {
                steps.add(1);
                if is_everything || matcher.is_match(row, lane.track) {
                    take(Piece::Slice(Slice { row, track: lane.track, lane }));
                }
            }
        }
    }
}

/// Returns all tracks but those of a driver's streams. Their slices are executions on queues, too, and would count
/// twice.
fn without_streams(trace: &Trace) -> Vec<bool> {
    let tracks = trace.tracks.iter();
    let is_stream = tracks.map(|track| {
        track.kind == TrackKind::Other && device_of_stream(trace.strings.get(track.name)).is_some()
    });
    is_stream.map(|is_stream| !is_stream).collect()
}

/// True if a filter has a condition on tracks.
fn names_tracks(filter: &Filter) -> bool {
    match filter {
        Filter::All(parts) | Filter::Any(parts) => parts.iter().any(names_tracks),
        Filter::Not(part) => names_tracks(part),
        Filter::Is(condition) => condition.field == Field::Track,
    }
}

/// Returns the selected tracks: the named ones, with their descendants.
pub(super) fn tracks(trace: &Trace, named: Option<&[u32]>) -> Result<Vec<bool>, QueryError> {
    let Some(named) = named else { return Ok(vec![true; trace.tracks.len()]) };
    let mut selected = vec![false; trace.tracks.len()];
    for track in named {
        *selected.get_mut(*track as usize).ok_or(QueryError::NoTrack(*track))? = true;
    }
    for row in 0..selected.len() {
        // Parents precede their children.
        let parent =
            some(trace.tracks.parent.at(row)).and_then(|parent| selected.get(parent as usize)).copied();
        selected[row] |= parent.unwrap_or_default();
    }
    Ok(selected)
}

/// Adds the slices of a range that touch an object and are on no selected track.
fn touching(
    trace: &Trace,
    objects: &[u32],
    (from, to): (u64, u64),
    selected: &[bool],
    lanes: &mut Vec<Lane>,
) -> Result<(), QueryError> {
    let mut rows: Vec<usize> = Vec::new();
    for id in objects {
        rows.extend(trace.slices_of_object(*id)?.into_iter().map(|row| row as usize));
    }
    rows.sort_unstable();
    rows.dedup();
    let first = lanes.len();
    for row in rows {
        let number = trace.slices.lane_of(row);
        let track = trace.tracks.of_lane(number);
        if !trace.slices.is_in(row, &(from..to)) || selected.get(track).copied().unwrap_or_default() {
            continue;
        }
        match lanes[first..].last_mut() {
            Some(last) if last.number == number && last.rows.end == row => last.rows.end = row + 1,
            _ => {
                let of_track = (trace.tracks.kind.at(track), trace.tracks.lanes.at(track));
                let lane = number.saturating_sub(trace.tracks.first_lane.at(track) as usize);
                let has_below = lane + 1 < of_track.1 as usize && children::are_below(of_track.0);
                let below = has_below.then_some(number + 1);
                lanes.push(Lane { track: track as u32, number, rows: row..row + 1, below });
            }
        }
    }
    Ok(())
}

/// Returns the rows of a lane that overlap a range, or start in it.
fn rows_in(trace: &Trace, lane: usize, from: u64, to: u64) -> Range<usize> {
    let rows = trace.slices.lane(lane);
    let starts = trace.slices.start.get(rows.clone()).unwrap_or_default();
    let first = rows.start + starts.partition_point(|start| *start < from);
    let end = rows.start + starts.partition_point(|start| *start < to);
    let reaches_in = first > rows.start && trace.slices.end(first - 1) > from && to > from;
    first - usize::from(reaches_in)..end.max(first)
}

fn slice_ref(trace: &Trace, row: usize, lane: &Lane) -> SliceRef {
    let first_lane = trace.tracks.first_lane.at(lane.track as usize);
    SliceRef {
        slice: row as u32,
        track: lane.track,
        lane: (lane.number as u32).saturating_sub(first_lane),
        start_ns: trace.slices.start.at(row),
        duration_ns: trace.slices.duration.at(row),
    }
}
