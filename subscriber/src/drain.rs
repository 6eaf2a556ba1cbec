//! The process that empties the buffers of recorded programs and makes their files: whatever becomes of a program, what
//! it has put into its buffers is in its file.
//!
//! A run has a folder, in which every recorded process keeps its buffers. One process watches it, and makes a copy of
//! itself for each of them, so that a copy has one program to know about, as the recorder in a program has. The
//! launcher holds the other end of standard input: when it is closed, by the launcher's end at the latest, no program begins
//! any more that is waited for.

mod process;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::buffer::SPILL;
use crate::device_time_reader::{NAMESPACE, beside};
use crate::os::process::{Process, end_of, in_a_copy, input_is_closed, namespace};
use crate::shared_page::Field;
use crate::target_process::Subject;
use crate::{fault, os};

/// What lies below it is in memory.
const MEMORY: &str = "/dev/shm";
/// The folder is looked at this often.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A copy of this process has made its file, or can't.
const BEGUN: &str = "begun";
const FILE_WITHIN: Duration = Duration::from_secs(60);

/// A recorded process whose buffers are being emptied.
struct Drained {
    /// What the names of its files begin with.
    begin: PathBuf,
    program: Process,
    /// The copy of this process that does it.
    copy: u32,
    /// An earlier copy was killed.
    is_second: bool,
}

/// Empties the buffers of all processes of a run, until all have ended and standard input is closed. Says `ready` on
/// standard output when programs may begin, and `done` when only processes are left that still run; removes the folder. It
/// says `left` where something could not be written, and stays in the folder.
///
/// # Errors
/// When the folder can't be used.
pub fn run(folder: &Path) -> std::io::Result<()> {
    os::block_signals();
    fault::keep_what_panics_say();
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
            match drain(beside(&begin, ".")) {
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

/// A folder on a disk, for what there is no memory for, made now or by the process that was here before; nothing where none
/// can be made.
fn disk(folder: &Path) -> Option<PathBuf> {
    let note = folder.join(SPILL);
    if let Ok(known) = std::fs::read_to_string(&note) {
        return Some(PathBuf::from(known));
    }
    let disk = match folder.starts_with(MEMORY) {
        true => std::path::absolute(std::env::temp_dir()).ok()?.join(folder.file_name()?),
        false => folder.join("disk"),
    };
    std::fs::DirBuilder::new().mode(0o700).create(&disk).ok()?;
    os::files::write(&note, disk.to_str()?.as_bytes()).ok()?;
    Some(disk)
}

fn say(word: &str) {
    // The launcher may be gone.
    let _ = writeln!(std::io::stdout().lock(), "{word}");
}

/// What begins the names of the files of processes that were not seen before.
fn announced(folder: &Path, seen: &mut HashSet<PathBuf>) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let links = entries.map(|entry| entry.path()).filter(|path| path.extension() == Some(OsStr::new("link")));
    let mut new: Vec<PathBuf> = links.filter(|path| seen.insert(path.clone())).collect();
    // A child is announced after the process that has forked it, maybe in the same moment.
    new.sort_by_cached_key(|path| Field::IS_FORKED.read_from(path));
    new.into_iter().map(|path| path.with_extension("")).collect()
}

/// The first process of a run gets the file that was asked for, and those after it files beside that.
fn wait_for_its_file(one: &Drained) {
    let begun = beside(&one.begin, BEGUN);
    let copy = Process::of(one.copy);
    let since = Instant::now();
    while !begun.exists() && copy.is_alive() && since.elapsed() < FILE_WITHIN {
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Has the buffers of a process emptied by a copy of this one.
fn drain(begin: PathBuf) -> Option<Drained> {
    let subject = Subject::read(&beside(&begin, "process")).ok()?;
    let program = Process::of(subject.pid);
    let copy = in_a_copy(|| process::run(&begin, subject))?;
    Some(Drained { begin, program, copy, is_second: false })
}

/// A process goes on being drained, or not. Where the copy was killed, another one goes on with what is left, once.
fn look_after(one: Drained, is_lost: &mut bool) -> Option<Drained> {
    match end_of(one.copy) {
        None => Some(one),
        Some(true) => None,
        Some(false) => {
            let again = if one.is_second { None } else { drain(one.begin) };
            *is_lost |= again.is_none();
            again.map(|again| Drained { is_second: true, ..again })
        }
    }
}
