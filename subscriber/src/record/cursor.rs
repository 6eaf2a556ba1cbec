//! Reading of records on the writer's side.

use std::borrow::Cow;

use crate::buffer::Header;

/// A position in a buffer's bytes. Reading past the end gives zeros and empty texts: records are always complete.
#[derive(Clone, Copy, Default)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Reads the record at the start of `bytes`: header, time and a cursor at its first field.
    pub(crate) fn record(bytes: &'a [u8]) -> Option<(Header, u64, Self)> {
        let mut cursor = Self { bytes };
        let header = Header::unpack(cursor.word())?;
        cursor.bytes = bytes.get(8..header.words as usize * 8)?;
        let at = cursor.word();
        Some((header, at, cursor))
    }

    pub(crate) fn from_bytes(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn raw(&mut self, length: usize) -> &'a [u8] {
        let padded = length.next_multiple_of(8).min(self.bytes.len());
        let (bytes, rest) = self.bytes.split_at(padded);
        self.bytes = rest;
        &bytes[..length.min(padded)]
    }

    pub(crate) fn word(&mut self) -> u64 {
        match self.bytes.split_first_chunk::<8>() {
            Some((word, rest)) => {
                self.bytes = rest;
                u64::from_ne_bytes(*word)
            }
            None => 0,
        }
    }

    pub(crate) fn bytes(&mut self) -> &'a [u8] {
        let length = self.word() as usize;
        self.raw(length)
    }

    /// Reads the next text, replacing invalid UTF-8.
    pub(crate) fn text(&mut self) -> Cow<'a, str> {
        lossy(self.bytes())
    }
}

/// Decodes a text, replacing invalid UTF-8. Most texts are valid, and validation is faster than repair.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
