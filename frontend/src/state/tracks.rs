//! Ids of tracks that no trace has: those of kernels, and those of memory objects.

/// Ids from here on stand for a kernel's track, by its place among the trace's kernels.
pub const KERNEL_IDS: u32 = 1 << 31;

/// Ids from here on stand for an object's track, by the object's id; the one before for the group of them.
pub const OBJECT_IDS: u32 = 3 << 30;

/// The kernel whose track has an id; its place among the trace's kernels.
pub fn kernel_of(track: u32) -> Option<u32> {
    track.checked_sub(KERNEL_IDS).filter(|_| track < OBJECT_IDS - 1)
}

/// The object whose track has an id.
pub fn object_of(track: u32) -> Option<u32> {
    track.checked_sub(OBJECT_IDS)
}
