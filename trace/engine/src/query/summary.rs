//! Kernels and other commands by device time.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::KernelSummary;

use crate::store::Trace;
use crate::store::cache::cached;
use crate::stretches::within;
use syclscope_language::sorting::Sorting as _;

/// Executions summed up by name and kind, most device time first.
pub(crate) struct Kernels(pub(crate) Vec<KernelSummary>);

cached!(Kernels { 0 });

impl Trace {
    /// Returns the executions summed up by name and kind, most device time first. The first call walks over them.
    pub(crate) fn kernels(&self) -> &[KernelSummary] {
        let sum = || {
            let groups = by_name(self, self.device_work(), &(0..u64::MAX), |(), _| {});
            Kernels(groups.into_iter().map(|(summary, ())| summary).collect())
        };
        &self.shelf.slot().get_or_init(sum).0
    }
}

/// Sums up the executions `rows` by name and kind, most device time in a range first, each with the result of `gather`
/// for its rows.
pub(super) fn by_name<T: Default>(
    trace: &Trace,
    rows: impl Iterator<Item = usize>,
    range: &Range<u64>,
    mut gather: impl FnMut(&mut T, usize),
) -> Vec<(KernelSummary, T)> {
    let Trace { slices, executions, strings, .. } = trace;
    let mut known = FxHashMap::default();
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
        summary.total_ns =
            summary.total_ns.saturating_add(within(range, slices.start.at(row), slices.end(row)));
        summary.min_ns = summary.min_ns.min(duration);
        summary.max_ns = summary.max_ns.max(duration);
        gather(gathered, row);
    }
    groups.arrange_by(|(a, _), (b, _)| {
        let most_first = b.total_ns.cmp(&a.total_ns);
        most_first.then_with(|| a.name.cmp(&b.name)).then(a.kind.cmp(&b.kind))
    });
    groups
}
