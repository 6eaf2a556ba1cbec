//! Sub-buffers of a buffer.
//!
//! The runtime announces a buffer whenever a handle of one is constructed: the first time, but also when a handle is
//! copied or moved (each `std::swap` does so three times), reinterpreted, or turned into a sub-buffer. All have the
//! address of the first, and differ only in their size. So
//!
//! - a handle with the size of the whole buffer is another handle of it;
//! - the first handle with a smaller size is a sub-buffer;
//! - another handle with that size is the same sub-buffer, or one at another offset. It counts as a new one once the
//!   runtime creates a sub-buffer at an unknown offset, which it does when a command first uses it.
//!
//! A sub-buffer that no command uses is not detected if another one has the same size.

use syclscope_language::time::Timestamp;

use super::owned_location::OwnedLocation;

/// Maximum number of announcements that may turn out to be sub-buffers; of more, the oldest is forgotten.
const MAX_UNPROVEN: usize = 256;

#[derive(Default)]
pub(super) struct Parts {
    /// Size of the whole buffer; 0 if that was not announced.
    bytes: u64,
    /// Sub-buffers: their size, and their offset if known.
    sub_buffers: Vec<(u64, Option<u64>)>,
    unproven: Vec<Handle>,
}

#[derive(Clone, Debug)]
pub(super) struct Handle {
    pub(super) at: Timestamp,
    pub(super) tid: u32,
    pub(super) element_type: Box<str>,
    pub(super) element_size: u32,
    pub(super) dimensions: u32,
    pub(super) range: [u64; 3],
    pub(super) place: OwnedLocation,
}

impl Handle {
    pub(super) fn bytes(&self) -> u64 {
        bytes(self.element_size, self.dimensions, self.range)
    }
}

pub(super) fn bytes(element_size: u32, dimensions: u32, range: [u64; 3]) -> u64 {
    let sizes = range.iter().take(dimensions as usize);
    sizes.fold(element_size.into(), |bytes: u64, size| bytes.saturating_mul(*size))
}

impl Parts {
    pub(super) fn new(bytes: u64) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// Adds an announced handle; returns it if it certainly is a new sub-buffer.
    pub(super) fn announced(&mut self, handle: Handle) -> Option<Handle> {
        let bytes = handle.bytes();
        if self.bytes > 0 && bytes >= self.bytes {
            return None;
        }
        if self.bytes > 0 && self.sub_buffers.iter().all(|(size, _)| *size != bytes) {
            self.sub_buffers.push((bytes, None));
            return Some(handle);
        }
        if self.unproven.len() == MAX_UNPROVEN {
            self.unproven.remove(0);
        }
        self.unproven.push(handle);
        None
    }

    /// Adds a sub-buffer that the runtime created at `offset` bytes for a command that uses `elements` of it. Returns
    /// the program's handle of it, if that was not yet known to be a sub-buffer.
    pub(super) fn add(&mut self, offset: u64, elements: u64) -> Option<Handle> {
        if self.sub_buffers.iter().any(|(_, place)| *place == Some(offset)) {
            return None;
        }
        // A command may use only a part, so the size is only a hint.
        let holds = |handle: &Handle| handle.bytes() == elements.saturating_mul(handle.element_size.into());
        let fits = self.unproven.iter().find(|handle| holds(handle)).map(Handle::bytes);
        let open = |bytes: Option<u64>| {
            move |(size, place): &(u64, Option<u64>)| {
                place.is_none() && bytes.is_none_or(|bytes| bytes == *size)
            }
        };
        let index = self.sub_buffers.iter().position(open(fits));
        let index = index.or_else(|| self.sub_buffers.iter().position(open(None)).filter(|_| fits.is_none()));
        if let Some(index) = index {
            self.sub_buffers[index].1 = Some(offset);
            return None;
        }
        let place = self.unproven.iter().position(holds).unwrap_or(0);
        let handle = (place < self.unproven.len()).then(|| self.unproven.remove(place))?;
        self.sub_buffers.push((handle.bytes(), Some(offset)));
        Some(handle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handle(line: u32, elements: u64) -> Handle {
        Handle {
            at: Timestamp(line.into()),
            tid: 1,
            element_type: "f".into(),
            element_size: 4,
            dimensions: 1,
            range: [elements, 0, 0],
            place: OwnedLocation::default(),
        }
    }

    fn at(handle: Option<Handle>) -> Option<u64> {
        handle.map(|handle| handle.at.0)
    }

    #[test]
    fn handles_of_the_whole_are_no_sub_buffers() {
        let mut parts = Parts::new(400);
        assert_eq!(at(parts.announced(handle(1, 100))), None, "a copy");
        let reinterpreted = Handle { element_size: 1, ..handle(2, 400) };
        assert_eq!(at(parts.announced(reinterpreted)), None);
        assert_eq!(at(parts.add(0, 100)), None);
    }

    #[test]
    fn a_sub_buffer_that_is_moved_is_one() {
        let mut parts = Parts::new(400);
        assert_eq!(at(parts.announced(handle(1, 50))), Some(1));
        assert_eq!(at(parts.announced(handle(2, 50))), None, "moved");
        assert_eq!(at(parts.add(200, 50)), None, "that one");
        assert_eq!(at(parts.add(200, 50)), None, "in another context");
    }

    #[test]
    fn sub_buffers_of_one_size_are_told_by_their_offsets() {
        let mut parts = Parts::new(400);
        assert_eq!(at(parts.announced(handle(1, 25))), Some(1));
        for line in 2..5 {
            assert_eq!(at(parts.announced(handle(line, 25))), None);
        }
        assert_eq!(at(parts.add(0, 25)), None);
        assert_eq!(at(parts.add(100, 25)), Some(2));
        assert_eq!(at(parts.add(200, 25)), Some(3));
        assert_eq!(at(parts.add(100, 25)), None);
        assert_eq!(at(parts.add(300, 25)), Some(4));
    }

    #[test]
    fn sizes_say_which_sub_buffer_was_made() {
        let mut parts = Parts::new(400);
        assert_eq!(at(parts.announced(handle(1, 50))), Some(1));
        assert_eq!(at(parts.announced(handle(2, 25))), Some(2));
        assert_eq!(at(parts.announced(handle(3, 25))), None);
        assert_eq!(at(parts.add(0, 25)), None);
        assert_eq!(at(parts.add(100, 25)), Some(3), "the one of 50 is still to come");
        assert_eq!(at(parts.add(200, 10)), None, "of which a command uses a part");
    }

    #[test]
    fn of_a_whole_of_unknown_size_each_must_be_seen() {
        let mut parts = Parts::new(0);
        assert_eq!(at(parts.announced(handle(1, 50))), None);
        assert_eq!(at(parts.add(0, 50)), Some(1));
        assert_eq!(at(parts.add(200, 50)), None, "its whole is unknown");
    }
}
