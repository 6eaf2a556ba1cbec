//! Writes a file under a temporary name until it is complete, so that no program reads a partial trace.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use syclscope_language::formats::Format;

use super::CliError;

#[derive(Debug, thiserror::Error)]
pub(super) enum OutputError {
    #[error(
        "can't tell the format from the name {}: use {names}, or choose one with --to {formats}",
        path.display()
    )]
    NoFormat { path: PathBuf, names: &'static str, formats: &'static str },
    #[error("{} is a folder: choose the format of its recordings with --to", path.display())]
    NoFolderFormat { path: PathBuf },
    #[error("{} is a file, but a folder is converted into a folder: choose one with -o", path.display())]
    NoFolder { path: PathBuf },
    #[error("{} and {} would both be written to {}: convert them one by one", first.display(), second.display(), path.display())]
    SameName { first: PathBuf, second: PathBuf, path: PathBuf },
    #[error("{} is both input and output: choose another file with -o", path.display())]
    SameFile { path: PathBuf },
    #[error("{} exists: choose another file with -o, or overwrite it with --force", path.display())]
    Exists { path: PathBuf },
    #[error("{} is a folder: name a file with -o", path.display())]
    Folder { path: PathBuf },
    #[error("{} is a file, but tables go into a folder: choose one with -o", path.display())]
    File { path: PathBuf },
    #[error("{} is not empty: choose another folder with -o, or overwrite its tables with --force", path.display())]
    NotEmpty { path: PathBuf },
    #[error("--tables is only for parquet, not {format}: use --to parquet, or leave it out")]
    NoTables { format: &'static str },
    #[error("can't write {}: {error}", path.display())]
    Unwritable { path: PathBuf, error: io::Error },
}

pub(super) fn format_of(output: &Path) -> Option<Format> {
    let name = output.file_name()?.to_str()?.to_ascii_lowercase();
    if name.ends_with(".profile.json") {
        return Some(Format::Fxprof);
    }
    match output.extension().and_then(OsStr::to_str)?.to_ascii_lowercase().as_str() {
        "pftrace" | "perfetto-trace" => Some(Format::Perfetto),
        "json" => Some(Format::Json),
        _ => None,
    }
}

/// Rejects a folder, the input itself, and an existing file without `force`.
pub(super) fn check(input: &Path, output: &Path, force: bool) -> Result<(), OutputError> {
    let path = output.to_owned();
    if path.is_dir() {
        return Err(OutputError::Folder { path });
    }
    if let (Ok(input), Ok(output)) = (input.canonicalize(), path.canonicalize())
        && input == output
    {
        return Err(OutputError::SameFile { path });
    }
    if path.exists() && !force {
        return Err(OutputError::Exists { path });
    }
    Ok(())
}

/// Writes a file with `write` under a temporary name unique to this process, and renames it on success. On
/// failure the file is removed.
pub(super) fn whole<T>(
    output: &Path,
    write: impl FnOnce(&Path) -> Result<T, CliError>,
) -> Result<T, CliError> {
    // The rename would replace a device by a file.
    if output.metadata().is_ok_and(|found| !found.is_file()) {
        return Err(unwritable(output, io::Error::other("not a regular file")));
    }
    let mut part = output.to_owned().into_os_string();
    // Unique, so that two programs with the same output never write or remove each other's file.
    part.push(format!(".{}.part", std::process::id()));
    let part = PathBuf::from(part);
    let finished = write(&part).and_then(|written| {
        std::fs::rename(&part, output).map_err(|error| unwritable(output, error))?;
        Ok(written)
    });
    if finished.is_err() {
        // The file may not exist yet.
        let _ = std::fs::remove_file(&part);
    }
    finished
}

pub(super) fn unwritable(path: &Path, error: io::Error) -> CliError {
    OutputError::Unwritable { path: path.to_owned(), error }.into()
}
