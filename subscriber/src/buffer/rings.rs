//! The buffer of one thread: rings of growing size, so that a thread that writes little stays within little memory.
//!
//! A ring walks through all of its memory, which costs a page fault and cache misses wherever it comes for the first time.
//! So a thread begins with a small ring, and takes a larger one only when the writer is behind; when everything has been
//! taken out it begins with the small one again. Records leave in the order in which they came.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use super::header::Kind;
use super::ring::{Entry, Ring};

/// Words of the smallest ring: 64 KiB.
const SMALLEST: usize = 1 << 13;
/// Each ring is so many times as large as the one before it.
const GROWTH: usize = 4;
/// After so many records in a larger ring it is looked whether the small one would do again.
const LOOK_AFTER: u32 = 32;

pub(crate) struct Rings {
    rings: Vec<Ring>,
    /// Where the producer writes.
    current: AtomicUsize,
    /// Records since it was looked whether a smaller ring would do.
    unlooked: AtomicU32,
}

impl Rings {
    /// Empty rings that hold `words` words together, a power of two, or a little less.
    pub(crate) fn new(words: usize) -> Option<Self> {
        let mut rings = Vec::new();
        let (mut left, mut size) = (words, SMALLEST);
        while left > 0 {
            let next = size.min(1 << left.ilog2());
            rings.push(Ring::new(next)?);
            // The last one takes what is left.
            left = if next < size { 0 } else { left - next };
            size *= GROWTH;
        }
        rings.first()?.touch();
        Some(Self { rings, current: AtomicUsize::new(0), unlooked: AtomicU32::new(0) })
    }

    /// Writes a record, as the only producer; false if it didn't fit.
    #[inline(always)]
    pub(crate) fn write(&self, kind: Kind, detail: u32, at: u64, fill: impl FnOnce(&mut Entry<'_>)) -> bool {
        let mut entry = self.ring_for_next().begin(self);
        entry.word(at);
        fill(&mut entry);
        entry.end(kind, detail)
    }

    #[inline(always)]
    fn ring_for_next(&self) -> &Ring {
        let current = self.current.load(Ordering::Relaxed);
        if current != 0 { self.look_for_smaller(current) } else { &self.rings[0] }
    }

    /// The smallest ring is used again as soon as nothing lies in any other: what was written later must not come out
    /// earlier.
    #[inline(never)]
    fn look_for_smaller(&self, current: usize) -> &Ring {
        let unlooked = self.unlooked.load(Ordering::Relaxed) + 1;
        self.unlooked.store(unlooked % LOOK_AFTER, Ordering::Relaxed);
        let is_empty = |ring: &Ring| ring.consumed() == ring.produced();
        if unlooked == LOOK_AFTER && self.rings[..=current].iter().all(is_empty) {
            self.current.store(0, Ordering::Relaxed);
            return &self.rings[0];
        }
        &self.rings[current]
    }

    /// The ring in which a record goes on for which there is no room in this one.
    pub(super) fn larger_than(&self, ring: &Ring) -> Option<&Ring> {
        let next = self.rings.iter().position(|known| std::ptr::eq(known, ring))? + 1;
        let larger = self.rings.get(next)?;
        self.current.store(next, Ordering::Relaxed);
        Some(larger)
    }

    /// Moves everything that is there to the end of `bytes`, as the only consumer; gives how full the rings were, from
    /// 0 to 1.
    pub(crate) fn drain_into(&self, bytes: &mut Vec<u8>) -> f64 {
        // From the last to the first: what lies in a ring by then came after all that lies in those before it.
        let ends: Vec<u64> = self.rings.iter().rev().map(Ring::produced).collect();
        let drained: usize =
            self.rings.iter().zip(ends.iter().rev()).map(|(ring, end)| ring.drain_to(*end, bytes)).sum();
        drained as f64 / self.capacity() as f64
    }

    /// How many words the rings hold when they are full.
    pub(crate) fn capacity(&self) -> usize {
        self.rings.iter().map(Ring::capacity).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(words: usize) -> Vec<usize> {
        Rings::new(words).unwrap().rings.iter().map(Ring::capacity).collect()
    }

    #[test]
    fn rings_grow_within_what_is_allowed() {
        assert_eq!(sizes(512), [512]);
        assert_eq!(sizes(1 << 13), [1 << 13]);
        assert_eq!(sizes(1 << 14), [1 << 13, 1 << 13]);
        assert_eq!(sizes(1 << 20), [1 << 13, 1 << 15, 1 << 17, 1 << 19, 1 << 18]);
        for power in 9..28 {
            let words: usize = sizes(1 << power).iter().sum();
            assert!(words <= 1 << power && words * 2 > 1 << power, "{power}: {words}");
        }
    }

    #[test]
    fn what_goes_in_comes_out_across_the_wrap() {
        let rings = Rings::new(64).unwrap();
        for round in 0..1000_u64 {
            assert!(rings.write(Kind::Signal, 7, round, |entry| entry.bytes(b"eleven byte")));
            let mut bytes = Vec::new();
            rings.drain_into(&mut bytes);
            assert_eq!(bytes.len(), 40);
            assert_eq!(bytes[8..16], round.to_ne_bytes());
            assert_eq!(&bytes[24..35], b"eleven byte");
        }
        assert_eq!(rings.drain_into(&mut Vec::new()), 0.0);
    }

    #[test]
    fn a_record_that_does_not_fit_leaves_no_trace() {
        let rings = Rings::new(16).unwrap();
        assert!(rings.write(Kind::Signal, 0, 1, |entry| entry.word(1)));
        assert!(!rings.write(Kind::Signal, 0, 2, |entry| entry.bytes(&[0; 200])));
        assert!(rings.write(Kind::Signal, 0, 3, |entry| entry.word(3)));
        let mut bytes = Vec::new();
        assert_eq!(rings.drain_into(&mut bytes), 6.0 / 16.0);
        assert_eq!(bytes[32..40], 3_u64.to_ne_bytes());
        assert!(rings.write(Kind::Signal, 0, 4, |entry| entry.bytes(&[0; 80])));
    }

    #[test]
    fn a_record_goes_on_in_the_next_ring() {
        let rings = Rings::new(1 << 15).unwrap();
        assert!(rings.write(Kind::Signal, 0, 1, |entry| entry.bytes(&[1; 60_000])));
        let is_written = rings.write(Kind::Node, 0, 2, |entry| {
            let place = entry.reserve_word();
            entry.bytes(&[2; 40_000]);
            entry.fill_word(place, 77);
            entry.ids(|entry| entry.word(5));
        });
        assert!(is_written && rings.current.load(Ordering::Relaxed) > 0);
        let mut bytes = Vec::new();
        rings.drain_into(&mut bytes);
        let second = &bytes[60_000 + 24..];
        assert_eq!(second[8..16], 2_u64.to_ne_bytes());
        assert_eq!(second[16..24], 77_u64.to_ne_bytes());
        assert!(second[32..40_032].iter().all(|byte| *byte == 2));
        assert_eq!(second[40_032..40_056], [1_u64, 5, 5004].map(u64::to_ne_bytes).concat());
    }

    #[test]
    fn a_producer_and_a_consumer_agree_whatever_ring_is_used() {
        const COUNT: u64 = 200_000;
        for words in [256, 1 << 16] {
            let rings = Rings::new(words).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for value in 0..COUNT {
                        while !rings.write(Kind::Signal, 0, value, |entry| entry.word(!value)) {
                            std::thread::yield_now();
                        }
                        if value % 20_000 == 0 {
                            std::thread::yield_now();
                        }
                    }
                });
                let (mut bytes, mut next) = (Vec::new(), 0);
                while next < COUNT {
                    bytes.clear();
                    rings.drain_into(&mut bytes);
                    for record in bytes.chunks_exact(24) {
                        assert_eq!(record[8..16], next.to_ne_bytes());
                        assert_eq!(record[16..24], (!next).to_ne_bytes());
                        next += 1;
                    }
                }
            });
        }
    }
}
