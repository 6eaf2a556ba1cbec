//! Cached sums over blocks of a lane's slices: a selection of ten million slices is a few hundred blocks, and the
//! slices at its edges.
//!
//! Each block has, group by group, sums over its slices and their sorted durations, so that percentiles are exact.
//! Blocks are computed when many slices are selected for the first time, and cached; those of the server's traces are
//! in the derived file.

use std::collections::hash_map::Entry;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::children::{OwnTime, are_below};
use super::durations::bucket;
use super::groups::{Key, key_of};
use crate::cancel;
use crate::store::Trace;
use crate::store::cache::Cached;
use crate::store::column::Column;
use crate::store::table::{Table as _, columns, memory_bytes, table};

/// Maximum number of slices of a block: a count takes two bytes.
const BLOCK: usize = 1 << 14;
/// A block with fewer slices than this per group is not stored.
const MIN_PER_GROUP: usize = 16;

table! {
    /// Blocks, by row.
    BlockTable,
    /// Consecutive slices of a lane.
    BlockRow {
        /// The first slice.
        row: u32,
        /// Number of slices.
        slices: u32,
        /// The first part of the block; the next block's first part is its end.
        first_part: u32,
    }
}

table! {
    /// Parts of blocks, by the row of their first slice.
    PartTable,
    /// The slices of a block that belong to one group.
    PartRow {
        /// The longest slice; the first of equally long ones.
        longest: u32,
        /// Index of the first of their durations; the next part's is the end.
        first: u32,
        /// Index of the first count of their histogram; the next part's is the end.
        first_count: u32,
        /// Their total duration.
        total_ns: u64,
        /// Their total self time.
        own_ns: u64,
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    blocks: BlockTable,
    parts: PartTable,
    /// The sorted durations of each part's slices, part by part, so that searches stay local; a block with a slice of
    /// more than four seconds is not stored.
    sorted_ns: Column<u32>,
    /// Number of slices of each part in each bucket of a histogram, from the bucket of the shortest slice to the bucket
    /// of the longest.
    counts: Column<u16>,
}

columns!(Blocks { blocks, parts, sorted_ns, counts });

impl Cached for Blocks {
    fn cached_bytes(&self) -> usize {
        memory_bytes(self).0
    }
}

/// The slices of a block that belong to one group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'t> {
    pub(super) longest: usize,
    pub(super) total_ns: u64,
    pub(super) own_ns: u64,
    /// Their sorted durations.
    pub(super) sorted_ns: &'t [u32],
    /// Histogram of durations, starting with the bucket of the shortest.
    pub(super) counts: &'t [u16],
}

impl Trace {
    /// Returns the trace's blocks, computed on first use.
    pub(crate) fn blocks(&self) -> &Blocks {
        self.shelf.slot().get_or_init(|| Blocks::new(self, BLOCK))
    }
}

impl Blocks {
    /// Returns the blocks of a trace, each with at most `block` slices.
    fn new(trace: &Trace, block: usize) -> Self {
        let mut blocks = Self::default();
        let mut scratch = Scratch::default();
        for track in trace.tracks.iter() {
            for lane in 0..track.lanes {
                let number = track.first_lane.saturating_add(lane) as usize;
                let below = (lane + 1 < track.lanes && are_below(track.kind)).then_some(number + 1);
                let mut own = OwnTime::above(trace, below);
                let rows = trace.slices.lane(number);
                for first in rows.clone().step_by(block) {
                    let slices = first..rows.end.min(first + block);
                    cancel::spend(slices.len());
                    // A small rest is visited slice by slice.
                    if slices.len() >= block / 4 {
                        blocks.add(trace, slices, &mut own, &mut scratch);
                    }
                }
            }
        }
        blocks
    }

    fn add(&mut self, trace: &Trace, slices: Range<usize>, own: &mut OwnTime<'_>, scratch: &mut Scratch) {
        if !scratch.group(trace, slices.clone(), own) {
            return;
        }
        let first =
            u32::try_from(self.sorted_ns.len() + slices.len()).ok().map(|end| end - slices.len() as u32);
        let Some(mut first) = first else { return };
        let (row, first_part) = (slices.start as u32, self.parts.len() as u32);
        self.blocks.push(&BlockRow { row, slices: slices.len() as u32, first_part });
        for group in &mut scratch.groups {
            group.durations.sort_unstable();
            let Group { longest, total_ns, own_ns, .. } = *group;
            let first_count = self.counts.len() as u32;
            self.parts.push(&PartRow { longest, first, first_count, total_ns, own_ns });
            first += group.durations.len() as u32;
            let mut bucket_of = None;
            for duration in &group.durations {
                // The durations are sorted, so that a bucket ends where the next one starts; the buckets between them
                // are empty.
                let here = bucket((*duration).into());
                let before = bucket_of.replace(here).unwrap_or(here.wrapping_sub(1));
                self.counts.owned().extend(std::iter::repeat_n(0, here.wrapping_sub(before)));
                if let Some(count) = self.counts.owned().last_mut() {
                    *count += 1;
                }
            }
            self.sorted_ns.owned().extend_from_slice(&group.durations);
        }
    }

    /// Returns the blocks within some rows of a lane: the rows and the parts of each.
    pub(super) fn within(
        &self,
        lane: &Range<usize>,
    ) -> impl Iterator<Item = (Range<usize>, impl Iterator<Item = Part<'_>>)> {
        let begins = &self.blocks.row;
        let first = begins.partition_point(|row| (*row as usize) < lane.start);
        let behind = begins.partition_point(|row| (*row as usize) < lane.end);
        let lane = lane.clone();
        let blocks = (first..behind.max(first)).map(|block| {
            let row = self.blocks.row.at(block) as usize;
            (block, row..row + self.blocks.slices.at(block) as usize)
        });
        // In a damaged file blocks may be anywhere.
        let blocks = blocks
            .filter(move |(_, rows)| rows.start >= lane.start && rows.end <= lane.end && !rows.is_empty());
        blocks.map(|(block, rows)| (rows, self.parts(block)))
    }

    fn parts(&self, block: usize) -> impl Iterator<Item = Part<'_>> {
        let first = self.blocks.first_part.at(block) as usize;
        let end = self.blocks.first_part.get(block + 1).map_or(self.parts.len(), |end| *end as usize);
        (first..end.min(self.parts.len())).map(move |part| {
            let PartRow { longest, first, first_count, total_ns, own_ns } = self.parts.row(part);
            let end = self.parts.first.get(part + 1).map_or(self.sorted_ns.len(), |end| *end as usize);
            let sorted_ns = self.sorted_ns.get(first as usize..end).unwrap_or_default();
            let end = self.parts.first_count.get(part + 1).map_or(self.counts.len(), |end| *end as usize);
            let counts = self.counts.get(first_count as usize..end).unwrap_or_default();
            Part { longest: longest as usize, total_ns, own_ns, sorted_ns, counts }
        })
    }
}

#[derive(Default)]
struct Scratch {
    groups: Vec<Group>,
    numbers: FxHashMap<Key, usize>,
}

struct Group {
    longest: u32,
    longest_ns: u64,
    total_ns: u64,
    own_ns: u64,
    durations: Vec<u32>,
}

impl Scratch {
    /// Groups some slices. Returns `false` if there are too many groups, or a slice is too long.
    fn group(&mut self, trace: &Trace, slices: Range<usize>, own: &mut OwnTime<'_>) -> bool {
        self.groups.clear();
        self.numbers.clear();
        let most = slices.len() / MIN_PER_GROUP;
        let mut last: Option<(Key, usize)> = None;
        for row in slices {
            let (start, duration) = (trace.slices.start.at(row), trace.slices.duration.at(row));
            let Ok(short) = u32::try_from(duration) else { return false };
            let own_ns = own.self_ns(start, duration);
            let key = key_of(trace, row);
            let number = match last {
                Some((known, number)) if known == key => number,
                _ => match self.numbers.entry(key) {
                    Entry::Occupied(number) => *number.get(),
                    Entry::Vacant(_) if self.groups.len() == most => return false,
                    Entry::Vacant(entry) => {
                        let (longest, longest_ns) = (row as u32, duration);
                        self.groups.push(Group {
                            longest,
                            longest_ns,
                            total_ns: 0,
                            own_ns: 0,
                            durations: Vec::new(),
                        });
                        *entry.insert(self.groups.len() - 1)
                    }
                },
            };
            last = Some((key, number));
            let group = &mut self.groups[number];
            if duration > group.longest_ns {
                (group.longest, group.longest_ns) = (row as u32, duration);
            }
            group.total_ns = group.total_ns.saturating_add(duration);
            group.own_ns = group.own_ns.saturating_add(own_ns);
            group.durations.push(short);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use syclscope_language::event::{Category, Event, EventSink as _, SliceBegin, SliceEnd, SourceLocation};
    use syclscope_language::question::GroupOrder;
    use syclscope_language::time::Timestamp;

    use super::*;
    use crate::builder::TraceBuilder;
    use crate::query::select::SelectedSlices;
    use crate::query::select::groups::selected;

    /// Returns a trace of slices, each on one of two tracks with another one inside.
    fn trace(slices: &[(u64, u64, usize, bool)]) -> Trace {
        let mut builder = TraceBuilder::new();
        let mut at = 0;
        for (gap, duration, name, second) in slices {
            let (track, location) = (1 + u64::from(*second), SourceLocation::default());
            let mut begin = |at, name| {
                let (at, category, node) = (Timestamp(at), Category::Call, None);
                let slice = SliceBegin { track, at, category, name, node, location, args: &[] };
                builder.event(&Event::SliceBegin(slice));
            };
            at += gap;
            begin(at, ["a", "b", "c"][*name]);
            begin(at + duration / 3, ["b", "d", "e"][*name]);
            for at in [at + duration / 2, at + duration] {
                builder.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(at), args: &[] }));
            }
            at += duration;
        }
        builder.build()
    }

    proptest! {
        #[test]
        fn blocks_say_what_their_slices_do(
            slices in prop::collection::vec((0..20_u64, 0..50_u64, 0..3_usize, any::<bool>()), 1..300),
            block in 64..200_usize,
            (from, to) in prop_oneof![Just((0, u64::MAX)), (0..4_000_u64, 0..12_000_u64)],
            order in 0..GroupOrder::ALL.len(),
        ) {
            let trace = trace(&slices);
            let (from, to) = (from.min(to), from.max(to));
            let selection = format!("select?from={from}&to={to}").parse();
            let Ok(syclscope_language::question::Question::Select(question)) = selection else { panic!() };
            let ask = || selected(SelectedSlices::new(&trace, &question.selection).unwrap(), GroupOrder::ALL[order], 4);
            let one_by_one = ask();
            let blocks = trace.shelf.slot().get_or_init(|| Blocks::new(&trace, block));
            prop_assert_eq!(ask(), one_by_one);
            // Without any block the test would be void.
            let lanes = trace.slices.lane_starts.windows(2).map(|lane| lane[1] - lane[0]);
            prop_assert!(blocks.blocks.len() > 0 || lanes.max().unwrap_or_default() < block as u32);
        }
    }
}
