//! The digest that identifies a recording on a server.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

const PIECE_BYTES: usize = 1 << 20;

/// Returns the SHA-256 of a file in lower-case hexadecimal digits, and its size. `read` is called with the size of each
/// piece. Yields between pieces, because a server waits at most a minute for the uploads of other tasks.
///
/// # Errors
/// Returns an error if the file can't be read.
pub(super) async fn of_file(path: &Path, mut read: impl FnMut(u64)) -> io::Result<(String, u64)> {
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
        tokio::task::yield_now().await;
    }
    let digits = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((digits, size_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn others_go_on_while_a_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, vec![0; 3 * PIECE_BYTES]).unwrap();
        let turns = std::cell::Cell::new(0);
        let mut seen = Vec::new();
        let other = async {
            while turns.get() < 9 {
                turns.set(turns.get() + 1);
                tokio::task::yield_now().await;
            }
        };
        let (digest, ()) = tokio::join!(biased; of_file(&path, |_| seen.push(turns.get())), other);
        assert_eq!(digest.unwrap().1, 3 * PIECE_BYTES as u64);
        assert_eq!(seen, [0, 1, 2]);
    }

    #[tokio::test]
    async fn a_digest_is_the_usual_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "abc").unwrap();
        let mut heard = 0;
        let (digits, size_bytes) = of_file(&path, |bytes| heard += bytes).await.unwrap();
        assert_eq!(digits, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!((size_bytes, heard), (3, 3));
        assert!(of_file(folder.path(), |_| {}).await.is_err(), "a folder has no bytes");
    }
}
