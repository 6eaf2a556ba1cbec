//! Kernels and other commands by device time.

use crate::api::KernelSummary;
use crate::hash::FastMap;
use crate::store::graph::Executions;
use crate::store::slices::Slices;
use crate::strings::StringTable;

/// Executions of one name and kind summed up, most device time first.
pub(crate) fn kernels(slices: &Slices, executions: &Executions, strings: &StringTable) -> Vec<KernelSummary> {
    let mut rows = FastMap::default();
    let mut summaries: Vec<KernelSummary> = Vec::new();
    for (row, kind) in executions.kind.iter().enumerate() {
        let (name, duration) = (slices.name.at(row), slices.duration.at(row));
        let summary = *rows.entry((name.0, kind as u8)).or_insert_with(|| {
            summaries.push(KernelSummary {
                name: strings.get(name).to_owned(),
                kind,
                count: 0,
                total_ns: 0,
                min_ns: u64::MAX,
                max_ns: 0,
            });
            summaries.len() - 1
        });
        let summary = &mut summaries[summary];
        summary.count += 1;
        summary.total_ns = summary.total_ns.saturating_add(duration);
        summary.min_ns = summary.min_ns.min(duration);
        summary.max_ns = summary.max_ns.max(duration);
    }
    summaries.sort_by(|a, b| {
        let most_first = b.total_ns.cmp(&a.total_ns);
        most_first.then_with(|| a.name.cmp(&b.name)).then(a.kind.cmp(&b.kind))
    });
    summaries
}
