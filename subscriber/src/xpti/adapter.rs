//! The adapter of the Unified Runtime that owns a handle.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::os::library_of;

pub(crate) struct Adapter {
    /// Prefix of the library's name.
    prefix: &'static [u8],
    /// Its table of functions, which the first word of each of its handles points to; 0 if unknown.
    table: AtomicUsize,
    /// Tables of other adapters.
    others: [AtomicUsize; 8],
}

impl Adapter {
    pub(crate) const fn new(prefix: &'static [u8]) -> Self {
        Self { prefix, table: AtomicUsize::new(0), others: [const { AtomicUsize::new(0) }; 8] }
    }

    #[inline]
    pub(crate) fn has(&self, handle: u64) -> bool {
        if handle == 0 || !handle.is_multiple_of(8) {
            // There is no object at this address.
            return false;
        }
        // SAFETY: a live handle is the address of the adapter's object, which is at least a word long.
        let table = unsafe { *(handle as *const usize) };
        table != 0 && (table == self.table.load(Ordering::Relaxed) || self.look_at(table))
    }

    #[cold]
    fn look_at(&self, table: usize) -> bool {
        if self.others.iter().any(|other| other.load(Ordering::Relaxed) == table) {
            return false;
        }
        let path = library_of(table as *const c_void).map(|path| path.to_bytes()).unwrap_or_default();
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let is_it = name.starts_with(self.prefix);
        if is_it {
            self.table.store(table, Ordering::Relaxed);
        } else if let Some(free) = self.others.iter().find(|other| other.load(Ordering::Relaxed) == 0) {
            free.store(table, Ordering::Relaxed);
        }
        is_it
    }
}
