//! The page's files as sent: types, validators, compressed forms, and the policy for its inline scripts.
//!
//! tower-http serves files on a disk. Embedded files have no modification time for a validator, so they use a
//! hash of the content, computed once; their compressed forms are created at build time.

mod folder;
mod policy;
mod texts;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use sha2::{Digest as _, Sha256};

pub use self::folder::{NoIndex, PageFolder};
pub(crate) use self::policy::hash_source;
use self::texts::Texts;
use crate::http::address::root_from;
use syclscope_system::embedded::{self, EmbeddedFile};

#[derive(Clone, Debug)]
pub struct PageFile {
    plain: Plain,
    pub brotli: Option<Bytes>,
    pub content_type: &'static str,
    /// Hash of the content, without quotes.
    pub etag: String,
    /// Caching policy (`Cache-Control`).
    pub caching: &'static str,
}

#[derive(Clone, Debug)]
enum Plain {
    Here(Bytes),
    /// Decompressed for the first client that does not accept brotli.
    Packed(Arc<OnceLock<Bytes>>),
    /// Decompressed with other texts when the first of them is requested.
    Among(Arc<Texts>, Range<usize>),
}

impl PageFile {
    fn new(path: &str, bytes: Bytes, brotli: Option<Bytes>) -> Self {
        let etag = hex(&Sha256::digest(&bytes)[..12]);
        Self { plain: Plain::Here(bytes), brotli, ..Self::from_brotli(path, Bytes::new(), etag) }
    }

    fn from_embedded(file: &EmbeddedFile) -> Self {
        let EmbeddedFile { path, bytes, brotli } = *file;
        let brotli = Bytes::from_static(brotli.unwrap_or_default());
        match bytes {
            Some(bytes) => {
                let brotli = Some(brotli).filter(|brotli| !brotli.is_empty());
                Self::new(path, Bytes::from_static(bytes), brotli)
            }
            None => {
                let etag = hex(&Sha256::digest(&brotli)[..12]);
                Self::from_brotli(path, brotli, etag)
            }
        }
    }

    /// Creates a page file that exists only in its compressed form.
    fn from_brotli(path: &str, brotli: Bytes, etag: String) -> Self {
        let caching = if has_hash(path) { "public, max-age=31536000, immutable" } else { "no-cache" };
        let plain = Plain::Packed(Arc::default());
        Self { plain, brotli: Some(brotli), content_type: content_type(path), etag, caching }
    }

    /// Creates a page file from an embedded text, which is compressed together with others.
    fn among(path: &str, texts: &Arc<Texts>, place: Range<usize>) -> Self {
        let etag = texts.etag(&place);
        let plain = Plain::Among(texts.clone(), place);
        Self { plain, brotli: None, ..Self::from_brotli(path, Bytes::new(), etag) }
    }

    pub fn bytes(&self) -> Bytes {
        match &self.plain {
            Plain::Here(bytes) => bytes.clone(),
            Plain::Among(texts, place) => texts.bytes(place),
            Plain::Packed(bytes) => {
                bytes.get_or_init(|| unpack(self.brotli.as_deref().unwrap_or_default())).clone()
            }
        }
    }

    pub(crate) fn with_bytes(&self, bytes: Vec<u8>) -> Self {
        let etag = hex(&Sha256::digest(&bytes)[..12]);
        Self { plain: Plain::Here(bytes.into()), brotli: None, etag, ..*self }
    }
}

const INDEX: &str = "index.html";

pub(crate) const DOCUMENTS: &str = "docs/";

/// Base URL in `index.html`. It names no path of a server, so that a proxy may serve the server below any
/// path.
const OWN_FOLDER: &str = "<base href=\"./\"";

#[derive(Clone, Debug)]
pub enum Page {
    /// Immutable files in memory: the embedded ones.
    Fixed(FixedPage),
    /// A folder in which the page may be rebuilt while the server runs.
    Folder(PageFolder),
}

impl Page {
    pub fn embedded() -> Self {
        let files = embedded::page().iter().map(|file| (file.path.to_owned(), PageFile::from_embedded(file)));
        Self::Fixed(FixedPage::new(files.chain(embedded_texts())))
    }

    /// Creates a page from files: path, bytes, bytes compressed with brotli.
    pub fn new(files: impl IntoIterator<Item = (String, Bytes, Option<Bytes>)>) -> Self {
        Self::Fixed(FixedPage::new(files.into_iter().map(|(path, bytes, brotli)| {
            let file = PageFile::new(&path, bytes, brotli);
            (path, file)
        })))
    }

    /// Opens the page in `folder`, which must have an `index.html`.
    pub fn in_folder(folder: &Path) -> Result<Self, NoIndex> {
        PageFolder::at(folder).map(Self::Folder)
    }

    /// Returns `index.html` for a URL this many folders below the page's.
    pub fn index(&self, depth: usize) -> Option<PageFile> {
        match (self, depth) {
            (Self::Fixed(page), 0) => page.files.get(INDEX).cloned(),
            (Self::Fixed(page), 1) => page.below.clone(),
            (Self::Fixed(page), _) => page.files.get(INDEX).map(|file| index_below(&file.bytes(), depth)),
            (Self::Folder(page), _) => page.index(depth),
        }
    }

    /// Returns the file at a path without a leading slash. A folder of the documentation is its `index.html`.
    /// A page under development has no documentation of its own, so it serves the embedded one.
    pub fn file(&self, path: &str) -> Option<PageFile> {
        let is_folder = path.starts_with(DOCUMENTS) && path.ends_with('/');
        let whole = if is_folder { Cow::Owned(format!("{path}{INDEX}")) } else { Cow::Borrowed(path) };
        match self {
            Self::Fixed(page) => page.files.get(&*whole).cloned(),
            Self::Folder(page) => page.file(&whole).or_else(|| embedded_document(&whole)),
        }
    }

    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Fixed(_) => None,
            Self::Folder(page) => Some(page.path()),
        }
    }

    /// Returns the content security policy of every response, without the frame ancestors.
    pub fn content_security_policy(&self) -> String {
        match self {
            Self::Fixed(page) => page.policy.clone(),
            Self::Folder(page) => page.policy(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct FixedPage {
    files: BTreeMap<String, PageFile>,
    /// `index.html` for URLs one folder below the page's.
    below: Option<PageFile>,
    policy: String,
}

impl FixedPage {
    fn new(files: impl Iterator<Item = (String, PageFile)>) -> Self {
        let files: BTreeMap<String, PageFile> = files.collect();
        let below = files.get(INDEX).map(|file| index_below(&file.bytes(), 1));
        let index = files.get(INDEX).map(PageFile::bytes).unwrap_or_default();
        let policy = policy::content_security_policy(&String::from_utf8_lossy(&index));
        Self { files, below, policy }
    }
}

/// Returns the embedded documentation, by path.
fn embedded_texts() -> impl Iterator<Item = (String, PageFile)> {
    let documents = embedded::documents();
    let texts = Arc::new(Texts::new(documents.brotli));
    let mut end = 0;
    documents.files.iter().map(move |(path, length)| {
        let place = end..end + length;
        end = place.end;
        ((*path).to_owned(), PageFile::among(path, &texts, place))
    })
}

fn embedded_document(path: &str) -> Option<PageFile> {
    let mut pictures = embedded::page().iter().filter(|file| file.path.starts_with(DOCUMENTS));
    let picture = pictures.find(|file| file.path == path).map(PageFile::from_embedded);
    picture.or_else(|| embedded_texts().find(|(text, _)| text == path).map(|(_, file)| file))
}

fn unpack(brotli: &[u8]) -> Bytes {
    embedded::unpacked(brotli).map(Bytes::from).unwrap_or_else(|error| {
        tracing::error!("can't unpack a file of the page: {error}");
        Bytes::new()
    })
}

/// Returns `index.html` with URLs relative to a folder above.
fn index_below(index: &[u8], depth: usize) -> PageFile {
    let above = format!("<base href=\"{}\"", root_from(depth));
    let html = String::from_utf8_lossy(index).replacen(OWN_FOLDER, &above, 1);
    PageFile::new(INDEX, html.into_bytes().into(), None)
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "webp" => "image/webp",
        "woff2" => "font/woff2",
        // Other files that documents link to, such as programs and settings, as plain text.
        "txt" | "cpp" | "hpp" | "py" | "sh" | "conf" | "service" | "yaml" => "text/plain; charset=utf-8",
        _ if path.ends_with("/Containerfile") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// True if a file's name contains a hash of its content, in Trunk's form: `page-0123456789abcdef_bg.wasm`.
fn has_hash(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    stem.split(['-', '_'])
        .skip(1)
        .any(|part| part.len() >= 12 && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_lies_compressed_is_unpacked() {
        let brotli = [0x1b, 0x1a, 0x00, 0xf8, 0x25, 0x00, 0xaa, 0x90, 0x61, 0xca, 0x81, 0x7b, 0x8c, 0x0e];
        let file = PageFile::from_brotli("a.wasm", Bytes::copy_from_slice(&brotli), "b".to_owned());
        assert_eq!(file.clone().bytes(), "one and one and one and one");
        assert_eq!(file.brotli.as_deref(), Some(&brotli[..]));
    }

    #[test]
    fn hashed_names_are_recognised() {
        for path in ["page-0123456789abcdef.js", "a/syclscope-page-0123456789abcdef_bg.wasm"] {
            assert!(has_hash(path), "{path}");
        }
        for path in
            ["index.html", "boot.js", "0123456789abcdef.js", "page-main.js", "snippets/dead-beef/x.js"]
        {
            assert!(!has_hash(path), "{path}");
        }
    }
}
