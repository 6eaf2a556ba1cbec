//! Memory in use over time.

use syclscope_language::api::{Amount, FreeMemory, MemoryPeak, MemorySeries, MemoryUse, has_name};
use syclscope_language::question::{MemoryFilter, MemoryUseQuestion};

use super::history::{Series, Steps};
use super::places::{AllocationPlace, Places, by_bytes};
use super::selected::SelectedMemory;
use crate::id::some;
use crate::query::QueryError;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::store::tracks::TrackRow;

/// Prefix of the counters of a device's free memory.
const FREE: &str = "free memory: ";

impl Trace {
    /// Returns the first moment of a range with most memory in use, over all processes, kinds and devices.
    pub(in crate::query) fn peak_of_memory(&self, from: u64, to: u64) -> u64 {
        let history = self.memory_history();
        let total = history.together(&history.series.iter().collect::<Vec<_>>());
        total.most(from, total.before(from)..total.before(to.max(from.saturating_add(1)))).1
    }

    /// Returns the memory in use in a range of time.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown process.
    pub fn memory_use(&self, question: &MemoryUseQuestion) -> Result<MemoryUse, QueryError> {
        let selected = SelectedMemory::new(self, &question.of)?;
        let from = question.from_ns.unwrap_or_default();
        let end = question.to_ns.unwrap_or(self.duration_ns.saturating_add(1));
        let to = end.max(from.saturating_add(1));
        let width = (to - from).div_ceil(question.points.max(1).into());
        let begins =
            std::iter::successors(Some(from), |begin| begin.checked_add(width).filter(|next| *next < to));
        let at_ns: Vec<u64> = begins.collect();
        let history = self.memory_history();
        let is_selected = |series: &&Series| selected.has(series.process, series.kind, series.device);
        let stacked: Vec<&Series> = history.series.iter().filter(is_selected).collect();
        let total = history.together(&stacked);
        let (total_max_bytes, total_last_bytes) = buckets(&total, &at_ns, to);
        let (bytes, peak_at) = total.most(from, total.before(from)..total.before(to));
        let series = stacked.iter().map(|series| {
            let (max_bytes, last_bytes) = buckets(&series.steps, &at_ns, to);
            let steps = series.steps.before(from)..series.steps.before(to);
            let before_bytes = series.steps.after(steps.start);
            let (peak_bytes, peak_at_ns) = series.steps.most(from, steps);
            MemorySeries {
                process: series.process,
                kind: series.kind,
                device: self.strings.get(series.device).to_owned(),
                before_bytes,
                max_bytes,
                last_bytes,
                peak_bytes,
                peak_at_ns,
            }
        });
        let mut peak = MemoryPeak { at_ns: peak_at, bytes, ..MemoryPeak::default() };
        let at_peak = |series: &&Series| series.steps.after(series.steps.before(peak_at.saturating_add(1)));
        peak.series_bytes = stacked.iter().map(at_peak).collect();
        let mut places: Places<Amount> = Places::new();
        self.live_at(peak_at, |row| {
            if selected.has_row(self, row) {
                peak.count += 1;
                places.at(AllocationPlace::new(self, row)).add(self.allocations.size_bytes.at(row));
            }
        });
        (peak.places, peak.more_places) = by_bytes(self, places, question.places);
        Ok(MemoryUse {
            from_ns: from,
            to_ns: to,
            series: series.collect(),
            total_max_bytes,
            total_last_bytes,
            peak,
            free: free(self, &question.of, &at_ns, to),
            at_ns,
        })
    }
}

/// Returns the maximum and the last value of each bucket.
fn buckets(steps: &Steps, at: &[u64], to: u64) -> (Vec<u64>, Vec<u64>) {
    let ends = at.iter().skip(1).copied().chain([to]);
    let mut begin = at.first().map_or(0, |first| steps.before(*first));
    at.iter()
        .zip(ends)
        .map(|(from, to)| {
            let end = steps.before(to);
            let most = steps.most(*from, begin..end).0;
            begin = end;
            (most, steps.after(end))
        })
        .unzip()
}

/// Returns the free memory of the selected devices, from the counters that report it.
fn free(trace: &Trace, of: &MemoryFilter, at: &[u64], to: u64) -> Vec<FreeMemory> {
    let tracks = trace.tracks.iter().enumerate();
    // The counters of devices of one name have no numbers.
    let is_selected = |free: &FreeMemory| {
        let device = of.device.as_deref();
        device.is_none_or(|device| has_name(&free.device, device) || has_name(device, &free.device))
    };
    tracks
        .filter(|(_, row)| of.process.is_none_or(|process| process == row.process))
        .filter_map(|(track, row)| free_memory(trace, track, &row, at, to))
        .filter(is_selected)
        .collect()
}

fn free_memory(trace: &Trace, track: usize, row: &TrackRow, at: &[u64], to: u64) -> Option<FreeMemory> {
    let device = trace.strings.get(row.name).strip_prefix(FREE)?;
    let samples = trace.counters.rows(some(row.counter)?);
    let times = trace.counters.at.get(samples.clone())?;
    let values = trace.counters.value.get(samples)?;
    let bytes = |value: f64| if value > 0.0 { value as u64 } else { 0 };
    let (process, device) = (row.process, device.to_owned());
    let mut free = FreeMemory { track: track as u32, process, device, ..FreeMemory::default() };
    let mut begin = at.first().map_or(0, |from| times.partition_point(|time| time < from));
    free.before_bytes = begin.checked_sub(1).map(|before| bytes(values[before]));
    for end in at.iter().skip(1).copied().chain([to]) {
        let next = times.partition_point(|time| *time < end);
        if let (Some(first), [.., last]) = (times.get(begin), &values[begin..next.max(begin)]) {
            free.at_ns.push(*first);
            free.min_bytes.push(bytes(values[begin..next].iter().copied().fold(f64::INFINITY, f64::min)));
            free.last_bytes.push(bytes(*last));
        }
        begin = next.max(begin);
    }
    Some(free)
}
