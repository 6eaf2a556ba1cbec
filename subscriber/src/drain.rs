//! The process that empties the buffers of recorded programs and writes their files. So records in a buffer reach the
//! file even if the program crashes.
//!
//! Every recorded process keeps its buffers in the run's folder. One process watches the folder and forks a copy of
//! itself for each recorded process, so that each copy handles one program, like the recorder inside a program. The
//! other end of standard input is the launcher's. When it is closed, at the latest when the launcher exits, no further
//! programs are awaited.

mod process;

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::buffer::SPILL;
use crate::device_time_reader::{NAMESPACE, beside};
use crate::os::process::{Process, enable_exit_statuses, end_of, in_a_copy, input_is_closed, namespace};
use crate::shared_page::Field;
use crate::target_process::TargetProcess;
use crate::{fault, os};

const MEMORY: &str = "/dev/shm";
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Marks a process whose copy has created its output file, or has failed to.
const BEGUN: &str = "begun";
const FILE_WITHIN: Duration = Duration::from_secs(60);

struct Drained {
    begin: PathBuf,
    program: Process,
    /// Process id of the copy that drains it.
    copy: u32,
    /// True if an earlier copy was killed.
    is_second: bool,
}

/// Empties the buffers of all processes of a run, until all have ended and standard input is closed.
///
/// Prints `ready` when programs may start, and `done` when only running processes are left; removes the folder. Prints
/// `left` if something could not be written, and keeps the folder.
///
/// # Errors
/// Returns an error if the folder is unusable.
pub fn run(folder: &Path) -> std::io::Result<()> {
    os::block_signals();
    enable_exit_statuses();
    fault::store_panic_messages();
    os::files::write(&folder.join(NAMESPACE), namespace().as_bytes())?;
    let disk = disk(folder);
    say("ready");
    let mut seen = HashSet::new();
    let mut drained: Vec<Drained> = Vec::new();
    let (mut is_closed, mut is_done, mut is_lost) = (false, false, false);
    loop {
        if is_closed {
            std::thread::sleep(LOOK_EVERY);
        } else {
            is_closed = input_is_closed(LOOK_EVERY);
        }
        for begin in announced(folder, &mut seen) {
            match drain(beside(&begin, "."), None) {
                Some(one) => {
                    if drained.is_empty() {
                        wait_for_its_file(&one);
                    }
                    drained.push(one);
                }
                None => is_lost = true,
            }
        }
        drained = std::mem::take(&mut drained)
            .into_iter()
            .filter_map(|one| look_after(one, &mut is_lost))
            .collect();
        if is_closed && !is_done && drained.iter().all(|one| one.program.is_alive()) {
            is_done = true;
            say(if is_lost { "left" } else { "done" });
        }
        if is_done && drained.is_empty() {
            if is_lost {
                return Ok(());
            }
            if let Some(disk) = disk {
                let _ = std::fs::remove_dir_all(disk);
            }
            return std::fs::remove_dir_all(folder);
        }
    }
}

/// Returns a folder on a disk for buffers that don't fit in memory, created now or by an earlier process; `None` if it
/// can't be created.
fn disk(folder: &Path) -> Option<PathBuf> {
    let note = folder.join(SPILL);
    if let Ok(path) = std::fs::read(&note) {
        return Some(PathBuf::from(OsString::from_vec(path)));
    }
    let disk = match folder.starts_with(MEMORY) {
        true => std::path::absolute(temporary_folder()).ok()?.join(folder.file_name()?),
        false => folder.join("disk"),
    };
    std::fs::DirBuilder::new().mode(0o700).create(&disk).ok()?;
    os::files::write(&note, disk.as_os_str().as_bytes()).ok()?;
    Some(disk)
}

/// Returns the folder for temporary files, as the launcher does: an empty `TMPDIR` names none.
fn temporary_folder() -> PathBuf {
    let folder = std::env::temp_dir();
    if folder.as_os_str().is_empty() { PathBuf::from("/tmp") } else { folder }
}

fn say(word: &str) {
    // The launcher may have exited.
    let _ = writeln!(std::io::stdout().lock(), "{word}");
}

/// Returns the file name prefixes of new processes.
fn announced(folder: &Path, seen: &mut HashSet<PathBuf>) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let links = entries.map(|entry| entry.path()).filter(|path| path.extension() == Some(OsStr::new("link")));
    let mut new: Vec<PathBuf> = links.filter(|path| seen.insert(path.clone())).collect();
    // A child is announced after the process that forked it, possibly at the same time.
    new.sort_by_cached_key(|path| Field::IS_FORKED.read_from(path));
    new.into_iter().map(|path| path.with_extension("")).collect()
}

/// Waits until the first process of a run has the requested file; later ones get files next to it.
fn wait_for_its_file(one: &Drained) {
    let begun = beside(&one.begin, BEGUN);
    let copy = Process::new(one.copy);
    let since = Instant::now();
    while !begun.exists() && copy.is_alive() && since.elapsed() < FILE_WITHIN {
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Forks a copy that drains a process. A second copy gets the first one's reference: the process's id may belong to
/// another process by then.
fn drain(begin: PathBuf, earlier: Option<Process>) -> Option<Drained> {
    let target = TargetProcess::read(&beside(&begin, "process")).ok()?;
    let is_second = earlier.is_some();
    let program = earlier.unwrap_or_else(|| Process::new(target.pid));
    let copy = in_a_copy(|| process::run(&begin, target, &program))?;
    Some(Drained { begin, program, copy, is_second })
}

/// Checks a drained process. If its copy was killed or can't read the buffers, a second copy continues, once.
fn look_after(one: Drained, is_lost: &mut bool) -> Option<Drained> {
    match end_of(one.copy) {
        None => Some(one),
        Some(true) => None,
        Some(false) => {
            let again = if one.is_second { None } else { drain(one.begin, Some(one.program)) };
            *is_lost |= again.is_none();
            again
        }
    }
}
