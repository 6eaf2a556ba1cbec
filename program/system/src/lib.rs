//! System services for every part of the program: private files, memory, ids, and the files that the program carries.

pub mod embedded;
pub mod id;
pub mod memory;
pub mod private_files;
pub mod trace_file;
