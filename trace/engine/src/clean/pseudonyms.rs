//! Pseudonyms: the same for the same text, and irreversible without the key.

use rustc_hash::FxHashMap;
use sha2::{Digest as _, Sha256};
use syclscope_language::contents::ContentKind;

/// Digits of a pseudonym, and the digits added after each collision.
const DIGITS: usize = 8;

/// The secret that makes files share pseudonyms. Its holder can brute-force texts.
#[derive(Clone)]
pub struct Key(Vec<u8>);

impl Key {
    /// Returns a key of any bytes: random ones for one copy, a file's contents if several copies are to share
    /// pseudonyms.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }
}

#[derive(Clone)]
pub(super) struct Pseudonyms {
    key: Key,
    /// The text of each pseudonym.
    owners: FxHashMap<String, Box<str>>,
}

impl Pseudonyms {
    pub(super) fn new(key: Key) -> Self {
        Self { key, owners: FxHashMap::default() }
    }

    /// Returns the pseudonym of a text, unique within a copy.
    pub(super) fn pseudonym(&mut self, kind: ContentKind, text: &str) -> String {
        let hash = Sha256::new()
            .chain_update((self.key.0.len() as u64).to_le_bytes())
            .chain_update(&self.key.0)
            .chain_update(kind.as_str())
            .chain_update([0])
            .chain_update(text)
            .finalize();
        let digits: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut length = DIGITS;
        loop {
            let pseudonym = format!("{}-{}", kind.prefix(), &digits[..length.min(digits.len())]);
            let owner = self.owners.entry(pseudonym.clone()).or_insert_with(|| text.into());
            if &**owner == text || length >= digits.len() {
                return pseudonym;
            }
            length += DIGITS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pseudonym_follows_from_key_kind_and_text() {
        let mut names = Pseudonyms::new(Key::new("a key"));
        let first = names.pseudonym(ContentKind::Kernels, "gemm");
        assert_eq!(first, Pseudonyms::new(Key::new("a key")).pseudonym(ContentKind::Kernels, "gemm"));
        assert_ne!(first, names.pseudonym(ContentKind::Kernels, "gemv"));
        assert_ne!(first, Pseudonyms::new(Key::new("another")).pseudonym(ContentKind::Kernels, "gemm"));
        assert_eq!(first.len(), "kernel-".len() + DIGITS);
    }

    #[test]
    fn texts_with_the_same_digits_stay_different() {
        let mut names = Pseudonyms::new(Key::new(""));
        let first = names.pseudonym(ContentKind::Kernels, "gemm");
        names.owners.insert(first.clone(), "another".into());
        let longer = names.pseudonym(ContentKind::Kernels, "gemm");
        assert!(longer.starts_with(&first) && longer.len() == first.len() + DIGITS, "{longer}");
    }
}
