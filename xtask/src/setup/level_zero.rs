//! Level Zero's loader with its tracing layer, from Debian: the tests' own driver runs under it.
//!
//! The packages are unpacked into the cache and not installed, so that the machine's own loader stays unchanged.
//! They are of one release of Debian, independent of this machine's. (Loaders before 1.19 are unusable: with
//! both adapters of a runtime in one process, the default, the runtime of 2026.2 crashes under them.)

use std::sync::Mutex;

use super::{State, Step, debian};
use crate::prelude::*;

/// Debian's name of its release.
const RELEASE: &str = "trixie";
const VERSION: &str = "1.20";
const PACKAGE: &str = "libze1";
const LIBRARIES: [&str; 2] = ["libze_loader.so.1", "libze_tracing_layer.so.1"];

/// Reason for the loader's absence, for this call of xtask.
static MISSING: Mutex<Option<String>> = Mutex::new(None);

/// Folder of the loader's libraries, or the reason for their absence.
pub(crate) fn find(workspace: &Workspace) -> std::result::Result<PathBuf, String> {
    let folder = folder(workspace);
    if LIBRARIES.iter().all(|name| folder.join(name.trim_end_matches(".1")).is_file()) {
        return Ok(folder);
    }
    Err(missing().unwrap_or_else(|| format!("Level Zero's loader {VERSION} has not been fetched")))
}

pub(super) fn step(workspace: &Workspace) -> Step<'_> {
    let by_hand = format!(
        "unpack {PACKAGE} of Debian {RELEASE} and put {} into {}",
        LIBRARIES.join(" and "),
        folder(workspace).display()
    );
    let state = || {
        if let Some(reason) = debian::lacks() {
            note(&reason);
            return Ok(State::LeftOut(reason));
        }
        Ok(match find(workspace) {
            Ok(folder) => State::Ready(folder.display().to_string()),
            Err(reason) if missing().is_some() => State::LeftOut(reason),
            Err(reason) => State::Missing(reason),
        })
    };
    Step::new(format!("Level Zero loader {VERSION}"), by_hand, state, || {
        // Tests that need it are skipped with this reason.
        if let Err(failure) = fetch(workspace) {
            note(&format!("Debian's {PACKAGE} can't be fetched: {}", failure.headline()));
        }
        Ok(())
    })
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.cache.join(format!("level-zero-{RELEASE}"))
}

fn missing() -> Option<String> {
    MISSING.lock().ok().and_then(|missing| missing.clone())
}

fn note(reason: &str) {
    if let Ok(mut missing) = MISSING.lock() {
        *missing = Some(reason.to_owned());
    }
}

/// Copies the libraries into the cache under the names by which they are loaded.
fn fetch(workspace: &Workspace) -> Result<()> {
    let scratch = debian::unpacked(workspace, (RELEASE, "amd64"), &[PACKAGE.to_owned()], |_| Ok(()))?;
    let folder = folder(workspace);
    let partial = folder.with_extension("partial");
    files::empty(&partial)?;
    for name in LIBRARIES {
        let mut bytes = files::bytes(&scratch.join("unpacked/usr/lib/x86_64-linux-gnu").join(name))?;
        loosen(&mut bytes);
        files::write(&partial.join(name), bytes)?;
        // Older runtimes look for them as a compiler would.
        files::link(Path::new(name), &partial.join(name.trim_end_matches(".1")))?;
    }
    files::remove_folder(&folder)?;
    files::rename(&partial, &folder)
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
