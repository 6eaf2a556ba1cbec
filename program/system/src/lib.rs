//! System services: private files, memory, ids, and embedded files.

pub mod embedded;
pub mod id;
pub mod memory;
pub mod private_files;
pub mod trace_file;

use std::path::PathBuf;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Returns the folder for temporary files, `/tmp` where `TMPDIR` names none. The standard library takes an empty value
/// for the working folder.
pub fn temporary_folder() -> PathBuf {
    let folder = std::env::temp_dir();
    if folder.as_os_str().is_empty() { PathBuf::from("/tmp") } else { folder }
}

/// Raises this process's limit of open files to its maximum, and returns it.
pub fn raise_open_files() -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, ..limit };
    if setrlimit(Resource::Nofile, raised).is_ok() {
        limit = raised;
    }
    limit.current.map_or(usize::MAX, |current| usize::try_from(current).unwrap_or(usize::MAX))
}
