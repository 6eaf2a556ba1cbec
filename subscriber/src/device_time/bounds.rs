//! Bounds of the difference of two clocks around a moment: by readings of both, and by causality.
//!
//! A command is queued after its enqueueing call started, and has ended when a wait for it returns. Each such pair of
//! times bounds the difference on one side, and is valid however long a reading takes. A poll that found a command
//! unfinished is weaker evidence, because a device notes ends late. So it only counts if nothing contradicts it.

use super::fit::Pair;

/// A bound of host time minus device time, at a device time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bound {
    device: u64,
    offset_ns: i64,
}

impl Bound {
    fn new(device: u64, host: u64) -> Option<Self> {
        let offset_ns = i64::try_from(i128::from(host) - i128::from(device)).ok()?;
        Some(Self { device, offset_ns })
    }

    /// Returns the bound at another device time, if the host's clock runs faster by `drift_ppb` parts per billion.
    fn at(self, device: u64, drift_ppb: i64) -> i64 {
        let distance = i128::from(device) - i128::from(self.device);
        self.offset_ns + (distance * i128::from(drift_ppb) / 1_000_000_000) as i64
    }
}

/// Bounds of the clocks' difference in a part of the run.
#[derive(Debug)]
pub(super) struct Window {
    /// Its start, on the device's clock.
    begin: u64,
    reading: Option<Pair>,
    low: Option<Bound>,
    high: Option<Bound>,
    /// A lower bound that may be wrong.
    pending: Option<Bound>,
}

impl Window {
    pub(super) fn new(begin: u64, reading: Option<Pair>) -> Self {
        Self { begin, reading, low: None, high: None, pending: None }
    }

    /// Returns its start, on the device's clock.
    pub(super) fn begin(&self) -> u64 {
        self.begin
    }

    pub(super) fn reading(&self) -> Option<Pair> {
        self.reading
    }

    pub(super) fn forget_reading(&mut self) {
        self.reading = None;
    }

    /// Widens its reading by an error of the device's times, in nanoseconds, and discards its other bounds.
    pub(super) fn widen(&mut self, error_ns: u64) {
        let widened = |pair: Pair| Pair { uncertainty: pair.uncertainty.saturating_add(error_ns), ..pair };
        *self = Self::new(self.begin, self.reading.map(widened));
    }

    /// Adds a lower bound: the device's time `device` was not before `host`. True if it narrows the interval.
    pub(super) fn not_before(&mut self, device: u64, host: u64, drift_ppb: i64) -> bool {
        is_higher(&mut self.low, device, host, drift_ppb)
    }

    /// Adds a lower bound that is valid if the device notes ends immediately: its time `device` was not before `host`.
    /// True if it narrows the interval.
    pub(super) fn pending(&mut self, device: u64, host: u64, drift_ppb: i64) -> bool {
        is_higher(&mut self.pending, device, host, drift_ppb)
    }

    /// Adds an upper bound: the device's time `device` was not after `host`. True if it narrows the interval.
    pub(super) fn not_after(&mut self, device: u64, host: u64, drift_ppb: i64) -> bool {
        let Some(bound) = Bound::new(device, host) else { return false };
        let is_news = self.high.is_none_or(|best| best.at(device, drift_ppb) > bound.offset_ns);
        if is_news {
            self.high = Some(bound);
        }
        is_news
    }

    /// Returns the bound by [`pending`](Self::pending) on the difference at a time.
    pub(super) fn pending_at(&self, device: u64, drift_ppb: i64) -> Option<i64> {
        self.pending.map(|bound| bound.at(device, drift_ppb))
    }

    /// Returns the tightest certain bounds of the difference at a moment.
    pub(super) fn at(&self, device: u64, drift_ppb: i64) -> (Option<i64>, Option<i64>) {
        let read = |host: fn(Pair) -> u64| {
            let reading = self.reading?;
            Some(Bound::new(reading.device, host(reading))?.at(device, drift_ppb))
        };
        let low = self.low.map(|bound| bound.at(device, drift_ppb));
        let high = self.high.map(|bound| bound.at(device, drift_ppb));
        let read_low = read(|pair| pair.host.saturating_sub(pair.uncertainty));
        let read_high = read(|pair| pair.host.saturating_add(pair.uncertainty));
        (low.max(read_low), high.into_iter().chain(read_high).min())
    }

    /// Returns the bounds as one reading with its uncertainty; `None` without both.
    pub(super) fn pair(&self, drift_ppb: i64) -> Option<Pair> {
        let device = match (self.reading, self.low.or(self.pending), self.high) {
            (Some(reading), ..) => reading.device,
            (None, Some(low), Some(high)) => low.device.midpoint(high.device),
            _ => return None,
        };
        let (low, high) = self.at(device, drift_ppb);
        let high = high?;
        let low = low.max(self.pending_at(device, drift_ppb).filter(|pending| *pending <= high))?;
        let host = u64::try_from(i128::from(device) + i128::from(low.midpoint(high))).ok()?;
        let apart = low.abs_diff(high);
        // Contradictory bounds are wrong by at least this.
        let uncertainty = if low > high { apart } else { apart.div_ceil(2) };
        Some(Pair { device, host, uncertainty })
    }
}

/// Replaces a lower bound by a higher one; true if it was higher.
fn is_higher(best: &mut Option<Bound>, device: u64, host: u64, drift_ppb: i64) -> bool {
    let Some(bound) = Bound::new(device, host) else { return false };
    let is_news = best.is_none_or(|best| best.at(device, drift_ppb) < bound.offset_ns);
    if is_news {
        *best = Some(bound);
    }
    is_news
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_late_counts_where_nothing_contradicts_it() {
        let reading = Pair { device: 100, host: 1_000, uncertainty: 80 };
        let mut window = Window::new(100, Some(reading));
        assert!(window.pending(100, 960, 0));
        assert_eq!(window.pair(0), Some(Pair { device: 100, host: 1_020, uncertainty: 60 }));
        assert!(window.pending(100, 900_000, 0));
        assert_eq!(window.pair(0), Some(reading));
        assert_eq!(window.at(100, 0), (Some(820), Some(980)));
    }

    #[test]
    fn the_tightest_bounds_count() {
        let mut window = Window::new(0, None);
        assert_eq!(window.pair(0), None);
        assert!(window.not_before(100, 1_000, 0));
        assert!(!window.not_before(200, 1_050, 0), "850 ns says less than 900");
        assert_eq!(window.pair(0), None, "nothing above");
        assert!(window.not_after(300, 1_400, 0));
        assert!(window.not_after(300, 1_300, 0));
        assert_eq!(window.pair(0), Some(Pair { device: 200, host: 1_150, uncertainty: 50 }));
        assert_eq!(window.at(200, 0), (Some(900), Some(1_000)));
    }

    #[test]
    fn readings_are_bounds_on_both_sides() {
        let reading = Pair { device: 100, host: 1_000, uncertainty: 80 };
        let mut window = Window::new(100, Some(reading));
        assert_eq!(window.pair(0), Some(reading));
        window.not_before(100, 980, 0);
        assert_eq!(window.pair(0), Some(Pair { device: 100, host: 1_030, uncertainty: 50 }));
        window.forget_reading();
        assert_eq!(window.pair(0), None);
    }

    #[test]
    fn a_widened_window_has_only_its_reading() {
        let mut window = Window::new(100, Some(Pair { device: 100, host: 1_000, uncertainty: 80 }));
        window.not_before(100, 980, 0);
        window.not_after(100, 990, 0);
        window.widen(20);
        assert_eq!(window.pair(0), Some(Pair { device: 100, host: 1_000, uncertainty: 100 }));
    }

    #[test]
    fn a_drift_counts_between_the_moments() {
        let mut window = Window::new(0, None);
        window.not_before(0, 1_000, 0);
        // A host that is a thousandth faster.
        assert_eq!(window.at(1_000_000, 1_000_000), (Some(2_000), None));
    }
}
