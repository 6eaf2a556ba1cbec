//! Level Zero's loader with its tracing layer, from Debian: the tests' own driver runs under it.
//!
//! The packages are unpacked into the cache and not installed, so that the machine's own loader stays unchanged.
//! They are of one release of Debian, independent of this machine's. (Loaders before 1.19 are unusable: with
//! both adapters of a runtime in one process, the default, the runtime of 2026.2 crashes under them.)

use super::debian;
use crate::prelude::*;

const LIBRARIES: [&str; 2] = ["libze_loader.so.1", "libze_tracing_layer.so.1"];

pub(crate) static LOADER: debian::PackageFiles =
    debian::PackageFiles::new("Level Zero loader 1.20", "level-zero-trixie", "trixie", &["libze1"], take);

/// Copies the libraries under the names by which they are loaded.
fn take(unpacked: &Path, folder: &Path) -> Result<()> {
    for name in LIBRARIES {
        let mut bytes = files::bytes(&unpacked.join("usr/lib/x86_64-linux-gnu").join(name))?;
        loosen(&mut bytes);
        files::write(&folder.join(name), bytes)?;
        // Older runtimes look for them as a compiler would.
        files::link(Path::new(name), &folder.join(name.trim_end_matches(".1")))?;
    }
    Ok(())
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

/// Computes ELF's hash of version names.
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
