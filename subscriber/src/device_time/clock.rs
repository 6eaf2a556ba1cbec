//! Conversion of a device's clock to the host's.
//!
//! Both clocks are read together while commands of the device are outstanding, on a thread that may wait: often at
//! first, then every second. A reading that took long is discarded. Between readings commands themselves bound the
//! difference of the clocks: none starts before its call does, none ends after a wait for it has returned. If the clock
//! can't be read and the times can't be the host's, the times stay unknown.

use std::collections::VecDeque;

use syclscope_language::event::{Event, EventSink, Fact, FactKind};
use syclscope_language::time::Timestamp;

use super::bounds::Window;
use super::fit::{Mapping, Pair, USUAL_DRIFT, is_good};
use super::laps::{FAR_NS, Laps};
use super::resolution::Resolution;
use crate::os;
use crate::xpti::ProfilingTimes;

/// Tolerance for times outside their interval, in nanoseconds.
const SLACK_NS: u64 = 50_000;
/// Delay of the second pair after the first; the delay doubles with each.
const FIRST_INTERVAL_NS: u64 = 5_000_000;
const LAST_INTERVAL_NS: u64 = 1_000_000_000;
/// Number of recent windows used for the mapping: a minute, so that a changing drift is followed.
const WINDOWS: usize = 64;
/// Age up to which a reading is used unchanged, whatever the clocks' drift, in nanoseconds.
const RECENT_NS: u64 = 20_000_000;
/// Delay with which a device notes the end of a command: 2 to 12 µs on an H100.
const NOTED_NS: u64 = 8_000;
/// Maximum wait of commands for the first pair, in nanoseconds.
const FIRST_PAIR_NS: u64 = 2_000_000_000;
/// Weight of an answer. A slow reading shows no lap and weighs one: a busy machine interrupts several in a row.
const ANSWER: u64 = 8;
/// Weight of the answers to await for a time in an unknown lap: the first reading may have started earlier.
const ANSWERS_FOR_A_LAP: u64 = 2 * ANSWER;
/// Weight of the answers after which the next time in an unknown lap is awaited: a time that no lap explains must
/// neither hide a later wrap nor delay every command.
const ANSWERS_UNTIL_ANOTHER: u64 = 8 * ANSWER;
/// Maximum time that commands wait for a due second pair, so that they lie between two, in nanoseconds.
const NEXT_PAIR_NS: u64 = 20_000_000;

#[derive(Debug, Default)]
pub(crate) struct DeviceClock {
    windows: VecDeque<Window>,
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
    /// Weight of the answers at the time of the command in an unknown lap that was awaited last.
    lap_asked_at: Option<u64>,
    /// Weight of all answers.
    answers: u64,
    /// The mapping in the recording.
    announced: Option<Mapping>,
}

impl DeviceClock {
    /// Requests a reading of both clocks through `ask` if the last one is old.
    pub(crate) fn follow(&mut self, ask: impl FnOnce() -> bool) {
        let now = os::monotonic_ns();
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
        let best = self.windows.iter().filter_map(|window| Some(window.reading()?.uncertainty)).min();
        let is_slow = pair.is_some_and(|pair| best.is_some_and(|best| !is_good(&pair, best)));
        self.answers += if is_slow { 1 } else { ANSWER };
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
        let is_recent = |asked_at: &u64| self.answers < asked_at + ANSWERS_UNTIL_ANOTHER;
        let asked_at = self.lap_asked_at.filter(is_recent).unwrap_or(self.answers);
        self.lap_asked_at = Some(asked_at);
        let is_asked = self.answers < asked_at + ANSWERS_FOR_A_LAP;
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
        let pairs = self.pairs(mapping.drift_ppb);
        let unknown_drift = Mapping::line(&pairs).map_or(USUAL_DRIFT, |line| line.unknown_drift(&pairs));
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
        if lap_error_ns.is_some() {
            self.lap_asked_at = None;
        }
        if self.pairs_taken == 0 {
            // Commands far ahead of the first reading are of a previous lap of unknown length, and bound nothing.
            self.windows.retain(|window| window.begin() <= pair.device.saturating_add(FAR_NS));
        }
        self.pairs_taken += 1;
        // Discards earlier readings that are bad in comparison with this one.
        for window in &mut self.windows {
            if window.reading().is_some_and(|reading| !is_good(&reading, pair.uncertainty)) {
                window.forget_reading();
            }
            // The length of the last lap, hence the distance to its readings, is as uncertain as the mapping was.
            if let Some(error_ns) = lap_error_ns {
                window.widen(error_ns);
            }
        }
        self.begin_window(pair.device, Some(pair));
        self.fit();
    }

    fn begin_window(&mut self, device_ns: u64, reading: Option<Pair>) {
        if self.windows.len() == WINDOWS {
            self.windows.pop_front();
        }
        let place = self.windows.partition_point(|window| window.begin() <= device_ns);
        self.windows.insert(place, Window::new(device_ns, reading));
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
        let mut is_news = false;
        if let Some(window) = self.window_at(first) {
            is_news |= window.not_before(first, called_ns.saturating_sub(step), drift);
        }
        if let Some(window) = self.window_at(times.end) {
            let noted_ns = pending_ns.saturating_sub(step + NOTED_NS);
            is_news |= pending_ns > 0 && window.pending(times.end, noted_ns, drift);
            is_news |= window.not_after(times.end, done_ns.saturating_add(step), drift);
        }
        self.is_stale |= is_news;
    }

    /// Returns the window of a time; the first one for earlier times.
    fn window_at(&mut self, device_ns: u64) -> Option<&mut Window> {
        let interval_ns = self.interval_ns.max(FIRST_INTERVAL_NS);
        let is_old = |window: &Window| device_ns.saturating_sub(window.begin()) > interval_ns;
        if self.windows.back().is_none_or(is_old) {
            self.begin_window(device_ns, None);
        }
        let after = self.windows.partition_point(|window| window.begin() <= device_ns);
        self.windows.get_mut(after.saturating_sub(1))
    }

    fn fit(&mut self) {
        self.is_stale = false;
        let readings: Vec<Pair> = self.windows.iter().filter_map(Window::reading).collect();
        // Without pairs, the bounds may be those of another clock than the device's.
        if self.pairs_taken == 0 {
            return;
        }
        self.mapping = Mapping::identity(&readings).or_else(|| self.line());
    }

    fn line(&self) -> Option<Mapping> {
        let mut mapping: Option<Mapping> = None;
        let mut pairs = Vec::new();
        // The comparison of a window's bounds depends on the drift.
        for _ in 0..2 {
            let drift = mapping.or(self.mapping).map_or(0, |mapping| mapping.drift_ppb);
            pairs = self.pairs(drift);
            mapping = Mapping::line(&pairs);
        }
        let mut mapping = mapping?;
        let now =
            self.windows.back().map_or(mapping.reference, |window| window.begin().max(mapping.reference));
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
        self.windows.iter().filter_map(|window| window.pair(drift_ppb)).collect()
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
        let all = self.windows.iter().map(certain);
        let (low, high) =
            all.fold((i64::MIN, i64::MAX), |(low, high), bounds| (low.max(bounds.0), high.min(bounds.1)));
        // A device that notes ends late must not shift its clock.
        let pending = self
            .windows
            .iter()
            .filter_map(|window| Some(window.pending_at(at, mapping.drift_ppb)? - astray(window)));
        (pending.filter(|pending| *pending <= high).fold(low, i64::max), high)
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

    fn times(queued: u64, end: u64) -> ProfilingTimes {
        ProfilingTimes { queued: Some(queued), submitted: None, start: queued, end }
    }

    fn pair(device: u64, host: u64) -> Pair {
        Pair { device, host, uncertainty: 100 }
    }

    #[test]
    fn a_clock_that_could_not_be_asked_for_yet_is_awaited() {
        os::driven::begin(1_000_000_000);
        let mut clock = DeviceClock::default();
        clock.follow(|| false);
        assert!(clock.is_unread() && clock.is_awaited(), "another device's clock is being read");
        os::driven::pass(FIRST_PAIR_NS);
        assert!(!clock.is_awaited(), "not for ever");
        clock.follow(|| true);
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
    fn a_time_of_a_lap_that_is_not_known_bounds_nothing() {
        const SECOND: u64 = 1_000_000_000;
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
        const SECOND: u64 = 1_000_000_000;
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
        const SECOND: u64 = 1_000_000_000;
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
        const SECOND: u64 = 1_000_000_000;
        /// 2^32 ticks of 80 ns.
        const LAP: u64 = 343_597_383_680;
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

    #[test]
    fn commands_of_a_lap_before_the_first_reading_bound_nothing() {
        const SECOND: u64 = 1_000_000_000;
        let mut clock = DeviceClock::default();
        let ahead = times(343 * SECOND, 343 * SECOND + 100);
        let (called_ns, done_ns) = (1_000 * SECOND, 1_000 * SECOND + 10_000_000);
        clock.learn(&ahead, called_ns, done_ns);
        clock.bound(&ahead, [called_ns, 0, done_ns]);
        clock.answered(Some(pair(SECOND, 1_001 * SECOND)));
        assert_eq!(clock.on_host(2 * SECOND), Some(1_002 * SECOND));
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
