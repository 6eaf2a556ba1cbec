//! System services: private files, memory, ids, and embedded files.

pub mod embedded;
pub mod id;
pub mod memory;
pub mod private_files;
pub mod trace_file;
