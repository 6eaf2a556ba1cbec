//! The user's own files: one trace, or the traces of a folder. They are only read.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use syclscope_language::api::TraceEntry;
use syclscope_report::trial::LEDGER_FILE;

use super::file_metrics::FileMetrics;
use super::{StorageError, Stored, TraceId, Version, changed_unix_ns, ledger};
use crate::db::projects::ProjectId;

const EXTENSIONS: &[&str] = &["pftrace", "perfetto-trace", "perfetto", "ptrace", "trace", "json"];
/// Further file extensions of compressed traces.
const PACKED: &[&str] = &["gz", "zst", "zip"];

#[derive(Clone, Debug)]
pub struct Files {
    root: Arc<Root>,
    /// Paths and names from the last listing, so that a request needn't list the folder.
    paths: Arc<Mutex<HashMap<TraceId, (PathBuf, String)>>>,
    metrics: FileMetrics,
}

#[derive(Debug)]
enum Root {
    File(PathBuf),
    Folder(PathBuf),
}

impl Files {
    /// Opens the file or folder at `path`. For a ledger of `syclscope try`, opens its folder.
    ///
    /// # Errors
    /// Returns an error if the path doesn't exist or can't be read.
    pub fn at(path: &Path) -> Result<Self, StorageError> {
        let path = path.canonicalize()?;
        let root = if path.is_dir() {
            fs::read_dir(&path)?;
            Root::Folder(path)
        } else {
            match path.parent().filter(|_| ledger::is_ledger(&path)) {
                Some(folder) => Root::Folder(folder.to_owned()),
                None => Root::File(path),
            }
        };
        Ok(Self { root: Arc::new(root), paths: Arc::default(), metrics: FileMetrics::default() })
    }

    /// Returns the only trace, if this is a single file.
    ///
    /// # Errors
    /// Returns an error if the file is missing.
    pub fn only(&self) -> Option<Result<Stored, StorageError>> {
        match &*self.root {
            Root::File(path) => Some(stored(path)),
            Root::Folder(_) => None,
        }
    }

    /// Returns the metrics of listed files.
    pub(crate) fn metrics(&self) -> &FileMetrics {
        &self.metrics
    }

    /// True for a ledger's own folder.
    pub fn is_of_ledger(&self) -> bool {
        matches!(&*self.root, Root::Folder(folder) if ledger::has_ledger(folder))
    }

    pub fn ledger_file(&self) -> Option<PathBuf> {
        match &*self.root {
            Root::File(_) => None,
            Root::Folder(folder) => ledger::ledger_in(folder),
        }
    }

    pub fn ledger(&self) -> Option<Result<LedgerText, StorageError>> {
        let file = self.ledger_file()?;
        let read = fs::read(&file).map(|bytes| LedgerText {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            runs: runs_of(&file),
            name: LEDGER_FILE,
        });
        Some(read.map_err(StorageError::Io))
    }

    /// Returns the traces of the list, unsorted.
    pub(super) fn list(&self) -> Result<Vec<TraceEntry>, StorageError> {
        Ok(self.scan()?.0.into_iter().map(|trace| trace.entry).collect())
    }

    pub(super) fn find(&self, id: &TraceId) -> Result<Stored, StorageError> {
        let known = self.paths.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        match known {
            Some((path, name)) => {
                let mut found = stored(&path)?;
                found.entry.name = name;
                Ok(found)
            }
            None => {
                let (listed, others) = self.scan()?;
                let mut all = listed.into_iter().chain(others);
                all.find(|trace| &trace.id == id).ok_or(StorageError::NotFound)
            }
        }
    }

    /// Returns the traces of the list, and those of a ledger in a separate folder.
    fn scan(&self) -> Result<(Vec<Stored>, Vec<Stored>), StorageError> {
        let mut traces: Vec<Stored> = match &*self.root {
            Root::File(path) => vec![stored(path)?],
            Root::Folder(folder) => fs::read_dir(folder)
                .map_err(|error| unreadable(folder, &error))?
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| has_extension(path) && !ledger::is_ledger(path))
                .filter_map(|path| stored(&path).ok())
                .collect(),
        };
        let mut others = self.ledger_file().map(|file| runs_of(&file)).unwrap_or_default();
        if self.is_of_ledger() {
            traces.append(&mut others);
        }
        let paths = traces
            .iter()
            .chain(&others)
            .map(|trace| {
                (trace.id.clone(), (trace.path.clone().unwrap_or_default(), trace.entry.name.clone()))
            })
            .collect();
        *self.paths.lock().unwrap_or_else(PoisonError::into_inner) = paths;
        Ok((traces, others))
    }
}

#[derive(Clone, Debug)]
pub struct LedgerText {
    pub name: &'static str,
    pub text: String,
    /// Its recordings, named by their paths in the ledger's folder.
    pub runs: Vec<Stored>,
}

/// Returns the recordings of a ledger, sorted by their paths in its folder.
fn runs_of(ledger: &Path) -> Vec<Stored> {
    let folder = ledger.parent().unwrap_or(ledger);
    let named = |path: PathBuf| {
        let mut trace = stored(&path).ok()?;
        trace.entry.name = path.strip_prefix(folder).ok()?.to_string_lossy().into_owned();
        Some(trace)
    };
    let files = ledger::recordings(ledger).into_iter().filter(|path| has_extension(path));
    let mut runs: Vec<Stored> = files.filter_map(named).collect();
    runs.sort_by(|a, b| a.entry.name.cmp(&b.entry.name));
    runs
}

/// Returns the error of a folder with its path.
fn unreadable(folder: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("can't read the folder {}: {error}", folder.display()))
}

/// Returns the trace in the file at `path`; not found if that is not a file.
fn stored(path: &Path) -> Result<Stored, StorageError> {
    let meta = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => StorageError::NotFound,
        _ => StorageError::Io(error),
    })?;
    if !meta.is_file() {
        return Err(StorageError::NotFound);
    }
    let id = TraceId::for_bytes(path.as_os_str().as_encoded_bytes());
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
    fn a_ledger_stands_for_its_folder_with_all_its_runs() {
        let folder = tempfile::tempdir().unwrap();
        let tries = folder.path().join("syclscope-try");
        fs::create_dir_all(tries.join("runs-2/after")).unwrap();
        fs::create_dir_all(tries.join("runs-1")).unwrap();
        fs::write(folder.path().join("own.pftrace"), "x").unwrap();
        for name in ["runs-1/run-1.pftrace", "runs-2/after/run-1.pftrace"] {
            fs::write(tries.join(name), name).unwrap();
        }
        assert!(Files::at(folder.path()).unwrap().ledger().is_none());
        let ledger = tries.join("ledger.json");
        fs::write(&ledger, "{\n  \"format\": \"syclscope ledger 1\"").unwrap();
        for path in [&tries, &ledger] {
            let files = Files::at(path).unwrap();
            let mut names: Vec<_> = files.list().unwrap().into_iter().map(|entry| entry.name).collect();
            names.sort();
            assert_eq!(names, ["runs-1/run-1.pftrace", "runs-2/after/run-1.pftrace"]);
            assert!(files.is_of_ledger() && files.only().is_none());
        }
        // In the folder above they are found, and not listed.
        let files = Files::at(folder.path()).unwrap();
        let listed: Vec<_> = files.list().unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!((listed, files.is_of_ledger()), (vec!["own.pftrace".to_owned()], false));
        let LedgerText { runs, .. } = files.ledger().unwrap().unwrap();
        assert_eq!(files.find(&runs[1].id).unwrap().entry.name, "runs-2/after/run-1.pftrace");
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
