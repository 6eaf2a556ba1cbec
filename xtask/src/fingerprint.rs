//! Fingerprints of files, to skip long builds whose inputs are unchanged.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use crate::failure::Result;
use crate::{files, process};

pub(crate) struct Fingerprint(DefaultHasher);

impl Fingerprint {
    pub(crate) fn new() -> Self {
        Fingerprint(DefaultHasher::new())
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        text.hash(&mut self.0);
        self
    }

    /// Adds a file's contents, independent of its path.
    pub(crate) fn contents(&mut self, file: &Path) -> Result<&mut Self> {
        files::bytes(file)?.hash(&mut self.0);
        Ok(self)
    }

    /// Adds a file, or every file below a folder, sorted by name.
    pub(crate) fn tree(&mut self, path: &Path) -> Result<&mut Self> {
        for file in files::below(path)? {
            file.hash(&mut self.0);
            self.contents(&file)?;
        }
        Ok(self)
    }

    /// Adds several trees, by their paths from `root`.
    pub(crate) fn trees_below(&mut self, root: &Path, paths: &[PathBuf]) -> Result<&mut Self> {
        for file in paths.iter().map(|path| files::below(path)).collect::<Result<Vec<_>>>()?.concat() {
            file.strip_prefix(root).unwrap_or(&file).hash(&mut self.0);
            self.contents(&file)?;
        }
        Ok(self)
    }

    pub(crate) fn trees<'a>(&mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<&mut Self> {
        for path in paths {
            self.tree(path)?;
        }
        Ok(self)
    }

    /// Adds the compiler's version and the environment variables that affect it.
    pub(crate) fn compiler(&mut self) -> &mut Self {
        self.text(&process::version_of("rustc").unwrap_or_default());
        for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
            self.text(&std::env::var(name).unwrap_or_default());
        }
        self
    }

    pub(crate) fn finish(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}

pub(crate) fn is_stamped(stamp: &Path, fingerprint: &str) -> bool {
    std::fs::read_to_string(stamp).is_ok_and(|held| held.trim() == fingerprint)
}

pub(crate) fn write_stamp(stamp: &Path, fingerprint: &str) -> Result<()> {
    files::write(stamp, format!("{fingerprint}\n"))
}

/// True if `artefact` is unchanged since it was built from `inputs`; another process may have rebuilt it.
pub(crate) fn is_current(stamp: &Path, inputs: &str, artefact: &Path) -> bool {
    identity(artefact).is_some_and(|identity| is_stamped(stamp, &format!("{inputs} {identity}")))
}

pub(crate) fn write_artefact_stamp(stamp: &Path, inputs: &str, artefact: &Path) -> Result<()> {
    write_stamp(stamp, &format!("{inputs} {}", identity(artefact).unwrap_or_default()))
}

/// Returns a file's length and modification time; `None` if it doesn't exist.
pub(crate) fn identity(file: &Path) -> Option<String> {
    let data = file.metadata().ok()?;
    let written = data.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{} {}", data.len(), written.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_follows_names_and_contents() {
        let folder = files::Scratch::for_test("fingerprint");
        std::fs::create_dir(folder.join("below")).unwrap();
        let of = || Fingerprint::new().tree(&folder).unwrap().finish();
        std::fs::write(folder.join("one"), "1").unwrap();
        std::fs::write(folder.join("below/two"), "2").unwrap();
        let before = of();
        assert_eq!(of(), before);
        std::fs::write(folder.join("below/two"), "3").unwrap();
        let changed = of();
        assert_ne!(changed, before);
        let held = |name: &str| Fingerprint::new().contents(&folder.join(name)).unwrap().finish();
        let before = held("one");
        std::fs::rename(folder.join("one"), folder.join("other")).unwrap();
        assert_ne!(of(), changed);
        assert_eq!(held("other"), before);
    }

    #[test]
    fn an_artefact_that_was_written_again_is_not_the_one_that_was_noted() {
        let folder = files::Scratch::for_test("artefact");
        let (stamp, artefact) = (folder.join("stamp"), folder.join("artefact"));
        std::fs::write(&artefact, "1").unwrap();
        write_artefact_stamp(&stamp, "inputs", &artefact).unwrap();
        assert!(is_current(&stamp, "inputs", &artefact));
        assert!(!is_current(&stamp, "others", &artefact));
        std::fs::write(&artefact, "by somebody else").unwrap();
        assert!(!is_current(&stamp, "inputs", &artefact));
        std::fs::remove_file(&artefact).unwrap();
        assert!(!is_current(&stamp, "inputs", &artefact));
    }
}
