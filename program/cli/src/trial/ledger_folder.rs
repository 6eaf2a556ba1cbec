//! The folder of a ledger, with its file and a folder of recordings for each try.

use std::fs::{File, Metadata, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::TrialError;
use crate::{CliError, output, reading};
use syclscope_report::trial::{LEDGER_FILE, Ledger, RUNS_PREFIX};
use syclscope_system::private_files;

/// Maximum number of folders for recordings.
const MAX_RUNS: u32 = 1_000_000;

#[derive(Debug)]
pub(super) struct LedgerFolder(PathBuf);

impl LedgerFolder {
    pub(super) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Creates the folder, and locks it for this command until the returned file is closed.
    pub(super) fn lock(&self) -> Result<File, CliError> {
        let opened =
            std::fs::create_dir_all(&self.0).and_then(|()| private_files::open_lock(&self.lock_file()));
        let lock = opened.map_err(|error| output::unwritable(&self.0, error))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => Err(TrialError::Busy { folder: self.0.clone() }.into()),
            // Another command removed the file after it was opened here, and a third one may lock a new file.
            Ok(()) if !self.is_lock(&lock) => Err(TrialError::Busy { folder: self.0.clone() }.into()),
            // Some file systems don't support locks.
            Err(TryLockError::Error(_)) | Ok(()) => Ok(lock),
        }
    }

    /// True if the file is still the folder's lock.
    fn is_lock(&self, file: &File) -> bool {
        let number = |facts: io::Result<Metadata>| facts.map(|facts| (facts.dev(), facts.ino())).ok();
        number(file.metadata()) == number(std::fs::metadata(self.lock_file()))
    }

    fn lock_file(&self) -> PathBuf {
        self.0.join("lock")
    }

    pub(super) fn file(&self) -> PathBuf {
        self.0.join(LEDGER_FILE)
    }

    /// Reads the ledger; `None` if there is none yet.
    pub(super) fn read(&self) -> Result<Option<Ledger>, CliError> {
        let file = self.file();
        let text = match std::fs::read(&file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(reading::unreadable(&file, &error)),
        };
        let ledger = Ledger::read(&text).map_err(|error| TrialError::Ledger { file, error })?;
        Ok(Some(ledger))
    }

    /// Replaces the ledger atomically.
    pub(super) fn write(&self, ledger: &Ledger) -> Result<(), CliError> {
        let file = self.file();
        let written = ledger
            .write()
            .map_err(io::Error::from)
            .and_then(|text| private_files::write(&file, 0o600, format!("{text}\n").as_bytes()));
        written.map_err(|error| output::unwritable(&file, error))
    }

    /// Creates a new folder for recordings, and returns its name.
    pub(super) fn new_runs(&self) -> Result<String, CliError> {
        let made = std::fs::create_dir_all(&self.0).and_then(|()| {
            for number in 1..=MAX_RUNS {
                let name = format!("{RUNS_PREFIX}{number}");
                match std::fs::create_dir(self.0.join(&name)) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    made => return made.map(|()| name),
                }
            }
            Err(io::Error::other("too many runs in the folder"))
        });
        made.map_err(|error| output::unwritable(&self.0, error))
    }

    /// Removes a folder for recordings if nothing was recorded, and the ledger's folder if only its lock is left.
    pub(super) fn remove_empty(&self, name: &str) {
        // Fails, as intended, if the folder contains files.
        let removed = std::fs::remove_dir(self.0.join(name));
        let is_last = || std::fs::read_dir(&self.0).is_ok_and(|entries| entries.count() == 1);
        if removed.is_ok() && is_last() {
            let _ = std::fs::remove_file(self.lock_file()).and_then(|()| std::fs::remove_dir(&self.0));
        }
    }
}
