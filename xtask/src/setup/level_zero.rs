//! Level Zero's loader with its tracing layer, from Debian: the tests' own driver runs under it.
//!
//! The packages are unpacked into the cache and not installed, so that the machine's own loader stays unchanged.
//! They are of one release of Debian, independent of this machine's. (Loaders before 1.19 are unusable: with
//! both adapters of a runtime in one process, the default, the runtime of 2026.2 crashes under them.)

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::{Step, debian};
use crate::failure::{AtPath, Result};
use crate::workspace::Workspace;

#[derive(Clone, Copy)]
pub(crate) struct Loader {
    /// Debian's name of the release.
    release: &'static str,
    version: &'static str,
}

pub(crate) const LOADER: Loader = Loader { release: "trixie", version: "1.20" };

const PACKAGE: &str = "libze1";
const LIBRARIES: [&str; 2] = ["libze_loader.so.1", "libze_tracing_layer.so.1"];

/// Reason for the loader's absence, for this call of xtask.
static MISSING: Mutex<Option<String>> = Mutex::new(None);

impl Loader {
    /// Folder of its libraries, or the reason for their absence.
    pub(crate) fn find(self, workspace: &Workspace) -> std::result::Result<PathBuf, String> {
        let folder = self.folder(workspace);
        if LIBRARIES.iter().all(|name| folder.join(name.trim_end_matches(".1")).is_file()) {
            return Ok(folder);
        }
        let known = MISSING.lock().ok().and_then(|missing| missing.clone());
        Err(known.unwrap_or_else(|| format!("Level Zero's loader {} has not been fetched", self.version)))
    }

    fn folder(self, workspace: &Workspace) -> PathBuf {
        workspace.cache.join(format!("level-zero-{}", self.release))
    }

    fn fetch(self, workspace: &Workspace) -> Result<()> {
        let scratch = workspace.target.join("xtask").join(format!("apt-{}", self.release));
        let packages = debian::download(workspace, self.release, "amd64", &[PACKAGE.to_owned()], &scratch)?;
        let unpacked = scratch.join("unpacked");
        for package in packages {
            debian::unpack(&package, &unpacked)?;
        }
        self.keep(workspace, &unpacked.join("usr/lib/x86_64-linux-gnu"))?;
        std::fs::remove_dir_all(&scratch).at("remove", &scratch)
    }

    /// Copies the libraries into the cache under the names by which they are loaded.
    fn keep(self, workspace: &Workspace, from: &Path) -> Result<()> {
        let folder = self.folder(workspace);
        let partial = folder.with_extension("partial");
        let _ = std::fs::remove_dir_all(&partial);
        std::fs::create_dir_all(&partial).at("create", &partial)?;
        for name in LIBRARIES {
            let library = from.join(name);
            let mut bytes = std::fs::read(&library).at("read", &library)?;
            loosen(&mut bytes);
            std::fs::write(partial.join(name), bytes).at("write", &partial)?;
            // Older runtimes look for them as a compiler would.
            let link = partial.join(name.trim_end_matches(".1"));
            std::os::unix::fs::symlink(name, &link).at("link", &link)?;
        }
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::rename(&partial, &folder).at("rename", &partial)
    }
}

impl Step for Loader {
    fn name(&self) -> String {
        format!("Level Zero loader {}", self.version)
    }

    fn unavailable(&self, _: &Workspace) -> Option<String> {
        debian::lacks().inspect(|reason| note(reason))
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        match self.find(workspace) {
            Ok(folder) => Ok(folder.display().to_string()),
            // Tests that need it are skipped with this reason.
            Err(reason) if MISSING.lock().is_ok_and(|missing| missing.is_some()) => {
                Ok(format!("left out: {reason}"))
            }
            Err(reason) => Err(reason),
        }
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        if let Err(failure) = self.fetch(workspace) {
            note(&format!("Debian's {PACKAGE} can't be fetched: {}", failure.headline()));
        }
        Ok(())
    }

    fn by_hand(&self, workspace: &Workspace) -> String {
        format!(
            "unpack {PACKAGE} of Debian {} and put {} into {}",
            self.release,
            LIBRARIES.join(" and "),
            self.folder(workspace).display()
        )
    }
}

fn note(reason: &str) {
    if let Ok(mut missing) = MISSING.lock() {
        *missing = Some(reason.to_owned());
    }
}

/// Version symbol in the output of newer compilers: the C++ library initialises its streams itself. No code calls the
/// function of this version, but the dynamic linker of an older system rejects a library with this dependency.
const STREAMS: &[u8] = b"GLIBCXX_3.4.32";
/// `VER_FLG_WEAK`: a version that may be missing.
const WEAK: u16 = 2;

/// Makes the dependency on [`STREAMS`] weak, so that a library loads on an older system that lacks only this.
fn loosen(library: &mut [u8]) {
    // `Elf64_Vernaux`: the name's hash, then the flags.
    let wanted = elf_hash(STREAMS).to_le_bytes();
    let places: Vec<usize> = library
        .windows(6)
        .enumerate()
        .filter(|(_, window)| window[..4] == wanted && window[4..] == [0, 0])
        .map(|(place, _)| place)
        .collect();
    if let [place] = places[..] {
        library[place + 4..place + 6].copy_from_slice(&WEAK.to_le_bytes());
    }
}

/// ELF's hash of version names.
fn elf_hash(name: &[u8]) -> u32 {
    name.iter().fold(0_u32, |hash, byte| {
        let hash = (hash << 4).wrapping_add(u32::from(*byte));
        let high = hash & 0xf000_0000;
        (hash ^ (high >> 24)) & !high
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_nothing_needs_may_be_missing() {
        assert_eq!(elf_hash(STREAMS), 0x0297_f842);
        let mut library = [&[9; 5][..], &0x0297_f842_u32.to_le_bytes(), &[0, 0, 20, 0]].concat();
        let before = library.clone();
        loosen(&mut library);
        assert_eq!(library[9], 2);
        library[9] = 0;
        assert_eq!(library, before, "nothing else is touched");
    }
}
