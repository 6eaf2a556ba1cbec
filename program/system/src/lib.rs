//! What every part of the program needs of the system: private files, memory, ids, and the files that the program carries.

pub mod embedded;
pub mod id;
pub mod memory;
pub mod private_files;
pub mod trace_file;
