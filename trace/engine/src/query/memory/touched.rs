//! Objects related to a command, a slice, a kernel, a queue, or a line of source code.

use rustc_hash::FxHashMap;
use syclscope_language::question::TouchedBy;

use super::activity::Touch;
use crate::id::{LocationId, NONE, some};
use crate::store::Trace;
use crate::store::table::Table as _;

impl Trace {
    /// Returns the ids of the objects that an entity touches, ascending.
    pub(super) fn touched_by(&self, thing: &TouchedBy) -> Vec<u32> {
        let mut ids = match thing {
            TouchedBy::Object(number) => {
                let rows = (0..).zip(self.objects.rows.number.iter());
                rows.filter(|(_, known)| known == number).map(|(row, _)| row).collect()
            }
            TouchedBy::Allocation(row) => {
                let exists = (*row as usize) < self.allocations.len();
                exists.then(|| self.owners().id_of(*row)).into_iter().collect()
            }
            TouchedBy::Node(number) => match self.nodes.number.iter().position(|known| known == *number) {
                Some(row) => self.where_touched(|touch| touch.node == row as u32),
                None => Vec::new(),
            },
            TouchedBy::Slice(slice) => self.touched_in(*slice),
            TouchedBy::Name(name) => {
                let mut names = FxHashMap::default();
                self.where_touched(|touch| {
                    *names.entry(touch.name).or_insert_with(|| self.strings.get(touch.name) == name)
                })
            }
            TouchedBy::Queue(number) => self.where_touched(|touch| {
                let queue = some(touch.node).map(|node| self.nodes.queue.at(node as usize)).and_then(some);
                queue.and_then(|queue| self.queues.get(queue)).is_some_and(|queue| queue.number == *number)
            }),
            TouchedBy::Line { path, line } => self.touched_at(path, *line),
        };
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Returns the commands, by row, that touch objects with matching ids.
    pub(in crate::query) fn commands_touching(&self, is_meant: impl Fn(u64) -> bool) -> Vec<bool> {
        let mut nodes = vec![false; self.nodes.len()];
        for touch in self.memory_activity().touches.all().iter().filter(|touch| is_meant(touch.id.into())) {
            if let Some(node) = nodes.get_mut(touch.node as usize) {
                *node = true;
            }
        }
        nodes
    }

    fn where_touched(&self, mut is_meant: impl FnMut(&Touch) -> bool) -> Vec<u32> {
        let touches = self.memory_activity().touches.all().iter();
        touches.filter(|touch| is_meant(touch)).map(|touch| touch.id).collect()
    }

    /// Returns the objects that the command of a slice uses, that the slice itself touches or releases, and that its
    /// thread allocates in it.
    fn touched_in(&self, slice: u32) -> Vec<u32> {
        let row = slice as usize;
        if row >= self.slices.len() {
            return Vec::new();
        }
        let node = self.slices.node.at(row);
        let is_meant = |touch: &Touch| touch.slice == slice || (node != NONE && touch.node == node);
        let mut ids = self.where_touched(is_meant);
        let owners = self.owners();
        let released = self.memory_activity().released_by.iter().filter(|(_, by)| **by == slice);
        ids.extend(released.map(|(allocation, _)| owners.id_of(*allocation)));
        let track = self.tracks.row(self.tracks.of_lane(self.slices.lane_of(row)));
        let (rows, end) = (&self.allocations, self.slices.end(row));
        let first = rows.at.partition_point(|at| *at < self.slices.start.at(row));
        let made = (first..rows.len()).take_while(|row| rows.at.at(*row) <= end);
        // Tracks of devices have no thread.
        let is_own = |row: &usize| {
            track.tid != 0 && rows.process.at(*row) == track.process && rows.tid.at(*row) == track.tid
        };
        ids.extend(made.filter(is_own).map(|row| owners.id_of(row as u32)));
        ids
    }

    /// Returns the objects created by a source line, and those used by its commands.
    fn touched_at(&self, path: &str, line: u32) -> Vec<u32> {
        let mut places: FxHashMap<LocationId, bool> = FxHashMap::default();
        let mut is_there = |place: LocationId| {
            *places.entry(place).or_insert_with(|| {
                let place = self.locations.place(place, &self.strings);
                place.is_some_and(|place| place.file == path && place.line == line)
            })
        };
        let mut ids = self.where_touched(|touch| is_there(touch.location));
        ids.extend(
            (0..)
                .zip(self.objects.rows.location.iter())
                .filter(|(_, place)| is_there(*place))
                .map(|(row, _)| row),
        );
        let owners = self.owners();
        let rows = 0..self.allocations.len() as u32;
        ids.extend(rows.filter(|row| is_there(owners.location_of(self, *row))).map(|row| owners.id_of(row)));
        ids
    }
}
