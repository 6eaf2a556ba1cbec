//! The views of a trace.

pub mod timeline;
