//! Conversion of a device's clock to the host's.
//!
//! Both clocks are read together while commands of the device are outstanding, on a thread that may wait: often at
//! first, then every second. A reading that took long is discarded. Between readings commands themselves bound the
//! difference of the clocks: none starts before its call does, none ends after a wait for it has returned. If the clock
//! can't be read and the times can't be the host's, the times stay unknown.

mod laps;
mod windows;

use syclscope_language::event::{Event, EventSink, Fact, FactKind};
use syclscope_language::time::Timestamp;

use super::fit::{Mapping, Pair};
use super::resolution::Resolution;
use crate::os;
use crate::xpti::ProfilingTimes;
use laps::{FAR_NS, Laps};
use windows::Windows;

/// Tolerance for times outside their interval, in nanoseconds.
const SLACK_NS: u64 = 50_000;
/// Delay of the second pair after the first; the delay doubles with each.
const FIRST_INTERVAL_NS: u64 = 5_000_000;
const LAST_INTERVAL_NS: u64 = 1_000_000_000;
/// Delay with which a device notes the end of a command: 2 to 12 µs on an H100.
const NOTED_NS: u64 = 8_000;
/// Maximum wait of commands for the first pair, in nanoseconds.
const FIRST_PAIR_NS: u64 = 2_000_000_000;
/// Maximum time that commands wait for a due second pair, so that they lie between two, in nanoseconds.
const NEXT_PAIR_NS: u64 = 20_000_000;

#[derive(Debug, Default)]
pub(crate) struct DeviceClock {
    windows: Windows,
    pairs_taken: u64,
    next_ns: u64,
    interval_ns: u64,
    /// End of the wait of commands for a requested pair; `None` once there is an answer.
    waits_until_ns: Option<u64>,
    has_asked: bool,
    had_last_chance: bool,
    resolution: Resolution,
    mapping: Option<Mapping>,
    /// True if new data is not yet in the mapping.
    is_stale: bool,
    /// True if the device uses the host's clock, false if it doesn't; `None` before its first times, and if its pairs
    /// settle that.
    is_host_clock: Option<bool>,
    has_seen_times: bool,
    laps: Laps,
    /// The mapping in the recording.
    announced: Option<Mapping>,
}

impl DeviceClock {
    /// Requests a reading of both clocks through `ask` if the last one is old, at the time `now` of the host's clock.
    pub(crate) fn follow(&mut self, now: u64, ask: impl FnOnce() -> bool) {
        if now < self.next_ns {
            return;
        }
        if !ask() {
            if self.is_unread() && !self.has_asked {
                self.waits_until_ns.get_or_insert(now + FIRST_PAIR_NS);
            }
            return;
        }
        self.interval_ns = (self.interval_ns * 2).clamp(FIRST_INTERVAL_NS, LAST_INTERVAL_NS);
        self.next_ns = now + self.interval_ns;
        let is_first = !std::mem::replace(&mut self.has_asked, true);
        if !self.is_hosts() {
            self.waits_until_ns = Some(now + if is_first { FIRST_PAIR_NS } else { NEXT_PAIR_NS });
        }
    }

    /// True if the device has a separate clock that was never read.
    pub(super) fn is_unread(&self) -> bool {
        self.pairs_taken == 0 && !self.is_hosts()
    }

    /// Handles the answer to a request; `None` if the clocks could not be read.
    pub(crate) fn answered(&mut self, pair: Option<Pair>) {
        self.waits_until_ns = None;
        let is_slow = pair.is_some_and(|pair| self.windows.is_bad(&pair));
        self.laps.answered(is_slow);
        match pair {
            Some(pair) if !is_slow => self.add(pair),
            // A failed or slow reading suggests a busy device, so it is not queried for a while.
            _ => self.interval_ns = LAST_INTERVAL_NS,
        }
    }

    /// True once, if no pair is known when the program ends, perhaps shortly after its first command: a device that
    /// doesn't answer must not delay every command.
    pub(crate) fn is_last_chance(&mut self) -> bool {
        self.pairs_taken == 0 && !std::mem::replace(&mut self.had_last_chance, true)
    }

    /// True if commands should wait for a pair before their times are mapped.
    pub(crate) fn is_awaited(&self) -> bool {
        self.waits_until_ns.is_some_and(|until| os::monotonic_ns() < until)
    }

    /// True if a command's time is in an unknown lap and a reading might identify it; that reading is then requested.
    pub(crate) fn wants_reading(&mut self, time: u64, called_ns: u64, now_ns: u64) -> bool {
        if self.mapping.is_none() || self.lap(time, called_ns, now_ns).1 {
            return false;
        }
        let is_asked = self.laps.are_answers_awaited();
        if is_asked {
            self.next_ns = 0;
        }
        is_asked
    }

    /// Returns the times of a command on a clock that never wraps.
    pub(crate) fn in_lap(&self, times: &ProfilingTimes, called_ns: u64, now_ns: u64) -> ProfilingTimes {
        let (lap, _) = self.lap(times.start, called_ns, now_ns);
        ProfilingTimes {
            queued: times.queued.map(|time| time + lap),
            submitted: times.submitted.map(|time| time + lap),
            start: times.start + lap,
            end: times.end + lap,
        }
    }

    /// Returns the offset of a command's lap, and true if the command's time then lies in its interval.
    fn lap(&self, time: u64, called_ns: u64, now_ns: u64) -> (u64, bool) {
        let Some(mapping) = self.mapping.filter(|_| self.is_host_clock != Some(true)) else {
            return (0, true);
        };
        self.laps.nearest(time, |time| match mapping.to_host(time) {
            Some(host) => called_ns.saturating_sub(host).max(host.saturating_sub(now_ns)),
            None => u64::MAX,
        })
    }

    /// Returns the expected device time of a reading and its maximum error, in nanoseconds.
    fn expected(&self, pair: &Pair) -> Option<(u64, u64)> {
        let mapping = self.mapping?;
        let expected = mapping.to_device(pair.host)?;
        let unknown_drift = self.windows.unknown_drift(mapping.drift_ppb);
        // Without commands, the last reading may be minutes ago.
        let drift_ns = (expected.saturating_sub(mapping.reference) as f64 * unknown_drift) as u64;
        let error_ns = mapping.residual_ns.saturating_add(pair.uncertainty).saturating_add(drift_ns);
        // A larger error would itself look like a lap.
        Some((expected, error_ns.min(FAR_NS)))
    }

    fn add(&mut self, mut pair: Pair) {
        let expected = self.expected(&pair);
        let lap = self.laps.now();
        pair.device = self.laps.reading(pair.device, expected);
        let lap_error_ns = expected.filter(|_| lap != self.laps.now()).map(|(_, error_ns)| error_ns);
        if self.pairs_taken == 0 {
            // Commands far ahead of the first reading are of a previous lap of unknown length, and bound nothing.
            self.windows.discard_after(pair.device.saturating_add(FAR_NS));
        }
        self.pairs_taken += 1;
        self.windows.add(pair, lap_error_ns);
        self.fit();
    }

    /// Adds the bounds that follow by causality from a command's times. The moments are on the host's clock: the start
    /// of the call that queued it, the last time it was seen as not finished, and the first time it was known to be
    /// finished.
    pub(super) fn bound(&mut self, times: &ProfilingTimes, [called_ns, pending_ns, done_ns]: [u64; 3]) {
        if self.is_hosts() {
            return;
        }
        let first = times.queued.unwrap_or(times.start).min(times.start);
        // Times in an unknown lap bound nothing.
        let host = self.mapping.and_then(|mapping| mapping.to_host(first));
        if host.is_some_and(|host| host + FAR_NS < called_ns || host > done_ns.saturating_add(FAR_NS)) {
            return;
        }
        let drift = self.mapping.map_or(0, |mapping| mapping.drift_ppb);
        let step = self.resolution.step_ns(times.end) + self.laps.error_ns(first);
        let interval_ns = self.interval_ns.max(FIRST_INTERVAL_NS);
        let mut is_news = false;
        if let Some(window) = self.windows.at(first, interval_ns) {
            is_news |= window.not_before(first, called_ns.saturating_sub(step), drift);
        }
        if let Some(window) = self.windows.at(times.end, interval_ns) {
            let noted_ns = pending_ns.saturating_sub(step + NOTED_NS);
            is_news |= pending_ns > 0 && window.pending(times.end, noted_ns, drift);
            is_news |= window.not_after(times.end, done_ns.saturating_add(step), drift);
        }
        self.is_stale |= is_news;
    }

    fn fit(&mut self) {
        self.is_stale = false;
        // Without pairs, the bounds may be those of another clock than the device's.
        if self.pairs_taken > 0 {
            self.mapping = self.windows.fit(self.mapping);
        }
    }

    /// Learns from the first times of a device: a command is queued while its call runs, and has ended by now. That
    /// shows whether device and host share a clock if no pair does, and whether pairs are of the clock that times
    /// commands.
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
        let mapped =
            self.mapping.and_then(|mapping| Some((mapping.to_host(first)?, mapping.to_host(times.end)?)));
        match mapped {
            Some((first, end)) if can_be(first, end) || !is_host_clock => {}
            _ => self.is_host_clock = Some(is_host_clock),
        }
    }

    /// True if the device is known to use the host's clock.
    pub(super) fn is_hosts(&self) -> bool {
        self.is_host_clock == Some(true) || self.mapping.is_some_and(|mapping| mapping.is_identity())
    }

    fn current(&mut self) -> Option<Mapping> {
        if self.is_host_clock == Some(true) {
            return Some(Mapping::default());
        }
        if self.is_stale {
            self.fit();
        }
        self.mapping
    }

    /// Converts a device time to the host's clock; `None` if the clocks differ and no pair is known.
    pub(crate) fn on_host(&mut self, device_ns: u64) -> Option<u64> {
        self.current()?.to_host(device_ns)
    }

    /// Returns the mapping with the error bound of a device time; without a time, of times in the last reading's lap.
    fn mapping_of(&mut self, device_ns: Option<u64>) -> Option<Mapping> {
        let mapping = self.current()?;
        let device_ns = device_ns.filter(|_| !mapping.is_identity());
        let lap_error_ns = device_ns.map_or(0, |device_ns| self.laps.error_ns(device_ns));
        Some(Mapping { residual_ns: mapping.residual_ns + lap_error_ns, ..mapping })
    }

    /// Returns the error bound of a device time mapped now, in nanoseconds, if there is a mapping.
    #[cfg(test)]
    pub(super) fn stated_ns(&mut self, device_ns: u64) -> Option<u64> {
        self.mapping_of(Some(device_ns)).map(|mapping| stated_ns(&mapping))
    }

    /// Returns the difference of two device times that their resolution alone explains, in nanoseconds.
    pub(super) fn step_ns(&self, device_ns: u64) -> u64 {
        self.resolution.step_ns(device_ns)
    }

    /// Records the mapping of a device time and of those from here on if it has changed; at the end, without a time,
    /// with the number of pairs behind it.
    pub(crate) fn announce(
        &mut self,
        device: u64,
        at: Timestamp,
        device_ns: Option<u64>,
        sink: &mut dyn EventSink,
    ) {
        let Some(mapping) =
            self.mapping_of(device_ns).map(|mapping| Mapping { pairs: self.taken_for(&mapping), ..mapping })
        else {
            return;
        };
        let is_end = device_ns.is_none();
        let is_known = self
            .announced
            .is_some_and(|last| last.maps_like(&mapping) && (!is_end || last.pairs == mapping.pairs));
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
            residual_ns: stated_ns(&mapping),
        }));
    }

    fn taken_for(&self, mapping: &Mapping) -> u64 {
        if mapping.pairs == 0 { 0 } else { self.pairs_taken }
    }
}

/// Returns the error bound of a time mapped so, in nanoseconds.
fn stated_ns(mapping: &Mapping) -> u64 {
    mapping.residual_ns + if mapping.is_identity() { 0 } else { NOTED_NS }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn times(queued: u64, end: u64) -> ProfilingTimes {
        ProfilingTimes { queued: Some(queued), submitted: None, start: queued, end }
    }

    pub(super) fn pair(device: u64, host: u64) -> Pair {
        Pair { device, host, uncertainty: 100 }
    }

    #[test]
    fn a_clock_that_could_not_be_asked_for_yet_is_awaited() {
        os::driven::begin(1_000_000_000);
        let mut clock = DeviceClock::default();
        clock.follow(os::monotonic_ns(), || false);
        assert!(clock.is_unread() && clock.is_awaited(), "another device's clock is being read");
        os::driven::pass(FIRST_PAIR_NS);
        assert!(!clock.is_awaited(), "not for ever");
        clock.follow(os::monotonic_ns(), || true);
        clock.answered(Some(pair(1_000, 2_000)));
        assert!(!clock.is_unread() && !clock.is_awaited());
    }

    #[test]
    fn a_shared_clock_is_recognised_without_pairs() {
        let mut clock = DeviceClock::default();
        assert_eq!(clock.on_host(5), None);
        clock.learn(&times(1_000_100, 1_000_900), 1_000_000, 2_000_000);
        assert_eq!(clock.on_host(1_000_100), Some(1_000_100));
    }

    #[test]
    fn another_clock_is_mapped_by_pairs_or_not_at_all() {
        let mut clock = DeviceClock::default();
        clock.learn(&times(100, 900), 1_000_000_000, 1_000_100_000);
        assert_eq!(clock.on_host(100), None);
        clock.add(pair(1_000, 5_000_000));
        assert_eq!(clock.on_host(500), Some(4_999_500));
    }

    #[test]
    fn pairs_of_a_clock_that_does_not_time_commands_are_not_used() {
        let mut clock = DeviceClock::default();
        clock.add(pair(1_000, 1_000_000_000));
        clock.learn(&times(1_000_100_000, 1_000_200_000), 1_000_050_000, 1_000_300_000);
        assert_eq!(clock.on_host(1_000_100_000), Some(1_000_100_000));
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
        clock.announce(1, Timestamp(0), None, &mut count);
        assert_eq!(count.0, 0, "nothing is known");
        clock.add(pair(1_000, 1_010));
        clock.announce(1, Timestamp(0), Some(1_000), &mut count);
        clock.add(pair(2_000, 2_020));
        clock.announce(1, Timestamp(0), Some(2_000), &mut count);
        assert_eq!(count.0, 1, "it maps as before");
        clock.announce(1, Timestamp(0), None, &mut count);
        clock.announce(1, Timestamp(0), None, &mut count);
        assert_eq!(count.0, 2, "it rests on more");
    }
}
