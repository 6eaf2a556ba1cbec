//! Times of the program's regions, as those of commands are compared.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use syclscope_language::api::{ComparedRegion, Presence, RegionSide, TimeChange};
use syclscope_language::sorting::Sorting as _;

use super::regions::Regions;
use super::sample::Sample;
use super::statistics::{Launches, MOST_KEPT, benjamini_hochberg, evidence, thinned, verdict, whole_median};
use super::times::time_change;
use crate::cancel;
use crate::store::Trace;

/// Regions of one path in a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampledRegion {
    /// Names of the regions around it, outermost first, and its own, numbers left out.
    pub region: String,
    /// Number of regions.
    pub count: u64,
    /// Their durations together, in nanoseconds.
    pub total_ns: u64,
    /// Their durations, shortest first; where there are many, quantiles.
    pub durations_ns: Vec<u64>,
}

/// The regions that begin in a range, by path.
pub(super) fn sampled(trace: &Trace, range: &Range<u64>) -> Vec<SampledRegion> {
    let mut texts = Regions::new(trace);
    let mut durations: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for span in trace.region_paths().spans().filter(|span| range.contains(&span.begin)) {
        cancel::row(span.slice as usize);
        durations.entry(texts.number(span.path)).or_default().push(span.end - span.begin);
    }
    let region = |(number, mut durations): (u32, Vec<u64>)| {
        durations.sort_unstable();
        SampledRegion {
            region: texts.text(number).to_owned(),
            count: durations.len() as u64,
            total_ns: durations.iter().fold(0, |sum: u64, ns| sum.saturating_add(*ns)),
            durations_ns: thinned(&durations, MOST_KEPT),
        }
    };
    let mut regions: Vec<SampledRegion> = durations.into_iter().map(region).collect();
    regions.arrange_by_cached_key(|region| region.region.clone());
    regions
}

/// Regions of both sides by path, most time first.
pub(super) fn compared(runs: [&[Sample]; 2]) -> Vec<ComparedRegion> {
    let clock_ns = runs.into_iter().flatten().map(|run| run.clock_ns).max().unwrap_or(1);
    let mut by_path: BTreeMap<&str, [Vec<&SampledRegion>; 2]> = BTreeMap::new();
    for (side, runs) in runs.into_iter().enumerate() {
        for region in runs.iter().flat_map(|run| &run.regions) {
            by_path.entry(&region.region).or_default()[side].push(region);
        }
    }
    let mut found = Vec::new();
    for (path, sides) in by_path {
        let launches =
            sides.each_ref().map(|regions| regions.iter().map(|region| launches(region)).collect::<Vec<_>>());
        let evidence = evidence(&launches[0], &launches[1], clock_ns as f64);
        let [a, b] = sides.each_ref().map(|regions| region_side(regions));
        let presence = match (&a, &b) {
            (Some(_), None) => Presence::OnlyA,
            (None, Some(_)) => Presence::OnlyB,
            _ => Presence::Both,
        };
        let time = time_change(evidence.as_ref(), &launches);
        found.push((ComparedRegion { region: path.to_owned(), presence, a, b, time }, evidence));
    }
    let p: Vec<f64> = found.iter().filter_map(|(_, evidence)| evidence.as_ref()?.p).collect();
    let mut adjusted = benjamini_hochberg(&p).into_iter();
    let judged = found.into_iter().map(|(region, evidence)| {
        let Some(evidence) = evidence else { return region };
        let p = evidence.p.and_then(|_| adjusted.next());
        let time = TimeChange { p, verdict: verdict(&evidence, p), ..region.time };
        ComparedRegion { time, ..region }
    });
    let mut regions: Vec<ComparedRegion> = judged.collect();
    let total = |region: &ComparedRegion| region.a.iter().chain(&region.b).map(|side| side.total_ns).max();
    regions.arrange_by_cached_key(|region| (std::cmp::Reverse(total(region)), region.region.clone()));
    regions
}

fn launches(region: &SampledRegion) -> Launches {
    let durations_ns = region.durations_ns.iter().map(|ns| *ns as f64).collect();
    Launches { durations_ns, count: region.count }
}

/// Medians of the runs of a side.
fn region_side(runs: &[&SampledRegion]) -> Option<RegionSide> {
    Some(RegionSide {
        count: whole_median(runs.iter().map(|region| region.count))?,
        total_ns: whole_median(runs.iter().map(|region| region.total_ns))?,
    })
}
