//! The page with its documents, the subscriber and the recordings of the demo inside the program.
//!
//! They are in `main.rs` and not in the library, so that a page that has changed costs one small crate and not the library:
//! `main` hands them over before it does anything else.

use std::borrow::Cow;
use std::io;
use std::sync::OnceLock;

/// Files in the program. A build without `cargo xtask build` has neither page nor subscriber, and reports it when they
/// are requested.
#[derive(Debug)]
pub struct Embedded {
    /// The page's files, and below `docs/` the pictures of the documents' site.
    pub page: &'static [EmbeddedFile],
    /// Other texts of the documents' site, which are much alike.
    pub documents: EmbeddedTexts,
    /// The library that a SYCL runtime loads.
    pub subscriber: Option<EmbeddedFile>,
    /// Recordings of `syclscope demo`.
    pub recordings: &'static [EmbeddedRecording],
}

/// A file of the page, or the subscriber.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedFile {
    /// Path below the page's root, with `/` between folders; the subscriber's name.
    pub path: &'static str,
    /// Its bytes; `None` where the compressed form holds them.
    pub bytes: Option<&'static [u8]>,
    /// The same, compressed with brotli; `None` where that is not smaller.
    pub brotli: Option<&'static [u8]>,
}

/// Files that are compressed as one piece, which is half of their size one by one.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedTexts {
    /// Paths below the page's root and lengths in bytes, in the order in which the files lie in the piece.
    pub files: &'static [(&'static str, usize)],
    /// All of them one behind another, compressed with brotli; empty where there are none.
    pub brotli: &'static [u8],
}

/// A recording of a real program.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedRecording {
    /// The file's name.
    pub name: &'static str,
    /// The file, compressed with gzip.
    pub gzip: &'static [u8],
}

static CARRIED: OnceLock<&'static Embedded> = OnceLock::new();

/// From now on the program carries this; what it carried first stays.
pub fn carry(embedded: &'static Embedded) {
    CARRIED.get_or_init(|| embedded);
}

/// The subscriber library, if the program carries it.
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

/// The texts of the documents' site; none if the program carries none.
pub fn documents() -> EmbeddedTexts {
    CARRIED.get().map_or(EmbeddedTexts { files: &[], brotli: &[] }, |embedded| embedded.documents)
}

/// The page's files and the pictures of its documents; empty if the program carries none.
pub fn page() -> &'static [EmbeddedFile] {
    CARRIED.get().map_or(&[], |embedded| embedded.page)
}

/// The recordings of the demo.
pub fn recordings() -> &'static [EmbeddedRecording] {
    CARRIED.get().map_or(&[], |embedded| embedded.recordings)
}
