//! Clocks of GPUs while they worked: where they differ, times say nothing of the programs.

use syclscope_language::event::TrackKind;
use syclscope_language::machine_counters::{SM_CLOCK, UTILISATION};

use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Begin of the fact's name; the device's name follows.
const WHILE_BUSY: &str = "GPU SM clock while busy: ";
/// Fewer samples from busy times say nothing.
const LEAST_SAMPLES: usize = 3;
/// Larger changes of a clock, relative to the higher one, differ.
const CHANGE: f64 = 0.05;

/// Returns a fact's name and value for each GPU that was used: its median clock, in MHz, at the samples that fell into work on a device.
pub(super) fn facts(trace: &Trace) -> Vec<(String, String)> {
    let clocks = trace.tracks.iter().filter_map(|track| {
        let device = trace.strings.get(track.name).strip_prefix(SM_CLOCK)?;
        Some((device, some(track.counter)?, track.process))
    });
    let facts = clocks.filter_map(|(device, counter, process)| {
        let rows = trace.counters.rows(counter);
        let used = utilisation(trace, device, process);
        let busy = rows.filter(|row| {
            let at_ns = trace.counters.at.at(*row);
            is_used(&used, at_ns) && is_busy(trace, process, at_ns)
        });
        let mut values: Vec<f64> = busy.map(|row| trace.counters.value.at(row)).collect();
        values.sort_unstable_by(f64::total_cmp);
        let median = values.get(values.len() / 2).filter(|_| values.len() >= LEAST_SAMPLES)?;
        Some((format!("{WHILE_BUSY}{device}"), format!("{median:.1}")))
    });
    facts.collect()
}

/// Returns the samples of a GPU's utilisation, in the order of time.
fn utilisation(trace: &Trace, device: &str, process: u32) -> Vec<(u64, f64)> {
    let is_it = |name: &str| name.strip_prefix(UTILISATION) == Some(device);
    let mut tracks = trace.tracks.iter();
    let track = tracks.find(|track| track.process == process && is_it(trace.strings.get(track.name)));
    let rows = track.and_then(|track| some(track.counter)).map(|counter| trace.counters.rows(counter));
    rows.into_iter().flatten().map(|row| (trace.counters.at.at(row), trace.counters.value.at(row))).collect()
}

/// True if the last sample by then, or the first one, shows work. A GPU without samples counts as used.
fn is_used(samples: &[(u64, f64)], at_ns: u64) -> bool {
    let last = samples.partition_point(|(sample_ns, _)| *sample_ns <= at_ns).saturating_sub(1);
    samples.get(last).is_none_or(|(_, percent)| *percent > 0.0)
}

/// True if a queue of the process ran something at that time.
fn is_busy(trace: &Trace, process: u32, at_ns: u64) -> bool {
    let queues =
        trace.tracks.iter().filter(|track| track.kind == TrackKind::Queue && track.process == process);
    let mut lanes = queues.flat_map(|track| track.first_lane..track.first_lane + track.lanes);
    lanes.any(|lane| {
        let rows = trace.slices.lane(lane as usize);
        // On a lane one slice comes after the other.
        let (mut low, mut high) = (rows.start, rows.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if trace.slices.start.at(middle) <= at_ns { low = middle + 1 } else { high = middle }
        }
        low > rows.start && trace.slices.end(low - 1) > at_ns
    })
}

/// Returns a message for the first GPU whose clocks differ between two groups of runs, each given by its facts' names and values.
pub(super) fn difference(sides: [&[(&str, &str)]; 2]) -> Option<String> {
    let mut names: Vec<&str> = clocks(sides[0]).map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().find_map(|name| {
        let of = |side: &[(&str, &str)]| median(clocks(side).filter(|(other, _)| *other == name).map(|(_, mhz)| mhz));
        let (a, b) = (of(sides[0])?, of(sides[1])?);
        let device = name.strip_prefix(WHILE_BUSY).unwrap_or(name);
        ((a - b).abs() > CHANGE * a.max(b)).then(|| {
            format!(
                "Clocks differed: {:.2} against {:.2} GHz ({device}, median while it was busy), so times say little of the programs.",
                a / 1e3,
                b / 1e3
            )
        })
    })
}

fn clocks<'a>(facts: &[(&'a str, &'a str)]) -> impl Iterator<Item = (&'a str, f64)> {
    let own = facts.iter().filter(|(name, _)| name.starts_with(WHILE_BUSY));
    own.filter_map(|(name, value)| Some((*name, value.parse::<f64>().ok()?)))
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
