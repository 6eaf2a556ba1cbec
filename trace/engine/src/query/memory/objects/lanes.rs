//! An object's lanes over time: the first one has the calls that allocate or release its memory, the others its
//! touches, as many as overlap.

use syclscope_language::api::{NO_SLICE, ObjectEventKind, TileLane, TimelineTile};
use syclscope_language::event::Category;
use syclscope_language::question::TileKey;

use super::events;
use crate::id::{NONE, some};
use crate::query::limits;
use crate::query::matcher::Matcher;
use crate::query::memory::activity::Touch;
use crate::query::timeline::Names;
use crate::query::timeline::merged::{lanes_of, merged};
use crate::store::Trace;
use crate::store::cache::cached;
use syclscope_language::sorting::Sorting as _;

/// The touches of each object in lanes without overlaps. All touches of an object by one slice are one item.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes {
    /// The first touch of each slice, by start, lane after lane.
    rows: Vec<u32>,
    /// First of `rows` of each lane, and their number.
    lane_starts: Vec<u32>,
    /// Objects with touches, each with the first of its lanes, and the number of all lanes.
    objects: Vec<(u32, u32)>,
}

cached!(Lanes { rows, lane_starts, objects });

impl Lanes {
    pub(in crate::query::memory) fn new(trace: &Trace) -> Self {
        let touches = trace.memory_activity().touches.all();
        let mut lanes = Self::default();
        let mut first = 0;
        for of_object in touches.chunk_by(|one, next| one.id == next.id) {
            let mut rows = Vec::new();
            for together in of_object.chunk_by(is_same) {
                rows.push(first);
                first += together.len() as u32;
            }
            lanes.objects.push((of_object[0].id, lanes.lane_starts.len() as u32));
            for lane in lanes_of(rows, |row| span(touches, row)) {
                lanes.lane_starts.push(lanes.rows.len() as u32);
                lanes.rows.extend(lane);
            }
        }
        lanes.objects.push((NONE, lanes.lane_starts.len() as u32));
        lanes.lane_starts.push(lanes.rows.len() as u32);
        lanes
    }

    /// Returns the lanes of an object, from the top.
    fn get(&self, id: u32) -> impl Iterator<Item = &[u32]> {
        let at = self.objects.binary_search_by_key(&id, |(id, _)| *id).ok();
        let bounds = at.and_then(|at| Some((self.objects.get(at)?.1, self.objects.get(at + 1)?.1)));
        let (first, end) = bounds.unwrap_or_default();
        let starts = self.lane_starts.get(first as usize..=end as usize).unwrap_or_default();
        starts.windows(2).map(|bounds| &self.rows[bounds[0] as usize..bounds[1] as usize])
    }
}

/// True if two consecutive touches belong to one slice.
fn is_same(one: &Touch, next: &Touch) -> bool {
    one.slice == next.slice && one.start == next.start && one.slice != NONE
}

/// Returns the touches of a slice, given the index of the first.
fn together(touches: &[Touch], first: u32) -> &[Touch] {
    touches[first as usize..].chunk_by(is_same).next().unwrap_or_default()
}

/// Returns the start and end of a slice's touch of an object; a moment if the end is unknown.
fn span(touches: &[Touch], first: u32) -> (u64, u64) {
    let start = touches[first as usize].start;
    let ends = together(touches, first).iter().map(|touch| touch.end).filter(|end| *end != u64::MAX);
    (start, ends.max().unwrap_or(start).max(start))
}

fn kind(touches: &[Touch]) -> ObjectEventKind {
    use ObjectEventKind::{CopyIn, CopyOut, CopyWithin, Read, ReadWrite, Write};
    let kinds = touches.iter().map(|touch| touch.kind);
    let both = |one, other| match (one, other) {
        (one, other) if one == other => one,
        (Read | Write | ReadWrite, Read | Write | ReadWrite) => ReadWrite,
        (CopyIn | CopyOut | CopyWithin, CopyIn | CopyOut | CopyWithin) => CopyWithin,
        (one, _) => one,
    };
    kinds.reduce(both).unwrap_or_default()
}

/// Returns the number of lanes of an object's tiles.
pub(super) fn count(trace: &Trace, id: u32) -> u32 {
    (1 + trace.object_lanes().get(id).count() as u32).min(limits::LANES)
}

/// Returns an object's events in the tile's range. Walks over its touches in that range.
pub(super) fn tile(
    trace: &Trace,
    id: u32,
    key: TileKey,
    mut matcher: Option<&mut Matcher<'_>>,
) -> TimelineTile {
    let slices = &trace.slices;
    let mut names = Names::new(trace);
    let mut calls = events::calls(trace, trace.owners().owner(id));
    calls.arrange_by_key(|(_, slice)| (slices.start.at(*slice as usize), *slice));
    let rows: Vec<u32> = (0..calls.len() as u32).collect();
    let mut first = LaneWriter::new(trace, &mut names, matcher.as_deref_mut());
    let slice_of = |row: u32| calls[row as usize].1;
    let time =
        |row: u32| (slices.start.at(slice_of(row) as usize), slices.duration.at(slice_of(row) as usize));
    first.add(&rows, key, time, |row| {
        let (kind, slice) = calls[row as usize];
        RowSubject { kind, slice, name: slices.name.at(slice as usize).0 }
    });
    let mut lanes = vec![first.lane];
    let touches = trace.memory_activity().touches.all();
    for rows in trace.object_lanes().get(id).take(limits::LANES as usize - 1) {
        let mut lane = LaneWriter::new(trace, &mut names, matcher.as_deref_mut());
        let time = |row: u32| {
            let (start, end) = span(touches, row);
            (start, end - start)
        };
        lane.add(rows, key, time, |row| {
            let touch = &touches[row as usize];
            RowSubject { kind: kind(together(touches, row)), slice: touch.slice, name: touch.name.0 }
        });
        lanes.push(lane.lane);
    }
    TimelineTile { names: names.names, lanes }
}

/// Kind, slice and name of a lane's row.
struct RowSubject {
    kind: ObjectEventKind,
    /// Its slice, or `NONE`.
    slice: u32,
    name: u32,
}

struct LaneWriter<'s, 't, 'm> {
    trace: &'t Trace,
    names: &'s mut Names<'t>,
    matcher: Option<&'s mut Matcher<'m>>,
    lane: TileLane,
}

impl<'s, 't, 'm> LaneWriter<'s, 't, 'm> {
    fn new(trace: &'t Trace, names: &'s mut Names<'t>, matcher: Option<&'s mut Matcher<'m>>) -> Self {
        Self { trace, names, matcher, lane: TileLane::default() }
    }

    fn add(
        &mut self,
        rows: &[u32],
        key: TileKey,
        time: impl Fn(u32) -> (u64, u64),
        what: impl Fn(u32) -> RowSubject,
    ) {
        let Self { trace, names, matcher, lane } = self;
        let is_filtered = matcher.is_some();
        let is_match = |row: u32| {
            let slice = what(row).slice;
            slice != NONE && matcher.as_deref_mut().is_some_and(|matcher| matcher.is_match_anywhere(slice))
        };
        merged(rows, key, &time, is_match, |group| {
            let (start, duration) = time(group.longest);
            let RowSubject { kind, slice, name } = what(group.longest);
            let of_slice = some(slice).map(|slice| slice as usize);
            lane.start_ns.push(start);
            lane.duration_ns.push(duration);
            lane.name.push(names.number(name));
            lane.category.push(of_slice.map_or(Category::default(), |row| trace.slices.category(row)));
            lane.slice.push(of_slice.map_or(NO_SLICE, |row| row as u32));
            lane.count.push(group.count);
            lane.total_ns.push(group.total_ns);
            lane.touch.push(kind);
            if is_filtered {
                lane.matching.push(group.matching);
            }
        });
    }
}
