//! Words and numbers that all forms of a comparison share.

use syclscope_engine::compare::statistics::LEAST_CHANGE;
use syclscope_language::api::{
    ComparedRow, FactDifference, FigureChange, FigureUnit, Likeness, PartKind, Presence, SeriesUnit,
    TimeChange, Verdict, WaterfallPart,
};

use crate::text::{bytes, count, duration};

/// A difference of times with its sign: `+1.234 ms`.
pub(super) fn change(ns: i64) -> String {
    let sign = match ns {
        0 => "±",
        ns if ns > 0 => "+",
        _ => "−",
    };
    format!("{sign}{}", duration(ns.unsigned_abs()))
}

/// A ratio as a change: `+10.0 %`, `2.50×` from a doubling or a halving on.
pub(super) fn ratio(ratio: f64) -> String {
    if ratio > 0.0 && ratio < 0.01 {
        return format!("1/{:.0}", 1.0 / ratio);
    }
    if !(0.5..2.0).contains(&ratio) {
        return format!("{ratio:.2}×");
    }
    format!("{:+.1} %", (ratio - 1.0) * 100.0).replace('-', "−")
}

/// A change of a time in a few words: ratio, interval, probability.
pub(super) fn time(time: &TimeChange) -> String {
    let Some(middle) = time.ratio else { return String::new() };
    let mut text = ratio(middle);
    if let (Some(low), Some(high)) = (time.low, time.high) {
        text += &format!(" ({} to {})", ratio(low), ratio(high));
    }
    if let Some(p) = time.p {
        text += &if p < 0.001 { ", p < 0.001".to_owned() } else { format!(", p = {p:.3}") };
    }
    text
}

/// What follows for a row, as one word.
pub(super) fn verdict(row: &ComparedRow) -> &'static str {
    match (row.presence, row.time.verdict) {
        (Presence::OnlyA, _) => "only in A",
        (Presence::OnlyB, _) => "only in B",
        (Presence::Both, Verdict::Incomparable) => "no times",
        (Presence::Both, Verdict::Same) if is_within_noise(&row.time) => "same, within noise",
        (Presence::Both, verdict) => verdict.as_str(),
    }
}

/// Whether a change would count, if runs of one side differed by less.
pub(super) fn is_within_noise(time: &TimeChange) -> bool {
    let change = time.ratio.map_or(0.0, |ratio| if ratio >= 1.0 { ratio - 1.0 } else { 1.0 / ratio - 1.0 });
    time.verdict == Verdict::Same && change > LEAST_CHANGE
}

/// How much alike the sides of a row are, where they are not the same; else empty.
pub(super) fn likeness(row: &ComparedRow) -> String {
    match row.likeness {
        Likeness::Same => String::new(),
        Likeness::Moved => "moved in the source".to_owned(),
        Likeness::OtherQueue => "another kind of queue".to_owned(),
        Likeness::Renamed => match &row.a {
            Some(before) => format!("was {}", before.name),
            None => "renamed".to_owned(),
        },
        Likeness::Split if row.presence == Presence::OnlyA => {
            "now done by several, or with another".to_owned()
        }
        Likeness::Split => "a part of what was one, or several in one".to_owned(),
    }
}

/// The name of a row: that of now, where it has one.
pub(super) fn name(row: &ComparedRow) -> &str {
    row.b.as_ref().or(row.a.as_ref()).map_or("", |side| &side.name)
}

/// A figure in its unit.
pub(super) fn figure(value: u64, unit: FigureUnit) -> String {
    match unit {
        FigureUnit::Count => count(value),
        FigureUnit::Bytes => bytes(value),
    }
}

/// A value of a series in its unit.
pub(super) fn in_unit(value: u64, unit: SeriesUnit) -> String {
    match unit {
        SeriesUnit::Count => count(value),
        SeriesUnit::Bytes => bytes(value),
        SeriesUnit::Nanoseconds => duration(value),
    }
}

/// The figures of some runs: one, or the least and the most.
pub(super) fn figures(values: &[u64], unit: FigureUnit) -> String {
    match (values.iter().min(), values.iter().max()) {
        (Some(least), Some(most)) if least == most => figure(*least, unit),
        (Some(least), Some(most)) => format!("{} to {}", figure(*least, unit), figure(*most, unit)),
        _ => "none".to_owned(),
    }
}

/// The name of a figure in words.
pub(super) fn figure_name(figure: &FigureChange) -> String {
    figure.name.replace('_', " ")
}

/// What a part of the waterfall is, in words.
pub(super) fn part(part: &WaterfallPart) -> String {
    match part.kind {
        PartKind::Delay => "delay: on the way, or the device busy with other work".to_owned(),
        PartKind::Start => "before the first event".to_owned(),
        PartKind::Build => "building device code".to_owned(),
        PartKind::Host => format!("host: {}", part.name),
        kind => format!("{} {}", kind.words(), part.name),
    }
}

/// A fact that differs, in words.
pub(super) fn difference(fact: &FactDifference) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
    let name = if fact.name == fact.about { String::new() } else { format!(" {}", fact.name) };
    format!("{}{name}: {} → {}", fact.about, value(&fact.a), value(&fact.b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_signs_and_large_ones_are_factors() {
        assert_eq!([change(1_500), change(-20), change(0)], ["+1.500 µs", "−20 ns", "±0 ns"]);
        assert_eq!(
            [ratio(1.1), ratio(0.9), ratio(3.0), ratio(0.25)],
            ["+10.0 %", "−10.0 %", "3.00×", "0.25×"]
        );
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
