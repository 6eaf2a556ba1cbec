//! The views of a trace.

pub mod calls;
pub mod graph;
pub mod memory;
pub mod source;
pub mod summary;
pub mod timeline;
