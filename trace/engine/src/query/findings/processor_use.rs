//! Processor time of a process while it should have computed, by the recorder's samples.

use syclscope_language::machine_counters::PROCESSOR_USE;

use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::Stretches;

/// A process that computes uses at least a whole processor. Less than this percentage of one is far from that.
const LITTLE_PERCENT: f64 = 50.0;
/// Minimum part of the times that samples have to cover, in percent.
const COVERED_PERCENT: u64 = 80;

/// Returns a statement on the processor time of a process in some times, without a full stop, if it was little; `None`
/// also if samples cover too little of the times.
pub(super) fn little(trace: &Trace, process: u32, times: &Stretches) -> Option<String> {
    let is_it = |name: &str| name == PROCESSOR_USE;
    let mut tracks = trace.tracks.iter();
    let track = tracks.find(|track| track.process == process && is_it(trace.strings.get(track.name)))?;
    let rows = trace.counters.rows(some(track.counter)?);
    let (mut covered_ns, mut percent_ns) = (0, 0.0);
    // A sample is the mean since the one before.
    for row in rows.start + 1..rows.end {
        let ns = times.ns_within(trace.counters.at[row - 1], trace.counters.at[row]);
        covered_ns += ns;
        percent_ns += trace.counters.value[row] * ns as f64;
    }
    let is_covered = covered_ns > 0 && covered_ns / COVERED_PERCENT >= times.ns() / 100;
    let percent = percent_ns / covered_ns as f64;
    (is_covered && percent < LITTLE_PERCENT)
        .then(|| format!("Meanwhile the process had {percent:.0} % of a processor"))
}
