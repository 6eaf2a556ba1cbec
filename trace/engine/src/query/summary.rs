//! Kernels and other commands by device time.

use syclscope_language::api::KernelSummary;

use crate::hash::FastMap;
use crate::store::graph::Executions;
use crate::store::slices::Slices;
use crate::strings::StringTable;

/// Executions of one name and kind summed up, most device time first.
pub(crate) fn kernels(slices: &Slices, executions: &Executions, strings: &StringTable) -> Vec<KernelSummary> {
    let groups = by_name(slices, executions, strings, 0..executions.kind.len(), |(), _| {});
    groups.into_iter().map(|(summary, ())| summary).collect()
}

/// Those of the executions `rows` that have one name and kind summed up, most device time first, each with what `gather`
/// makes of its rows.
pub(super) fn by_name<T: Default>(
    slices: &Slices,
    executions: &Executions,
    strings: &StringTable,
    rows: impl Iterator<Item = usize>,
    mut gather: impl FnMut(&mut T, usize),
) -> Vec<(KernelSummary, T)> {
    let mut known = FastMap::default();
    let mut groups: Vec<(KernelSummary, T)> = Vec::new();
    for row in rows {
        let (name, kind, duration) = (slices.name.at(row), executions.kind.at(row), slices.duration.at(row));
        let group = *known.entry((name.0, kind as u8)).or_insert_with(|| {
            let name = strings.get(name).to_owned();
            let summary = KernelSummary { name, kind, count: 0, total_ns: 0, min_ns: u64::MAX, max_ns: 0 };
            groups.push((summary, T::default()));
            groups.len() - 1
        });
        let (summary, gathered) = &mut groups[group];
        summary.count += 1;
        summary.total_ns = summary.total_ns.saturating_add(duration);
        summary.min_ns = summary.min_ns.min(duration);
        summary.max_ns = summary.max_ns.max(duration);
        gather(gathered, row);
    }
    groups.sort_by(|(a, _), (b, _)| {
        let most_first = b.total_ns.cmp(&a.total_ns);
        most_first.then_with(|| a.name.cmp(&b.name)).then(a.kind.cmp(&b.kind))
    });
    groups
}
