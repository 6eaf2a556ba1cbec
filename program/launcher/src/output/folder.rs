//! A folder with one file per process; the recorder names the files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::LaunchError;

#[derive(Debug)]
pub(crate) struct Folder {
    /// Absolute path.
    pub(crate) path: PathBuf,
    is_new: bool,
}

impl Folder {
    /// True if the path names a folder: an existing one, or a path that ends in `/`.
    pub(crate) fn is_folder(path: &Path) -> bool {
        path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.is_dir()
    }

    /// Opens the folder, and creates it if it doesn't exist.
    ///
    /// # Errors
    /// Returns an error if the folder can't be created or written to.
    pub(crate) fn at(path: &Path) -> Result<Self, LaunchError> {
        let failed = |error| LaunchError::Folder { path: path.to_owned(), error };
        let absolute = std::path::absolute(path).map_err(failed)?;
        let is_new = !absolute.exists();
        fs::create_dir_all(&absolute).map_err(failed)?;
        let folder = Self { path: absolute, is_new };
        if let Err(error) = folder.try_writing() {
            folder.settle();
            return Err(failed(error));
        }
        Ok(folder)
    }

    /// Creates a file and removes it, since permissions alone are not reliable on network disks.
    fn try_writing(&self) -> io::Result<()> {
        let path = self.path.join(format!(".syclscope-{}", std::process::id()));
        syclscope_system::private_files::create_file(&path)?;
        fs::remove_file(path)
    }

    /// Removes the folder if this recording created it and it is empty.
    pub(crate) fn settle(self) {
        if self.is_new {
            // Fails, as intended, if the folder contains a file.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_created_where_the_path_is_one() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("runs/today");
        assert!(!Folder::is_folder(&path));
        let path = PathBuf::from(format!("{}/", path.display()));
        assert!(Folder::is_folder(&path) && Folder::is_folder(root.path()));
        Folder::at(&path).unwrap().settle();
        assert!(!path.exists(), "nothing was recorded");
        let folder = Folder::at(&path).unwrap();
        fs::write(path.join("one"), "").unwrap();
        folder.settle();
        assert!(path.join("one").exists());
        assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
    }

    #[test]
    fn a_file_is_no_folder() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        let error = Folder::at(&file.join("below")).unwrap_err().to_string();
        assert!(error.contains("file/below"), "{error}");
    }
}
