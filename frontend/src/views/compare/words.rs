use syclscope_language::api::{FigureChange, FigureUnit, TimeChange, ratio_words};
use syclscope_language::question::{PartOfRun, iteration_numbers, iteration_words};

use crate::format;

/// Formats a signed duration: `+1.234 ms`.
pub fn change(ns: i64) -> String {
    signed(ns, |size| format::duration(size as f64))
}

/// Formats the change of a metric; a dash unless each side has exactly one value.
pub fn figure_change(change: &FigureChange) -> String {
    match (&change.a[..], &change.b[..]) {
        ([a], [b]) => {
            let by = i64::try_from(i128::from(*b) - i128::from(*a)).unwrap_or_default();
            signed(by, |size| figure(size, change.unit))
        }
        _ => "–".to_owned(),
    }
}

pub fn bytes_change(change: i64) -> String {
    signed(change, |size| figure(size, FigureUnit::Bytes))
}

/// Formats a metric of some runs: one value, or minimum and maximum.
pub fn figures_of(values: &[u64], unit: FigureUnit) -> String {
    match (values.iter().min(), values.iter().max()) {
        (Some(min), Some(max)) if min == max => figure(*min, unit),
        (Some(min), Some(max)) => format!("{} to {}", figure(*min, unit), figure(*max, unit)),
        _ => "–".to_owned(),
    }
}

fn signed(value: i64, form: impl Fn(u64) -> String) -> String {
    let sign = match value {
        0 => "±",
        value if value > 0 => "+",
        _ => "−",
    };
    format!("{sign}{}", form(value.unsigned_abs()))
}

/// Formats the interval of a ratio; a dash if there is none, as with one run on each side.
pub fn interval(time: &TimeChange) -> String {
    time.interval_words().unwrap_or_else(|| "–".to_owned())
}

pub fn sentence(time: &TimeChange) -> String {
    let (Some(a_ns), Some(b_ns)) = (time.a_ns, time.b_ns) else {
        return "One side has no time.".to_owned();
    };
    let [a, b] = format::durations([a_ns as f64, b_ns as f64]);
    let by = time.ratio.map_or_else(String::new, |middle| format!(" ({})", ratio_words(middle)));
    let how = match b_ns.cmp(&a_ns) {
        std::cmp::Ordering::Less => "less than",
        std::cmp::Ordering::Equal => "as long as",
        std::cmp::Ordering::Greater => "more than",
    };
    match b_ns.abs_diff(a_ns) {
        0 => format!("B takes {b}, {how} A."),
        change => format!("B takes {b}: {} {how} A's {a}{by}.", format::duration(change as f64)),
    }
}

pub fn figure(value: u64, unit: FigureUnit) -> String {
    match unit {
        FigureUnit::Count => format::count(value),
        FigureUnit::Bytes => format::bytes(value as f64),
    }
}

/// Parses the user's text: iterations, or the name of a region.
pub fn parse_part(text: &str) -> PartOfRun {
    let text = text.trim();
    let iterations = iteration_numbers(text);
    let region = Some(text.to_owned()).filter(|text| iterations.is_none() && !text.is_empty());
    PartOfRun { iterations, region, ..PartOfRun::WHOLE }
}

/// Inverse of [`parse_part`].
pub fn part_text(part: &PartOfRun) -> String {
    match (part.region.clone(), part.iterations.map(iteration_words)) {
        (Some(region), Some(numbers)) => format!("{region}#{numbers}"),
        (region, numbers) => region.or(numbers).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_iterations_or_regions() {
        for text in ["", "7", "5-120", "solve", "solve#3-7", "step 7-5"] {
            assert_eq!(part_text(&parse_part(text)), text);
        }
        assert_eq!(parse_part(" 5-120 ").iterations, Some((5, 120)));
        assert_eq!(parse_part("solve#3").region.as_deref(), Some("solve#3"));
        let both: PartOfRun = "iterations=3-7&region=solve".parse().unwrap();
        assert_eq!(part_text(&both), "solve#3-7");
    }

    #[test]
    fn changes_have_signs() {
        assert_eq!([change(1_500), change(-20), change(0)], ["+1.5 µs", "−20 ns", "±0 ns"].map(String::from));
        let launches = |a: &[u64], b: &[u64]| FigureChange {
            a: a.to_vec(),
            b: b.to_vec(),
            unit: FigureUnit::Count,
            ..FigureChange::default()
        };
        assert_eq!(figure_change(&launches(&[5], &[2])), "−3");
        assert_eq!(figure_change(&launches(&[5, 6], &[2])), "–");
        assert_eq!(figures_of(&[3, 1, 2], FigureUnit::Count), "1 to 3");
    }

    #[test]
    fn a_sentence_says_which_side_takes_longer() {
        let time = |a_ns, b_ns| TimeChange {
            a_ns: Some(a_ns),
            b_ns: Some(b_ns),
            ratio: Some(b_ns as f64 / a_ns as f64),
            ..TimeChange::default()
        };
        assert!(sentence(&time(1_000_000, 1_100_000)).contains("more than A's"));
        assert!(sentence(&time(1_000_000, 900_000)).contains("less than A's"));
        assert!(sentence(&time(1_000_000, 1_000_000)).contains("as long as A"));
        assert_eq!(sentence(&TimeChange::default()), "One side has no time.");
    }
}
