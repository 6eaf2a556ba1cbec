//! Ids of virtual tracks for kernels and memory objects.

/// First id of kernel tracks, which are numbered by the kernel's index in the trace; their group has the preceding id.
pub const KERNEL_IDS: u32 = 1 << 31;

/// First id of object tracks, which are numbered by the object's id; their group has the preceding id.
pub const OBJECT_IDS: u32 = 3 << 30;

pub fn kernel_of(track: u32) -> Option<u32> {
    track.checked_sub(KERNEL_IDS).filter(|_| track < OBJECT_IDS - 1)
}

pub fn object_of(track: u32) -> Option<u32> {
    track.checked_sub(OBJECT_IDS)
}
