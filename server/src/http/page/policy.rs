//! The content security policy: only the page's own files, no inline code except for the scripts of
//! `index.html`, and WebAssembly.

use sha2::{Digest as _, Sha256};

pub(super) fn content_security_policy(index: &str) -> String {
    let mut scripts = String::from("'self' 'wasm-unsafe-eval'");
    for hash in script_hashes(index) {
        scripts.push_str(&format!(" '{hash}'"));
    }
    format!(
        "default-src 'none'; script-src {scripts}; worker-src 'self'; style-src 'self'; img-src 'self' data: \
         blob:; connect-src 'self'; font-src 'self'; base-uri 'self'; form-action 'none'"
    )
}

/// Returns `sha256-…` of each inline script of the page.
fn script_hashes(html: &str) -> Vec<String> {
    let mut hashes = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find("<script") {
        rest = &rest[start + "<script".len()..];
        let Some((attributes, body)) = rest.split_once('>') else { break };
        let Some((code, after)) = body.split_once("</script") else { break };
        let has_source = attributes.split_ascii_whitespace().any(|word| word.starts_with("src="));
        if !has_source {
            hashes.push(hash_source(code));
        }
        rest = after;
    }
    hashes
}

/// Returns the source expression of a page's inline code or style.
pub(crate) fn hash_source(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
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
}
