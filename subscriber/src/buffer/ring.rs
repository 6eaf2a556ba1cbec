//! A bounded ring of words with one producer and one consumer, and the record that is being written to it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::header::{Header, Kind};
use super::rings::Rings;
use super::wait;
use crate::os::Words;
use crate::os::memory::Shared;

/// The ring. Positions count words since the start and never wrap.
pub(crate) struct Ring {
    words: Words,
    produced: &'static AtomicU64,
    consumed: &'static AtomicU64,
    /// The producer's last reading of `consumed`, in this process's own memory: every record needs it.
    cached_consumed: AtomicU64,
}

/// Words before the ring's words: its positions and its owner's state.
pub(super) const HEAD: usize = 512;
/// The positions, each on its own cache line.
const PRODUCED: usize = 64;
const CONSUMED: usize = 80;

const LINE_WORDS: u64 = 8;
/// Distance of the fetched cache lines in words: about the records of one submission.
const FETCHED_AHEAD: u64 = 96;
/// Maximum number of words fetched at once.
const MAX_FETCHED: u64 = 128;

impl Ring {
    /// Attaches to the ring in `memory`, which starts with the ring's head; zeroed memory is an empty ring. Returns
    /// `None` if the memory is too small.
    pub(super) fn attach(memory: Shared) -> Option<Self> {
        let (head, words) = memory.split_at_checked(HEAD)?;
        let [produced, consumed] = [PRODUCED, CONSUMED].map(|at| &head[at]);
        Some(Self { words: Words::new(words)?, produced, consumed, cached_consumed: AtomicU64::new(0) })
    }

    /// Starts a record at the end of the ring, as the only producer.
    #[inline(always)]
    pub(super) fn begin<'r>(&'r self, rings: &'r Rings) -> Entry<'r> {
        let begin = self.produced.load(Ordering::Relaxed);
        let limit = self.cached_consumed.load(Ordering::Relaxed) + self.words.count() as u64;
        Entry {
            rings,
            ring: self,
            words: self.words,
            position: begin + 1,
            limit,
            begin,
            ids_at: 0,
            has_definitions: false,
            is_full: false,
        }
    }

    /// Returns the position up to which the producer may write, after reading the consumer's.
    fn refreshed_limit(&self) -> u64 {
        let consumed = self.consumed.load(Ordering::Acquire);
        self.cached_consumed.store(consumed, Ordering::Relaxed);
        consumed + self.words.count() as u64
    }

    pub(super) fn produced(&self) -> u64 {
        self.produced.load(Ordering::Acquire)
    }

    /// Moves the records up to a position to the end of `bytes`, as the only consumer; returns their length in words.
    pub(super) fn drain_to(&self, end: u64, bytes: &mut Vec<u8>) -> usize {
        let begin = self.consumed.load(Ordering::Relaxed);
        self.words.copy_to(bytes, begin, end);
        self.consumed.store(end, Ordering::Release);
        (end - begin) as usize
    }

    /// Returns the number of words taken so far. It grows as long as the consumer is alive.
    pub(super) fn consumed(&self) -> u64 {
        self.consumed.load(Ordering::Acquire)
    }

    /// Commits all of the memory now.
    pub(super) fn touch(&self) {
        self.words.touch();
    }
}

pub(crate) struct Entry<'r> {
    rings: &'r Rings,
    ring: &'r Ring,
    words: Words,
    position: u64,
    limit: u64,
    begin: u64,
    /// Position of the metadata ids in the record; 0 without any.
    ids_at: u64,
    has_definitions: bool,
    is_full: bool,
}

impl<'r> Entry<'r> {
    /// Publishes the record; false if it didn't fit.
    #[inline(always)]
    pub(super) fn end(mut self, kind: Kind, detail: u32) -> bool {
        let has_ids = self.ids_at != 0;
        if has_ids {
            self.word(self.ids_at);
        }
        if self.is_full {
            return false;
        }
        let words = (self.position - self.begin) as u32;
        let has_definitions = self.has_definitions;
        self.words.put(self.begin, Header { kind, has_ids, has_definitions, detail, words }.pack());
        self.ring.produced.store(self.position, Ordering::Release);
        self.fetch_ahead();
        true
    }

    /// Prefetches as many cache lines as the record has used, [`FETCHED_AHEAD`] words further on. The consumer has read
    /// them in the ring's last cycle, and a transfer from its processor takes longer than a write.
    #[inline(always)]
    fn fetch_ahead(&self) {
        let end = self.position.min(self.begin + MAX_FETCHED) + FETCHED_AHEAD;
        let mut line = (self.begin + FETCHED_AHEAD).next_multiple_of(LINE_WORDS);
        while line < end {
            self.words.prefetch(line);
            line += LINE_WORDS;
        }
    }

    #[inline(always)]
    pub(crate) fn word(&mut self, word: u64) {
        if self.position >= self.limit && !self.has_made_room() {
            return;
        }
        self.words.put(self.position, word);
        self.position += 1;
    }

    /// Adds words, with one check of the free space.
    #[inline(always)]
    pub(crate) fn words(&mut self, words: impl ExactSizeIterator<Item = u64>) {
        let end = self.position + words.len() as u64;
        if end > self.limit {
            words.for_each(|word| self.word(word));
            return;
        }
        for (position, word) in (self.position..end).zip(words) {
            self.words.put(position, word);
        }
        self.position = end;
    }

    /// Reads the consumer's position. If the ring is full, continues in a larger ring or waits, if the rings allow it.
    /// A word that did not fit invalidates the record, even if the next word would fit.
    #[cold]
    #[inline(never)]
    fn has_made_room(&mut self) -> bool {
        if self.is_full {
            return false;
        }
        self.limit = self.ring.refreshed_limit();
        while self.position >= self.limit {
            if let Some(larger) = self.rings.larger() {
                self.move_to(larger);
                continue;
            }
            let count = self.words.count() as u64;
            let can_fit = self.position - self.begin < count;
            // The limit is a whole ring after the consumer's position, so the subtraction can't overflow.
            let has_room = || wait::for_room(self.position - count, || self.ring.consumed());
            if !can_fit || !self.rings.may_wait || !has_room() {
                self.is_full = true;
                return false;
            }
            self.limit = self.ring.refreshed_limit();
        }
        true
    }

    /// Continues in another ring with as much of the record as fits.
    fn move_to(&mut self, other: &'r Ring) {
        let begin = other.produced.load(Ordering::Relaxed);
        let limit = other.refreshed_limit();
        let length = self.position - self.begin;
        for offset in 1..length.min(limit - begin) {
            other.words.put(begin + offset, self.words.get(self.begin + offset));
        }
        (self.ring, self.words) = (other, other.words);
        (self.position, self.limit, self.begin) = (begin + length, limit, begin);
    }

    /// Adds text or other bytes: the length, then the bytes in whole words.
    #[inline]
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        self.raw(bytes);
    }

    /// Adds bytes in whole words, without their length.
    #[inline]
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let (chunks, rest) = bytes.as_chunks::<8>();
        self.words(chunks.iter().map(|chunk| u64::from_ne_bytes(*chunk)));
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.word(u64::from_ne_bytes(last));
        }
    }

    /// Adds metadata as framework ids: their number, then key and value of each in one word.
    #[inline]
    pub(crate) fn ids(&mut self, fill: impl FnOnce(&mut Self)) {
        self.ids_at = self.reserve_word();
        fill(self);
        self.fill_word(self.ids_at, self.position - self.begin - self.ids_at - 1);
    }

    /// Adds the definitions of some ids after the ids. `fill` writes id and definition of each, and returns their
    /// number.
    #[cold]
    pub(crate) fn definitions(&mut self, fill: impl FnOnce(&mut Self) -> u64) {
        self.has_definitions = true;
        let place = self.reserve_word();
        let count = fill(self);
        self.fill_word(place, count);
    }

    /// Reserves a word whose value is determined later; returns its position in the record.
    #[inline]
    pub(crate) fn reserve_word(&mut self) -> u64 {
        self.word(0);
        self.position - 1 - self.begin
    }

    #[inline]
    pub(crate) fn fill_word(&mut self, place: u64, word: u64) {
        if !self.is_full {
            self.words.put(self.begin + place, word);
        }
    }
}
