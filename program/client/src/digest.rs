//! The digest that identifies a recording on a server.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

const PIECE_BYTES: usize = 1 << 20;

/// Returns the SHA-256 of a file in lower-case hexadecimal digits, and its size. `read` is called with the
/// size of each piece.
///
/// # Errors
/// Returns an error if the file can't be read.
pub(super) fn of_file(path: &Path, mut read: impl FnMut(u64)) -> io::Result<(String, u64)> {
    let mut file = File::open(path)?;
    let mut piece = vec![0; PIECE_BYTES];
    let (mut digest, mut size_bytes) = (Sha256::new(), 0);
    loop {
        let count = match file.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        digest.update(&piece[..count]);
        size_bytes += count as u64;
        read(count as u64);
    }
    let digits = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((digits, size_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_usual_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "abc").unwrap();
        let mut heard = 0;
        let (digits, size_bytes) = of_file(&path, |bytes| heard += bytes).unwrap();
        assert_eq!(digits, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!((size_bytes, heard), (3, 3));
        assert!(of_file(folder.path(), |_| {}).is_err(), "a folder has no bytes");
    }
}
