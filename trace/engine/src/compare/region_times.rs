//! Comparison of the times of the program's regions, by the method for commands.

use std::collections::BTreeMap;

use syclscope_language::api::{ComparedRegion, Presence, RegionSide, TimeChange};
use syclscope_language::sorting::Sorting as _;

use super::region_sample::SampledRegion;
use super::sample::Sample;
use super::statistics::{Launches, benjamini_hochberg, evidence, verdict, whole_median};
use super::times::time_change;

/// Returns the regions of both sides by path, most time first.
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

/// Returns medians over the runs of a side.
fn region_side(runs: &[&SampledRegion]) -> Option<RegionSide> {
    Some(RegionSide {
        count: whole_median(runs.iter().map(|region| region.count))?,
        total_ns: whole_median(runs.iter().map(|region| region.total_ns))?,
    })
}
