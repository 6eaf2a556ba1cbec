//! Joining of tracks with one name and parent: other tools give each asynchronous operation a track of its own.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::TrackKind;

use super::TraceBuilder;

impl TraceBuilder {
    pub(super) fn join_same_named(&mut self) {
        let parents: FxHashSet<u64> = self.tracks.iter().filter_map(|track| track.parent).collect();
        let mut first: FxHashMap<_, usize> = FxHashMap::default();
        let mut moved = FxHashMap::default();
        for row in 0..self.tracks.len() {
            let track = &self.tracks[row];
            // Other tools draw overlapping work of a device as several queues with one name. In our own files, no two
            // queues have the same name.
            let is_such = match track.kind {
                TrackKind::Other => self.times.start_at_first_event,
                kind => kind == TrackKind::Queue,
            };
            let can_move = is_such
                && track.samples.is_empty()
                && !track.slices.is_empty()
                && !parents.contains(&track.id);
            if !can_move {
                continue;
            }
            match first.entry((track.parent, track.kind, track.name.0)) {
                Entry::Vacant(entry) => {
                    entry.insert(row);
                }
                Entry::Occupied(entry) => {
                    let slices = std::mem::take(&mut self.tracks[row].slices);
                    let target = &mut self.tracks[*entry.get()].slices;
                    moved.insert(row as u32, (*entry.get() as u32, target.len() as u32));
                    slices.iter().for_each(|slice| target.push(*slice));
                    self.tracks[row].is_joined = true;
                }
            }
        }
        self.flows.follow(&moved);
    }
}
