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
}

impl Laps {
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Converts a reading to a clock that never wraps. `expected` is the expected time, if known.
    pub(super) fn reading(&mut self, counter: u64, expected: Option<u64>) -> u64 {
        let behind = expected.map_or(0, |expected| expected.saturating_sub(counter + self.now));
        if behind > FAR_NS {
            self.before = Some(self.now);
            self.now += behind;
        }
        counter + self.now
    }

    /// Returns the offset of the lap that brings a time nearest to its interval, and true if the time is then within
    /// [`FAR_NS`] of the interval. `distance` returns a time's distance from the interval.
    pub(super) fn nearest(&self, counter: u64, distance: impl Fn(u64) -> u64) -> (u64, bool) {
        let next = self.before.map(|before| 2 * self.now - before);
        let laps = [Some(self.now), self.before, next];
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
        assert_eq!(laps.reading(341 * SECOND, Some(341 * SECOND + 100)), 341 * SECOND);
        let expected = 350 * SECOND;
        assert_eq!(laps.reading(expected - LAP, Some(expected)), expected);
        assert_eq!(laps.reading(expected + SECOND - LAP, Some(expected + SECOND)), expected + SECOND);
        // No reading for three laps.
        let later = expected + 3 * LAP + SECOND;
        assert_eq!(laps.reading(later % LAP, Some(later)), later);
    }

    #[test]
    fn times_belong_to_the_lap_in_which_they_can_be() {
        let mut laps = Laps::default();
        let at = |moment: u64| move |time: u64| time.abs_diff(moment);
        assert_eq!(laps.nearest(5 * SECOND, at(5 * SECOND)), (0, true));
        // No reading has shown the wrap yet.
        assert!(!laps.nearest(SECOND, at(LAP + SECOND)).1);
        laps.reading(2 * SECOND, Some(LAP + 2 * SECOND));
        assert_eq!(laps.nearest(SECOND, at(LAP + SECOND)), (LAP, true));
        assert_eq!(laps.nearest(LAP - SECOND, at(LAP - SECOND)), (0, true), "it was submitted before");
        assert_eq!(
            laps.nearest(SECOND, at(2 * LAP + SECOND)),
            (2 * LAP, true),
            "the length of a lap is known"
        );
    }
}
