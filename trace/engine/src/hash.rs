//! Hashing of bytes. It does not resist chosen keys: a hostile file can slow down its own import, and nothing else.

use std::hash::Hasher as _;

use rustc_hash::FxHasher;

/// Returns the hash of some bytes. It may differ in another version of the program, so no file contains one.
#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}
