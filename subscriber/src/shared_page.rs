//! Words that the recorded process and the process that empties its buffers both map.
//!
//! If the program empties its buffers itself, the words are its own. The program's threads never wait for these words,
//! except at the end of the recording, and for space in a buffer if the user has requested that.

use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::os::Published;
use crate::os::memory::Shared;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field(usize);

impl Field {
    /// Version of the words' layout.
    pub(crate) const LAYOUT: Self = Self(0);
    pub(crate) const PID: Self = Self(1);
    /// True if the process was forked from a recorded one.
    pub(crate) const IS_FORKED: Self = Self(2);
    /// `CLOCK_MONOTONIC` at the start of the recording, and its value in ticks.
    pub(crate) const START_NS: Self = Self(3);
    pub(crate) const START_TICKS: Self = Self(4);
    /// True if records contain values of the processor's counter.
    pub(crate) const USES_COUNTER: Self = Self(5);
    /// Reason why the recording started paused: its number plus one.
    pub(crate) const BEGAN_PAUSED: Self = Self(6);
    /// Number of threads' buffers.
    pub(crate) const BUFFERS: Self = Self(7);
    /// Number of notifications on threads without a buffer.
    pub(crate) const UNBUFFERED: Self = Self(8);
    /// True if threads wait for space in a full buffer. The second word is true if one has waited in vain.
    pub(crate) const WAITS: Self = Self(9);
    pub(crate) const HAS_GIVEN_UP_WAITING: Self = Self(10);
    /// True if the writer waits for the disk.
    pub(crate) const IS_AT_DISK: Self = Self(11);
    /// True if recording has stopped for good.
    pub(crate) const IS_OFF: Self = Self(12);
    /// Recorded streams: one bit each.
    pub(crate) const RECORDED: Self = Self(13);
    /// Generation of the Unified Runtime plus one; 1 if the Plugin Interface's parameters are known, 2 if not.
    pub(crate) const GENERATION: Self = Self(14);
    pub(crate) const PLUGIN: Self = Self(15);
    /// Number of logged changes, and of those already taken.
    pub(crate) const LOGGED: Self = Self(16);
    pub(crate) const TAKEN: Self = Self(17);
    /// The program's request: a sequence number, shifted left, and the kind of request. The second word has the last
    /// completed request.
    pub(crate) const REQUEST: Self = Self(32);
    pub(crate) const DONE: Self = Self(33);
    /// Heartbeat: increases while the buffers are being emptied.
    pub(crate) const BEAT: Self = Self(36);
    /// Id of the process that empties the buffers.
    pub(crate) const EMPTIED_BY: Self = Self(37);
    const LOG: usize = 64;
    const STREAMS: usize = Self::LOG + LOG_WORDS;
    const FUNCTIONS: usize = Self::STREAMS + STREAMS * NAME_WORDS;

    #[inline]
    pub(crate) fn word(self) -> &'static AtomicU64 {
        &words()[self.0]
    }

    /// Reads a word written by another process, given the file of its page; 0 if unreadable.
    pub(crate) fn read_from(self, link: &Path) -> u64 {
        let mut bytes = [0; 8];
        let read =
            std::fs::File::open(link).and_then(|file| file.read_exact_at(&mut bytes, self.0 as u64 * 8));
        if read.is_ok() { u64::from_ne_bytes(bytes) } else { 0 }
    }

    #[inline]
    pub(crate) fn get(self) -> u64 {
        self.word().load(Ordering::Acquire)
    }

    #[inline]
    pub(crate) fn set(self, value: u64) {
        self.word().store(value, Ordering::Release);
    }
}

/// Maximum number of pauses and resumptions between two steps of the writer.
pub(crate) const LOG_WORDS: usize = 1024;
const STREAMS: usize = 64;
const FUNCTIONS: usize = 2048;
/// Words of an entry: one for the interface and the length of the name, and the name's bytes.
const NAME_WORDS: usize = 12;
pub(crate) const WORDS: usize = Field::FUNCTIONS + FUNCTIONS * NAME_WORDS;

/// The words of a process that empties its buffers itself.
static OWN: [AtomicU64; WORDS] = [const { AtomicU64::new(0) }; WORDS];
/// Words shared with another process, if there is one.
static SHARED: Published<[AtomicU64; WORDS]> = Published::empty();

#[inline]
fn words() -> &'static [AtomicU64; WORDS] {
    SHARED.get().unwrap_or(&OWN)
}

/// Uses these words from now on; false if their number is not that of a shared page.
pub(crate) fn share(memory: Shared) -> bool {
    let Ok(shared) = <&'static [AtomicU64; WORDS]>::try_from(memory) else { return false };
    SHARED.set(shared);
    true
}

/// Moves to new words when a process starts a recording, with the known streams and functions.
pub(crate) fn move_to(memory: Shared) -> bool {
    let before = words();
    let places = (Field::STREAMS..WORDS).chain([Field::RECORDED.0, Field::GENERATION.0, Field::PLUGIN.0]);
    for place in places {
        if let Some(word) = memory.get(place) {
            word.store(before[place].load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
    share(memory)
}

/// Switches to private words in a forked child: the shared page belongs to the parent.
pub(crate) fn forget() {
    if SHARED.get().is_some() {
        move_to(&OWN);
        SHARED.clear();
    }
    Field::BUFFERS.set(0);
    Field::UNBUFFERED.set(0);
}

pub(crate) fn log() -> &'static [AtomicU64] {
    &words()[Field::LOG..Field::LOG + LOG_WORDS]
}

/// Kind of a name that records refer to by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    Stream,
    Function,
}

impl NameKind {
    fn place(self, number: usize) -> Option<&'static [AtomicU64]> {
        let (first, count) = match self {
            Self::Stream => (Field::STREAMS, STREAMS),
            Self::Function => (Field::FUNCTIONS, FUNCTIONS),
        };
        let begin = first + (number < count).then_some(number)? * NAME_WORDS;
        words().get(begin..begin + NAME_WORDS)
    }

    /// Stores the name of a number. A long name is truncated.
    pub(crate) fn set(self, number: usize, about: u8, name: &[u8]) {
        let Some([head, words @ ..]) = self.place(number) else { return };
        let name = &name[..name.len().min(words.len() * 8)];
        for (word, bytes) in words.iter().zip(name.chunks(8)) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_ne_bytes(padded), Ordering::Relaxed);
        }
        head.store(1 << 32 | (name.len() as u64) << 8 | u64::from(about), Ordering::Release);
    }

    pub(crate) fn get(self, number: usize) -> Option<(u8, String)> {
        let [head, words @ ..] = self.place(number)? else { return None };
        let head = head.load(Ordering::Acquire);
        let bytes: Vec<u8> =
            words.iter().flat_map(|word| word.load(Ordering::Relaxed).to_ne_bytes()).collect();
        let name = bytes.get(..(head >> 8) as usize & 0xff_ffff).filter(|_| head != 0)?;
        Some((head as u8, String::from_utf8_lossy(name).into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_by_number() {
        NameKind::Function.set(2047, 3, b"urEnqueueEventsWaitWithBarrierExt");
        assert_eq!(NameKind::Function.get(2047), Some((3, "urEnqueueEventsWaitWithBarrierExt".to_owned())));
        assert_eq!((NameKind::Function.get(2046), NameKind::Function.get(2048)), (None, None));
        NameKind::Stream.set(1, 0, &[b'x'; 200]);
        assert_eq!(NameKind::Stream.get(1).unwrap().1, "x".repeat(88));
        NameKind::Stream.set(2, 0, b"");
        assert_eq!(NameKind::Stream.get(2), Some((0, String::new())));
    }
}
