//! The slices that a filter means, summed up by name.

use syclscope_trace::api::{Selected, SliceGroup};
use syclscope_trace::filter::Filter;
use syclscope_trace::source::{GroupOrder, SelectQuestion, Selection};
use syclscope_trace::store::Trace;

use super::text::cut;
use crate::text::{Align, Table, count, duration, printable};

/// Longest name, before it is made to fit.
const NAME_CHARACTERS: usize = 200;

/// The slices of a trace that a filter means, every group of them.
pub(super) fn select(trace: &Trace, filter: &Filter) -> Selected {
    let selection = Selection { filter: filter.clone(), ..Selection::default() };
    // Only tracks that don't exist are refused, and none is named.
    trace.select(&SelectQuestion { selection, sort: GroupOrder::Total, groups: u32::MAX }).unwrap_or_default()
}

/// A table of the first `most` groups with a sum of all below it.
pub(super) fn table(selected: &Selected, filter: &Filter, most: usize, width: usize) -> Vec<String> {
    let total = &selected.total;
    if total.count == 0 {
        return vec![format!("no slices are meant by {filter}")];
    }
    let mut table = Table::new([
        ("name", Align::Name),
        ("category", Align::Left),
        ("count", Align::Right),
        ("total", Align::Right),
        ("own", Align::Right),
        ("mean", Align::Right),
        ("p50", Align::Optional),
        ("p95", Align::Right),
        ("max", Align::Right),
    ]);
    for SliceGroup { name, category, stats, .. } in selected.groups.iter().take(most) {
        table.row([
            printable(name, NAME_CHARACTERS),
            category.as_str().to_owned(),
            count(stats.count),
            duration(stats.total_ns),
            duration(stats.self_ns),
            duration(stats.mean_ns),
            duration(stats.p50_ns),
            duration(stats.p95_ns),
            duration(stats.max_ns),
        ]);
    }
    let mut lines = cut(table.lines(width), selected.groups.len(), most);
    lines.push(String::new());
    lines.push(format!(
        "{} slices of {} names: {} together, from {} to {}, 95 of 100 within {}",
        count(total.count),
        count(selected.groups.len() as u64),
        duration(total.total_ns),
        duration(total.min_ns),
        duration(total.max_ns),
        duration(total.p95_ns),
    ));
    lines
}
