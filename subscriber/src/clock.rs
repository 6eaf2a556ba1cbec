//! The time of records.
//!
//! The program's threads read the processor's counter, the fastest clock there is. The writer's thread reads both the
//! counter and `CLOCK_MONOTONIC` in every step, and converts each record's time to that clock by the readings before
//! and after it. Where the counter is unreliable, the threads read the clock themselves.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use crate::flags::FLAGS;
use crate::os::{self, counter};

/// Returns the current time in ticks: the counter's value, or nanoseconds. Only the writer's [`Calibration`] converts
/// it.
#[inline(always)]
pub(crate) fn ticks() -> u64 {
    if FLAGS.uses_counter.load(Ordering::Relaxed) { counter::counter() } else { os::monotonic_ns() }
}

/// Chooses the clock of this process; call it before the first record.
pub(crate) fn choose(may_use_counter: bool) {
    FLAGS.uses_counter.store(may_use_counter && counter::is_reliable(), Ordering::Relaxed);
}

/// Uses the clock that another process has chosen.
pub(crate) fn count_like(uses_counter: bool) {
    FLAGS.uses_counter.store(uses_counter, Ordering::Relaxed);
}

pub(crate) fn uses_counter() -> bool {
    FLAGS.uses_counter.load(Ordering::Relaxed)
}

pub(crate) fn now() -> Pair {
    read(uses_counter())
}

/// Both clocks at the same moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) ticks: u64,
    pub(crate) ns: u64,
}

/// Number of the newest readings, none of which is removed.
const NEWEST_PAIRS: usize = 1024;
/// Maximum number of readings. Calls and waits that began long ago need the older ones.
const MAX_PAIRS: usize = 8 * NEWEST_PAIRS;
/// Minimum distance of older readings.
const APART_NS: u64 = 1_000_000_000;
/// Attempts to get an uninterrupted reading.
const TRIES: usize = 4;

#[derive(Debug)]
pub(crate) struct Calibration {
    uses_counter: bool,
    pairs: VecDeque<Pair>,
    /// The line between the readings around the last converted time.
    around: Line,
    /// Largest distance of a reading from the line through its neighbours, in nanoseconds.
    pub(crate) residual_ns: u64,
}

impl Calibration {
    pub(crate) fn begin(first: Pair) -> Self {
        let uses_counter = uses_counter();
        let pairs = VecDeque::from([first]);
        Self { uses_counter, pairs, around: Line::through(first, first), residual_ns: 0 }
    }

    /// Creates a calibration whose ticks are nanoseconds, whatever clock the process uses.
    #[cfg(test)]
    pub(crate) fn of_nanoseconds(first: Pair) -> Self {
        Self { uses_counter: false, ..Self::begin(first) }
    }

    /// Takes a reading, which makes all earlier records convertible.
    pub(crate) fn update(&mut self) {
        if self.uses_counter {
            self.add(read(true));
        }
    }

    fn add(&mut self, pair: Pair) {
        let Some(&last) = self.pairs.back() else { return };
        // A counter that stops or runs backwards is unusable.
        if pair.ticks <= last.ticks || pair.ns <= last.ns {
            return;
        }
        if let Some(&before) = self.pairs.len().checked_sub(2).and_then(|index| self.pairs.get(index)) {
            let expected = Line::through(before, pair).ns(last.ticks);
            self.residual_ns = self.residual_ns.max(expected.abs_diff(last.ns));
        }
        self.pairs.push_back(pair);
        self.thin_out();
    }

    /// Removes the reading that is no longer among the newest if the one before it is close. Times between distant
    /// readings are more exact than times before the first one: the speed between close readings is inexact.
    fn thin_out(&mut self) {
        let Some(old) = self.pairs.len().checked_sub(NEWEST_PAIRS + 1) else { return };
        let before = old.checked_sub(1).and_then(|index| self.pairs.get(index));
        let is_close = |before: &Pair| self.pairs.get(old).is_some_and(|old| old.ns < before.ns + APART_NS);
        if before.is_some_and(is_close) {
            self.pairs.remove(old);
        }
        if self.pairs.len() > MAX_PAIRS {
            self.pairs.pop_front();
        }
    }

    /// Returns ticks as nanoseconds of `CLOCK_MONOTONIC`.
    #[inline]
    pub(crate) fn ns(&mut self, ticks: u64) -> u64 {
        if !self.uses_counter {
            return ticks;
        }
        if ticks < self.around.begin.ticks || ticks >= self.around.end_ticks {
            self.look_around(ticks);
        }
        self.around.ns(ticks)
    }

    #[cold]
    fn look_around(&mut self, ticks: u64) {
        let after = self.pairs.partition_point(|pair| pair.ticks <= ticks);
        let after = after.clamp(1, self.pairs.len().saturating_sub(1).max(1));
        if let (Some(before), Some(after)) = (self.pairs.get(after - 1), self.pairs.get(after)) {
            self.around = Line::through(*before, *after);
        }
    }

    /// Returns the moment `ns` nanoseconds before the last reading, in ticks.
    pub(crate) fn before_last(&self, ns: u64) -> u64 {
        if !self.uses_counter {
            return os::monotonic_ns().saturating_sub(ns);
        }
        match (self.pairs.front(), self.pairs.back()) {
            (Some(first), Some(last)) if last.ns > first.ns => {
                let speed = (last.ticks - first.ticks) as f64 / (last.ns - first.ns) as f64;
                last.ticks.saturating_sub((ns as f64 * speed) as u64)
            }
            // Nothing is due before the second reading.
            _ => 0,
        }
    }

    pub(crate) fn describe(&self) -> String {
        let (Some(first), Some(last)) = (self.pairs.front(), self.pairs.back()) else { return String::new() };
        if !self.uses_counter {
            return "CLOCK_MONOTONIC, read for every record".to_owned();
        }
        let megahertz = (last.ticks - first.ticks) as f64 * 1e3 / (last.ns - first.ns).max(1) as f64;
        format!(
            "the processor's counter at {megahertz:.3} MHz, brought to CLOCK_MONOTONIC within {} ns",
            self.residual_ns
        )
    }
}

/// The line through two readings.
#[derive(Clone, Copy, Debug)]
struct Line {
    begin: Pair,
    end_ticks: u64,
    /// Nanoseconds per tick; 0 if both readings are the same. Computed once for the line, because a division for each
    /// record would take longer than the rest of the conversion.
    speed: f64,
}

impl Line {
    fn through(begin: Pair, end: Pair) -> Self {
        let speed = match end.ticks == begin.ticks {
            true => 0.0,
            false => (end.ns - begin.ns) as f64 / (end.ticks - begin.ticks) as f64,
        };
        Self { begin, end_ticks: end.ticks, speed }
    }

    #[inline]
    fn ns(&self, ticks: u64) -> u64 {
        let Self { begin, speed, .. } = *self;
        if ticks >= begin.ticks {
            begin.ns + ((ticks - begin.ticks) as f64 * speed) as u64
        } else {
            begin.ns.saturating_sub(((begin.ticks - ticks) as f64 * speed) as u64)
        }
    }
}

/// Reads both clocks as close together as possible.
fn read(uses_counter: bool) -> Pair {
    read_within(uses_counter).1
}

/// Reads both clocks as [`read`] does, and returns the width of the reading in ticks with it.
fn read_within(uses_counter: bool) -> (u64, Pair) {
    if !uses_counter {
        let ns = os::monotonic_ns();
        return (0, Pair { ticks: ns, ns });
    }
    let reading = || {
        let before = counter::counter();
        let ns = os::monotonic_ns();
        let after = counter::counter();
        (after.wrapping_sub(before), Pair { ticks: before + after.wrapping_sub(before) / 2, ns })
    };
    (0..TRIES).map(|_| reading()).min_by_key(|(width, _)| *width).unwrap_or_else(reading)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn with_pairs(pairs: &[(u64, u64)]) -> Calibration {
        let first = Pair { ticks: pairs[0].0, ns: pairs[0].1 };
        let mut calibration = Calibration {
            uses_counter: true,
            pairs: VecDeque::from([first]),
            around: Line::through(first, first),
            residual_ns: 0,
        };
        pairs[1..].iter().for_each(|(ticks, ns)| calibration.add(Pair { ticks: *ticks, ns: *ns }));
        calibration
    }

    #[test]
    fn moments_lie_on_the_lines_between_readings() {
        let mut calibration = with_pairs(&[(1000, 500), (2000, 1000), (4000, 1800)]);
        for (ticks, ns) in
            [(1000, 500), (1500, 750), (2000, 1000), (3000, 1400), (4000, 1800), (5000, 2200), (0, 0)]
        {
            assert_eq!(calibration.ns(ticks), ns, "{ticks}");
        }
        assert_eq!(calibration.residual_ns, 67, "the middle one lies off the line between the others");
        assert_eq!(calibration.before_last(130), 3700);
        assert!(calibration.describe().contains("within 67 ns"), "{}", calibration.describe());
    }

    #[test]
    fn a_counter_that_goes_back_is_not_believed() {
        let mut calibration = with_pairs(&[(1000, 500), (2000, 1000), (1500, 2000), (3000, 900)]);
        assert_eq!(calibration.pairs.len(), 2);
        assert_eq!(calibration.ns(2500), 1250);
    }

    #[test]
    fn old_readings_are_kept_at_a_distance_and_then_forgotten() {
        let pairs: Vec<_> = (1..3000_u64).map(|round| (round * 10, round * 5)).collect();
        assert_eq!(with_pairs(&pairs).pairs.len(), NEWEST_PAIRS + 1, "and the first");
        let pairs: Vec<_> = (1..20_000_u64).map(|round| (round * 2 * APART_NS, round * APART_NS)).collect();
        let mut calibration = with_pairs(&pairs);
        assert_eq!(calibration.pairs.len(), MAX_PAIRS);
        assert_eq!(calibration.ns(2 * APART_NS), APART_NS, "on the oldest line that is known");
    }

    #[test]
    fn a_call_that_began_long_ago_has_its_time() {
        const STEP_NS: u64 = 4_000_000;
        // Every second reading is 80 ns late.
        let reading = |round: u64| (round * 2 * STEP_NS, round * STEP_NS + 80 * (round % 2));
        let pairs: Vec<_> = (1..6000).map(reading).collect();
        let mut calibration = with_pairs(&pairs);
        for round in [10, 700, 2_500, 5_990] {
            let off = calibration.ns(round * 2 * STEP_NS).abs_diff(round * STEP_NS);
            assert!(off <= 160, "{off} ns off, {} s ago", (6000 - round) * STEP_NS / 1_000_000_000);
        }
    }

    #[test]
    fn the_counter_follows_the_clock_and_keeps_the_order() {
        choose(true);
        let first = read_within(uses_counter());
        let mut calibration = Calibration::begin(first.1);
        let mut readings = vec![first];
        let mut moments = Vec::new();
        for _ in 0..40 {
            for _ in 0..50 {
                let (before, ticks, after) = (os::monotonic_ns(), super::ticks(), os::monotonic_ns());
                moments.push((before, ticks, after));
            }
            std::thread::sleep(Duration::from_millis(5));
            let reading = read_within(uses_counter());
            calibration.add(reading.1);
            readings.push(reading);
        }
        let (begin, end) = (readings[0].1, readings[readings.len() - 1].1);
        let ns_per_tick = (end.ns - begin.ns) as f64 / (end.ticks - begin.ticks) as f64;
        let mut last = 0;
        for (before, ticks, after) in moments {
            let ns = calibration.ns(ticks);
            assert!(ns >= last, "the order is kept");
            last = ns;
            // The line is only as exact as the readings at its ends, which a busy machine may interrupt; a wrong speed
            // would cause a far larger error.
            let next = readings.partition_point(|(_, pair)| pair.ticks <= ticks);
            let width =
                readings[next.saturating_sub(1)..=next].iter().map(|(width, _)| *width).max().unwrap();
            let within = (width as f64 * ns_per_tick) as u64 + 50_000;
            assert!(ns + within >= before && ns <= after + within, "{ns} is not within {before}..{after}");
        }
        assert_eq!(calibration.describe().contains("MHz"), counter::is_reliable());
    }
}
