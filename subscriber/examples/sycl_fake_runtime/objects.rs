//! The values of metadata in the stand-in for libxptifw.

/// Number of values after which the array moves, even if it has space.
const MOVE_EVERY: usize = 8;

/// The values of metadata, in an array that moves when it is full, as the framework's does, but far more often: a
/// reader of the old array crashes.
pub(super) struct Objects {
    /// Size, offset and kind of each.
    pub(super) places: Vec<(usize, usize, u8)>,
    pub(super) array: *mut u8,
    /// Bytes of the array.
    room: usize,
}

// SAFETY: the array is only written, and moved, under the lock.
unsafe impl Send for Objects {}
// SAFETY: as above.
unsafe impl Sync for Objects {}

impl Objects {
    pub(super) const fn new() -> Self {
        Self { places: Vec::new(), array: std::ptr::null_mut(), room: 0 }
    }

    pub(super) fn add(&mut self, bytes: &[u8], kind: u8) -> i32 {
        let offset = self.places.last().map_or(0, |(size, offset, _)| (offset + size).next_multiple_of(8));
        let end = offset + bytes.len();
        if end > self.room || self.places.len().is_multiple_of(MOVE_EVERY) {
            self.move_to(if end > self.room { end * 2 } else { self.room });
        }
        // SAFETY: the array has space for them.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.array.add(offset), bytes.len()) };
        self.places.push((bytes.len(), offset, kind));
        self.places.len() as i32 - 1
    }

    fn move_to(&mut self, room: usize) {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping; the old one has `room` bytes, and no other thread uses it under the lock.
        unsafe {
            let array = libc::mmap(std::ptr::null_mut(), room, access, kind, -1, 0);
            assert_ne!(array, libc::MAP_FAILED);
            if self.room > 0 {
                std::ptr::copy_nonoverlapping(self.array, array.cast(), self.room);
                // The old address range stays reserved: otherwise a later array there would contain the same values.
                libc::mmap(self.array.cast(), self.room, libc::PROT_NONE, kind | libc::MAP_FIXED, -1, 0);
            }
            (self.array, self.room) = (array.cast(), room);
        }
    }
}
