//! Files embedded in the program: the page with its documents, the subscriber and the recordings of the demo.
//!
//! The binary crate includes them, not this library, so that a changed page only recompiles a small crate.
//! `main` passes them on before anything else.

use std::borrow::Cow;
use std::io;
use std::sync::OnceLock;

/// Embedded files. A build without `cargo xtask build` has neither page nor subscriber, and reports that when
/// they are requested.
#[derive(Debug)]
pub struct Embedded {
    /// The page's files, and below `docs/` the images of the documentation.
    pub page: &'static [EmbeddedFile],
    /// Other files of the documentation, which resemble each other.
    pub documents: EmbeddedTexts,
    pub subscriber: Option<EmbeddedFile>,
    pub recordings: &'static [EmbeddedRecording],
}

#[derive(Clone, Copy, Debug)]
pub struct EmbeddedFile {
    /// Path below the page's root, with `/` between folders; for the subscriber, its file name.
    pub path: &'static str,
    /// Its bytes; `None` if only the compressed form is embedded.
    pub bytes: Option<&'static [u8]>,
    /// Compressed with brotli; `None` if that is not smaller.
    pub brotli: Option<&'static [u8]>,
}

/// Files compressed together, which takes half of their size when compressed one by one.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedTexts {
    /// Paths below the page's root and lengths in bytes, in the order of their contents.
    pub files: &'static [(&'static str, usize)],
    /// The concatenated files, compressed with brotli; empty if there are none.
    pub brotli: &'static [u8],
}

#[derive(Clone, Copy, Debug)]
pub struct EmbeddedRecording {
    pub name: &'static str,
    /// Compressed with gzip.
    pub gzip: &'static [u8],
}

static CARRIED: OnceLock<&'static Embedded> = OnceLock::new();

/// Sets the embedded files. Only the first call has an effect.
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

/// Unpacks `brotli`, which the build has created.
pub fn unpacked(brotli: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    brotli_decompressor::BrotliDecompress(&mut &*brotli, &mut bytes)?;
    Ok(bytes)
}

pub fn documents() -> EmbeddedTexts {
    CARRIED.get().map_or(EmbeddedTexts { files: &[], brotli: &[] }, |embedded| embedded.documents)
}

/// Returns the page's files and the images of its documents; empty if the program has none.
pub fn page() -> &'static [EmbeddedFile] {
    CARRIED.get().map_or(&[], |embedded| embedded.page)
}

pub fn recordings() -> &'static [EmbeddedRecording] {
    CARRIED.get().map_or(&[], |embedded| embedded.recordings)
}
