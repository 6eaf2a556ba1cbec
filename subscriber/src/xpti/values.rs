//! Values of metadata, copied out of the framework's table once each.
//!
//! The framework keeps small values in one array, which is reallocated when it grows, on whatever thread adds a value
//! (in 2024.2 to 2026.2). The address returned by a lookup is valid until then: a direct read might access freed
//! memory. Hence a value is read by a system call, which fails for unmapped memory, and counts only if a second lookup
//! gives the same address: then the array has not moved in between. The value of an id never changes, so this is done
//! once for each, and later readers find the copy without the framework's lock.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::framework::Framework;
use super::layout::ObjectData;
use crate::os;

/// Maximum length of a value in bytes. Longer ones are truncated.
const MAX_BYTES: usize = 1 << 16;
/// Number of ids whose values are kept; memory is committed only on use.
const MAX_IDS: usize = 1 << 22;
/// Size of the storage for values that are longer than a word.
const ROOM_BYTES: usize = 256 << 20;
/// Bytes read of a value that is too large to be kept.
const UNKEPT_BYTES: usize = 4096;
/// Maximum number of attempts: a table that moves between each pair of lookups doesn't contain the value.
const ATTEMPTS: usize = 64;

/// Calls `each` with the kind and the bytes of the value of an id, if it has one.
pub(super) fn with(framework: &Framework, id: i32, each: impl FnOnce(u8, &[u8])) {
    let table = TABLE.get_or_init(Table::reserve).as_ref();
    let slot = table.zip(usize::try_from(id).ok()).and_then(|(table, id)| table.slots.get(id));
    if let Some((kind, bytes)) = slot.and_then(Slot::get) {
        return each(kind, bytes);
    }
    if let Some((table, slot)) = table.zip(slot)
        && slot.about.compare_exchange(UNKNOWN, CLAIMED, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    {
        table.learn(slot, framework, id);
        if let Some((kind, bytes)) = slot.get() {
            return each(kind, bytes);
        }
    }
    unkept(framework, id, each);
}

/// Passes on a value that another thread is currently reading, or that doesn't fit into the storage.
#[cold]
fn unkept(framework: &Framework, id: i32, each: impl FnOnce(u8, &[u8])) {
    let mut bytes = [0_u8; UNKEPT_BYTES];
    let object = framework.object(id);
    let length = object.size.min(bytes.len());
    if read(framework, id, object, &mut bytes[..length]) {
        each(object.kind, &bytes[..length]);
    }
}

/// Copies a value; false if there is none.
fn read(framework: &Framework, id: i32, mut object: ObjectData, into: &mut [u8]) -> bool {
    for _ in 0..ATTEMPTS {
        if object.data.is_null() {
            return false;
        }
        let is_read = os::read_memory(object.data.cast(), into);
        let again = framework.object(id);
        if is_read && again.data == object.data {
            return true;
        }
        object = again;
    }
    false
}

static TABLE: OnceLock<Option<Table>> = OnceLock::new();

struct Table {
    slots: &'static [Slot],
    /// Storage for values that are longer than a word, concatenated.
    room: &'static [AtomicU64],
    /// Words of `room` in use.
    used_words: AtomicUsize,
}

/// One value. Its fields are written once, before `about` marks it as present.
struct Slot {
    /// Up to eight bytes, or for longer values their address in `room`.
    value: AtomicU64,
    about: AtomicU64,
}

const UNKNOWN: u64 = 0;
const CLAIMED: u64 = 1;
const IS_KNOWN: u64 = 1 << 63;
/// `about` is the length, with the kind above it.
const KIND_SHIFT: u32 = 32;

impl Slot {
    #[inline]
    fn get(&self) -> Option<(u8, &[u8])> {
        let about = self.about.load(Ordering::Acquire);
        if about & IS_KNOWN == 0 {
            return None;
        }
        let length = about as u32 as usize;
        let bytes: *const u8 = if length <= size_of::<u64>() {
            self.value.as_ptr().cast()
        } else {
            self.value.load(Ordering::Relaxed) as *const u8
        };
        // SAFETY: `length` bytes were written there before `about` was, and are never changed.
        Some(((about >> KIND_SHIFT) as u8, unsafe { std::slice::from_raw_parts(bytes, length) }))
    }
}

impl Table {
    /// Reserves address space for the copies; `None` if the process may not take that much.
    fn reserve() -> Option<Self> {
        // Both or none.
        if !os::memory::may_take(MAX_IDS * size_of::<Slot>() + ROOM_BYTES) {
            return None;
        }
        let slots = os::memory::private(MAX_IDS * size_of::<Slot>() / size_of::<u64>())?;
        let room = os::memory::private(ROOM_BYTES / size_of::<u64>())?;
        // SAFETY: mapped for the rest of the process, aligned to a page, and zeros are valid slots.
        let slots = unsafe { std::slice::from_raw_parts(slots.as_ptr().cast::<Slot>(), MAX_IDS) };
        Some(Self { slots, room, used_words: AtomicUsize::new(0) })
    }

    /// Fills a slot claimed by this thread. It stays claimed if the value doesn't fit.
    #[cold]
    fn learn(&self, slot: &Slot, framework: &Framework, id: i32) {
        let object = framework.object(id);
        let length = object.size.min(MAX_BYTES);
        if length <= size_of::<u64>() {
            let mut word = [0_u8; size_of::<u64>()];
            if !read(framework, id, object, &mut word[..length]) {
                return slot.about.store(UNKNOWN, Ordering::Relaxed);
            }
            slot.value.store(u64::from_ne_bytes(word), Ordering::Relaxed);
        } else {
            let words = length.div_ceil(size_of::<u64>());
            let first = self.used_words.fetch_add(words, Ordering::Relaxed);
            let Some(room) = self.room.get(first..first.saturating_add(words)) else { return };
            let place = room.as_ptr().cast_mut().cast::<u8>();
            // SAFETY: these words belong to this slot alone, and are not read before `about` is written.
            let bytes = unsafe { std::slice::from_raw_parts_mut(place, length) };
            if !read(framework, id, object, bytes) {
                return slot.about.store(UNKNOWN, Ordering::Relaxed);
            }
            slot.value.store(place as u64, Ordering::Relaxed);
        }
        slot.about.store(IS_KNOWN | u64::from(object.kind) << KIND_SHIFT | length as u64, Ordering::Release);
    }
}
