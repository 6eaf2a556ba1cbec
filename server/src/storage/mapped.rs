//! Maps our own files into memory.
#![expect(unsafe_code, reason = "only who maps a file knows that nobody cuts it short")]

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

/// Maps a file of the data folder for reading.
///
/// Only files that nobody changes may be mapped: touching a page that a shorter file no longer has ends the process.
/// What the server writes into its data folder, it writes under another name, renames when it is whole, and never
/// opens for writing again.
///
/// # Errors
/// When the file can't be opened or mapped.
pub fn map(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: nobody changes files of the data folder, see above.
    unsafe { Mmap::map(&file) }
}
