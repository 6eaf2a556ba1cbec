//! The file for a recording. The launcher reserves it before the program starts, so that two recordings in
//! one folder never share a file, and removes it if nothing was recorded.

mod folder;
mod name;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub(super) use folder::Folder;
pub(super) use name::{expand, literal};

use super::{Format, LaunchError};
use syclscope_system::private_files;

const MAX_NUMBER: u32 = 100_000;

/// A reserved file, empty until the subscriber writes to it.
#[derive(Debug)]
pub(super) struct Output {
    /// Absolute path.
    pub(super) path: PathBuf,
    /// The existing file of that name, moved aside until the new recording has begun.
    aside: Option<PathBuf>,
}

impl Output {
    /// Reserves the file that the user named.
    ///
    /// # Errors
    /// Returns an error if the file exists and may not be overwritten, or can't be written.
    pub(super) fn reserve(path: &Path, may_replace: bool) -> Result<Self, LaunchError> {
        let failed = |error| LaunchError::Output { path: path.to_owned(), error };
        let absolute = std::path::absolute(path).map_err(failed)?;
        let mut aside = None;
        match fs::symlink_metadata(&absolute) {
            Ok(_) if !may_replace => return Err(LaunchError::OutputExists { path: path.to_owned() }),
            Ok(_) if !absolute.is_file() => {
                return Err(LaunchError::OutputNotAFile { path: path.to_owned() });
            }
            Ok(_) => {
                let mut name = OsString::from(absolute.file_name().unwrap_or_default());
                name.push(format!(".replaced-{}", std::process::id()));
                let older = absolute.with_file_name(name);
                fs::rename(&absolute, &older).map_err(failed)?;
                aside = Some(older);
            }
            Err(_) => {}
        }
        match create(&absolute) {
            Ok(()) => Ok(Self { path: absolute, aside }),
            Err(error) => {
                if let Some(older) = aside {
                    fs::rename(older, &absolute).map_err(failed)?;
                }
                Err(match error.kind() {
                    io::ErrorKind::AlreadyExists => LaunchError::OutputExists { path: path.to_owned() },
                    _ => failed(error),
                })
            }
        }
    }

    /// Reserves `run.pftrace` or `run.json` in `folder`, or the first of `run-2…`, `run-3…` that is free.
    ///
    /// # Errors
    /// Returns an error if the folder can't be written to, or all these names are taken.
    pub(super) fn reserve_default(folder: &Path, format: Format) -> Result<Self, LaunchError> {
        Self::free(folder, "run", format)
    }

    /// Reserves `<stem>.pftrace` or `<stem>.json` in `folder`, or the first of `<stem>-2…` that is free.
    ///
    /// # Errors
    /// Returns an error if the folder can't be written to, or all these names are taken.
    pub(super) fn free(folder: &Path, stem: &str, format: Format) -> Result<Self, LaunchError> {
        let extension = format.extension();
        let mut path = folder.join(format!("{stem}.{extension}"));
        for number in 2..MAX_NUMBER {
            match create(&path) {
                Ok(()) => return Ok(Self { path, aside: None }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    path = folder.join(format!("{stem}-{number}.{extension}"));
                }
                Err(error) => return Err(LaunchError::Output { path, error }),
            }
        }
        Err(LaunchError::OutputExists { path })
    }

    /// Settles the reservation after the program: keeps the recording and removes the older file, or restores
    /// the older file if there is no recording. Returns true if there is a recording.
    ///
    /// A non-empty file counts as a recording, unless its process reports that it `ended_without_events`:
    /// then the file has only a header and a footer.
    pub(super) fn settle(self, ended_without_events: bool) -> io::Result<bool> {
        let has_bytes = fs::metadata(&self.path).is_ok_and(|meta| meta.len() > 0);
        let recorded = has_bytes && !ended_without_events;
        let settled = match (recorded, self.aside) {
            (true, Some(older)) => fs::remove_file(older),
            (true, None) => Ok(()),
            (false, Some(older)) if older.symlink_metadata().is_ok() => fs::rename(older, &self.path),
            (false, _) => fs::remove_file(&self.path),
        };
        match settled {
            // The program may have emptied the folder.
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(recorded),
        }
    }
}

pub(super) fn format_of(path: &Path) -> Format {
    match path.extension().map(OsStr::to_ascii_lowercase) {
        Some(extension) if extension == "json" => Format::Json,
        _ => Format::Perfetto,
    }
}

/// Creates an empty file; fails if it exists.
fn create(path: &Path) -> io::Result<()> {
    private_files::create_file(path).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_names_are_counted_up_and_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let first = Output::reserve_default(folder.path(), Format::Perfetto).unwrap();
        let second = Output::reserve_default(folder.path(), Format::Perfetto).unwrap();
        assert_eq!(first.path, folder.path().join("run.pftrace"));
        assert_eq!(second.path, folder.path().join("run-2.pftrace"));
        fs::write(&second.path, "recording").unwrap();
        assert!(!first.settle(false).unwrap());
        assert!(second.settle(false).unwrap());
        let left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["run-2.pftrace"]);
    }

    #[test]
    fn an_older_file_is_replaced_only_by_a_recording() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.json");
        fs::write(&path, "older").unwrap();
        assert!(matches!(Output::reserve(&path, false), Err(LaunchError::OutputExists { .. })));

        assert!(!Output::reserve(&path, true).unwrap().settle(false).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "older");

        let output = Output::reserve(&path, true).unwrap();
        fs::write(&output.path, "head and end").unwrap();
        assert!(!output.settle(true).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "older");

        let output = Output::reserve(&path, true).unwrap();
        fs::write(&output.path, "newer").unwrap();
        assert!(output.settle(false).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "newer");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_program_that_removes_the_older_file_itself_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.pftrace");
        for is_recorded in [true, false] {
            fs::write(&path, "older").unwrap();
            let output = Output::reserve(&path, true).unwrap();
            for entry in fs::read_dir(folder.path()).unwrap() {
                fs::remove_file(entry.unwrap().path()).unwrap();
            }
            if is_recorded {
                fs::write(&path, "newer").unwrap();
            }
            assert_eq!(output.settle(false).unwrap(), is_recorded);
            assert_eq!(path.exists(), is_recorded);
        }
    }

    #[test]
    fn no_empty_file_stays_where_the_program_has_removed_the_older_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.pftrace");
        fs::write(&path, "older").unwrap();
        let output = Output::reserve(&path, true).unwrap();
        fs::remove_file(output.aside.as_ref().unwrap()).unwrap();
        assert!(!output.settle(false).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn places_that_cannot_be_written_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("no/such/run.pftrace");
        assert!(matches!(Output::reserve(&missing, false), Err(LaunchError::Output { .. })));
        assert!(matches!(Output::reserve(folder.path(), true), Err(LaunchError::OutputNotAFile { .. })));
        assert!(folder.path().is_dir());
    }

    #[test]
    fn formats_follow_the_extension() {
        assert_eq!(format_of(Path::new("a/run.JSON")), Format::Json);
        assert_eq!(format_of(Path::new("run.pftrace")), Format::Perfetto);
        assert_eq!(format_of(Path::new("run")), Format::Perfetto);
    }
}
