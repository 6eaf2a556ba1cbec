//! A folder of recordings that wait for a network: `NAME`, each with a note `NAME.share.json`. Once the
//! recording is shared, the note becomes `NAME.shared.json` with its URL, and `NAME` is removed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Recording, Shared};
use syclscope_system::id::Id;
use syclscope_system::private_files;

const WAITING: &str = ".share.json";
const SHARED: &str = ".shared.json";
/// Maximum bytes of a name and its extension in a file's name, which has a random part and a note's ending, too. File
/// systems accept 255.
const MAX_STEM_BYTES: usize = 160;
const MAX_EXTENSION_BYTES: usize = 32;

/// Description of a recording for its upload.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Address of the page; `None` until it is shared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Spool {
    folder: PathBuf,
}

#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", path.display())]
pub struct SpoolError {
    path: PathBuf,
    error: io::Error,
}

/// A waiting recording, locked so that no other process takes it.
#[derive(Debug)]
pub struct Waiting {
    note_path: PathBuf,
    note: Note,
    recording: PathBuf,
    _lock: File,
}

impl Spool {
    pub fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Adds a copy of a recording. Creates the folder for this account only if it is missing.
    ///
    /// # Errors
    /// Returns an error if the folder can't be written or the recording can't be read; then the folder is unchanged.
    pub fn add(&self, recording: &Path, note: &Note) -> Result<PathBuf, SpoolError> {
        // An existing folder keeps its permissions.
        if !self.folder.is_dir() {
            private_files::create_folders(&self.folder).map_err(failed(&self.folder))?;
        }
        let random = Id::random().map_err(failed(&self.folder))?;
        let name = Path::new(&note.name);
        let stem = name.file_stem().unwrap_or_default().to_string_lossy();
        let stem = &stem[..stem.floor_char_boundary(MAX_STEM_BYTES)];
        let ending = name.extension().map_or_else(String::new, |end| format!(".{}", end.to_string_lossy()));
        let ending = &ending[..ending.floor_char_boundary(MAX_EXTENSION_BYTES)];
        let place = self.folder.join(format!("{stem}-{}{ending}", &random.as_str()[..8]));
        // A hard link would change with its original, which profilers write in place at each run.
        copy(recording, &place)?;
        // The note is written last: a recording without a note is not taken.
        let note_path = with_ending(&place, WAITING);
        write(&note_path, note).map_err(|error| {
            let _ = fs::remove_file(&place);
            failed(&note_path)(error)
        })?;
        Ok(place)
    }

    /// Returns the waiting recordings that no other process has locked, ordered by name, and the errors of unreadable
    /// notes.
    ///
    /// # Errors
    /// Returns an error if the folder can't be read.
    pub fn waiting(&self) -> Result<(Vec<Waiting>, Vec<SpoolError>), SpoolError> {
        let (mut found, mut unreadable) = (Vec::new(), Vec::new());
        for entry in fs::read_dir(&self.folder).map_err(failed(&self.folder))?.flatten() {
            let name = entry.file_name();
            let Some(recording) = name.as_bytes().strip_suffix(WAITING.as_bytes()) else { continue };
            let recording = self.folder.join(OsStr::from_bytes(recording));
            match Waiting::take(entry.path(), recording) {
                Ok(waiting) => found.extend(waiting),
                Err(error) => unreadable.push(error),
            }
        }
        found.sort_by(|a, b| a.recording.cmp(&b.recording));
        Ok((found, unreadable))
    }
}

impl Waiting {
    /// Takes a waiting recording. Returns `None` if another process has locked it, or has just shared it.
    fn take(note_path: PathBuf, recording: PathBuf) -> Result<Option<Self>, SpoolError> {
        // NFS locks only a file that is open for writing.
        let lock = match File::options().read(true).write(true).open(&note_path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(&note_path)(error)),
        };
        if !is_ours(lock.try_lock()).map_err(failed(&note_path))? || !note_path.exists() {
            return Ok(None);
        }
        let bytes = fs::read(&note_path).map_err(failed(&note_path))?;
        let note = serde_json::from_slice(&bytes).map_err(|error| failed(&note_path)(error.into()))?;
        Ok(Some(Self { note_path, note, recording, _lock: lock }))
    }

    pub fn recording(&self) -> Recording {
        let Note { name, project, labels, .. } = self.note.clone();
        Recording { path: self.recording.clone(), name, project, labels }
    }

    /// Returns the size of the file; 0 if it is gone.
    pub fn size_bytes(&self) -> u64 {
        fs::metadata(&self.recording).map_or(0, |meta| meta.len())
    }

    /// Marks the recording as shared: stores its URL and removes its file.
    ///
    /// # Errors
    /// Returns an error if the folder can't be written. If the recording is shared again then, the server recognises
    /// it.
    pub fn finish(self, shared: &Shared) -> Result<(), SpoolError> {
        let note = Note { address: Some(shared.address.clone()), ..self.note };
        let path = with_ending(&self.recording, SHARED);
        write(&path, &note).map_err(failed(&path))?;
        fs::remove_file(&self.note_path).map_err(failed(&self.note_path))?;
        fs::remove_file(&self.recording).map_err(failed(&self.recording))
    }
}

/// True if no other process has locked a note. Some file systems have no locks (Lustre without `flock`). There two
/// processes may send one recording, and the server stores it once.
fn is_ours(locked: Result<(), TryLockError>) -> io::Result<bool> {
    match locked {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> SpoolError {
    let path = path.to_owned();
    move |error| SpoolError { path, error }
}

fn with_ending(recording: &Path, ending: &str) -> PathBuf {
    let mut path = recording.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

fn copy(from: &Path, to: &Path) -> Result<(), SpoolError> {
    let mut recording = File::open(from).map_err(failed(from))?;
    let mut file = private_files::create_file(to).map_err(failed(to))?;
    let copied = io::copy(&mut recording, &mut file).and_then(|_| file.sync_all());
    copied.inspect_err(|_| drop(fs::remove_file(to))).map_err(failed(to))
}

/// Writes a note under a temporary name first, so that a reader never sees half of it.
fn write(path: &Path, note: &Note) -> io::Result<()> {
    let unfinished = with_ending(path, ".unfinished");
    let _ = fs::remove_file(&unfinished);
    let text = serde_json::to_vec_pretty(note)?;
    let mut file = private_files::create_file(&unfinished)?;
    let written = file.write_all(&text).and_then(|()| file.sync_all());
    let written = written.and_then(|()| fs::rename(&unfinished, path));
    written.inspect_err(|_| drop(fs::remove_file(&unfinished)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name());
        let mut names: Vec<_> = names.map(|name| name.to_str().unwrap().to_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_recording_waits_until_it_is_shared() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("spool/of/mine");
        let run = scratch.path().join("run.pftrace");
        fs::write(&run, "bytes").unwrap();
        let spool = Spool::in_folder(&folder);
        assert!(spool.waiting().is_err(), "there is no such folder");
        let labels = BTreeMap::from([("branch".to_owned(), "main".to_owned())]);
        let note = Note { name: "run.pftrace".into(), labels: labels.clone(), ..Note::default() };
        for _ in 0..2 {
            spool.add(&run, &note).unwrap();
        }
        // The copy does not depend on the original.
        fs::remove_file(&run).unwrap();
        let (waiting, _) = spool.waiting().unwrap();
        assert_eq!(waiting.len(), 2);
        assert_eq!(waiting[0].recording().labels, labels);
        assert_eq!(fs::read(waiting[0].recording().path).unwrap(), b"bytes");
        assert!(spool.waiting().unwrap().0.is_empty(), "they are held");
        let size_bytes = waiting[0]._lock.metadata().unwrap().len();
        waiting[0]._lock.set_len(size_bytes).expect("open for writing, as NFS's locks need it");
        let address = "https://traces.example/t/abc".to_owned();
        let shared = Shared { id: "abc".into(), address: address.clone(), was_there: false };
        waiting.into_iter().next().unwrap().finish(&shared).unwrap();
        assert_eq!(spool.waiting().unwrap().0.len(), 1, "the other one is held no more");
        let left = names(&folder);
        assert_eq!(left.len(), 3, "{left:?}");
        let done = left.iter().find(|name| name.ends_with(SHARED)).unwrap();
        let done: Note = serde_json::from_slice(&fs::read(folder.join(done)).unwrap()).unwrap();
        assert_eq!(done.address, Some(address));
    }

    #[test]
    fn a_recording_waits_as_it_was() {
        let scratch = tempfile::tempdir().unwrap();
        let run = scratch.path().join("trace.json");
        let spool = Spool::in_folder(&scratch.path().join("spool"));
        let note = Note { name: "trace.json".into(), ..Note::default() };
        let add = |bytes: &str| {
            // The second run writes into the file of the first.
            fs::write(&run, bytes).unwrap();
            spool.add(&run, &note).unwrap()
        };
        let places = [add("one"), add("two")];
        assert_eq!(places.map(|place| fs::read_to_string(place).unwrap()), ["one", "two"]);
    }

    #[test]
    fn recordings_wait_in_a_folder_of_any_name() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join(OsStr::from_bytes(b"sp\xffool"));
        let run = scratch.path().join("run.pftrace");
        fs::write(&run, "bytes").unwrap();
        let spool = Spool::in_folder(&folder);
        spool.add(&run, &Note { name: "run.pftrace".into(), ..Note::default() }).unwrap();
        let (waiting, unreadable) = spool.waiting().unwrap();
        assert_eq!((waiting.len(), unreadable.len()), (1, 0));
        assert_eq!(fs::read(waiting[0].recording().path).unwrap(), b"bytes");
    }

    #[test]
    fn recordings_of_any_name_wait() {
        let scratch = tempfile::tempdir().unwrap();
        let run = scratch.path().join("run.pftrace");
        fs::write(&run, "bytes").unwrap();
        let spool = Spool::in_folder(&scratch.path().join("spool"));
        for name in ["é".repeat(300), format!("a.{}", "é".repeat(300)), String::new()] {
            spool.add(&run, &Note { name: name.clone(), ..Note::default() }).unwrap();
            let waiting = spool.waiting().unwrap().0.remove(0);
            assert_eq!(waiting.recording().name, name);
            waiting
                .finish(&Shared { id: "abc".into(), address: "https://a/t/abc".into(), was_there: false })
                .unwrap();
        }
    }

    #[test]
    fn only_a_lock_of_another_process_keeps_a_recording_back() {
        // Lustre without `flock` returns ENOSYS, NFS without its lock service ENOLCK.
        let error = |number| Err(TryLockError::Error(io::Error::from_raw_os_error(number)));
        assert!(is_ours(Ok(())).unwrap() && is_ours(error(38)).unwrap());
        assert!(!is_ours(Err(TryLockError::WouldBlock)).unwrap());
        assert!(is_ours(error(37)).is_err());
    }

    #[test]
    fn what_cannot_be_read_leaves_nothing_behind() {
        let scratch = tempfile::tempdir().unwrap();
        let spool = Spool::in_folder(scratch.path());
        let note = Note { name: "gone.json".into(), ..Note::default() };
        let error = spool.add(&scratch.path().join("gone.json"), &note).unwrap_err();
        assert!(error.to_string().contains("gone.json"), "{error}");
        assert_eq!(names(scratch.path()), [] as [&str; 0]);
        fs::write(scratch.path().join("x.json.share.json"), "no note").unwrap();
        assert!(spool.waiting().unwrap().1[0].to_string().contains("x.json.share.json"));
    }
}
