//! The ledger of `syclscope try` among the user's own files, and its recordings.

use std::fs::{self, File, FileType};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use syclscope_report::trial::{LEDGER_FILE, LEDGER_FOLDER, LEDGER_FORMAT, RUNS_PREFIX};

/// Number of bytes at the start of a ledger file that contain its format.
const HEAD_BYTES: u64 = 200;
/// Maximum depth of folders within a folder for recordings.
const MAX_DEPTH: usize = 2;

/// True if a file is a ledger of any version, by its name and its first bytes.
pub(super) fn is_ledger(path: &Path) -> bool {
    let has_name = path.file_name().is_some_and(|name| name == LEDGER_FILE);
    if !has_name || !path.metadata().is_ok_and(|meta| meta.is_file()) {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    read.is_ok() && String::from_utf8_lossy(&head).contains(&format!("\"{LEDGER_FORMAT}"))
}

pub(super) fn has_ledger(folder: &Path) -> bool {
    is_ledger(&folder.join(LEDGER_FILE))
}

/// Returns the ledger file in a folder, or in its subfolder that `syclscope try` creates.
pub(super) fn ledger_in(folder: &Path) -> Option<PathBuf> {
    let inside = folder.join(LEDGER_FOLDER);
    [folder, &inside].map(|folder| folder.join(LEDGER_FILE)).into_iter().find(|path| is_ledger(path))
}

/// Returns the files in a ledger's folders for recordings. Links are left out, because they may lead
/// anywhere.
pub(super) fn recordings(ledger: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Some(folder) = ledger.parent() else { return found };
    for (path, kind) in entries(folder) {
        let is_runs =
            path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(RUNS_PREFIX.as_bytes()));
        if is_runs && kind.is_dir() {
            collect(&path, MAX_DEPTH, &mut found);
        }
    }
    found
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for (path, kind) in entries(folder) {
        if kind.is_file() {
            found.push(path);
        } else if kind.is_dir() && depth > 1 {
            collect(&path, depth - 1, found);
        }
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = (PathBuf, FileType)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.path(), entry.file_type().ok()?)))
}
