//! From a device's clock to the host's.
//!
//! Both clocks are read together while commands of the device are outstanding, on a thread that may be kept waiting: often
//! at first, then every second. A reading that took long is thrown away. What a reading can't tell is left at that: a device whose clock can't be read and whose times can't be the host's gives none.

use std::collections::VecDeque;

use syclscope_language::event::{Event, EventSink, Fact, FactKind};
use syclscope_language::time::Timestamp;

use super::fit::{Mapping, Pair};
use super::laps::Laps;
use super::resolution::Resolution;
use crate::os;
use crate::xpti::ProfilingTimes;

/// How far a time may lie outside the interval that it must be in, in nanoseconds.
const SLACK_NS: u64 = 50_000;
/// The second pair is taken so long after the first; the time doubles with each.
const FIRST_INTERVAL_NS: u64 = 5_000_000;
const LAST_INTERVAL_NS: u64 = 1_000_000_000;
/// The mapping rests on so many of the newest pairs: a minute, so that a drift that changes is followed.
const PAIRS: usize = 64;
/// A reading that took so much longer than the best is thrown away.
const LONGER: u64 = 8;
/// A difference that says nothing, in nanoseconds.
const SHORT_NS: u64 = 1_000;
/// How long commands wait for the first pair.
const FIRST_PAIR_NS: u64 = 2_000_000_000;
/// How long they wait for another one that is due, so that they lie between two.
const NEXT_PAIR_NS: u64 = 20_000_000;

/// The clock of one device.
#[derive(Debug, Default)]
pub(crate) struct DeviceClock {
    pairs: VecDeque<Pair>,
    /// How many pairs there have been.
    taken: u64,
    next_ns: u64,
    interval_ns: u64,
    /// Until when commands wait for a pair that was asked for; nothing once there is an answer.
    waits_until_ns: Option<u64>,
    has_asked: bool,
    had_last_chance: bool,
    resolution: Resolution,
    mapping: Option<Mapping>,
    /// Without pairs: the device counts on the host's clock.
    is_host_clock: Option<bool>,
    has_seen_times: bool,
    laps: Laps,
    /// How many answers there had been when a time was met that is of no lap that is known.
    lap_asked_at: Option<u64>,
    answers: u64,
    /// What the recording says.
    announced: Option<Mapping>,
}

impl DeviceClock {
    /// Has both clocks read, by `ask`, if the last time is long ago.
    pub(crate) fn follow(&mut self, ask: impl FnOnce() -> bool) {
        let now = os::monotonic_ns();
        if now < self.next_ns || !ask() {
            return;
        }
        self.interval_ns = (self.interval_ns * 2).clamp(FIRST_INTERVAL_NS, LAST_INTERVAL_NS);
        self.next_ns = now + self.interval_ns;
        let is_first = !std::mem::replace(&mut self.has_asked, true);
        if !self.is_the_hosts() {
            self.waits_until_ns = Some(now + if is_first { FIRST_PAIR_NS } else { NEXT_PAIR_NS });
        }
    }

    /// The clocks were read, or could not be.
    pub(crate) fn answered(&mut self, pair: Option<Pair>) {
        self.waits_until_ns = None;
        self.answers += 1;
        let best = self.pairs.iter().map(|pair| pair.uncertainty).min();
        let is_good = |pair: &Pair| best.is_none_or(|best| pair.uncertainty <= best * LONGER + SHORT_NS);
        match pair {
            Some(pair) if is_good(&pair) => self.add(pair),
            // Something keeps the device busy: it is left in peace for a while.
            _ => self.interval_ns = LAST_INTERVAL_NS,
        }
    }

    /// Whether no pair is known when the program ends, which may be a moment after its first command. Says so once: a device
    /// that doesn't answer must not keep every command waiting.
    pub(crate) fn is_last_chance(&mut self) -> bool {
        self.pairs.is_empty() && !std::mem::replace(&mut self.had_last_chance, true)
    }

    /// Whether commands should wait for a pair before their times are mapped.
    pub(crate) fn is_awaited(&self) -> bool {
        self.waits_until_ns.is_some_and(|until| os::monotonic_ns() < until)
    }

    fn is_the_hosts(&self) -> bool {
        self.current().is_some_and(|mapping| (mapping.offset_ns, mapping.drift_ppb) == (0, 0))
    }

    /// Whether a command's time is of no lap that is known, and a reading might show of which: it is asked for next.
    pub(crate) fn wants_reading(&mut self, time: u64, called_ns: u64, now_ns: u64) -> bool {
        if self.mapping.is_none() || self.lap(time, called_ns, now_ns).1 {
            return false;
        }
        let is_asked = *self.lap_asked_at.get_or_insert(self.answers) == self.answers;
        if is_asked {
            self.next_ns = 0;
        }
        is_asked
    }

    /// The times of a command on a clock that never begins again.
    pub(crate) fn in_lap(&self, times: &ProfilingTimes, called_ns: u64, now_ns: u64) -> ProfilingTimes {
        let (lap, _) = self.lap(times.start, called_ns, now_ns);
        ProfilingTimes {
            queued: times.queued.map(|time| time + lap),
            submitted: times.submitted.map(|time| time + lap),
            start: times.start + lap,
            end: times.end + lap,
        }
    }

    /// What is to be added to a time of a command that was submitted then, and whether that is where it can be.
    fn lap(&self, time: u64, called_ns: u64, now_ns: u64) -> (u64, bool) {
        let Some(mapping) = self.mapping.filter(|_| self.is_host_clock != Some(true)) else {
            return (0, true);
        };
        self.laps.of(time, |time| match mapping.to_host(time) {
            Some(host) => called_ns.saturating_sub(host).max(host.saturating_sub(now_ns)),
            None => u64::MAX,
        })
    }

    fn add(&mut self, mut pair: Pair) {
        let expected = self.mapping.and_then(|mapping| mapping.to_device(pair.host));
        let lap = self.laps.now();
        pair.device = self.laps.reading(pair.device, expected);
        if lap != self.laps.now() {
            self.lap_asked_at = None;
        }
        self.taken += 1;
        if self.pairs.len() == PAIRS {
            self.pairs.pop_front();
        }
        // The first may have been a bad one.
        self.pairs.retain(|known| known.uncertainty <= pair.uncertainty * LONGER + SHORT_NS);
        self.pairs.push_back(pair);
        self.mapping = Mapping::fit(self.pairs.make_contiguous());
    }

    /// Looks at the first times of a device: a command is put on its queue while the call that does so runs, and is done
    /// now. That shows whether device and host count on the same clock where no pair does, and whether pairs are of the
    /// clock that commands are timed by.
    pub(crate) fn learn(&mut self, times: &ProfilingTimes, called_ns: u64, now_ns: u64) {
        self.resolution.note(times.start);
        self.resolution.note(times.end);
        if std::mem::replace(&mut self.has_seen_times, true) {
            return;
        }
        let first = times.queued.unwrap_or(times.start);
        let can_be =
            |first: u64, end: u64| first + SLACK_NS >= called_ns && end <= now_ns.saturating_add(SLACK_NS);
        let is_host_clock = can_be(first, times.end);
        let mapped = self.mapping.and_then(|known| Some((known.to_host(first)?, known.to_host(times.end)?)));
        match mapped {
            Some((first, end)) if can_be(first, end) || !is_host_clock => {}
            _ => self.is_host_clock = Some(is_host_clock),
        }
    }

    /// How times are mapped now; nothing if they can't be.
    fn current(&self) -> Option<Mapping> {
        match self.is_host_clock {
            Some(true) => Some(Mapping::default()),
            _ => self.mapping,
        }
    }

    /// A moment of the device's clock on the host's; nothing if the clocks differ and no pair of times is known.
    pub(crate) fn to_host(&self, device_ns: u64) -> Option<u64> {
        self.current()?.to_host(device_ns)
    }

    /// Says how times are mapped from here on, if that is news; at the end, on how much it rests.
    pub(crate) fn announce(&mut self, device: u64, at: Timestamp, is_end: bool, sink: &mut dyn EventSink) {
        let Some(mapping) =
            self.current().map(|mapping| Mapping { pairs: self.taken_for(&mapping), ..mapping })
        else {
            return;
        };
        let is_known = self
            .announced
            .is_some_and(|last| if is_end { last == mapping } else { last.maps_like(&mapping) });
        if is_known {
            return;
        }
        self.announced = Some(mapping);
        if is_end && let Some(value) = self.resolution.words() {
            let name = "device time resolution";
            sink.event(&Event::Fact(Fact { at, kind: FactKind::Setting, name, value: &value }));
        }
        sink.event(&Event::DeviceClock(syclscope_language::event::DeviceClock {
            device_handle: device,
            at,
            pairs: mapping.pairs,
            offset_ns: mapping.offset_ns,
            drift_ppb: mapping.drift_ppb,
            residual_ns: mapping.residual_ns,
        }));
    }

    fn taken_for(&self, mapping: &Mapping) -> u64 {
        if mapping.pairs == 0 { 0 } else { self.taken }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(queued: u64, end: u64) -> ProfilingTimes {
        ProfilingTimes { queued: Some(queued), submitted: None, start: queued, end }
    }

    fn pair(device: u64, host: u64) -> Pair {
        Pair { device, host, uncertainty: 100 }
    }

    #[test]
    fn a_shared_clock_is_recognised_without_pairs() {
        let mut clock = DeviceClock::default();
        assert_eq!(clock.to_host(5), None);
        clock.learn(&times(1_000_100, 1_000_900), 1_000_000, 2_000_000);
        assert_eq!(clock.to_host(1_000_100), Some(1_000_100));
    }

    #[test]
    fn another_clock_is_mapped_by_pairs_or_not_at_all() {
        let mut clock = DeviceClock::default();
        clock.learn(&times(100, 900), 1_000_000_000, 1_000_100_000);
        assert_eq!(clock.to_host(100), None);
        clock.add(pair(1_000, 5_000_000));
        assert_eq!(clock.to_host(500), Some(4_999_500));
    }

    #[test]
    fn pairs_of_a_clock_that_does_not_time_commands_are_not_used() {
        let mut clock = DeviceClock::default();
        clock.add(pair(1_000, 1_000_000_000));
        clock.learn(&times(1_000_100_000, 1_000_200_000), 1_000_050_000, 1_000_300_000);
        assert_eq!(clock.to_host(1_000_100_000), Some(1_000_100_000));
    }

    #[test]
    fn a_mapping_is_told_once_and_again_at_the_end() {
        struct Count(usize);
        impl EventSink for Count {
            fn event(&mut self, _: &Event<'_>) {
                self.0 += 1;
            }
        }
        let mut count = Count(0);
        let mut clock = DeviceClock::default();
        clock.announce(1, Timestamp(0), true, &mut count);
        assert_eq!(count.0, 0, "nothing is known");
        clock.add(pair(1_000, 1_010));
        clock.announce(1, Timestamp(0), false, &mut count);
        clock.add(pair(2_000, 2_020));
        clock.announce(1, Timestamp(0), false, &mut count);
        assert_eq!(count.0, 1, "it maps as before");
        clock.announce(1, Timestamp(0), true, &mut count);
        clock.announce(1, Timestamp(0), true, &mut count);
        assert_eq!(count.0, 2, "it rests on more");
    }
}
