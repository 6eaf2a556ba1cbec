//! The scale of a chart, with round values at both ends and between them.

use syclscope_language::api::SeriesUnit;
use syclscope_text::count;

/// Number of steps that a scale aims for.
const STEPS: f64 = 3.0;
/// Minimum span of a scale as a fraction of its values, so that noise is not exaggerated.
const MIN_SPAN: f64 = 0.1;

/// Units with their sizes, largest first.
type Units = [(f64, &'static str)];
const BYTES: &Units = &[
    (1_125_899_906_842_624.0, "PiB"),
    (1_099_511_627_776.0, "TiB"),
    (1_073_741_824.0, "GiB"),
    (1_048_576.0, "MiB"),
    (1_024.0, "KiB"),
    (1.0, "B"),
];
const TIMES: &Units = &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    pub(super) low: f64,
    /// Difference of two adjacent labelled values.
    step: f64,
    steps: u32,
}

impl Scale {
    pub(super) fn new(least: u64, most: u64, unit: SeriesUnit) -> Self {
        let (least, most) = (least as f64, most as f64);
        let missing = ((most * MIN_SPAN).max(1.0) - (most - least)).max(0.0);
        let (from, to) = ((least - missing / 2.0).max(0.0), most + missing / 2.0);
        let step = round_step((to - from) / STEPS, unit);
        let low = (from / step).floor() * step;
        let steps = ((to - low) / step).ceil().max(1.0);
        Self { low, step, steps: steps as u32 }
    }

    /// Returns the labelled values, lowest first.
    pub(super) fn labels(&self) -> impl Iterator<Item = u64> {
        let Self { low, step, steps } = *self;
        (0..=steps).map(move |number| (low + step * f64::from(number)).round() as u64)
    }

    /// Returns the text of a labelled value. All of a scale have the same unit and number of decimals.
    pub(super) fn text(&self, value: u64, unit: SeriesUnit) -> String {
        match unit {
            SeriesUnit::Count => count(value),
            // A step is a multiple of its unit, and so is each value. Fractions of binary units are not round.
            SeriesUnit::Bytes => {
                let (size, name) = unit_of(BYTES, self.step);
                format!("{} {name}", count((value as f64 / size).round() as u64))
            }
            SeriesUnit::Nanoseconds => {
                let (size, name) = unit_of(TIMES, self.low + self.step * f64::from(self.steps));
                let decimals = (size / self.step).log10().ceil().max(0.0) as usize;
                format!("{:.decimals$} {name}", value as f64 / size)
            }
        }
    }

    /// Returns the height of a value, from 0 to 1.
    pub(super) fn part(&self, value: u64) -> f64 {
        (value as f64 - self.low) / (self.step * f64::from(self.steps))
    }
}

/// Returns the largest unit that is not larger than a value.
fn unit_of(units: &Units, value: f64) -> (f64, &'static str) {
    units.iter().copied().find(|(size, _)| value >= *size).unwrap_or((1.0, ""))
}

/// Returns the smallest round number that is not below `least`: 1, 2 or 5 with zeros; for bytes, times a binary unit.
fn round_step(least: f64, unit: SeriesUnit) -> f64 {
    let base: f64 = if unit == SeriesUnit::Bytes { 1024.0 } else { 1000.0 };
    let mut power = 1.0;
    while least > power * base {
        power *= base;
    }
    let candidates = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, base];
    let found = candidates.into_iter().map(|factor| factor * power).find(|step| *step >= least);
    found.unwrap_or(power * base)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(least: u64, most: u64, unit: SeriesUnit) -> Vec<u64> {
        Scale::new(least, most, unit).labels().collect()
    }

    #[test]
    fn written_values_are_round_and_hold_all_others() {
        assert_eq!(labels(3, 4, SeriesUnit::Count), [3, 4]);
        assert_eq!(labels(7, 7, SeriesUnit::Count), [6, 7, 8]);
        assert_eq!(labels(0, 0, SeriesUnit::Count), [0, 1]);
        assert_eq!(
            labels(61_300_000, 92_700_000, SeriesUnit::Nanoseconds),
            [60_000_000, 80_000_000, 100_000_000]
        );
        assert_eq!(labels(0, 5_000, SeriesUnit::Bytes), [0, 2_048, 4_096, 6_144]);
        for (least, most) in [(1, 2), (999, 1_001), (0, u64::MAX), (5, 1_000_000_007)] {
            let scale = Scale::new(least, most, SeriesUnit::Nanoseconds);
            assert!(
                (0.0..=1.0).contains(&scale.part(least)) && (0.0..=1.0).contains(&scale.part(most)),
                "{scale:?}"
            );
        }
    }

    #[test]
    fn labels_have_one_unit_and_number_of_decimals() {
        let texts = |least, most, unit| {
            let scale = Scale::new(least, most, unit);
            scale.labels().map(|value| scale.text(value, unit)).collect::<Vec<_>>()
        };
        let times = |least, most| texts(least, most, SeriesUnit::Nanoseconds);
        assert_eq!(times(9_000_000_000, 12_000_000_000), ["9 s", "10 s", "11 s", "12 s"]);
        assert_eq!(times(900_000_000, 1_400_000_000), ["0.8 s", "1.0 s", "1.2 s", "1.4 s"]);
        assert_eq!(times(0, 1_400), ["0.0 µs", "0.5 µs", "1.0 µs", "1.5 µs"]);
        assert_eq!(times(0, 0), ["0 ns", "1 ns"]);
        assert_eq!(texts(0, 5_000, SeriesUnit::Bytes), ["0 KiB", "2 KiB", "4 KiB", "6 KiB"]);
        assert_eq!(texts(1_000, 2_000, SeriesUnit::Bytes), ["1,000 B", "1,500 B", "2,000 B"]);
        assert_eq!(texts(998, 1_003, SeriesUnit::Count), ["950", "1,000", "1,050", "1,100"]);
    }

    #[test]
    fn noise_is_not_stretched() {
        let scale = Scale::new(10_000, 10_010, SeriesUnit::Nanoseconds);
        assert!(scale.part(10_010) - scale.part(10_000) < 0.02, "{scale:?}");
    }
}
