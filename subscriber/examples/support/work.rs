//! Messages from a program that plays a driver to the stand-in for CUPTI.

use std::ffi::c_char;

/// Work of a device: kind and kind of copy, correlation, stream, bytes or a kernel's name, node of a graph.
#[repr(C)]
pub(crate) struct Work {
    pub(crate) kind: u32,
    pub(crate) copy_kind: u32,
    pub(crate) correlation: u32,
    pub(crate) stream: u32,
    pub(crate) bytes: u64,
    pub(crate) name: *const c_char,
    pub(crate) graph_node: u64,
    pub(crate) start: u64,
    pub(crate) end: u64,
}
