//! A selection, summed up by name, category and kind.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use syclscope_language::api::{CategoryStats, Selected, SliceGroup, SliceRef};
use syclscope_language::event::{Category, NodeKind};
use syclscope_language::question::GroupOrder;

use super::children::OwnTime;
use super::stats::Collected;
use super::{Piece, SelectedSlices, slice_ref};
use crate::id::StringId;
use crate::query::matcher::kind_of;
use crate::store::Trace;

struct Group<'t> {
    key: Key,
    longest: SliceRef,
    collected: Collected<'t>,
}

pub(super) fn selected(mut selected: SelectedSlices<'_>, order: GroupOrder, most: usize) -> Selected {
    let (trace, from, to) = (selected.trace, selected.from, selected.to);
    let blocks = selected.blocks();
    let mut groups = Groups { groups: Vec::new(), numbers: FxHashMap::default(), last: 0 };
    let mut own_time = (usize::MAX, OwnTime::above(trace, None));
    selected.for_each_piece(blocks, |piece| match piece {
        Piece::Slice(slice) => {
            if own_time.0 != slice.lane.number {
                own_time = (slice.lane.number, OwnTime::above(trace, slice.lane.below));
            }
            let (start, duration) = (trace.slices.start.at(slice.row), trace.slices.duration.at(slice.row));
            let end = start.saturating_add(duration);
            let clipped = end.min(to).saturating_sub(start.max(from));
            let own = own_time.1.self_ns(start, duration);
            let group = groups.get(key_of(trace, slice.row), || slice_ref(trace, slice.row, slice.lane));
            group.collected.push(duration, clipped, own);
            if duration > group.longest.duration_ns {
                group.longest = slice_ref(trace, slice.row, slice.lane);
            }
        }
        Piece::Part(part, lane) => {
            let longest = || slice_ref(trace, part.longest, lane);
            let group = groups.get(key_of(trace, part.longest), longest);
            group.collected.push_part(part);
            if trace.slices.duration.at(part.longest) > group.longest.duration_ns {
                group.longest = longest();
            }
        }
    });
    let mut groups = groups.groups;
    sort(trace, &mut groups, order);
    let more_groups = groups.len().saturating_sub(most) as u64;
    let shown = groups.iter().take(most).map(|group| {
        let (name, category, kind) = group.key;
        let name = trace.strings.get(name).to_owned();
        let stats = Collected::stats(&[&group.collected]);
        SliceGroup { name, category, kind, longest: group.longest, stats }
    });
    let all: Vec<&Collected<'_>> = groups.iter().map(|group| &group.collected).collect();
    let mut of_category: BTreeMap<Category, Vec<&Collected<'_>>> = BTreeMap::new();
    for group in &groups {
        of_category.entry(group.key.1).or_default().push(&group.collected);
    }
    let of_category = of_category.into_iter();
    let mut categories: Vec<CategoryStats> = of_category
        .map(|(category, groups)| CategoryStats { category, stats: Collected::stats(&groups) })
        .collect();
    categories.sort_by_key(|one| Reverse(one.stats.total_ns));
    Selected {
        from_ns: from,
        to_ns: to.min(trace.duration_ns.saturating_add(1)),
        total: Collected::stats(&all),
        categories,
        groups: shown.collect(),
        more_groups,
    }
}

fn sort(trace: &Trace, groups: &mut [Group<'_>], order: GroupOrder) {
    let name = |group: &Group<'_>| (trace.strings.get(group.key.0), group.key.1, group.key.2);
    let most = |group: &Group<'_>| {
        let collected = &group.collected;
        match order {
            GroupOrder::Total => collected.total_ns,
            GroupOrder::Clipped => collected.clipped_ns,
            GroupOrder::Own => collected.self_ns,
            GroupOrder::Count => collected.count,
            GroupOrder::Mean => collected.mean_ns(),
            GroupOrder::Max => collected.max_ns,
            GroupOrder::Name => 0,
        }
    };
    groups.sort_by_cached_key(|group| (Reverse(most(group)), name(group)));
}

struct Groups<'t> {
    groups: Vec<Group<'t>>,
    numbers: FxHashMap<(u32, u16), u32>,
    /// The previous slice's group: slices with the same name often follow each other.
    last: usize,
}

impl<'t> Groups<'t> {
    fn get(&mut self, key: Key, first: impl FnOnce() -> SliceRef) -> &mut Group<'t> {
        if self.groups.get(self.last).is_none_or(|last| last.key != key) {
            let (name, category, kind) = key;
            let kinds = kind.map_or(0, |kind| kind as u16 + 1) << 8 | category as u16;
            let number = *self.numbers.entry((name.0, kinds)).or_insert_with(|| {
                self.groups.push(Group { key, longest: first(), collected: Collected::default() });
                self.groups.len() as u32 - 1
            });
            self.last = number as usize;
        }
        &mut self.groups[self.last]
    }
}

/// Name, category, and kind of the command, if there is one.
pub(super) type Key = (StringId, Category, Option<NodeKind>);

pub(super) fn key_of(trace: &Trace, row: usize) -> Key {
    (trace.slices.name.at(row), trace.slices.category(row), kind_of(trace, row))
}
