//! User data of the streams of memory, buffers and images.
//!
//! According to XPTI's documentation these are structures, but some runtimes pass a string; data that doesn't start
//! with an address is treated as a string.

use super::layout::{AccessorData, BufferData, ImageAccessorData, ImageData, MemoryData};
use super::notification::{Notification, text};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ObjectMade<'a> {
    pub(crate) object: u64,
    pub(crate) host: u64,
    pub(crate) element_type: &'a [u8],
    pub(crate) element_size: u32,
    pub(crate) dimensions: u32,
    pub(crate) range: [u64; 3],
    /// `sycl::image_format`, for images.
    pub(crate) format: Option<u32>,
    /// Addressing, coordinates and filtering of the sampler, for sampled images.
    pub(crate) sampler: [Option<u32>; 3],
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AccessorMade<'a> {
    pub(crate) object: u64,
    pub(crate) accessor: u64,
    pub(crate) target: Option<u32>,
    pub(crate) mode: Option<u32>,
    pub(crate) element_type: &'a [u8],
    pub(crate) element_size: u32,
}

impl<'a> Notification<'a> {
    /// Returns the structure of an allocation or release; `None` if the user data is a string, or null.
    pub(crate) fn memory_data(&self) -> Option<MemoryData> {
        // SAFETY: for these trace types the user data is this structure or a string of several characters.
        unsafe { self.structure() }
    }

    /// Returns the buffer of `offload_alloc_memory_object_construct`.
    pub(crate) fn buffer(&self) -> Option<ObjectMade<'a>> {
        // SAFETY: the trace type's user data is this structure.
        let data: BufferData = unsafe { self.structure()? };
        let is_plausible = data.dimensions <= 3 && is_address(data.element_type as u64);
        is_plausible.then(|| ObjectMade {
            object: data.object,
            host: data.host,
            // SAFETY: null, or the NUL-terminated type name given by the compiler.
            element_type: unsafe { text(data.element_type) },
            element_size: data.element_size,
            dimensions: data.dimensions,
            range: data.range,
            ..ObjectMade::default()
        })
    }

    /// Returns the image of `offload_alloc_memory_object_construct`.
    pub(crate) fn image(&self) -> Option<ObjectMade<'a>> {
        // SAFETY: the trace type's user data is this structure.
        let data: ImageData = unsafe { self.structure()? };
        (data.dimensions <= 3).then(|| ObjectMade {
            object: data.object,
            host: data.host,
            dimensions: data.dimensions,
            range: data.range,
            format: Some(data.format),
            sampler: [data.addressing.get(), data.coordinates.get(), data.filtering.get()],
            ..ObjectMade::default()
        })
    }

    /// Returns the object of `offload_alloc_memory_object_destruct`, the only filled field of its structure.
    pub(crate) fn object_destroyed(&self) -> Option<u64> {
        // SAFETY: the structures of buffers and images both start with the object.
        unsafe { self.structure() }
    }

    /// Returns object and memory handle of `offload_alloc_memory_object_associate` and `…_release`.
    pub(crate) fn association(&self) -> Option<[u64; 2]> {
        // SAFETY: the trace types' user data is `xpti::offload_association_data_t`, two addresses.
        unsafe { self.structure() }
    }

    /// Returns the accessor of `offload_alloc_accessor` to a buffer.
    pub(crate) fn accessor(&self) -> Option<AccessorMade<'a>> {
        // SAFETY: the trace type's user data is this structure.
        let data: AccessorData = unsafe { self.structure()? };
        Some(AccessorMade {
            object: data.object,
            accessor: data.accessor,
            target: Some(data.target),
            mode: Some(data.mode),
            ..AccessorMade::default()
        })
    }

    /// Returns the accessor of `offload_alloc_accessor` to an image.
    pub(crate) fn image_accessor(&self) -> Option<AccessorMade<'a>> {
        // SAFETY: the trace type's user data is this structure.
        let data: ImageAccessorData = unsafe { self.structure()? };
        is_address(data.element_type as u64).then(|| AccessorMade {
            object: data.object,
            accessor: data.accessor,
            target: data.target.get(),
            mode: data.mode.get(),
            // SAFETY: null, or the NUL-terminated type name given by the compiler.
            element_type: unsafe { text(data.element_type) },
            element_size: data.element_size,
        })
    }

    /// Returns the user data as a structure that starts with an address, or with zero.
    ///
    /// # Safety
    /// The user data is null, a `T`, or a string in memory that is as long as `T`.
    unsafe fn structure<T: Copy>(&self) -> Option<T> {
        let data = self.user_data();
        if data.is_null() {
            return None;
        }
        // SAFETY: the caller's promise; strings may be unaligned.
        unsafe {
            let first = data.cast::<u64>().read_unaligned();
            is_address(first).then(|| data.cast::<T>().read_unaligned())
        }
    }
}

/// True if a word can be a user-space address, or zero. Eight characters of a text can't.
fn is_address(word: u64) -> bool {
    word < 1 << 47
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_addresses() {
        assert!(is_address(0) && is_address(0x7fff_ffff_fff0));
        assert!(!is_address(u64::from_le_bytes(*b"usm::fre")));
    }
}
