//! Files of ours in memory, as the system pages them in and out.
#![expect(unsafe_code, reason = "mapping a file is only reachable through libc")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::ptr::NonNull;

/// A file's bytes, mapped for reading.
///
/// Only files that nobody changes may be mapped: a page of a file that was cut short since ends the process. What the
/// server writes into its data folder is written under another name, renamed when it is whole, and never opened for
/// writing again.
#[derive(Debug)]
pub struct Mapped {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the bytes are mapped for reading only, privately, until the value is dropped.
unsafe impl Send for Mapped {}
// SAFETY: as above; nobody can write to them through this value.
unsafe impl Sync for Mapped {}

impl Mapped {
    /// Maps a file of the data folder.
    ///
    /// # Errors
    /// When it can't be opened or mapped.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        if length == 0 {
            return Ok(Self { start: NonNull::dangling(), length });
        }
        // SAFETY: a fresh mapping of an open file touches no memory of ours.
        let start = unsafe {
            libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0)
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or_else(|| io::Error::other("mapped at address 0"))?;
        Ok(Self { start, length })
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: so many bytes are mapped there for reading as long as the value lives; none for an empty file.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        if self.length > 0 {
            // SAFETY: the mapping was made with this start and length, and no reference to it outlives the value.
            unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
        }
    }
}
