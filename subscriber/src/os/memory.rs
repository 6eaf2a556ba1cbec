//! Atomic words that live as long as the process, and that other processes can share.

use std::ffi::{CString, c_int};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Words of a mapping that is never unmapped.
pub(crate) type Shared = &'static [AtomicU64];

/// Divisor: the recorder takes at most this part of a limited address space.
const PART_OF_LIMIT: usize = 8;

/// Bytes of address space that the recorder has taken.
static RESERVED_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Reserves zeroed words for this process alone, committed only on use; `None` without address space.
pub(crate) fn private(words: usize) -> Option<Shared> {
    map(words, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1).ok()
}

/// Creates a file of zeroed words, for its owner only. All of its memory is reserved now: writing to it never fails
/// later.
pub(crate) fn create(path: &Path, words: usize) -> io::Result<Shared> {
    let file = super::files::create_new(path)?;
    let made = super::without_file_size_signal(|| {
        let bytes = words.checked_mul(8).and_then(|bytes| libc::off_t::try_from(bytes).ok());
        let bytes = bytes.ok_or(io::ErrorKind::InvalidInput)?;
        // In memory, many kernels give up when a signal arrives, such as those of a profiler, and start over when they
        // are asked again. SAFETY: the descriptor is open.
        super::without_signals(|| match unsafe { libc::fallocate(file.as_raw_fd(), 0, 0, bytes) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        })
    });
    let mapped = made.and_then(|()| map(words, libc::MAP_SHARED, file.as_raw_fd()));
    if mapped.is_err() {
        let _ = std::fs::remove_file(path);
    }
    mapped
}

pub(crate) fn attach(path: &Path) -> io::Result<Shared> {
    let flags = libc::O_NOFOLLOW | libc::O_CLOEXEC;
    let file = File::options().read(true).write(true).custom_flags(flags).open(path)?;
    let words = file.metadata()?.len() as usize / 8;
    map(words, libc::MAP_SHARED, file.as_raw_fd())
}

fn map(words: usize, kind: c_int, file: c_int) -> io::Result<Shared> {
    let bytes = words.checked_mul(8).filter(|bytes| *bytes > 0).ok_or(io::ErrorKind::InvalidInput)?;
    if !may_take(bytes) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at an address chosen by the system does not affect other memory.
    let memory = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, kind, file, 0) };
    if memory == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    RESERVED_BYTES.fetch_add(bytes, Ordering::Relaxed);
    // SAFETY: this number of words was mapped, aligned to a page; zero is a valid value, other processes only use
    // atomic accesses, and they are never unmapped.
    Ok(unsafe { std::slice::from_raw_parts(memory.cast(), words) })
}

/// Temporary memory outside of the program's allocator.
pub(crate) struct Scratch {
    words: &'static mut [u64],
}

impl Scratch {
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        let shared =
            map(bytes / 8, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE, -1).ok()?;
        // SAFETY: the mapping is new, and not shared.
        let words =
            unsafe { std::slice::from_raw_parts_mut(shared.as_ptr().cast_mut().cast(), shared.len()) };
        Some(Self { words })
    }

    pub(crate) fn fill(&mut self) {
        self.words.iter_mut().for_each(|word| *word = word.wrapping_add(1));
        std::hint::black_box(&self.words);
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let bytes = size_of_val(self.words);
        RESERVED_BYTES.fetch_sub(bytes, Ordering::Relaxed);
        // SAFETY: mapped in `new`, with this length, and no longer used.
        unsafe { libc::munmap(self.words.as_mut_ptr().cast(), bytes) };
    }
}

/// Returns the free bytes for this account on the disk of a folder.
pub(crate) fn free_bytes(folder: &Path) -> Option<u64> {
    let folder = CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: all zero is a valid result; the path is NUL-terminated, and there is a place for the result.
    unsafe {
        let mut disk: libc::statvfs = std::mem::zeroed();
        (libc::statvfs(folder.as_ptr(), &mut disk) == 0).then(|| disk.f_bavail.saturating_mul(disk.f_frsize))
    }
}

/// True if the recorder may reserve `bytes` more of the address space. If that is limited (`ulimit -v`), most of it is
/// left to the program.
pub(crate) fn may_take(bytes: usize) -> bool {
    static MAX_BYTES: OnceLock<usize> = OnceLock::new();
    let most = *MAX_BYTES.get_or_init(|| {
        let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: a valid place for the answer.
        unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) };
        if limit.rlim_cur == libc::RLIM_INFINITY {
            usize::MAX
        } else {
            limit.rlim_cur as usize / PART_OF_LIMIT
        }
    });
    RESERVED_BYTES.load(Ordering::Relaxed).checked_add(bytes).is_some_and(|sum| sum <= most)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn what_one_maps_another_sees_and_nobody_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words");
        let here = create(&path, 1000).unwrap();
        let there = attach(&path).unwrap();
        assert_eq!((here.len(), there.len()), (1000, 1000));
        here[999].store(7, Ordering::Relaxed);
        assert_eq!(there[999].load(Ordering::Relaxed), 7);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(create(&path, 1).is_err(), "what is there is left alone");
        assert!(attach(&folder.path().join("none")).is_err());
        assert!(create(&folder.path().join("too large"), 1 << 56).is_err());
        assert!(!folder.path().join("too large").exists());
    }

    #[test]
    fn memory_is_reserved_however_many_signals_arrive() {
        extern "C" fn ignore(_signal: c_int) {}
        let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return };
        assert!(crate::os::on_signal(libc::SIGWINCH, ignore));
        // SAFETY: takes nothing and always succeeds.
        let thread = unsafe { libc::pthread_self() };
        let is_over = AtomicBool::new(false);
        let made = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    // SAFETY: the thread waits for this one.
                    unsafe { libc::pthread_kill(thread, libc::SIGWINCH) };
                }
            });
            let made =
                [0, 1, 2, 3].map(|number| create(&folder.path().join(number.to_string()), 1 << 19).is_ok());
            is_over.store(true, Ordering::Relaxed);
            made
        });
        assert_eq!(made, [true; 4]);
    }
}
