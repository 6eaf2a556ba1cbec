//! The page with its documents, the subscriber and the recordings of the demo inside the program.
//!
//! They are in `main.rs` and not in the library, so that a page that has changed costs one small crate and not the library:
//! `main` hands them over before it does anything else.

use std::borrow::Cow;
use std::io;
use std::sync::OnceLock;

/// Files in the program. A build without `cargo xtask build` has neither page nor subscriber, and says so when they are
/// requested.
#[derive(Debug)]
pub struct Embedded {
    /// The page's files, and below `docs/` the pictures of the documents' site.
    pub page: &'static [EmbeddedFile],
    /// Other texts of the documents' site, which resemble each other.
    pub documents: EmbeddedTexts,
    pub subscriber: Option<EmbeddedFile>,
    pub recordings: &'static [EmbeddedRecording],
}

#[derive(Clone, Copy, Debug)]
pub struct EmbeddedFile {
    /// Path below the page's root, with `/` between folders; the subscriber's name.
    pub path: &'static str,
    /// Its bytes; `None` where the compressed form holds them.
    pub bytes: Option<&'static [u8]>,
    /// Compressed with brotli; `None` where that is not smaller.
    pub brotli: Option<&'static [u8]>,
}

/// Files compressed as one piece, which takes half of their size one by one.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedTexts {
    /// Paths below the page's root and lengths in bytes, in their order in the piece.
    pub files: &'static [(&'static str, usize)],
    /// All files one behind another, compressed with brotli; empty if there are none.
    pub brotli: &'static [u8],
}

#[derive(Clone, Copy, Debug)]
pub struct EmbeddedRecording {
    pub name: &'static str,
    /// Compressed with gzip.
    pub gzip: &'static [u8],
}

static CARRIED: OnceLock<&'static Embedded> = OnceLock::new();

/// Sets the files of the program, once: later calls change nothing.
pub fn carry(embedded: &'static Embedded) {
    CARRIED.get_or_init(|| embedded);
}

/// Returns the subscriber library; `None` if the program has none.
pub fn subscriber() -> Option<io::Result<Cow<'static, [u8]>>> {
    let EmbeddedFile { bytes, brotli, .. } = CARRIED.get()?.subscriber?;
    match bytes {
        Some(bytes) => Some(Ok(Cow::Borrowed(bytes))),
        None => brotli.map(|brotli| unpacked(brotli).map(Cow::Owned)),
    }
}

/// Unpacks `brotli`. The build wrote it, so it is complete.
pub fn unpacked(brotli: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    brotli_decompressor::BrotliDecompress(&mut &*brotli, &mut bytes)?;
    Ok(bytes)
}

pub fn documents() -> EmbeddedTexts {
    CARRIED.get().map_or(EmbeddedTexts { files: &[], brotli: &[] }, |embedded| embedded.documents)
}

/// Returns the page's files and the pictures of its documents; empty if the program has none.
pub fn page() -> &'static [EmbeddedFile] {
    CARRIED.get().map_or(&[], |embedded| embedded.page)
}

pub fn recordings() -> &'static [EmbeddedRecording] {
    CARRIED.get().map_or(&[], |embedded| embedded.recordings)
}
