//! The page and the subscriber inside the binary, as `build.rs` put them there.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmbeddedFile {
    /// Path below the page's root, with `/` between folders.
    pub path: &'static str,
    /// Its bytes; `None` for large ones, which only their compressed form holds.
    pub bytes: Option<&'static [u8]>,
    /// The same, compressed with brotli; `None` where that is not smaller.
    pub brotli: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The subscriber library, if the binary was built with it.
pub(crate) fn subscriber() -> Option<&'static [u8]> {
    SUBSCRIBER
}

/// The page's files; empty if the binary was built without it.
pub(crate) fn page() -> &'static [EmbeddedFile] {
    PAGE
}
