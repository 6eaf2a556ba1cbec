//! Serialisation of numbers and texts for the same library in another process.

use std::borrow::Cow;

#[derive(Default)]
pub(crate) struct Parcel(Vec<u8>);

impl Parcel {
    pub(crate) fn word(&mut self, word: u64) -> &mut Self {
        self.0.extend_from_slice(&word.to_ne_bytes());
        self
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.word(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Reads a serialized message. Reading past its end gives nothing.
pub(crate) struct Unpacking<'a>(pub(crate) &'a [u8]);

impl<'a> Unpacking<'a> {
    pub(crate) fn word(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_ne_bytes(*word))
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.word()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn text(&mut self) -> Option<Cow<'a, str>> {
        self.bytes().map(String::from_utf8_lossy)
    }
}
