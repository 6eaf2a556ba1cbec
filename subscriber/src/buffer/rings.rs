//! The buffer of one thread: rings of growing size, so that a thread that writes little uses little memory.
//!
//! A ring cycles through all of its memory, which costs page faults and cache misses on the first cycle. So a thread
//! starts with a small ring, and takes a larger one only if the writer is behind; when all rings are empty it returns
//! to the small one. The order of records is kept.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use super::header::Kind;
use super::place::Place;
use super::ring::{Entry, HEAD, Ring};
use crate::os;
use crate::os::memory::Shared;

/// Words of the smallest ring: 64 KiB.
const MIN_WORDS: usize = 1 << 13;
/// Size of each ring relative to the previous one.
const GROWTH: usize = 4;
/// Records in a larger ring between two checks for the small one.
const CHECK_EVERY: u32 = 32;

/// Maximum number of rings: more would exceed the size of any buffer.
const MAX_RINGS: usize = 12;

pub(crate) struct Rings {
    first: Ring,
    /// Larger rings created so far, by size; the first slot stays empty.
    larger: [OnceLock<Ring>; MAX_RINGS],
    /// Sizes of the rings in words, in the same order.
    sizes: Vec<usize>,
    /// Number of rings in memory, the others being on a disk: a word of the first ring's head.
    in_memory: &'static AtomicU64,
    place: Place,
    name: String,
    /// Number of larger rings: a word of the first ring's head.
    larger_count: &'static AtomicU64,
    /// Sum of the rings' sizes in words, stored in a separate word.
    capacity: &'static AtomicU64,
    /// True if a larger ring could not be created.
    is_refused: AtomicBool,
    /// Index of the producer's ring.
    current: AtomicUsize,
    /// Records since the last check for a smaller ring.
    since_check: AtomicU32,
    /// True if the producer may wait for room in full rings.
    pub(super) may_wait: bool,
}

/// Positions of these words in the first ring's head.
const LARGER_COUNT: usize = 4;
const CAPACITY: usize = 5;
const IN_MEMORY: usize = 6;

/// Sizes in words of the rings on a disk, in order: 32 MiB to 1 GiB, 4.7 GiB together.
const SPILLED: [usize; 7] = [1 << 22, 1 << 24, 1 << 26, 1 << 27, 1 << 27, 1 << 27, 1 << 27];

impl Rings {
    /// Creates empty rings, the smallest in this memory. Their total size is `words`, a power of two, or a little less.
    pub(super) fn new(place: &Place, name: String, memory: Shared, words: usize) -> Option<Self> {
        Self::empty(place, name, memory, sizes(words))
    }

    /// Creates empty rings in this process's own memory, of at most `words` together, whose producer never waits. The
    /// smallest has `smallest`, a power of two like `words`.
    pub(super) fn private(smallest: usize, words: usize) -> Option<Self> {
        let sizes = sizes_from(smallest, words);
        let memory = Place::Private.make("", HEAD + *sizes.first()?)?;
        let rings = Self::empty(&Place::Private, String::new(), memory, sizes)?;
        Some(Self { may_wait: false, ..rings })
    }

    fn empty(place: &Place, name: String, memory: Shared, sizes: Vec<usize>) -> Option<Self> {
        let mut rings = Self::with_sizes(place, name, memory, sizes)?;
        rings.capacity.store(rings.sizes.iter().sum::<usize>() as u64, Ordering::Relaxed);
        rings.in_memory.store(rings.sizes.len() as u64, Ordering::Relaxed);
        if place.can_spill() {
            rings.sizes.extend(SPILLED);
        }
        rings.first.touch();
        Some(rings)
    }

    pub(super) fn first_words(words: usize) -> usize {
        HEAD + sizes(words)[0]
    }

    /// Attaches to the rings of another process.
    pub(super) fn attached(place: &Place, name: String, memory: Shared) -> Option<Self> {
        Self::with_sizes(place, name, memory, Vec::new())
    }

    fn with_sizes(place: &Place, name: String, memory: Shared, sizes: Vec<usize>) -> Option<Self> {
        Some(Self {
            first: Ring::attach(memory)?,
            larger: [const { OnceLock::new() }; MAX_RINGS],
            sizes,
            place: place.clone(),
            name,
            larger_count: memory.get(LARGER_COUNT)?,
            capacity: memory.get(CAPACITY)?,
            in_memory: memory.get(IN_MEMORY)?,
            is_refused: AtomicBool::new(false),
            current: AtomicUsize::new(0),
            since_check: AtomicU32::new(0),
            may_wait: true,
        })
    }

    /// Returns all rings, the smallest first; for the producer, which creates them.
    fn all(&self) -> impl Iterator<Item = &Ring> {
        std::iter::once(&self.first).chain(self.larger.iter().filter_map(OnceLock::get))
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
        if current != 0 { self.look_for_smaller(current) } else { &self.first }
    }

    /// Returns to the smallest ring once all rings are empty: later records must not overtake earlier ones. Checks
    /// every [`CHECK_EVERY`] records.
    #[inline(never)]
    fn look_for_smaller(&self, current: usize) -> &Ring {
        let since_check = self.since_check.load(Ordering::Relaxed) + 1;
        self.since_check.store(since_check % CHECK_EVERY, Ordering::Relaxed);
        let is_empty = |ring: &Ring| ring.consumed() == ring.produced();
        if since_check == CHECK_EVERY && self.all().all(is_empty) {
            self.current.store(0, Ordering::Relaxed);
            return &self.first;
        }
        self.larger.get(current).and_then(OnceLock::get).unwrap_or(&self.first)
    }

    /// Returns the ring that continues a record when the current one is full. It is created on first use, which takes a
    /// few system calls and address space.
    pub(super) fn larger(&self) -> Option<&Ring> {
        let next = self.current.load(Ordering::Relaxed) + 1;
        let place = self.larger.get(next)?;
        if place.get().is_none() {
            let ring = self.make(next, *self.sizes.get(next)?)?;
            let _ = place.set(ring);
            self.larger_count.store(next as u64, Ordering::Release);
        }
        self.current.store(next, Ordering::Relaxed);
        place.get()
    }

    #[cold]
    fn make(&self, number: usize, words: usize) -> Option<Ring> {
        if self.is_refused.load(Ordering::Relaxed) {
            return None;
        }
        let name = self.larger_name(number);
        let is_in_memory = (number as u64) < self.in_memory.load(Ordering::Relaxed);
        let memory = os::without_cancellation(|| match is_in_memory {
            true => self.place.make(&name, HEAD + words),
            false => self.place.spill(&name, HEAD, words),
        });
        let ring = memory.and_then(Ring::attach);
        self.is_refused.store(ring.is_none(), Ordering::Relaxed);
        ring
    }

    /// Maps the rings that another process has created since.
    fn follow(&self) {
        for number in 1..=self.larger_count.load(Ordering::Acquire).min(MAX_RINGS as u64 - 1) as usize {
            let place = &self.larger[number];
            if place.get().is_none()
                && let Some(ring) = self.place.attach(&self.larger_name(number)).and_then(Ring::attach)
            {
                let _ = place.set(ring);
            }
        }
    }

    pub(crate) fn spilled_bytes(&self) -> u64 {
        let first = self.in_memory.load(Ordering::Relaxed) as usize;
        let spilled = self.larger.iter().skip(first).filter_map(OnceLock::get);
        spilled.map(|ring| ring.produced() * 8).sum()
    }

    fn larger_name(&self, number: usize) -> String {
        format!("{}.{number}", self.name)
    }

    /// Moves all records to the end of `bytes`, as the only consumer. Returns the used fraction of the rings, from 0 to
    /// 1.
    pub(crate) fn drain_into(&self, bytes: &mut Vec<u8>) -> f64 {
        self.follow();
        // If a ring exists, so do all smaller ones, however many are created meanwhile.
        let mut rings: Vec<&Ring> = self.larger.iter().rev().filter_map(OnceLock::get).collect();
        rings.push(&self.first);
        rings.reverse();
        // From the largest to the smallest: records in a ring are newer than those in smaller ones, whose ends read
        // later include all records before them.
        let ends: Vec<u64> = rings.iter().rev().map(|ring| ring.produced()).collect();
        let drained: usize =
            rings.iter().zip(ends.iter().rev()).map(|(ring, end)| ring.drain_to(*end, bytes)).sum();
        drained as f64 / self.capacity.load(Ordering::Relaxed).max(1) as f64
    }
}

/// Returns the sizes of the rings in words, the smallest first.
fn sizes(words: usize) -> Vec<usize> {
    sizes_from(MIN_WORDS, words)
}

fn sizes_from(smallest: usize, words: usize) -> Vec<usize> {
    let mut sizes = Vec::new();
    let (mut left, mut size) = (words, smallest);
    while left > 0 && sizes.len() < MAX_RINGS {
        let next = size.min(1 << left.ilog2());
        sizes.push(next);
        // The last one takes the rest.
        left = if next < size { 0 } else { left - next };
        size *= GROWTH;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rings_of(words: usize) -> Rings {
        let memory = Place::Private.make("", Rings::first_words(words)).unwrap();
        Rings::new(&Place::Private, String::new(), memory, words).unwrap()
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
        let rings = rings_of(64);
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
        let rings = rings_of(16);
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
        let rings = rings_of(1 << 15);
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
    fn another_process_finds_every_ring_that_was_needed() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::beside(folder.path().join("7."));
        let memory = place.make("0", Rings::first_words(1 << 16)).unwrap();
        let here = Rings::new(&place, "0".to_owned(), memory, 1 << 16).unwrap();
        let there = Rings::attached(&place, "0".to_owned(), place.attach("0").unwrap()).unwrap();
        let mut bytes = Vec::new();
        for round in 0..20_u64 {
            assert!(here.write(Kind::Signal, 0, round, |entry| entry.bytes(&[7; 20_000])));
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "a small one and two larger ones");
        there.drain_into(&mut bytes);
        let times: Vec<_> = bytes.chunks_exact(20_024).map(|record| record[8]).collect();
        assert_eq!(times, (0..20).collect::<Vec<u8>>());
    }

    #[test]
    fn where_memory_is_full_its_rings_are_on_the_disk() {
        let [folder, disk] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        std::fs::write(folder.path().join("spill"), disk.path().to_str().unwrap()).unwrap();
        // Blocks the second ring, as a full /dev/shm does.
        std::fs::write(folder.path().join("7.0.1"), "").unwrap();
        let place = Place::beside(folder.path().join("7."));
        let memory = place.make("0", Rings::first_words(1 << 16)).unwrap();
        let here = Rings::new(&place, "0".to_owned(), memory, 1 << 16).unwrap();
        let there = Rings::attached(&place, "0".to_owned(), place.attach("0").unwrap()).unwrap();
        for next in 0..50_000_u64 {
            assert!(here.write(Kind::Signal, 0, next, |entry| entry.word(!next)));
        }
        let mut bytes = Vec::new();
        there.drain_into(&mut bytes);
        let times =
            bytes.chunks_exact(24).map(|record| u64::from_ne_bytes(record[8..16].try_into().unwrap()));
        assert!(times.eq(0..50_000), "in their order, and all");
        assert!(disk.path().join("7.0.1").exists());
    }

    #[test]
    fn what_there_is_no_memory_for_goes_to_a_disk() {
        let [folder, disk] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        std::fs::write(folder.path().join("spill"), disk.path().to_str().unwrap()).unwrap();
        let place = Place::beside(folder.path().join("7."));
        let memory = place.make("0", Rings::first_words(1 << 9)).unwrap();
        let here = Rings::new(&place, "0".to_owned(), memory, 1 << 9).unwrap();
        let there = Rings::attached(&place, "0".to_owned(), place.attach("0").unwrap()).unwrap();
        let mut next = 0_u64;
        for _ in 0..3 {
            let begin = next;
            while next < begin + 50_000 {
                assert!(here.write(Kind::Signal, 0, next, |entry| entry.word(!next)));
                next += 1;
            }
            let mut bytes = Vec::new();
            there.drain_into(&mut bytes);
            let times =
                bytes.chunks_exact(24).map(|record| u64::from_ne_bytes(record[8..16].try_into().unwrap()));
            assert!(times.eq(begin..next), "in their order, and all");
        }
        assert!(there.spilled_bytes() > 3_000_000);
        assert_eq!(std::fs::read_dir(disk.path()).unwrap().count(), 1, "the file is used again");
    }

    #[test]
    fn a_producer_and_a_consumer_agree_whatever_ring_is_used() {
        const COUNT: u64 = 200_000;
        for words in [256, 1 << 16] {
            let (rings, is_over) = (rings_of(words), AtomicBool::new(false));
            let wrong = std::thread::scope(|scope| {
                scope.spawn(|| {
                    for value in 0..COUNT {
                        while !rings.write(Kind::Signal, 0, value, |entry| entry.word(!value)) {
                            if is_over.load(Ordering::Relaxed) {
                                return;
                            }
                            std::thread::yield_now();
                        }
                        if value % 20_000 == 0 {
                            std::thread::yield_now();
                        }
                    }
                });
                let (mut bytes, mut next, mut wrong) = (Vec::new(), 0, None);
                while next < COUNT && wrong.is_none() {
                    bytes.clear();
                    rings.drain_into(&mut bytes);
                    for record in bytes.chunks_exact(24) {
                        let is_next =
                            record[8..16] == next.to_ne_bytes() && record[16..24] == (!next).to_ne_bytes();
                        wrong = wrong.or_else(|| (!is_next).then(|| (next, record.to_vec())));
                        next += 1;
                    }
                }
                is_over.store(true, Ordering::Relaxed);
                wrong
            });
            assert_eq!(wrong, None, "what came in place of a record");
        }
    }
}
