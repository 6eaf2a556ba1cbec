//! A bounded ring of words with one producer and one consumer.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::record::{Header, Kind};
use crate::xpti::Words;

/// The ring. Positions count words since the beginning and never wrap.
pub(crate) struct Ring {
    words: Words,
    produced: Aligned,
    consumed: Aligned,
    /// What the producer last saw of `consumed`.
    known_consumed: Aligned,
}

/// A position on a cache line of its own.
#[repr(align(128))]
struct Aligned(AtomicU64);

impl Ring {
    /// An empty ring of `words` words, a power of two; its memory is only used where it is written.
    pub(crate) fn new(words: usize) -> Option<Self> {
        let zero = || Aligned(AtomicU64::new(0));
        Some(Self { words: Words::map(words)?, produced: zero(), consumed: zero(), known_consumed: zero() })
    }

    /// Writes a record, as the only producer; false if it didn't fit.
    #[inline]
    pub(crate) fn write(&self, kind: Kind, detail: u32, at: u64, fill: impl FnOnce(&mut Entry<'_>)) -> bool {
        let begin = self.produced.0.load(Ordering::Relaxed);
        let limit = self.known_consumed.0.load(Ordering::Relaxed) + self.words.count() as u64;
        let mut entry = Entry {
            ring: self,
            words: self.words,
            position: begin + 1,
            limit,
            begin,
            ids_at: 0,
            is_full: false,
        };
        entry.word(at);
        fill(&mut entry);
        let has_ids = entry.ids_at != 0;
        if has_ids {
            entry.word(entry.ids_at - begin);
        }
        let Entry { position: end, is_full, .. } = entry;
        if is_full {
            return false;
        }
        self.words.put(begin, Header { kind, has_ids, detail, words: (end - begin) as u32 }.pack());
        self.produced.0.store(end, Ordering::Release);
        true
    }

    /// Up to where the producer may write.
    fn refreshed_limit(&self) -> u64 {
        let consumed = self.consumed.0.load(Ordering::Acquire);
        self.known_consumed.0.store(consumed, Ordering::Relaxed);
        consumed + self.words.count() as u64
    }

    /// Moves everything that is there to the end of `bytes`, as the only consumer; gives the ring's fill in words.
    pub(crate) fn drain_into(&self, bytes: &mut Vec<u8>) -> usize {
        let begin = self.consumed.0.load(Ordering::Relaxed);
        let end = self.produced.0.load(Ordering::Acquire);
        self.words.copy_to(bytes, begin, end);
        self.consumed.0.store(end, Ordering::Release);
        (end - begin) as usize
    }

    /// How many words were taken out so far: it grows as long as the consumer is alive.
    pub(crate) fn consumed(&self) -> u64 {
        self.consumed.0.load(Ordering::Relaxed)
    }

    /// How many words the ring holds when it is full.
    pub(crate) fn capacity(&self) -> usize {
        self.words.count()
    }
}

/// A record that is being written.
pub(crate) struct Entry<'r> {
    ring: &'r Ring,
    words: Words,
    position: u64,
    limit: u64,
    begin: u64,
    /// Where metadata by ids begins; 0 without any.
    ids_at: u64,
    is_full: bool,
}

impl Entry<'_> {
    /// Adds a word.
    #[inline]
    pub(crate) fn word(&mut self, word: u64) {
        if self.position >= self.limit {
            self.refresh();
        }
        if !self.is_full {
            self.words.put(self.position, word);
        }
        self.position += 1;
    }

    /// Looks how far the consumer is. A word that did not fit spoils the record, even if there is room for the next one.
    #[cold]
    #[inline(never)]
    fn refresh(&mut self) {
        self.limit = self.ring.refreshed_limit();
        if self.position < self.limit || self.is_full {
            return;
        }
        let can_fit = self.position - self.begin < self.words.count() as u64;
        if can_fit && super::wait::for_room(self.ring, self.position) {
            self.limit = self.ring.refreshed_limit();
        }
        self.is_full = self.position >= self.limit;
    }

    /// Adds text or other bytes: the length, then the bytes in whole words.
    #[inline]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        let (chunks, rest) = bytes.as_chunks::<8>();
        for chunk in chunks {
            self.word(u64::from_ne_bytes(*chunk));
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.word(u64::from_ne_bytes(last));
        }
    }

    /// Adds metadata by the framework's ids: how many there are, then key and value of each in one word. The writer looks
    /// them up, so that the program's threads need not, and nobody does so twice.
    #[inline]
    pub(crate) fn ids(&mut self, fill: impl FnOnce(&mut Self)) {
        self.ids_at = self.reserve_word();
        fill(self);
        self.fill_word(self.ids_at, self.position - self.ids_at - 1);
    }

    /// Leaves room for a word that is only known later.
    pub(crate) fn reserve_word(&mut self) -> u64 {
        self.word(0);
        self.position - 1
    }

    /// Fills what `reserve_word` left.
    pub(crate) fn fill_word(&mut self, position: u64, word: u64) {
        if position > self.begin && !self.is_full {
            self.words.put(position, word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out_across_the_wrap() {
        let ring = Ring::new(64).unwrap();
        for round in 0..1000_u64 {
            assert!(ring.write(Kind::Signal, 7, round, |entry| entry.bytes(b"eleven byte")));
            let mut bytes = Vec::new();
            assert_eq!(ring.drain_into(&mut bytes), 5);
            assert_eq!(bytes.len(), 40);
            assert_eq!(bytes[8..16], round.to_ne_bytes());
            assert_eq!(&bytes[24..35], b"eleven byte");
        }
        assert_eq!(ring.drain_into(&mut Vec::new()), 0);
    }

    #[test]
    fn a_record_that_does_not_fit_leaves_no_trace() {
        let ring = Ring::new(16).unwrap();
        assert!(ring.write(Kind::Signal, 0, 1, |entry| entry.word(1)));
        assert!(!ring.write(Kind::Signal, 0, 2, |entry| entry.bytes(&[0; 200])));
        assert!(ring.write(Kind::Signal, 0, 3, |entry| entry.word(3)));
        let mut bytes = Vec::new();
        assert_eq!(ring.drain_into(&mut bytes), 6);
        assert_eq!(bytes[32..40], 3_u64.to_ne_bytes());
        assert!(ring.write(Kind::Signal, 0, 4, |entry| entry.bytes(&[0; 80])));
    }

    #[test]
    fn a_producer_and_a_consumer_agree() {
        const COUNT: u64 = 20_000;
        let ring = Ring::new(256).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for value in 0..COUNT {
                    while !ring.write(Kind::Signal, 0, value, |entry| entry.word(!value)) {
                        std::thread::yield_now();
                    }
                }
            });
            let (mut bytes, mut next) = (Vec::new(), 0);
            while next < COUNT {
                bytes.clear();
                ring.drain_into(&mut bytes);
                for record in bytes.chunks_exact(24) {
                    assert_eq!(record[8..16], next.to_ne_bytes());
                    assert_eq!(record[16..24], (!next).to_ne_bytes());
                    next += 1;
                }
            }
        });
    }
}
