//! Built pages in the cache folder, shared by the clones of a machine.

use crate::prelude::*;

/// Maximum number of pages of each kind: 8 MB each.
const MAX_PAGES: usize = 8;

pub(super) struct Entry {
    pages: PathBuf,
    folder: PathBuf,
}

impl Entry {
    /// Creates the entry of the page with the main module `main`, built from the sources with the fingerprint
    /// `key`.
    pub(super) fn new(workspace: &Workspace, main: &str, key: String) -> Self {
        let pages = workspace.cache.join("pages").join(main);
        Entry { folder: pages.join(key), pages }
    }

    /// Copies the page to `dist`; false if it isn't in the cache.
    pub(super) fn copy_to(&self, dist: &Path) -> Result<bool> {
        if !self.folder.is_dir() {
            return Ok(false);
        }
        files::remove_folder(dist)?;
        files::copy_folder(&self.folder, dist)?;
        Ok(true)
    }

    /// Adds the page in `dist`, and removes the oldest pages.
    pub(super) fn fill_from(&self, dist: &Path) -> Result<()> {
        // Another clone may read the cache, or fill it with the same page.
        let new = self.folder.with_extension(std::process::id().to_string());
        files::remove_folder(&new)?;
        files::copy_folder(dist, &new)?;
        if files::rename(&new, &self.folder).is_err() {
            files::remove_folder(&new)?;
        }
        let mut pages = files::entries(&self.pages)?;
        pages.sort_by_key(|page| page.metadata().and_then(|data| data.modified()).ok());
        pages.iter().rev().skip(MAX_PAGES).try_for_each(|page| files::remove_folder(page))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_found_by_its_key_and_the_oldest_go() {
        let scratch = files::Scratch::for_test("pages");
        let entry =
            |key: &str| Entry { pages: scratch.join("pages"), folder: scratch.join("pages").join(key) };
        let (built, dist) = (scratch.join("built"), scratch.join("dist"));
        assert!(!entry("0").copy_to(&dist).unwrap());
        for key in 0..=MAX_PAGES {
            files::write(&built.join("index.html"), key.to_string()).unwrap();
            entry(&key.to_string()).fill_from(&built).unwrap();
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(key as u64);
            let folder = std::fs::File::open(&entry(&key.to_string()).folder).unwrap();
            folder.set_modified(time).unwrap();
        }
        entry("8").fill_from(&built).unwrap();
        assert!(!entry("0").copy_to(&dist).unwrap());
        files::write(&dist.join("of an earlier page.js"), "").unwrap();
        assert!(entry("3").copy_to(&dist).unwrap());
        assert_eq!(files::read(&dist.join("index.html")).unwrap(), "3");
        assert_eq!(files::entries(&dist).unwrap().len(), 1);
        assert_eq!(files::entries(&scratch.join("pages")).unwrap().len(), MAX_PAGES);
    }
}
