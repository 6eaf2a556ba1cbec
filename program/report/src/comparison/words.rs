//! Texts and numbers that all formats of a comparison share.

use syclscope_engine::compare::statistics::RUNS_FOR_A_TEST;
use syclscope_language::api::{
    ComparedEdges, FactDifference, FigureUnit, Presence, Series, SeriesUnit, TimeChange, ratio_words,
};

use syclscope_text::{bytes, count, counted, duration};

/// Minimum number of runs for a change point: with fewer, chance produces equally large changes too often.
const MIN_RUNS: usize = 8;

pub fn no_step(runs: usize) -> String {
    if runs >= MIN_RUNS {
        return "No metric or time changed.".to_owned();
    }
    let are = if runs == 1 { "is" } else { "are" };
    format!("{MIN_RUNS} runs are needed to distinguish a change from chance; there {are} {runs}.")
}

/// Returns a difference of times with its sign: `+1.234 ms`.
pub(super) fn change(ns: i64) -> String {
    let sign = match ns {
        0 => "±",
        ns if ns > 0 => "+",
        _ => "−",
    };
    format!("{sign}{}", duration(ns.unsigned_abs()))
}

/// Returns a time that may be negative.
pub(crate) fn signed(ns: i64) -> String {
    let sign = if ns < 0 { "−" } else { "" };
    format!("{sign}{}", duration(ns.unsigned_abs()))
}

pub(super) fn presence(presence: Presence) -> &'static str {
    match presence {
        Presence::Both => "other reason",
        Presence::OnlyA => "only in A",
        Presence::OnlyB => "only in B",
    }
}

pub(super) fn reason(edges: &ComparedEdges) -> String {
    let reason = match edges.new_reason {
        Some(new) => format!("{} → {}", edges.reason.as_str(), new.as_str()),
        None => edges.reason.as_str().to_owned(),
    };
    reason.replace('_', " ")
}

/// Returns both numbers, or only one if they are equal.
pub(super) fn both(a: u64, b: u64, format: fn(u64) -> String) -> String {
    if a == b { format(a) } else { format!("{} → {}", format(a), format(b)) }
}

/// Describes a change of a time: ratio, interval, probability.
pub(super) fn time(time: &TimeChange) -> String {
    let Some(middle) = time.ratio else { return String::new() };
    let mut text = ratio_words(middle);
    if let Some(interval) = time.interval_words() {
        text += &format!(" ({interval})");
    }
    if let Some(p) = time.p {
        text += &if p < 0.001 { ", p < 0.001".to_owned() } else { format!(", p = {p:.3}") };
    }
    text
}

pub(super) fn before_and_now(of: &TimeChange) -> String {
    let side = |ns: Option<u64>| ns.map_or_else(|| "no time".to_owned(), duration);
    let (a, b) = (side(of.a_ns), side(of.b_ns));
    match time(of) {
        change if change.is_empty() => format!("{a} → {b}"),
        change => format!("{a} → {b}, {change}"),
    }
}

/// Returns a fraction in percent.
pub(super) fn percent(part: f64) -> String {
    format!("{:.0} %", part * 100.0)
}

/// Returns a fraction in percent with all its decimals: `2.5 %`.
pub(super) fn exact_percent(part: f64) -> String {
    format!("{} %", (part * 1e8).round() / 1e6)
}

/// Describes the smallest change of a time that its runs could have shown to be significant.
pub(crate) fn smallest_change(time: &TimeChange) -> String {
    let runs = time.a_runs.min(time.b_runs);
    if (runs as usize) < RUNS_FOR_A_TEST {
        let runs = counted(runs.into(), "run");
        return format!("{runs} per side can't show a significant change; {RUNS_FOR_A_TEST} are needed");
    }
    // The whole interval of a change must lie above 1.
    let width = time.ratio.zip(time.low).map_or(f64::INFINITY, |(ratio, low)| ratio / low - 1.0);
    let smallest = width.max(time.threshold);
    if !smallest.is_finite() {
        return "no change could have been detected".to_owned();
    }
    format!("the smallest detectable change is {}", percent(smallest))
}

pub(super) fn figure(value: u64, unit: FigureUnit) -> String {
    match unit {
        FigureUnit::Count => count(value),
        FigureUnit::Bytes => bytes(value),
    }
}

pub fn in_unit(value: u64, unit: SeriesUnit) -> String {
    match unit {
        SeriesUnit::Count => count(value),
        SeriesUnit::Bytes => bytes(value),
        SeriesUnit::Nanoseconds => duration(value),
    }
}

/// Returns the name of a series: a description for a metric, a kernel's name unchanged.
pub fn series_name(series: &Series) -> String {
    let is_kernel = series.unit == SeriesUnit::Nanoseconds;
    if is_kernel { series.name.clone() } else { series.name.replace('_', " ") }
}

/// Returns the value of all runs, or the smallest and the largest.
pub(crate) fn figures(values: &[u64], unit: FigureUnit) -> String {
    match (values.iter().min(), values.iter().max()) {
        (Some(least), Some(most)) if least == most => figure(*least, unit),
        (Some(least), Some(most)) => format!("{} to {}", figure(*least, unit), figure(*most, unit)),
        _ => "none".to_owned(),
    }
}

pub(crate) fn difference(fact: &FactDifference) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
    format!("{}: {} → {}", fact.words(), value(&fact.a), value(&fact.b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_keep_their_names() {
        let series = |name: &str, unit| Series { name: name.to_owned(), unit, ..Series::default() };
        assert_eq!(series_name(&series("peak_device_bytes", SeriesUnit::Bytes)), "peak device bytes");
        assert_eq!(series_name(&series("reduce_krn<a_b>", SeriesUnit::Nanoseconds)), "reduce_krn<a_b>");
    }

    #[test]
    fn changes_have_signs() {
        assert_eq!([change(1_500), change(-20), change(0)], ["+1.500 µs", "−20 ns", "±0 ns"]);
        let five = TimeChange {
            ratio: Some(1.1),
            low: Some(1.05),
            high: Some(1.2),
            p: Some(0.008),
            ..TimeChange::default()
        };
        assert_eq!(time(&five), "+10.0 % (+5.0 % to +20.0 %), p = 0.008");
        assert_eq!(time(&TimeChange::default()), "");
        assert_eq!(figures(&[3, 1, 2], FigureUnit::Count), "1 to 3");
    }
}
