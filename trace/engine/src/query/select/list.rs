//! The slices of a selection one by one, in pages.

use syclscope_language::api::{SliceItem, SliceList};
use syclscope_language::question::{ListQuestion, SliceOrder};

use super::SelectedSlices;
use super::children::{OwnTime, are_below};
use crate::id::some;
use crate::query::detail::{args, location, slice_ref};
use crate::query::matcher::{kind_of, place};
use crate::query::memory::in_order;
use crate::store::Trace;
use crate::store::table::Table as _;

pub(super) fn list(mut selected: SelectedSlices<'_>, question: &ListQuestion) -> SliceList {
    let ListQuestion { sort: order, offset, limit, args: with_args, .. } = *question;
    let trace = selected.trace;
    let end = usize::try_from(offset).unwrap_or(usize::MAX).saturating_add(limit as usize);
    let mut first = First::new(end);
    selected.for_each(|slice| {
        let key = match order {
            SliceOrder::Start => trace.slices.start.at(slice.row),
            SliceOrder::StartDown => !trace.slices.start.at(slice.row),
            SliceOrder::Duration => trace.slices.duration.at(slice.row),
            SliceOrder::DurationDown => !trace.slices.duration.at(slice.row),
        };
        first.push((key, slice.row as u32));
    });
    let First { total, mut rows, .. } = first;
    let from = usize::try_from(offset).unwrap_or(usize::MAX).min(total);
    let rows = in_order(&mut rows, from..end.min(total));
    let item = |row: usize| {
        let args = if with_args { args(trace, trace.slices.args.at(row)) } else { Vec::new() };
        let args = args.into_iter().map(|(name, value)| (name, value.to_string())).collect();
        SliceItem { args, ..item(trace, row) }
    };
    let slices = rows.iter().map(|(_, row)| item(*row as usize)).collect();
    SliceList { total: total as u64, offset: from as u64, slices }
}

/// Minimum number of rows that are buffered before sorting.
const MIN_BUFFERED_ROWS: usize = 1 << 16;

/// The first rows of an order, found without storing many more.
struct First {
    limit: usize,
    rows: Vec<(u64, u32)>,
    /// Upper bound of the requested rows.
    bound: (u64, u32),
    total: usize,
}

impl First {
    fn new(limit: usize) -> Self {
        Self { limit, rows: Vec::new(), bound: (u64::MAX, u32::MAX), total: 0 }
    }

    fn push(&mut self, row: (u64, u32)) {
        self.total += 1;
        if row > self.bound {
            return;
        }
        if self.rows.len() >= MIN_BUFFERED_ROWS && self.rows.len() / 2 >= self.limit {
            self.bound = *self.rows.select_nth_unstable(self.limit).1;
            self.rows.truncate(self.limit);
        }
        self.rows.push(row);
    }
}

pub(in crate::query) fn item(trace: &Trace, row: usize) -> SliceItem {
    let at = slice_ref(trace, row as u32);
    let track = trace.tracks.row(at.track as usize);
    let below = (at.lane + 1 < track.lanes && are_below(track.kind))
        .then_some(track.first_lane.saturating_add(at.lane) as usize + 1);
    SliceItem {
        at,
        name: trace.strings.get(trace.slices.name.at(row)).to_owned(),
        category: trace.slices.category(row),
        kind: kind_of(trace, row),
        node: some(trace.slices.node.at(row)).map(|node| trace.nodes.number.at(node as usize)),
        self_ns: OwnTime::above(trace, below).self_ns(at.start_ns, at.duration_ns),
        location: location(trace, place(trace, row)),
        args: Vec::new(),
    }
}
