//! A device clock that wraps to zero. Many have 32 bits, which at 12.5 MHz wrap in less than six minutes.
//!
//! A reading shows a wrap if it is further behind the expected time than drift explains. The time of a command alone is
//! ambiguous: it belongs to the lap in which it lies between the call that submitted the command and now.

/// Distance from the expected time beyond which a clock has wrapped.
pub(super) const FAR_NS: u64 = 1_000_000_000;
/// Weight of an answer. A slow reading shows no lap and weighs one: a busy machine interrupts several in a row.
const ANSWER: u64 = 8;
/// Weight of the answers to await for a time in an unknown lap: the first reading may have started earlier.
const ANSWERS_FOR_A_LAP: u64 = 2 * ANSWER;
/// Weight of the answers after which the next time in an unknown lap is awaited: a time that no lap explains must
/// neither hide a later wrap nor delay every command.
const ANSWERS_UNTIL_ANOTHER: u64 = 8 * ANSWER;

/// Total length of past laps of a clock that wraps, in nanoseconds, and the search for the lap of a command's time.
#[derive(Debug, Default)]
pub(super) struct Laps {
    before: Option<u64>,
    now: u64,
    /// Maximum error of the last lap's length.
    error_ns: u64,
    /// Weight of all answers to requests of readings.
    answers: u64,
    /// Weight of the answers at the time of the command in an unknown lap that was awaited last.
    asked_at: Option<u64>,
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
            self.asked_at = None;
        }
        counter + self.now
    }

    /// Counts an answer to a request of a reading.
    pub(super) fn answered(&mut self, is_slow: bool) {
        self.answers += if is_slow { 1 } else { ANSWER };
    }

    /// True if a time in an unknown lap should wait for further answers.
    pub(super) fn are_answers_awaited(&mut self) -> bool {
        let is_recent = |asked_at: &u64| self.answers < asked_at + ANSWERS_UNTIL_ANOTHER;
        let asked_at = self.asked_at.filter(is_recent).unwrap_or(self.answers);
        self.asked_at = Some(asked_at);
        self.answers < asked_at + ANSWERS_FOR_A_LAP
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
    use crate::device_time::clock::DeviceClock;
    use crate::device_time::clock::tests::{pair, times};
    use crate::device_time::fit::Pair;

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

    #[test]
    fn a_time_of_a_lap_that_is_not_known_bounds_nothing() {
        let mut clock = DeviceClock::default();
        clock.add(pair(340 * SECOND, 1_000 * SECOND));
        let before = clock.stated_ns(340 * SECOND);
        let behind = times(SECOND, SECOND + 100);
        clock.bound(&behind, [1_005 * SECOND, 0, 1_006 * SECOND]);
        assert_eq!(clock.stated_ns(340 * SECOND), before);
        // Two answers are awaited: a running reading may still be of the previous lap.
        assert!(clock.wants_reading(SECOND, 1_005 * SECOND, 1_006 * SECOND));
        clock.answered(None);
        assert!(clock.wants_reading(SECOND, 1_005 * SECOND, 1_006 * SECOND));
        clock.answered(None);
        assert!(!clock.wants_reading(SECOND, 1_005 * SECOND, 1_006 * SECOND));
    }

    #[test]
    fn a_lap_is_awaited_over_slow_readings_and_not_for_ever() {
        let (called_ns, done_ns) = (1_005 * SECOND, 1_006 * SECOND);
        let slow = Pair { uncertainty: 10_000_000, ..pair(SECOND, 1_005 * SECOND) };
        let behind = times(SECOND, SECOND + 100);
        let mut clock = DeviceClock::default();
        clock.add(pair(340 * SECOND, 1_000 * SECOND));
        for _ in 0..3 {
            assert!(clock.wants_reading(SECOND, called_ns, done_ns));
            clock.answered(Some(slow));
        }
        clock.answered(Some(pair(2 * SECOND, 1_006 * SECOND)));
        assert!(!clock.wants_reading(SECOND, called_ns, done_ns));
        let start = clock.in_lap(&behind, called_ns, done_ns).start;
        assert_eq!(clock.on_host(start), Some(called_ns));
        let mut clock = DeviceClock::default();
        clock.add(pair(340 * SECOND, 1_000 * SECOND));
        assert!(clock.wants_reading(SECOND, called_ns, done_ns));
        (0..ANSWERS_FOR_A_LAP).for_each(|_| clock.answered(Some(slow)));
        assert!(!clock.wants_reading(SECOND, called_ns, done_ns));
    }

    #[test]
    fn a_wrap_is_awaited_whatever_was_awaited_in_vain_before() {
        let mut clock = DeviceClock::default();
        clock.add(pair(300 * SECOND, 1_000 * SECOND));
        // No lap explains this time.
        assert!(clock.wants_reading(200 * SECOND, 1_001 * SECOND, 1_002 * SECOND));
        clock.answered(None);
        clock.answered(None);
        assert!(!clock.wants_reading(200 * SECOND, 1_001 * SECOND, 1_002 * SECOND));
        for second in 2..10 {
            clock.answered(Some(pair((300 + second) * SECOND, (1_000 + second) * SECOND)));
        }
        assert!(clock.wants_reading(SECOND, 1_045 * SECOND, 1_046 * SECOND));
    }

    #[test]
    fn a_lap_that_ended_unseen_is_uncertain_and_leaves_the_next_one_exact() {
        // Faster than the host's clock by 100 parts per million, which the first reading can't show.
        let device = |host: u64| 340 * SECOND + (host - 1_000 * SECOND) / 10_000 * 10_001;
        let mut clock = DeviceClock::default();
        clock.add(pair(device(1_000 * SECOND), 1_000 * SECOND));
        for host in [1_300 * SECOND, 1_301 * SECOND] {
            clock.add(pair(device(host) - LAP, host));
        }
        let earlier = device(1_002 * SECOND);
        let off = clock.on_host(earlier).unwrap().abs_diff(1_002 * SECOND);
        let stated = clock.stated_ns(earlier).unwrap();
        assert!((1_000_000..stated).contains(&off), "{off} ns off, and {stated} was said");
        let now = 1_302 * SECOND;
        let later = times(device(now) - LAP, device(now) - LAP + 100);
        let later = clock.in_lap(&later, now, now + 1_000).start;
        let (off, stated) = (clock.on_host(later).unwrap().abs_diff(now), clock.stated_ns(later).unwrap());
        assert!(off < 100 && stated < 10_000, "{off} ns off, and {stated} was said");
    }

    #[test]
    fn commands_of_a_lap_before_the_first_reading_bound_nothing() {
        let mut clock = DeviceClock::default();
        let ahead = times(343 * SECOND, 343 * SECOND + 100);
        let (called_ns, done_ns) = (1_000 * SECOND, 1_000 * SECOND + 10_000_000);
        clock.learn(&ahead, called_ns, done_ns);
        clock.bound(&ahead, [called_ns, 0, done_ns]);
        clock.answered(Some(pair(SECOND, 1_001 * SECOND)));
        assert_eq!(clock.on_host(2 * SECOND), Some(1_002 * SECOND));
    }
}
