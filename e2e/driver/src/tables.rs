//! Function tables for the loader: one exported function for each group fills in a table.
//!
//! A loader requests tables of its own version, which have no entries for later functions.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::answer::Code;

mod core;
mod sysman;
mod tools;

static VERSION: AtomicU32 = AtomicU32::new(0);

/// Returns the newest version of the interface that a loader has requested.
pub(crate) fn version() -> u32 {
    VERSION.load(Ordering::Relaxed)
}

/// Entry of a table: its first minor version, and its function.
type Entry = (u32, *const c_void);

/// Entry without a function of ours.
extern "C" fn unsupported() -> u32 {
    Code::UNSUPPORTED_FEATURE.0
}

fn fill(version: u32, table: *mut *const c_void, entries: &[Entry]) -> u32 {
    if table.is_null() {
        return Code::INVALID_NULL_POINTER.0;
    }
    VERSION.fetch_max(version, Ordering::Relaxed);
    let minor = version & 0xffff;
    for (index, (since, function)) in entries.iter().enumerate() {
        if *since <= minor {
            // SAFETY: the caller's table has a place for every function of the version that it requests.
            unsafe { table.add(index).write(*function) };
        }
    }
    0
}

/// Exports functions that fill in tables.
macro_rules! tables {
    ($($export:ident { $($name:ident $since:literal $($function:path)?;)* })*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $export(version: u32, table: *mut *const std::ffi::c_void) -> u32 {
                super::fill(version, table, &[$(
                    // The interface's name of the function: stringify!($name).
                    ($since, tables!(@place $($function)?)),
                )*])
            }
        )*
    };
    (@place $function:path) => { $function as *const std::ffi::c_void };
    (@place) => { super::unsupported as *const std::ffi::c_void };
}
use tables;
