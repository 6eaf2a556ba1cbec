//! Processes of a run that outlive the program, such as a daemon that uses SYCL later.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survivor {
    pub pid: u32,
    pub name: String,
}

/// Finds running processes with this status folder in their environment.
pub(super) fn find(status_folder: &Path) -> Vec<Survivor> {
    let wanted = [b"SYCLSCOPE_STATUS_DIR=", status_folder.as_os_str().as_bytes()].concat();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut survivors: Vec<Survivor> = pids
        .filter_map(|pid| {
            // Other users' environments can't be read.
            let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
            let is_it = environment.split(|byte| *byte == 0).any(|variable| variable == wanted);
            is_it.then(|| Survivor { pid, name: name_of(pid) })
        })
        .collect();
    survivors.sort_by_key(|survivor| survivor.pid);
    survivors
}

fn name_of(pid: u32) -> String {
    // The system cuts it after 15 bytes, within a letter, too.
    let name = fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
    String::from_utf8_lossy(&name).trim().to_owned()
}
