//! Memory maps of our own files.
//!
//! Such a file should never change: the server writes into its data folder under another name, renames
//! complete files, and never opens them for writing again. But disks fail, and people copy backups over
//! files. Touching a page beyond the end of a truncated file would kill the process with all users' work. So
//! such a page becomes zeros, and the map is marked as truncated. This costs nothing in the normal case.
#![expect(unsafe_code, reason = "maps are raw memory, and the system reports a truncated file with a signal")]

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};

use memmap2::Mmap;

use super::changed_unix_ns;

#[derive(Debug)]
pub struct Mapped {
    /// Declared before the map, so that it is dropped first: another map can get these addresses only once their range
    /// is released.
    watched: Watched,
    map: Mmap,
    file: File,
    changed_unix_ns: u64,
}

impl Mapped {
    /// Maps a file of the data folder for reading.
    pub fn open(path: &Path) -> io::Result<Self> {
        watch();
        let file = File::open(path)?;
        let changed_unix_ns = changed_unix_ns(&file.metadata()?);
        // SAFETY: files of the data folder don't change. If one does anyway, its bytes differ, which the
        // file's reader has to handle in any case, and missing ones are zeros.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self { watched: Watched::add(&map), map, file, changed_unix_ns })
    }

    /// True if the file has been neither truncated nor modified since it was mapped. The check is a single
    /// system call.
    pub fn is_whole(&self) -> bool {
        let is_same = |meta: std::fs::Metadata| {
            meta.len() == self.map.len() as u64 && changed_unix_ns(&meta) == self.changed_unix_ns
        };
        !self.watched.0.is_cut.load(Ordering::Acquire) && self.file.metadata().is_ok_and(is_same)
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

/// Address range of a map. Ranges live as long as the process, because a signal may read them at any time.
#[derive(Debug)]
struct Range {
    begin: AtomicUsize,
    /// 0 if unused.
    end: AtomicUsize,
    is_taken: AtomicBool,
    is_cut: AtomicBool,
    next: AtomicPtr<Range>,
}

/// All ranges, newest first.
static RANGES: AtomicPtr<Range> = AtomicPtr::new(std::ptr::null_mut());
/// The signal's previous action.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();
static PAGE_BYTES: AtomicUsize = AtomicUsize::new(4096);

/// Range of a live map.
#[derive(Debug)]
struct Watched(&'static Range);

impl Watched {
    fn add(map: &Mmap) -> Self {
        let range = free_range();
        range.is_cut.store(false, Ordering::Relaxed);
        let begin = map.as_ptr() as usize;
        range.begin.store(begin, Ordering::Release);
        range.end.store(begin + map.len(), Ordering::Release);
        Self(range)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.end.store(0, Ordering::Release);
        self.0.is_taken.store(false, Ordering::Release);
    }
}

fn free_range() -> &'static Range {
    let is_ours = |range: &&Range| !range.is_taken.swap(true, Ordering::AcqRel);
    ranges().find(is_ours).unwrap_or_else(|| {
        let new = Box::leak(Box::new(Range {
            begin: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            is_taken: AtomicBool::new(true),
            is_cut: AtomicBool::new(false),
            next: AtomicPtr::new(std::ptr::null_mut()),
        }));
        let new: *mut Range = new;
        let push = |first| {
            // SAFETY: it is never freed, and all of its fields are atomic.
            unsafe { &*new }.next.store(first, Ordering::Release);
            Some(new)
        };
        // Infallible: the closure always returns a value to store.
        let _ = RANGES.fetch_update(Ordering::AcqRel, Ordering::Acquire, push);
        // SAFETY: as above.
        unsafe { &*new }
    })
}

fn ranges() -> impl Iterator<Item = &'static Range> {
    let mut at = RANGES.load(Ordering::Acquire);
    std::iter::from_fn(move || {
        // SAFETY: null, or a range that is never freed.
        let range = unsafe { at.as_ref() }?;
        at = range.next.load(Ordering::Acquire);
        Some(range)
    })
}

/// Installs the signal handler, once per process.
fn watch() {
    static WATCHING: Once = Once::new();
    WATCHING.call_once(|| {
        // SAFETY: zeros are valid for the structures, which are plain data, and the function has the
        // signature for `SA_SIGINFO`.
        unsafe {
            if let Ok(bytes) = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)) {
                PAGE_BYTES.store(bytes, Ordering::Relaxed);
            }
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGBUS, std::ptr::null(), &mut before) != 0 {
                return;
            }
            let _ = BEFORE.set(before);
            let mut ours: libc::sigaction = std::mem::zeroed();
            let function: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                on_missing_page;
            ours.sa_sigaction = function as usize;
            ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGBUS, &ours, std::ptr::null_mut());
        }
    });
}

/// Maps zeros over the missing pages of a map's file, and continues. The handler may only read data that is
/// never freed, and make system calls.
extern "C" fn on_missing_page(signal: libc::c_int, facts: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the system passes the signal's information.
    let address = unsafe { (*facts).si_addr() } as usize;
    let is_in = |range: &&Range| {
        (range.begin.load(Ordering::Acquire)..range.end.load(Ordering::Acquire)).contains(&address)
    };
    if let Some(range) = ranges().find(is_in) {
        let page = address & !(PAGE_BYTES.load(Ordering::Relaxed) - 1);
        // The pages after it are missing, too.
        let bytes = range.end.load(Ordering::Acquire) - page;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // Set first, so that zeros are never taken for data.
        range.is_cut.store(true, Ordering::Release);
        // SAFETY: these pages belong to the map of this range, which ends where the range does.
        let made = unsafe { libc::mmap(page as *mut libc::c_void, bytes, libc::PROT_READ, flags, -1, 0) };
        if made != libc::MAP_FAILED {
            return;
        }
    }
    call_previous_action(signal, facts, context);
}

fn call_previous_action(signal: libc::c_int, facts: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let before = BEFORE.get().filter(|before| before.sa_sigaction > libc::SIG_IGN);
    match before {
        Some(before) if before.sa_flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: with this flag it is such a function, and is called as the system would.
            let function: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                unsafe { std::mem::transmute(before.sa_sigaction) };
            function(signal, facts, context);
        }
        // The page faults again at once, which ends the process. SAFETY: plain call.
        _ => unsafe {
            libc::signal(signal, libc::SIG_DFL);
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: usize = 10 * 65_536;

    fn file() -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), vec![7; BYTES]).unwrap();
        file
    }

    fn shorten(file: &tempfile::NamedTempFile, bytes: u64) {
        File::options().write(true).open(file.path()).unwrap().set_len(bytes).unwrap();
    }

    #[test]
    fn what_a_shorter_file_lacks_is_zeros_and_said() {
        let (one, other) = (file(), file());
        let (cut, sound) = (Mapped::open(one.path()).unwrap(), Mapped::open(other.path()).unwrap());
        assert!(cut.is_whole() && sound.is_whole());
        shorten(&one, 65_536);
        let seen = std::thread::spawn(move || {
            assert_eq!(cut.as_ref()[65_535], 7);
            let rest = cut.as_ref()[65_536..].iter().copied().max();
            (rest, cut.is_whole())
        });
        assert_eq!(seen.join().unwrap(), (Some(0), false));
        assert!(sound.is_whole() && sound.as_ref().iter().all(|byte| *byte == 7));
        for _ in 0..100 {
            assert!(Mapped::open(other.path()).unwrap().is_whole(), "its place is free again");
        }
        assert!(ranges().count() < 50);
    }

    #[test]
    fn a_file_that_is_another_one_now_is_noticed_untouched() {
        let file = file();
        let map = Mapped::open(file.path()).unwrap();
        shorten(&file, 0);
        assert!(!map.is_whole());
        shorten(&file, BYTES as u64);
        assert!(!map.is_whole(), "as long as before, and written since");
    }
}
