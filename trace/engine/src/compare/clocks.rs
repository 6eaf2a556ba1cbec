//! Clocks of GPUs while the program used them: if they differ, times can't be compared.

use std::collections::BTreeMap;
use std::ops::Range;

use syclscope_language::event::TrackKind;
use syclscope_language::machine_counters::{CORE_CLOCK, SM_CLOCK, UTILISATION};

use super::statistics::median;
use crate::cancel;
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::Stretches;

/// Clocks of GPUs by vendor, each with the prefix of its fact's name; the device's name follows.
const CLOCKS: [(&str, &str); 2] = [
    (SM_CLOCK, "GPU SM clock while queues ran something: "),
    (CORE_CLOCK, "GPU clock while queues ran something: "),
];
/// Minimum number of samples of a used GPU.
const MIN_SAMPLES: usize = 3;
/// Maximum difference of equal clocks, as a share of the higher one.
const CHANGE: f64 = 0.05;

/// Returns a fact's name and value for each used GPU: the median of its clock's samples, in MHz, while the queues of
/// its process ran something.
pub(super) fn facts(trace: &Trace, range: &Range<u64>) -> Vec<(String, String)> {
    let clocks = trace.tracks.iter().filter_map(|track| {
        let name = trace.strings.get(track.name);
        let (fact, device) =
            CLOCKS.iter().find_map(|(clock, fact)| Some((fact, name.strip_prefix(clock)?)))?;
        Some((fact, device, some(track.counter)?, track.process))
    });
    let mut ran: BTreeMap<u32, Stretches> = BTreeMap::new();
    let facts = clocks.filter_map(|(fact, device, counter, process)| {
        let ran = ran.entry(process).or_insert_with(|| busy_times(trace, process));
        let used = utilisation(trace, device, process);
        let samples = trace.counters.rows(counter).map(|row| (trace.counters.at.at(row), row));
        let samples = samples
            .filter(|(at_ns, _)| range.contains(at_ns) && ran.contains(*at_ns) && is_used(&used, *at_ns));
        let values: Vec<f64> = samples.map(|(_, row)| trace.counters.value.at(row)).collect();
        (values.len() >= MIN_SAMPLES).then(|| (format!("{fact}{device}"), format!("{:.1}", median(&values))))
    });
    facts.collect()
}

/// Returns the samples of a GPU's utilisation by time.
fn utilisation(trace: &Trace, device: &str, process: u32) -> Vec<(u64, f64)> {
    let is_it = |name: &str| name.strip_prefix(UTILISATION) == Some(device);
    let mut tracks = trace.tracks.iter();
    let track = tracks.find(|track| track.process == process && is_it(trace.strings.get(track.name)));
    let rows = track.and_then(|track| some(track.counter)).map(|counter| trace.counters.rows(counter));
    rows.into_iter().flatten().map(|row| (trace.counters.at.at(row), trace.counters.value.at(row))).collect()
}

/// True if the last sample until then, or else the first one, shows work. A GPU without samples counts as used.
fn is_used(samples: &[(u64, f64)], at_ns: u64) -> bool {
    let last = samples.partition_point(|(sample_ns, _)| *sample_ns <= at_ns).saturating_sub(1);
    samples.get(last).is_none_or(|(_, percent)| *percent > 0.0)
}

fn busy_times(trace: &Trace, process: u32) -> Stretches {
    let queues =
        trace.tracks.iter().filter(|track| track.kind == TrackKind::Queue && track.process == process);
    let lanes = queues.flat_map(|track| track.lane_range());
    let rows = lanes.flat_map(|lane| trace.slices.lane(lane));
    let interval = |row: usize| {
        cancel::row(row);
        trace.slices.interval(row)
    };
    Stretches::new(rows.map(interval).collect())
}

/// Returns a message for the first GPU whose clocks differ between two groups of runs, each given by its facts' names
/// and values.
pub(super) fn difference(sides: [&[(&str, &str)]; 2]) -> Option<String> {
    let mut names: Vec<&str> = clocks(sides[0]).map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().find_map(|name| {
        let of = |side: &[(&str, &str)]| {
            let own = clocks(side).filter(|(other, _)| *other == name);
            let values: Vec<f64> = own.map(|(_, mhz)| mhz).collect();
            (!values.is_empty()).then(|| median(&values))
        };
        let (a, b) = (of(sides[0])?, of(sides[1])?);
        let device = device(name).unwrap_or(name);
        ((a - b).abs() > CHANGE * a.max(b)).then(|| {
            format!(
                "Clocks differed: {:.2} against {:.2} GHz ({device}, median of samples at which the program's queues ran something), so times say little of the programs.",
                a / 1e3,
                b / 1e3
            )
        })
    })
}

fn clocks<'a>(facts: &[(&'a str, &'a str)]) -> impl Iterator<Item = (&'a str, f64)> {
    let own = facts.iter().filter(|(name, _)| device(name).is_some());
    own.filter_map(|(name, value)| Some((*name, value.parse::<f64>().ok()?)))
}

fn device(fact: &str) -> Option<&str> {
    CLOCKS.iter().find_map(|(_, begin)| fact.strip_prefix(begin))
}
