//! The folders whose recordings may be read. Nothing outside them is readable.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use syclscope_engine::import::Importer;
use syclscope_language::event::{Event, EventSink};

use crate::{CliError, reading};
use syclscope_system::memory;

/// Maximum length of a list, and depth of the search.
const MAX_LISTED: usize = 1_000;
const DEPTH: usize = 8;

const ENDINGS: [&str; 5] = [".pftrace", ".perfetto-trace", ".trace", ".json", ".zip"];
const COMPRESSED: [&str; 2] = [".gz", ".zst"];
/// Extensions that many other files have, too, so the first bytes of such files are read.
const COMMON: [&str; 2] = [".trace", ".json"];
/// Number of bytes read from the start of a file.
const HEAD_BYTES: u64 = 64 << 10;

/// Canonical paths.
#[derive(Debug)]
pub(super) struct Folders(Vec<PathBuf>);

pub(super) struct Listed {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    /// Seconds since 1970.
    pub(super) modified_s: u64,
}

impl Folders {
    /// Opens these folders.
    ///
    /// # Errors
    /// Returns an error if a path is not a folder.
    pub(super) fn open(folders: &[PathBuf]) -> Result<Self, CliError> {
        let open = |folder: &PathBuf| {
            let real = folder.canonicalize().map_err(|error| reading::unreadable(folder, &error))?;
            if real.is_dir() {
                return Ok(real);
            }
            let error = "not a folder".to_owned();
            Err(CliError::Unreadable { path: folder.clone(), error })
        };
        folders.iter().map(open).collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn first(&self) -> Option<&Path> {
        self.0.first().map(PathBuf::as_path)
    }

    /// Finds a file in the folders by name: a path below one of them, or an absolute path.
    pub(super) fn file(&self, name: &str) -> Result<PathBuf, String> {
        let paths = self.0.iter().map(|folder| folder.join(name));
        let Some(real) = paths.filter_map(|path| path.canonicalize().ok()).find(|path| self.holds(path))
        else {
            return Err(format!("no {name} in {}: list_traces names the recordings", self.names()));
        };
        if real.is_dir() {
            return Err(format!("{name} is a folder: list_traces names the recordings in it"));
        }
        Ok(real)
    }

    fn holds(&self, real: &Path) -> bool {
        self.0.iter().any(|folder| real.starts_with(folder))
    }

    pub(super) fn names(&self) -> String {
        let names: Vec<String> = self.0.iter().map(|folder| folder.display().to_string()).collect();
        names.join(" or ")
    }

    /// Returns the name of a file: its path below its folder.
    pub(super) fn name(&self, path: &Path) -> String {
        let below = self.0.iter().find_map(|folder| path.strip_prefix(folder).ok());
        below.unwrap_or(path).display().to_string()
    }

    /// Returns the recordings in the folders, the newest first, and true if the list was cut.
    pub(super) fn recordings(&self) -> (Vec<Listed>, bool) {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        for folder in &self.0 {
            self.look_into(folder, DEPTH, &mut seen, &mut found);
        }
        found.sort_by(|a, b| b.modified_s.cmp(&a.modified_s).then_with(|| a.path.cmp(&b.path)));
        found.dedup_by(|a, b| a.path == b.path);
        // Reads no more files than it lists.
        let mut traces =
            found.into_iter().filter(|listed| !has_common_name(&listed.path) || is_trace(&listed.path));
        let found: Vec<Listed> = traces.by_ref().take(MAX_LISTED).collect();
        (found, traces.next().is_some())
    }

    /// Searches a folder, only once even if links lead to it.
    fn look_into(&self, folder: &Path, depth: usize, seen: &mut HashSet<PathBuf>, found: &mut Vec<Listed>) {
        if !seen.insert(folder.to_owned()) {
            return;
        }
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            // A link may lead out of the folders.
            let Ok(path) = entry.path().canonicalize() else { continue };
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            let Ok(metadata) = path.metadata() else { continue };
            if is_hidden || !self.holds(&path) {
                continue;
            }
            if metadata.is_dir() && depth > 0 {
                self.look_into(&path, depth - 1, seen, found);
            } else if metadata.is_file() && is_recording(&entry.file_name().to_string_lossy()) {
                let modified = metadata.modified().ok();
                let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
                let modified_s = since.map_or(0, |since| since.as_secs());
                found.push(Listed { path, bytes: metadata.len(), modified_s });
            }
        }
    }
}

fn is_recording(name: &str) -> bool {
    ends_with(name, &ENDINGS)
}

fn has_common_name(path: &Path) -> bool {
    path.file_name().is_some_and(|name| ends_with(&name.to_string_lossy(), &COMMON))
}

fn ends_with(name: &str, endings: &[&str]) -> bool {
    let plain = COMPRESSED.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    endings.iter().any(|ending| plain.ends_with(ending))
}

fn is_trace(path: &Path) -> bool {
    struct Nowhere;
    impl EventSink for Nowhere {
        fn event(&mut self, _: &Event<'_>) {}
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    let mut importer = Importer::within(Nowhere, memory::alone());
    read.is_ok() && importer.feed(&head).is_ok() && importer.finish().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_of_the_folders_is_seen() {
        let [inside, outside] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        std::fs::create_dir(inside.path().join("run-1")).unwrap();
        for (folder, name) in
            [(&inside, "run-1/a.pftrace.gz"), (&inside, "notes.txt"), (&outside, "b.pftrace")]
        {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::os::unix::fs::symlink(outside.path(), inside.path().join("link")).unwrap();
        for number in 0..30 {
            std::os::unix::fs::symlink(inside.path(), inside.path().join(format!("loop-{number}"))).unwrap();
        }
        let folders = Folders::open(&[inside.path().to_owned()]).unwrap();
        let (recordings, has_more) = folders.recordings();
        let names: Vec<String> = recordings.iter().map(|listed| folders.name(&listed.path)).collect();
        assert_eq!((names, has_more), (vec!["run-1/a.pftrace.gz".to_owned()], false));
        assert!(folders.file("run-1/a.pftrace.gz").is_ok());
        let outside = outside.path().join("b.pftrace").display().to_string();
        for name in ["link/b.pftrace", "../b.pftrace", "nothing", "run-1", &outside] {
            assert!(folders.file(name).is_err(), "{name}");
        }
        assert!(Folders::open(&[inside.path().join("notes.txt")]).is_err());
    }

    #[test]
    fn json_that_is_no_trace_is_not_listed() {
        let folder = tempfile::tempdir().unwrap();
        let event = "{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1,\"name\":\"a\"}";
        let long = format!("{{\"traceEvents\":[{event}{}]}}", format!(",\n{event}").repeat(10_000));
        for (name, text) in [
            ("object.json", format!("{{\"otherData\":{{}},\"traceEvents\":[{event}]}}")),
            ("list.json", format!("[{event},\n")),
            ("long.json", long),
            ("text.trace", "strace of something".to_owned()),
            ("package.json", "{\"name\":\"site\",\"files\":[\"a\"]}".to_owned()),
            ("numbers.json", "[1, 2, 3]".to_owned()),
            ("empty.json", String::new()),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let folders = Folders::open(&[folder.path().to_owned()]).unwrap();
        let (recordings, has_more) = folders.recordings();
        let mut names: Vec<String> = recordings.iter().map(|listed| folders.name(&listed.path)).collect();
        names.sort();
        assert_eq!(
            (names.as_slice(), has_more),
            (["list.json", "long.json", "object.json"].map(str::to_owned).as_slice(), false)
        );
        assert!(folders.file("package.json").is_ok(), "whoever names it gets the reason");
    }
}
