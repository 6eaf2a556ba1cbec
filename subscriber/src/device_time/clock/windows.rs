//! The clocks' difference in recent parts of the run, and the mapping that it suggests.

use std::collections::VecDeque;

use crate::device_time::bounds::Window;
use crate::device_time::fit::{Mapping, Pair, USUAL_DRIFT, is_good};

/// Number of windows: a minute, so that a changing drift is followed.
const WINDOWS: usize = 64;
/// Age up to which a reading is used unchanged, whatever the clocks' drift, in nanoseconds.
const RECENT_NS: u64 = 20_000_000;

/// Recent windows, in the order of their starts.
#[derive(Debug, Default)]
pub(super) struct Windows(VecDeque<Window>);

impl Windows {
    fn readings(&self) -> impl Iterator<Item = Pair> {
        self.0.iter().filter_map(Window::reading)
    }

    /// True if a reading is bad in comparison with earlier ones.
    pub(super) fn is_bad(&self, pair: &Pair) -> bool {
        let best = self.readings().map(|reading| reading.uncertainty).min();
        best.is_some_and(|best| !is_good(pair, best))
    }

    /// Discards windows that begin after a time.
    pub(super) fn discard_after(&mut self, device_ns: u64) {
        self.0.retain(|window| window.begin() <= device_ns);
    }

    /// Adds a reading. If it begins a lap, `lap_error_ns` is the maximum error of the previous lap's length.
    pub(super) fn add(&mut self, pair: Pair, lap_error_ns: Option<u64>) {
        // Discards earlier readings that are bad in comparison with this one.
        for window in &mut self.0 {
            if window.reading().is_some_and(|reading| !is_good(&reading, pair.uncertainty)) {
                window.forget_reading();
            }
            // The length of the last lap, hence the distance to its readings, is as uncertain as the mapping was.
            if let Some(error_ns) = lap_error_ns {
                window.widen(error_ns);
            }
        }
        self.begin(pair.device, Some(pair));
    }

    fn begin(&mut self, device_ns: u64, reading: Option<Pair>) {
        if self.0.len() == WINDOWS {
            self.0.pop_front();
        }
        let place = self.0.partition_point(|window| window.begin() <= device_ns);
        self.0.insert(place, Window::new(device_ns, reading));
    }

    /// Returns the window of a time; the first one for earlier times. Times later than `interval_ns` after the last
    /// window's start begin another one.
    pub(super) fn at(&mut self, device_ns: u64, interval_ns: u64) -> Option<&mut Window> {
        let is_old = |window: &Window| device_ns.saturating_sub(window.begin()) > interval_ns;
        if self.0.back().is_none_or(is_old) {
            self.begin(device_ns, None);
        }
        let after = self.0.partition_point(|window| window.begin() <= device_ns);
        self.0.get_mut(after.saturating_sub(1))
    }

    /// Returns the possible unknown drift of the clocks, in nanoseconds a nanosecond.
    pub(super) fn unknown_drift(&self, drift_ppb: i64) -> f64 {
        let pairs = self.pairs(drift_ppb);
        Mapping::line(&pairs).map_or(USUAL_DRIFT, |line| line.unknown_drift(&pairs))
    }

    /// Returns the mapping that the windows suggest. `last` is the last one.
    pub(super) fn fit(&self, last: Option<Mapping>) -> Option<Mapping> {
        let readings: Vec<Pair> = self.readings().collect();
        Mapping::identity(&readings).or_else(|| self.line(last))
    }

    fn line(&self, last: Option<Mapping>) -> Option<Mapping> {
        let mut mapping: Option<Mapping> = None;
        let mut pairs = Vec::new();
        // The comparison of a window's bounds depends on the drift.
        for _ in 0..2 {
            let drift = mapping.or(last).map_or(0, |mapping| mapping.drift_ppb);
            pairs = self.pairs(drift);
            mapping = Mapping::line(&pairs);
        }
        let mut mapping = mapping?;
        let now = self.0.back().map_or(mapping.reference, |window| window.begin().max(mapping.reference));
        let mut bounds = self.bounds(&mapping, now, mapping.unknown_drift(&pairs));
        if bounds.0 > bounds.1 {
            // The drift is less certain than it seemed.
            bounds = self.bounds(&mapping, now, USUAL_DRIFT);
        }
        let (low, high) = bounds;
        let offset = mapping.offset_at(now);
        let nearest = if low > high { low.midpoint(high) } else { offset.clamp(low, high) };
        mapping.offset_ns += nearest - offset;
        mapping.residual_ns = nearest.abs_diff(low).max(nearest.abs_diff(high));
        Some(mapping)
    }

    fn pairs(&self, drift_ppb: i64) -> Vec<Pair> {
        self.0.iter().filter_map(|window| window.pair(drift_ppb)).collect()
    }

    /// Returns the bounds of the clocks' difference at a time. Bounds from other times are widened by `unknown_drift`,
    /// in nanoseconds a nanosecond.
    fn bounds(&self, mapping: &Mapping, at: u64, unknown_drift: f64) -> (i64, i64) {
        let astray = |window: &Window| {
            let age = at.saturating_sub(window.begin()).saturating_sub(RECENT_NS);
            (age as f64 * unknown_drift) as i64
        };
        let certain = |window: &Window| {
            let (astray, (low, high)) = (astray(window), window.at(at, mapping.drift_ppb));
            (low.map_or(i64::MIN, |low| low - astray), high.map_or(i64::MAX, |high| high + astray))
        };
        let all = self.0.iter().map(certain);
        let (low, high) =
            all.fold((i64::MIN, i64::MAX), |(low, high), bounds| (low.max(bounds.0), high.min(bounds.1)));
        // A device that notes ends late must not shift its clock.
        let pending = self
            .0
            .iter()
            .filter_map(|window| Some(window.pending_at(at, mapping.drift_ppb)? - astray(window)));
        (pending.filter(|pending| *pending <= high).fold(low, i64::max), high)
    }
}

#[cfg(test)]
mod tests {
    use crate::device_time::clock::tests::{pair, times};
    use crate::device_time::clock::{DeviceClock, NOTED_NS};
    use crate::device_time::fit::Pair;

    #[test]
    fn an_end_that_the_device_notes_late_moves_no_clock() {
        const MS: u64 = 1_000_000;
        let mut clock = DeviceClock::default();
        for at in (0..50).map(|step| step * 10 * MS) {
            clock.add(pair(at, at + 7_000 * MS));
        }
        let (mapped, stated) = (clock.on_host(480 * MS), clock.stated_ns(480 * MS));
        // The command has ended at 481 ms, and is seen as not finished for a whole millisecond more.
        let late = times(480 * MS, 481 * MS);
        clock.bound(&late, [7_479 * MS, 7_482 * MS, 7_483 * MS]);
        assert_eq!((clock.on_host(480 * MS), clock.stated_ns(480 * MS)), (mapped, stated));
        // Without other evidence, the late end moves the clock.
        let mut clock = DeviceClock::default();
        clock.add(Pair { uncertainty: 5 * MS, ..pair(480 * MS, 7_480 * MS) });
        clock.bound(&late, [7_479 * MS, 7_482 * MS, 7_483 * MS]);
        assert!(clock.on_host(481 * MS).unwrap() >= 7_482 * MS - NOTED_NS);
    }
}
