//! The page's files as they are sent: types, validators, compressed forms, and the policy that its own inline
//! scripts need.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use crate::embedded::EmbeddedFile;

/// A file of the page.
#[derive(Clone, Debug)]
pub struct PageFile {
    /// Its bytes.
    pub bytes: Cow<'static, [u8]>,
    /// The same, compressed with brotli.
    pub brotli: Option<Cow<'static, [u8]>>,
    /// Content type.
    pub content_type: &'static str,
    /// Hash of its content, without quotes.
    pub etag: String,
    /// Whether its name changes with its content, so that it may be cached for ever.
    pub is_immutable: bool,
}

impl PageFile {
    fn new(path: &str, bytes: Cow<'static, [u8]>, brotli: Option<Cow<'static, [u8]>>) -> Self {
        let etag = hex(&Sha256::digest(&bytes)[..12]);
        let (content_type, is_immutable) = (content_type(path), has_hash(path));
        Self { bytes, brotli, content_type, etag, is_immutable }
    }
}

const INDEX: &str = "index.html";

/// What `index.html` counts its addresses from. It names no path of a server, so that one that stands in front of this
/// one may put it below any path.
const OWN_FOLDER: &str = "<base href=\"./\"";
const FOLDER_ABOVE: &str = "<base href=\"../\"";

/// The page.
#[derive(Clone, Debug, Default)]
pub struct Page {
    files: BTreeMap<String, PageFile>,
    /// `index.html` for addresses one folder below the page's.
    below: Option<PageFile>,
    /// Sources of scripts beside our own files: hashes of `index.html`'s inline scripts.
    script_hashes: Vec<String>,
}

impl Page {
    /// The page inside the binary.
    pub fn embedded() -> Self {
        Self::new(crate::embedded::page().iter().map(|file| {
            let EmbeddedFile { path, bytes, brotli } = *file;
            (path.to_owned(), Cow::Borrowed(bytes), brotli.map(Cow::Borrowed))
        }))
    }

    /// A page of files: path, bytes, bytes compressed with brotli.
    pub fn new(
        files: impl IntoIterator<Item = (String, Cow<'static, [u8]>, Option<Cow<'static, [u8]>>)>,
    ) -> Self {
        let files: BTreeMap<String, PageFile> = files
            .into_iter()
            .map(|(path, bytes, brotli)| {
                let file = PageFile::new(&path, bytes, brotli);
                (path, file)
            })
            .collect();
        let index = files.get(INDEX).map(|file| String::from_utf8_lossy(&file.bytes));
        let script_hashes = index.as_deref().map(script_hashes).unwrap_or_default();
        let below = index.map(|html| {
            PageFile::new(INDEX, Cow::Owned(html.replacen(OWN_FOLDER, FOLDER_ABOVE, 1).into_bytes()), None)
        });
        Self { files, below, script_hashes }
    }

    /// `index.html` for an address so many folders below the page's (0 or 1).
    pub fn index(&self, folders: usize) -> Option<&PageFile> {
        if folders == 0 { self.file(INDEX) } else { self.below.as_ref() }
    }

    /// The file at a path without a leading slash.
    pub fn file(&self, path: &str) -> Option<&PageFile> {
        self.files.get(path)
    }

    /// The content security policy of every answer: nothing but our own files, no inline code but that of
    /// `index.html`, and WebAssembly.
    pub fn content_security_policy(&self) -> String {
        let mut scripts = String::from("'self' 'wasm-unsafe-eval'");
        for hash in &self.script_hashes {
            scripts.push_str(&format!(" '{hash}'"));
        }
        format!(
            "default-src 'none'; script-src {scripts}; worker-src 'self'; style-src 'self'; img-src 'self' data: \
             blob:; connect-src 'self'; font-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors \
             'none'"
        )
    }
}

/// `sha256-…` of each script that stands in the page itself.
fn script_hashes(html: &str) -> Vec<String> {
    let mut hashes = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find("<script") {
        rest = &rest[start + "<script".len()..];
        let Some((attributes, body)) = rest.split_once('>') else { break };
        let Some((code, after)) = body.split_once("</script") else { break };
        let has_source = attributes.split_ascii_whitespace().any(|word| word.starts_with("src="));
        if !has_source {
            hashes.push(format!("sha256-{}", base64(&Sha256::digest(code.as_bytes()))));
        }
        rest = after;
    }
    hashes
}

/// The content type that a file's name stands for.
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
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Whether a file's name holds a hash of its content, as Trunk writes them: `page-0123456789abcdef_bg.wasm`.
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

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = ALPHABET[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_inline_scripts_are_hashed() {
        let html = "<script src=\"/a.js\"></script><script type=\"module\">alert('Hello, world.');</script>";
        // The example of the content security policy's specification.
        assert_eq!(script_hashes(html), ["sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="]);
        assert_eq!(script_hashes("<script>never closed"), [] as [&str; 0]);
        assert_eq!(script_hashes("<script"), [] as [&str; 0]);
    }

    #[test]
    fn base64_is_padded() {
        assert_eq!([base64(b""), base64(b"M"), base64(b"Ma"), base64(b"Man")], ["", "TQ==", "TWE=", "TWFu"]);
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
