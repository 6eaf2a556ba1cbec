//! The flags that handlers read, in one cache line. Between two notifications, the program fills the processor's caches
//! with its own data.
//!
//! Each flag belongs to one module, which explains and sets it. They change rarely.

use std::sync::atomic::{AtomicBool, AtomicU8};

#[repr(align(64))]
pub(crate) struct Flags {
    /// Of `clock`: true if records contain values of the processor's counter, false if nanoseconds.
    pub(crate) uses_counter: AtomicBool,
    /// Of `control`: the state of the recording, and true if the process is about to exit.
    pub(crate) state: AtomicU8,
    pub(crate) is_ending: AtomicBool,
    /// Of `config`: settings, which are those of a normal recording until they are read.
    pub(crate) detail: AtomicU8,
    pub(crate) stacks: AtomicU8,
    pub(crate) has_python_lines: AtomicBool,
    /// Of `os::python`: true once an interpreter was found.
    pub(crate) has_python: AtomicBool,
    /// Of `vendor`: true if any vendor's records are available; otherwise commands check nothing else.
    pub(crate) has_vendor: AtomicBool,
    /// Of `device_time`: true if any device lacks a reference; otherwise commands check nothing else.
    pub(crate) awaits_device: AtomicBool,
    /// Of `device_time`: true if an event could not be retained.
    pub(crate) is_unreachable: AtomicBool,
    /// Of `device_time`: state of the reports of waits.
    pub(crate) reports_waits: AtomicU8,
}

pub(crate) static FLAGS: Flags = Flags {
    uses_counter: AtomicBool::new(false),
    state: AtomicU8::new(0),
    is_ending: AtomicBool::new(false),
    detail: AtomicU8::new(1),
    stacks: AtomicU8::new(0),
    has_python_lines: AtomicBool::new(true),
    has_python: AtomicBool::new(false),
    has_vendor: AtomicBool::new(false),
    awaits_device: AtomicBool::new(false),
    is_unreachable: AtomicBool::new(false),
    reports_waits: AtomicU8::new(0),
};

const _: () = assert!(size_of::<Flags>() == 64);
