//! Embedded texts that are compressed together.

use std::ops::Range;
use std::sync::OnceLock;

use axum::body::Bytes;
use sha2::{Digest as _, Sha256};

use super::{hex, unpack};

/// The compressed texts. The first request for one decompresses all of them, which then stay in memory.
#[derive(Debug)]
pub(super) struct Texts {
    brotli: &'static [u8],
    hash: String,
    plain: OnceLock<Bytes>,
}

impl Texts {
    pub(super) fn new(brotli: &'static [u8]) -> Self {
        Self { brotli, hash: hex(&Sha256::digest(brotli)[..8]), plain: OnceLock::new() }
    }

    /// Returns a validator that changes with the text in a range.
    pub(super) fn etag(&self, place: &Range<usize>) -> String {
        format!("{}-{:x}", self.hash, place.start)
    }

    /// Returns the text in a range; empty, and logged, if out of range.
    pub(super) fn bytes(&self, place: &Range<usize>) -> Bytes {
        let whole = self.plain.get_or_init(|| unpack(self.brotli));
        match whole.get(place.clone()) {
            Some(_) => whole.slice(place.clone()),
            None => {
                tracing::error!("a documentation text is out of the range of the embedded texts");
                Bytes::new()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_out_of_the_piece() {
        let brotli = &[0x1b, 0x1a, 0x00, 0xf8, 0x25, 0x00, 0xaa, 0x90, 0x61, 0xca, 0x81, 0x7b, 0x8c, 0x0e];
        let texts = Texts::new(brotli);
        assert_eq!(texts.bytes(&(8..15)), "one and");
        assert_eq!(texts.bytes(&(24..27)), "one");
        assert_eq!(texts.bytes(&(24..28)), "", "behind the end");
        assert_ne!(texts.etag(&(0..3)), texts.etag(&(8..11)));
    }
}
