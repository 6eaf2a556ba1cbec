//! The user's own files: one trace, or the traces of a folder. They are only read.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use syclscope_language::api::TraceEntry;

use super::{StorageError, Stored, TraceId, Version, changed_unix_ns};
use crate::db::projects::ProjectId;

/// File extensions of traces.
const EXTENSIONS: &[&str] = &["pftrace", "perfetto-trace", "perfetto", "ptrace", "trace", "json"];
/// File extensions of packed traces, after those.
const PACKED: &[&str] = &["gz", "zst", "zip"];

/// One file, or the traces of a folder.
#[derive(Clone, Debug)]
pub struct Files {
    root: Arc<Root>,
    /// Paths from the last listing, so that a request needn't list the folder.
    paths: Arc<Mutex<HashMap<TraceId, PathBuf>>>,
}

#[derive(Debug)]
enum Root {
    File(PathBuf),
    Folder(PathBuf),
}

impl Files {
    /// The file or folder at `path`.
    ///
    /// # Errors
    /// It doesn't exist or can't be read.
    pub fn at(path: &Path) -> Result<Self, StorageError> {
        let path = path.canonicalize()?;
        let root = if path.is_dir() {
            fs::read_dir(&path)?;
            Root::Folder(path)
        } else {
            Root::File(path)
        };
        Ok(Self { root: Arc::new(root), paths: Arc::default() })
    }

    /// The only trace, if this is one file.
    ///
    /// # Errors
    /// The file is gone.
    pub fn only(&self) -> Option<Result<Stored, StorageError>> {
        match &*self.root {
            Root::File(path) => Some(stored(path)),
            Root::Folder(_) => None,
        }
    }

    /// Every trace, newest first.
    pub(super) fn list(&self) -> Result<Vec<TraceEntry>, StorageError> {
        Ok(self.scan()?.into_iter().map(|trace| trace.entry).collect())
    }

    pub(super) fn find(&self, id: &TraceId) -> Result<Stored, StorageError> {
        let path = self.paths.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        match path {
            Some(path) => stored(&path),
            None => self.scan()?.into_iter().find(|trace| &trace.id == id).ok_or(StorageError::NotFound),
        }
    }

    fn scan(&self) -> Result<Vec<Stored>, StorageError> {
        let traces: Vec<Stored> = match &*self.root {
            Root::File(path) => vec![stored(path)?],
            Root::Folder(folder) => fs::read_dir(folder)?
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| has_extension(path))
                .filter_map(|path| stored(&path).ok())
                .collect(),
        };
        let paths =
            traces.iter().map(|trace| (trace.id.clone(), trace.path.clone().unwrap_or_default())).collect();
        *self.paths.lock().unwrap_or_else(PoisonError::into_inner) = paths;
        Ok(traces)
    }
}

/// The trace in the file at `path`; not found if that is no file.
fn stored(path: &Path) -> Result<Stored, StorageError> {
    let meta = fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => StorageError::NotFound,
        _ => StorageError::Io(error),
    })?;
    if !meta.is_file() {
        return Err(StorageError::NotFound);
    }
    let id = TraceId::of(path.as_os_str().as_encoded_bytes());
    let changed_unix_ns = changed_unix_ns(&meta);
    Ok(Stored {
        entry: TraceEntry {
            id: id.as_str().to_owned(),
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            size_bytes: meta.len(),
            stored_unix_ns: changed_unix_ns,
        },
        id,
        path: Some(path.to_owned()),
        version: Version::Of { size_bytes: meta.len(), changed_unix_ns },
        project: ProjectId::default(),
        uploaded_by: None,
    })
}

fn has_extension(path: &Path) -> bool {
    let is_one = |path: &Path, of: &[&str]| {
        let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        extension.is_some_and(|extension| of.contains(&extension.as_str()))
    };
    is_one(path, EXTENSIONS) || is_one(path, PACKED) && is_one(&path.with_extension(""), EXTENSIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_lists_its_traces_and_follows_changes() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.pftrace", "b.JSON", "c.pftrace.gz", "d.json.ZST", "notes.txt", "notes.gz", "sub.json"]
        {
            let path = folder.path().join(name);
            if name == "sub.json" { fs::create_dir(path).unwrap() } else { fs::write(path, name).unwrap() }
        }
        let files = Files::at(folder.path()).unwrap();
        let mut names: Vec<_> = files.list().unwrap().into_iter().map(|entry| entry.name).collect();
        names.sort();
        assert_eq!(names, ["a.pftrace", "b.JSON", "c.pftrace.gz", "d.json.ZST"]);

        let id: TraceId = files.list().unwrap()[0].id.parse().unwrap();
        let before = files.find(&id).unwrap();
        fs::write(before.path.as_ref().unwrap(), "longer than before").unwrap();
        assert_ne!(files.find(&id).unwrap().version, before.version);
        fs::remove_file(before.path.as_ref().unwrap()).unwrap();
        assert!(matches!(files.find(&id), Err(StorageError::NotFound)));
    }

    #[test]
    fn one_file_is_found_under_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no extension");
        fs::write(&path, "x").unwrap();
        let files = Files::at(&path).unwrap();
        let only = files.only().unwrap().unwrap();
        assert_eq!(files.find(&only.id).unwrap(), only);
        assert!(matches!(Files::at(&folder.path().join("missing")), Err(StorageError::Io(_))));
    }
}
