//! A device clock that wraps to zero. Many have 32 bits, which at 12.5 MHz wrap in less than six minutes.
//!
//! A reading shows a wrap if it is further behind the expected time than drift explains. The time of a command alone is
//! ambiguous: it belongs to the lap in which it lies between the call that submitted the command and now.

/// Distance from the expected time beyond which a clock has wrapped.
pub(super) const FAR_NS: u64 = 1_000_000_000;

/// Total length of past laps of a clock that wraps, in nanoseconds.
#[derive(Debug, Default)]
pub(super) struct Laps {
    before: Option<u64>,
    now: u64,
    /// Maximum error of the last lap's length.
    error_ns: u64,
}

impl Laps {
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Converts a reading to a clock that never wraps. `expected` is the expected time and its maximum error, if known.
    pub(super) fn reading(&mut self, counter: u64, expected: Option<(u64, u64)>) -> u64 {
        let Some((expected, error_ns)) = expected else { return counter + self.now };
        let behind = expected.saturating_sub(counter + self.now);
        if behind > FAR_NS {
            self.before = Some(self.now);
            self.now += behind;
            self.error_ns = error_ns;
        }
        counter + self.now
    }

    /// Returns the offset of the lap after the last reading's, if its length is known.
    fn next(&self) -> Option<u64> {
        self.before.map(|before| 2 * self.now - before)
    }

    /// Returns the error of a time on the clock that never wraps, in nanoseconds: that of a lap's length, or 0 in the
    /// last reading's lap.
    pub(super) fn error_ns(&self, time: u64) -> u64 {
        let is_after = time >= self.now + self.error_ns;
        let is_before = self.next().is_none_or(|next| time + self.error_ns < next);
        if is_after && is_before { 0 } else { self.error_ns }
    }

    /// Returns the offset of the lap that brings a time nearest to its interval, and true if the time is then within
    /// [`FAR_NS`] of the interval. `distance` returns a time's distance from the interval.
    pub(super) fn nearest(&self, counter: u64, distance: impl Fn(u64) -> u64) -> (u64, bool) {
        let laps = [Some(self.now), self.before, self.next()];
        let nearest =
            laps.into_iter().flatten().min_by_key(|lap| distance(counter + lap)).unwrap_or(self.now);
        (nearest, distance(counter + nearest) <= FAR_NS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;
    /// 2^32 ticks of 80 ns.
    const LAP: u64 = 343_597_383_680;

    #[test]
    fn readings_never_go_back() {
        let mut laps = Laps::default();
        assert_eq!(laps.reading(340 * SECOND, None), 340 * SECOND);
        assert_eq!(laps.reading(341 * SECOND, Some((341 * SECOND + 100, 0))), 341 * SECOND);
        let expected = 350 * SECOND;
        assert_eq!(laps.reading(expected - LAP, Some((expected, 0))), expected);
        let next = expected + SECOND;
        assert_eq!(laps.reading(next - LAP, Some((next, 0))), next);
        // No reading for three laps.
        let later = expected + 3 * LAP + SECOND;
        assert_eq!(laps.reading(later % LAP, Some((later, 0))), later);
    }

    #[test]
    fn times_belong_to_the_lap_in_which_they_can_be() {
        let mut laps = Laps::default();
        let at = |moment: u64| move |time: u64| time.abs_diff(moment);
        assert_eq!(laps.nearest(5 * SECOND, at(5 * SECOND)), (0, true));
        // No reading has shown the wrap yet.
        assert!(!laps.nearest(SECOND, at(LAP + SECOND)).1);
        laps.reading(2 * SECOND, Some((LAP + 2 * SECOND, 0)));
        assert_eq!(laps.nearest(SECOND, at(LAP + SECOND)), (LAP, true));
        assert_eq!(laps.nearest(LAP - SECOND, at(LAP - SECOND)), (0, true), "it was submitted before");
        assert_eq!(
            laps.nearest(SECOND, at(2 * LAP + SECOND)),
            (2 * LAP, true),
            "the length of a lap is known"
        );
    }

    #[test]
    fn times_outside_the_last_readings_lap_are_as_uncertain_as_its_length() {
        let mut laps = Laps::default();
        assert_eq!(laps.error_ns(SECOND), 0, "no lap is known");
        laps.reading(2 * SECOND, Some((LAP + 2 * SECOND, 500)));
        assert_eq!(laps.error_ns(LAP + SECOND), 0);
        assert_eq!([LAP - SECOND, LAP + 499].map(|time| laps.error_ns(time)), [500; 2], "the lap before");
        assert_eq!(laps.error_ns(2 * LAP + SECOND), 500, "the next lap");
        laps.reading(3 * SECOND, Some((LAP + 3 * SECOND, 900)));
        assert_eq!(laps.error_ns(LAP - SECOND), 500, "a reading of the same lap");
    }
}
