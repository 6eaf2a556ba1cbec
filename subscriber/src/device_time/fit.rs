//! Fit of a mapping between two clocks to pairs of readings.

/// Both clocks at one moment, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) device: u64,
    /// The middle of the reading's duration.
    pub(super) host: u64,
    /// Half of the reading's duration, the maximum error of the pair.
    pub(super) uncertainty: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mapping {
    pub(super) pairs: u64,
    /// Device time of the last pair, to which the offset belongs.
    pub(super) reference: u64,
    /// Host time minus device time at `reference`.
    pub(super) offset_ns: i64,
    /// Excess speed of the host's clock, in parts per billion.
    pub(super) drift_ppb: i64,
    /// Error bound of a mapped time, in nanoseconds.
    pub(super) residual_ns: u64,
}

/// Error of the fastest reading.
const READING_NS: f64 = 100.0;
/// Maximum usual drift of clocks: 200 parts per million.
pub(super) const USUAL_DRIFT: f64 = 2e-4;
/// Clocks whose readings never differ by more than this, besides the duration of a reading, count as one.
const SAME_NS: u64 = 1_000;
/// Ratio of a pair's uncertainty to the best one's that makes it a bad pair.
const WORSE: u64 = 8;
/// Insignificant difference, in nanoseconds.
const SHORT_NS: u64 = 1_000;

pub(super) fn is_good(pair: &Pair, best_uncertainty: u64) -> bool {
    pair.uncertainty <= best_uncertainty.saturating_mul(WORSE).saturating_add(SHORT_NS)
}

impl Mapping {
    /// Returns the identity if the device's clock was always read within the duration of the reading; `None` without
    /// readings.
    pub(super) fn identity(readings: &[Pair]) -> Option<Self> {
        let last = readings.last()?;
        let is_same = |pair: &Pair| pair.device.abs_diff(pair.host) <= pair.uncertainty + SAME_NS;
        readings.iter().all(is_same).then_some(())?;
        let residual_ns = readings.iter().map(|pair| pair.device.abs_diff(pair.host)).max()?;
        Some(Self { pairs: readings.len() as u64, reference: last.device, residual_ns, ..Self::default() })
    }

    /// Returns the best mapping for pairs in the order of time; `None` without pairs.
    ///
    /// A pair's weight grows with its accuracy. A drift only counts if it exceeds the uncertainty of the pairs.
    pub(super) fn line(pairs: &[Pair]) -> Option<Self> {
        let (first, last) = (pairs.first()?, pairs.last()?);
        // Relative to the first pair, to avoid a loss of floating-point precision.
        let base = difference(first.host, first.device);
        let points: Vec<(f64, f64)> = pairs
            .iter()
            .map(|pair| {
                let since = difference(pair.device, first.device) as f64;
                (since, (difference(pair.host, pair.device) - base) as f64)
            })
            .collect();
        let weights: Vec<f64> =
            pairs.iter().map(|pair| (pair.uncertainty as f64 + READING_NS).powi(-2)).collect();
        let weight: f64 = weights.iter().sum();
        let sum = |each: &dyn Fn(&(f64, f64)) -> f64| -> f64 {
            points.iter().zip(&weights).map(|(point, weight)| each(point) * weight).sum()
        };
        let (mean_time, mean_offset) = (sum(&|point| point.0) / weight, sum(&|point| point.1) / weight);
        let spread = sum(&|point| (point.0 - mean_time).powi(2));
        let together = sum(&|point| (point.0 - mean_time) * (point.1 - mean_offset));
        // As if a drift of 0 ± `USUAL_DRIFT` had been measured, too: weak evidence does not suggest a larger one.
        let precision = spread + USUAL_DRIFT.powi(-2);
        let slope = together / precision;
        let slope = if slope.abs() * precision.sqrt() > 2.0 { slope } else { 0.0 };
        let at_last = mean_offset + slope * (points.last()?.0 - mean_time);
        let mut mapping = Self {
            pairs: pairs.len() as u64,
            reference: last.device,
            offset_ns: i64::try_from(base + at_last.round() as i128).ok()?,
            drift_ppb: (slope * 1e9).round() as i64,
            residual_ns: 0,
        };
        mapping.residual_ns = mapping.how_far_off(pairs)?;
        Some(mapping)
    }

    /// Returns the maximum distance of the mapping from the range that the best pairs allow.
    fn how_far_off(&self, pairs: &[Pair]) -> Option<u64> {
        let best = pairs.iter().map(|pair| pair.uncertainty).min()?;
        let distance = |pair: &Pair| {
            Some(self.to_host(pair.device)?.abs_diff(pair.host).saturating_add(pair.uncertainty))
        };
        pairs.iter().filter(|pair| is_good(pair, best)).filter_map(distance).max()
    }

    /// Returns the possible unknown drift of the clocks, in nanoseconds a nanosecond.
    pub(super) fn unknown_drift(&self, pairs: &[Pair]) -> f64 {
        let Some(best) = pairs.iter().map(|pair| pair.uncertainty).min() else { return USUAL_DRIFT };
        let mut good = pairs.iter().filter(|pair| is_good(pair, best)).map(|pair| pair.device);
        let first = good.next().unwrap_or_default();
        let span = good.next_back().map_or(0, |last| last.saturating_sub(first));
        let unknown = 2.0 * self.residual_ns as f64 / span.max(1) as f64;
        // A clock with an unusual drift may have a further drift of any size.
        let is_usual = self.drift_ppb.unsigned_abs() as f64 <= USUAL_DRIFT * 1e9;
        if is_usual { unknown.min(USUAL_DRIFT) } else { unknown }
    }

    /// Returns the identity for readings of one clock, else the best mapping for them.
    #[cfg(test)]
    fn fit(pairs: &[Pair]) -> Option<Self> {
        Self::identity(pairs).or_else(|| Self::line(pairs))
    }

    /// Returns host time minus device time at a device time, in nanoseconds.
    pub(super) fn offset_at(&self, device_ns: u64) -> i64 {
        let since = difference(device_ns, self.reference);
        self.offset_ns + (since * i128::from(self.drift_ppb) / 1_000_000_000) as i64
    }

    pub(super) fn is_identity(&self) -> bool {
        (self.offset_ns, self.drift_ppb) == (0, 0)
    }

    /// Converts a device time to the host's; `None` if it would be negative.
    pub(super) fn to_host(self, device_ns: u64) -> Option<u64> {
        let since = difference(device_ns, self.reference);
        let drift = since * i128::from(self.drift_ppb) / 1_000_000_000;
        u64::try_from(i128::from(device_ns) + i128::from(self.offset_ns) + drift).ok()
    }

    /// Returns the device's time at a host time, on a clock that never wraps; `None` if it would be negative.
    pub(super) fn to_device(self, host_ns: u64) -> Option<u64> {
        let at_reference = i128::from(self.reference) + i128::from(self.offset_ns);
        let since = i128::from(host_ns) - at_reference;
        // Drifts are so small that the inverse is the same mapping with the opposite sign.
        let drift = since * i128::from(self.drift_ppb) / 1_000_000_000;
        u64::try_from(i128::from(self.reference) + since - drift).ok()
    }

    /// True if both map times alike, within their precision.
    pub(super) fn maps_like(&self, other: &Self) -> bool {
        let at = self.reference.max(other.reference);
        let apart = self.offset_at(at).abs_diff(other.offset_at(at));
        let known_alike =
            self.residual_ns / 2 <= other.residual_ns && other.residual_ns / 2 <= self.residual_ns;
        self.is_identity() == other.is_identity()
            && apart <= self.residual_ns.min(other.residual_ns) / 4
            && known_alike
    }
}

fn difference(left: u64, right: u64) -> i128 {
    i128::from(left) - i128::from(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn pair(device: u64, host: u64) -> Pair {
        Pair { device, host, uncertainty: 500 }
    }

    #[test]
    fn one_clock_is_left_alone_whatever_the_noise() {
        let pairs: Vec<_> =
            (0..20).map(|second| pair(second * SECOND + second * 37 % 900, second * SECOND)).collect();
        let mapping = Mapping::fit(&pairs).unwrap();
        assert_eq!((mapping.offset_ns, mapping.drift_ppb, mapping.pairs), (0, 0, 20));
        assert!(mapping.residual_ns < 900);
        assert_eq!(mapping.to_host(123), Some(123));
    }

    #[test]
    fn an_offset_is_found_without_a_drift_that_is_only_noise() {
        let pairs =
            (0..20).map(|second| pair(second * SECOND, second * SECOND + 7_000_000 + second % 3 * 100));
        let mapping = Mapping::fit(&pairs.collect::<Vec<_>>()).unwrap();
        assert_eq!(mapping.drift_ppb, 0);
        assert!(mapping.offset_ns.abs_diff(7_000_100) < 100);
        assert!(
            (500..=700).contains(&mapping.residual_ns),
            "what a reading may be off by counts: {mapping:?}"
        );
    }

    #[test]
    fn a_drift_is_followed() {
        // 50 parts per million, and a thousand seconds ahead.
        let device = |host: u64| 1_000 * SECOND + host + host / 20_000;
        let pairs: Vec<_> = (0..10).map(|second| pair(device(second * SECOND), second * SECOND)).collect();
        let mapping = Mapping::fit(&pairs).unwrap();
        assert!(mapping.drift_ppb.abs_diff(-50_000) < 100, "{mapping:?}");
        assert!(mapping.residual_ns < 600, "{mapping:?}");
        for host in [3 * SECOND / 2, 9 * SECOND, 10 * SECOND] {
            assert!(mapping.to_device(host).unwrap().abs_diff(device(host)) < 1_000, "{mapping:?}");
            assert!(mapping.to_host(device(host)).unwrap().abs_diff(host) < 1_000);
        }
    }

    #[test]
    fn what_took_long_to_read_counts_little() {
        let mut pairs: Vec<_> =
            (0..20).map(|second| pair(second * SECOND, second * SECOND + 7_000_000)).collect();
        // Queued after a copy, the reading took 10 ms, and its middle is 3 ms off.
        pairs[7] = Pair { host: pairs[7].host + 3_000_000, uncertainty: 5_000_000, ..pairs[7] };
        let mapping = Mapping::fit(&pairs).unwrap();
        assert!(mapping.offset_ns.abs_diff(7_000_000) < 10, "{mapping:?}");
    }

    #[test]
    fn one_pair_gives_an_offset() {
        let mapping = Mapping::fit(&[pair(100, 5_000_000)]).unwrap();
        assert_eq!(mapping.to_host(50), Some(4_999_950));
        assert_eq!(mapping.to_device(4_999_950), Some(50));
        assert_eq!((mapping.pairs, mapping.drift_ppb, mapping.residual_ns), (1, 0, 500));
        assert_eq!(Mapping::fit(&[]), None);
        assert_eq!(Mapping::fit(&[pair(5_000_000, 100)]).unwrap().to_host(50), None);
    }
}
