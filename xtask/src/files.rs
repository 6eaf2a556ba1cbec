//! Files and folders. Errors name the path, and a written file's folder is created.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{AtPath, Result};
use crate::process;

pub(crate) fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).at("read", file)
}

pub(crate) fn bytes(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).at("read", file)
}

pub(crate) fn len(file: &Path) -> Result<u64> {
    Ok(file.metadata().at("read", file)?.len())
}

pub(crate) fn write(file: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    create_parent(file)?;
    std::fs::write(file, contents).at("write", file)
}

pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    create_parent(to)?;
    std::fs::copy(from, to).at("copy", from).map(|_| ())
}

/// Copies a folder with its links, also to another file system.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    create_parent(to)?;
    process::quiet(Command::new("cp").args(["--recursive", "--no-dereference"]).arg(from).arg(to))
}

/// Makes `link` lead to `to`, in place of an older link.
pub(crate) fn link(to: &Path, link: &Path) -> Result<()> {
    create_parent(link)?;
    let _ = std::fs::remove_file(link);
    std::os::unix::fs::symlink(to, link).at("link", link)
}

pub(crate) fn rename(from: &Path, to: &Path) -> Result<()> {
    std::fs::rename(from, to).at("rename", from)
}

pub(crate) fn remove(file: &Path) -> Result<()> {
    std::fs::remove_file(file).at("remove", file)
}

pub(crate) fn create(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).at("create", folder)
}

fn create_parent(file: &Path) -> Result<()> {
    file.parent().map_or(Ok(()), create)
}

/// Removes a folder, if there is one.
pub(crate) fn remove_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() { std::fs::remove_dir_all(folder).at("remove", folder) } else { Ok(()) }
}

/// Empties or creates a folder.
pub(crate) fn empty(folder: &Path) -> Result<()> {
    remove_folder(folder)?;
    create(folder)
}

/// Returns the entries of a folder, sorted by name.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).at("list", folder)?.map(|entry| Ok(entry?.path()));
    let mut entries = entries.collect::<std::io::Result<Vec<_>>>().at("list", folder)?;
    entries.sort();
    Ok(entries)
}

/// Returns every file below `path` (or `path` itself, if it is a file), sorted by name. Empty if it doesn't exist.
pub(crate) fn below(path: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![path.to_owned()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(entries(&path)?);
        } else if path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

pub(crate) fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

pub(crate) fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|own| own == extension)
}

/// Returns a file's SHA-256 in hexadecimal digits.
pub(crate) fn sha256(file: &Path) -> Result<String> {
    let text = process::answer(Command::new("sha256sum").arg(file))?;
    Ok(text.split(' ').next().unwrap_or_default().to_owned())
}

/// A new folder that is removed when dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(folder: PathBuf) -> Result<Self> {
        empty(&folder)?;
        Ok(Self(folder))
    }

    /// Creates a folder of this process for a test.
    #[cfg(test)]
    pub(crate) fn for_test(name: &str) -> Self {
        Self::new(std::env::temp_dir().join(format!("syclscope-{name}-{}", std::process::id()))).unwrap()
    }
}

impl std::ops::Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it stays, only disk space is lost.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
