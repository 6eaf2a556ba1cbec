//! Structures of ITT's headers (`ittnotify.h`, `ittnotify_config.h`), version 3 on 64-bit Linux.

use std::ffi::{c_char, c_int, c_long, c_ulong, c_void};
use std::sync::atomic::AtomicI64;

use crate::record::range::INNERMOST;

pub(super) const VERSION: c_ulong = 3;

/// Bit of a collection scope: the host.
pub(super) const SCOPE_HOST: c_int = 1;

/// Start of `__itt_global`.
#[repr(C)]
pub(super) struct Global {
    magic: [u8; 8],
    pub(super) version_major: c_ulong,
    version_minor: c_ulong,
    version_build: c_ulong,
    api_initialized: c_long,
    mutex_initialized: c_long,
    atomic_counter: c_long,
    mutex: libc::pthread_mutex_t,
    library: *mut c_void,
    error_handler: *mut c_void,
    library_path: *mut *const c_char,
    pub(super) api_list: *const ApiInfo,
    next: *mut c_void,
    threads: *mut c_void,
    pub(super) domains: *mut Domain,
}

/// `__itt_api_info`.
#[repr(C)]
pub(super) struct ApiInfo {
    pub(super) name: *const c_char,
    pub(super) function: *mut *const c_void,
    init_function: *const c_void,
    pub(super) null_function: *const c_void,
    group: c_int,
}

/// `__itt_domain`.
#[repr(C)]
pub(super) struct Domain {
    /// Clients check it before they call.
    pub(super) is_enabled: c_int,
    pub(super) name: *const c_char,
    wide: *const c_void,
    /// Reserved for the collector: not 0 if the domain is not recorded. oneTBB enables its domain itself.
    left_out: c_int,
    more: *const c_void,
    pub(super) next: *mut Self,
}

impl Domain {
    pub(super) fn new(name: *const c_char, is_wanted: bool) -> Self {
        let (none, next) = (std::ptr::null(), std::ptr::null_mut());
        let left_out = c_int::from(!is_wanted);
        Self { is_enabled: c_int::from(is_wanted), name, wide: none, left_out, more: none, next }
    }

    pub(super) fn leave_out(&mut self) {
        (self.is_enabled, self.left_out) = (0, 1);
    }

    pub(super) fn is_left_out(&self) -> bool {
        self.left_out != 0
    }
}

/// `__itt_string_handle`.
#[repr(C)]
pub(super) struct StringHandle {
    pub(super) text: *const c_char,
    wide: *const c_void,
    extra: c_int,
    more: *const c_void,
    next: *const c_void,
}

impl StringHandle {
    pub(super) fn new(text: *const c_char) -> Self {
        let none = std::ptr::null();
        Self { text, wide: none, extra: 0, more: none, next: none }
    }
}

/// `__itt_counter_info_t`.
#[repr(C)]
pub(super) struct Counter {
    pub(super) name: *const c_char,
    wide: *const c_void,
    pub(super) domain: *const c_char,
    wide_domain: *const c_void,
    pub(super) kind: c_int,
    /// `index` in ITT, which leaves it 0: the sum of the changes.
    pub(super) sum: AtomicI64,
    extra: c_int,
    more: *const c_void,
    next: *const c_void,
}

impl Counter {
    pub(super) fn new(name: *const c_char, domain: *const c_char, kind: c_int) -> Self {
        let none = std::ptr::null();
        let (wide, wide_domain, more, next) = (none, none, none, none);
        Self { name, wide, domain, wide_domain, kind, sum: AtomicI64::new(0), extra: 0, more, next }
    }
}

/// `__itt_id`, which is passed by value.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Id(u64, u64, u64);

impl Id {
    /// Returns the id as one number; 0 if the client gave no id.
    pub(super) fn key(&self) -> u64 {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        match *self {
            Self(0, 0, 0) => 0,
            Self(first, second, third) => {
                let mixed = first.wrapping_mul(ODD).rotate_left(23) ^ second;
                // The key is neither 0, which denotes no id, nor `INNERMOST`.
                ((mixed.wrapping_mul(ODD).rotate_left(23) ^ third) | 1) & !(1 << 63)
            }
        }
    }

    /// Returns the key of the range that owns metadata with this id: without an id the innermost one.
    pub(super) fn owner(&self) -> u64 {
        match self.key() {
            0 => INNERMOST,
            key => key,
        }
    }
}
