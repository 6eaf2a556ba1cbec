//! The process that empties the buffers of recorded programs and writes their files. It runs this executable
//! with the subscriber's own code, so that both ends of the buffers have the same version. It outlives the
//! launcher, so that nothing is lost if the launcher ends early.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::sys::{self, Library};
use super::waiting::Waiting;

pub const SUBCOMMAND: &str = "drain";

/// Preferred folder for buffers, in memory. The folder for temporary files is the alternative.
const MEMORY: &str = "/dev/shm";
/// Minimum free memory for buffers in [`MEMORY`].
const MIN_FREE_BYTES: u64 = 32 << 20;

/// Interval between checks for the end of the run.
const SHORT: Duration = Duration::from_millis(2);

#[derive(Debug)]
pub(super) struct Drain {
    process: Child,
    words: BufReader<ChildStdout>,
    folder: PathBuf,
}

impl Drain {
    /// Starts the process with a new folder, private to its owner, for a run's buffers.
    ///
    /// # Errors
    /// Returns the reason if the process can't be started. Programs then empty their buffers themselves.
    pub(super) fn start(subscriber: &Path) -> Result<Self, String> {
        let folder = new_folder(Path::new(MEMORY), &syclscope_system::temporary_folder())
            .map_err(|error| format!("can't create a folder for the buffers: {error}"))?;
        let started = Self::start_in(&folder, subscriber, None);
        if started.is_err() {
            let _ = fs::remove_dir_all(&folder);
        }
        started
    }

    /// Starts the process, which writes statuses into `status`, or into the programs' status folder if
    /// `None`.
    fn start_in(folder: &Path, subscriber: &Path, status: Option<&Path>) -> Result<Self, String> {
        let failed = |error: io::Error| format!("can't start the process that empties them: {error}");
        let program = super::doctor::this_program().map_err(failed)?;
        let mut process = Command::new(program.path)
            .envs(status.map(|status| ("SYCLSCOPE_DRAIN_STATUS", status)))
            .arg(SUBCOMMAND)
            .args([subscriber, folder])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Signals of the terminal are for the program.
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let words = process.stdout.take().map(BufReader::new);
        let Some(words) = words else { return Err("its process reported nothing".to_owned()) };
        let mut drain = Self { process, words, folder: folder.to_owned() };
        if drain.says("ready") {
            return Ok(drain);
        }
        drain.give_up();
        Err(format!("{} lacks the function for it, or can't be loaded", subscriber.display()))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Waits until the files of ended processes are complete. Others are still recorded.
    ///
    /// # Errors
    /// Returns the folder with the unwritten buffers if the process has ended early.
    pub(super) fn end(mut self, waiting: &mut Waiting) -> Result<(), PathBuf> {
        drop(self.process.stdin.take());
        if self.says_while("done", waiting) {
            return Ok(());
        }
        self.give_up();
        // A drain without work leaves an empty folder.
        match fs::remove_dir(&self.folder) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.folder),
        }
    }

    fn says_while(&mut self, word: &str, waiting: &mut Waiting) -> bool {
        let is_said = std::thread::scope(|scope| {
            let saying = scope.spawn(|| self.says(word));
            while !saying.is_finished() {
                std::thread::sleep(SHORT);
                waiting.update();
            }
            saying.join().unwrap_or(false)
        });
        waiting.clear();
        is_said
    }

    fn says(&mut self, word: &str) -> bool {
        let mut line = String::new();
        self.words.read_line(&mut line).is_ok() && line.trim_end() == word
    }

    fn give_up(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

/// Creates a folder in memory, or elsewhere if memory is full or not writable.
fn new_folder(memory: &Path, other: &Path) -> io::Result<PathBuf> {
    let number = getrandom::u64().map_err(io::Error::other)?;
    let mut failure = io::Error::from(io::ErrorKind::NotFound);
    for parent in [memory, other] {
        let has_room = || sys::free_bytes(parent).is_ok_and(|free| free >= MIN_FREE_BYTES);
        if parent == memory && !has_room() {
            continue;
        }
        let folder = parent.join(format!("syclscope-{number:016x}"));
        match fs::DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return std::path::absolute(folder),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Entry point of the process: empties the buffers in a folder with the subscriber's own code.
///
/// # Errors
/// Returns an error if the subscriber lacks the function, or the folder can't be used.
pub fn run(subscriber: &Path, folder: &Path) -> Result<(), String> {
    match Library::open(subscriber)?.call(c"syclscope_drain", folder) {
        Some(0) => Ok(()),
        Some(_) => Err(format!("{} can't be used", folder.display())),
        None => Err(format!("{} has no such function", subscriber.display())),
    }
}

/// Writes the recordings of a run whose drain ended early from its buffers. Returns false if the folder has
/// none.
///
/// # Errors
/// Returns the reason if the recordings can't be written.
pub(super) fn recover(
    folder: &Path,
    subscriber: &Path,
    status: &Path,
    waiting: &mut Waiting,
) -> Result<bool, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let is_link = |path: PathBuf| path.extension() == Some(OsStr::new("link"));
    if !entries.flatten().any(|entry| is_link(entry.path())) {
        return Ok(false);
    }
    let drain = Drain::start_in(folder, subscriber, Some(status))?;
    drain.end(waiting).map(|()| true).map_err(|folder| format!("{} was not emptied", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_memory_cannot_be_written_to_the_buffers_are_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let (refused, other) = (folder.path().join("file"), folder.path().join("tmp"));
        fs::write(&refused, "").unwrap();
        fs::create_dir(&other).unwrap();
        for memory in [refused.as_path(), Path::new("/nowhere"), Path::new("/proc")] {
            let made = new_folder(memory, &other).unwrap();
            assert!(made.starts_with(&other), "{}", made.display());
        }
        assert!(new_folder(&refused, &refused).is_err());
    }
}
