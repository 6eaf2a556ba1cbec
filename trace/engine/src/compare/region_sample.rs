//! The program's regions in a sample of a run.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use syclscope_language::sorting::Sorting as _;

use super::regions::Regions;
use super::statistics::{MAX_DURATIONS, thinned};
use crate::cancel;
use crate::store::Trace;

/// Regions of one path in a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampledRegion {
    /// Names of the enclosing regions, outermost first, and of the region itself, without numbers.
    pub region: String,
    /// Number of regions.
    pub count: u64,
    /// Total duration in nanoseconds.
    pub total_ns: u64,
    /// Durations in nanoseconds, shortest first; quantiles if there are many.
    pub durations_ns: Vec<u64>,
}

/// Returns the regions that begin in a range, by path.
pub(super) fn sampled(trace: &Trace, range: &Range<u64>) -> Vec<SampledRegion> {
    let mut texts = Regions::new(trace);
    let mut durations: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for span in trace.region_paths().slices().filter(|span| range.contains(&span.begin)) {
        cancel::row(span.slice as usize);
        durations.entry(texts.number(span.path)).or_default().push(span.end - span.begin);
    }
    let region = |(number, mut durations): (u32, Vec<u64>)| {
        durations.sort_unstable();
        SampledRegion {
            region: texts.text(number).to_owned(),
            count: durations.len() as u64,
            total_ns: durations.iter().fold(0, |sum: u64, ns| sum.saturating_add(*ns)),
            durations_ns: thinned(&durations, MAX_DURATIONS),
        }
    };
    let mut regions: Vec<SampledRegion> = durations.into_iter().map(region).collect();
    regions.arrange_by_cached_key(|region| region.region.clone());
    regions
}
