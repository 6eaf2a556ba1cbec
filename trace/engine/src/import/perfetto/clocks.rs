//! Conversion of a file's clocks to one clock: the boot-time clock of the first snapshot, or else its first clock.

use rustc_hash::FxHashMap;

use crate::proto::fields::clock;
use crate::proto::walk::{Fields, Value};

/// Clocks with this number or a higher one belong to one sequence.
const FIRST_OF_SEQUENCE: u64 = 64;

/// Numbers of the clocks that belong to one sequence.
const SEQUENCE_CLOCKS: std::ops::Range<u64> = FIRST_OF_SEQUENCE..128;

#[derive(Clone, Copy, Debug)]
struct Clock {
    /// Time of the trace minus time of this clock.
    offset: i128,
    unit_ns: u64,
    /// For a clock with incremental times: its time in its last packet.
    last: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct Clocks {
    clocks: FxHashMap<(u64, u64), Clock>,
    /// The previous packet's clock, unless it is incremental; most often this packet's too.
    last: Option<((u64, u64), Clock)>,
}

impl Clocks {
    fn key(sequence: u64, clock: u64) -> (u64, u64) {
        if SEQUENCE_CLOCKS.contains(&clock) { (sequence, clock) } else { (0, clock) }
    }

    /// True if a clock's number is valid only within its sequence.
    pub(super) fn is_of_sequence(clock: u64) -> bool {
        SEQUENCE_CLOCKS.contains(&clock)
    }

    /// Advances a clock with incremental times.
    pub(super) fn advance(&mut self, sequence: u64, clock: u64, time: Option<u64>) {
        if let Some(time) = time.filter(|_| Self::is_of_sequence(clock)) {
            self.time(sequence, clock, time);
        }
    }

    /// Processes a snapshot: times of several clocks at one moment.
    pub(super) fn snapshot(&mut self, sequence: u64, message: &[u8]) {
        self.last = None;
        let mut seen = Vec::new();
        for field in Fields::new(message).readable() {
            if let (clock::CLOCKS, Value::Bytes(body)) = (field.number, field.value) {
                seen.push(read_clock(body));
            }
        }
        let ns = |seen: &SeenClock| i128::from(seen.time) * i128::from(seen.unit_ns);
        // Other clocks may have been set since the previous snapshot, or may drift.
        let boot = seen.iter().filter(|seen| seen.id == clock::BOOTTIME);
        let known = boot.chain(&seen).find_map(|seen| {
            let clock =
                self.clocks.get(&Self::key(sequence, seen.id)).filter(|clock| clock.last.is_none())?;
            Some(clock.offset + ns(seen))
        });
        let reference = || seen.iter().find(|seen| seen.id == clock::BOOTTIME).or(seen.first()).map(ns);
        let Some(now) = known.or_else(reference) else { return };
        for seen in &seen {
            let clock = Clock {
                offset: now - ns(seen),
                unit_ns: seen.unit_ns,
                last: seen.incremental.then_some(seen.time),
            };
            self.clocks.insert(Self::key(sequence, seen.id), clock);
        }
    }

    /// Returns the trace's time for a packet's time; true if the clock is known, or if the file has no snapshot so far.
    pub(super) fn time(&mut self, sequence: u64, clock: u64, time: u64) -> (i128, bool) {
        let key = Self::key(sequence, clock);
        if let Some((_, clock)) = self.last.filter(|(last, _)| *last == key) {
            return (i128::from(time) * i128::from(clock.unit_ns) + clock.offset, true);
        }
        let none_known = self.clocks.is_empty();
        let Some(clock) = self.clocks.get_mut(&key) else {
            return (i128::from(time), none_known);
        };
        let mut now = time;
        match &mut clock.last {
            Some(last) => {
                *last = last.saturating_add(time);
                now = *last;
            }
            None => self.last = Some((key, *clock)),
        }
        (i128::from(now) * i128::from(clock.unit_ns) + clock.offset, true)
    }
}

struct SeenClock {
    id: u64,
    time: u64,
    incremental: bool,
    unit_ns: u64,
}

fn read_clock(body: &[u8]) -> SeenClock {
    let mut seen = SeenClock { id: 0, time: 0, incremental: false, unit_ns: 1 };
    for field in Fields::new(body).readable() {
        let Value::Varint(value) = field.value else { continue };
        match field.number {
            clock::CLOCK_ID => seen.id = value,
            clock::TIMESTAMP => seen.time = value,
            clock::IS_INCREMENTAL => seen.incremental = value != 0,
            clock::UNIT_MULTIPLIER_NS => seen.unit_ns = value.max(1),
            _ => {}
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::encode::{message, uint};

    fn snapshot(clocks: &[(u64, u64, bool, u64)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (id, time, incremental, unit) in clocks {
            message(&mut out, clock::CLOCKS, |out| {
                uint(out, clock::CLOCK_ID, *id);
                uint(out, clock::TIMESTAMP, *time);
                uint(out, clock::IS_INCREMENTAL, (*incremental).into());
                uint(out, clock::UNIT_MULTIPLIER_NS, *unit);
            });
        }
        out
    }

    #[test]
    fn clocks_meet_at_a_snapshot() {
        let mut clocks = Clocks::default();
        assert_eq!(clocks.time(1, 6, 5), (5, true), "without any snapshot every clock is the trace's");
        clocks.snapshot(1, &snapshot(&[(6, 1000, false, 1), (3, 400, false, 1), (64, 1, true, 1000)]));
        assert_eq!(clocks.time(1, 6, 1000), (1000, true));
        assert_eq!(clocks.time(1, 3, 410), (1010, true));
        assert_eq!(clocks.time(1, 64, 2), (3000, true), "two microseconds after the snapshot");
        assert_eq!(clocks.time(1, 64, 1), (4000, true), "and one after that");
        assert_eq!(clocks.time(2, 64, 1), (1, false), "another sequence's clock");
        clocks.snapshot(1, &snapshot(&[(6, 5000, false, 1), (3, 5000, false, 1)]));
        assert_eq!(clocks.time(1, 3, 5001), (5001, true));
    }

    #[test]
    fn a_clock_that_is_set_moves_no_other() {
        let mut clocks = Clocks::default();
        clocks.snapshot(1, &snapshot(&[(1, 9000, false, 1), (6, 1000, false, 1)]));
        clocks.snapshot(1, &snapshot(&[(1, 19_000, false, 1), (6, 2000, false, 1)]));
        assert_eq!(clocks.time(1, 6, 2500), (2500, true));
        assert_eq!(clocks.time(1, 1, 19_500), (2500, true));
    }
}
