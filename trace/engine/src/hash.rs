//! The hash of bytes. It protects from no chosen keys: a hostile file can make its own import slow, and nothing else.

use std::hash::Hasher as _;

use rustc_hash::FxHasher;

/// The hash of some bytes. It may differ in another version of the program, so no file holds one.
#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}
