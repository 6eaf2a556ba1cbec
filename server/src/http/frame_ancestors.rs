//! Pages that may embed this one in a frame.
//!
//! Only the page of a trace with `embed` may be embedded: it has no controls that change anything, so the
//! outer page can't trick a user into operating them.

use std::fmt;
use std::str::FromStr;

/// Schemes of VS Code's windows on a desktop, which have no hosts.
const EDITORS: [&str; 2] = ["vscode-webview:", "vscode-file:"];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    ancestors: Vec<Ancestor>,
}

/// An origin as in `frame-ancestors`: `https://wiki.example`, `https://*.example:8443`, `'self'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestor(String);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected an origin like https://wiki.example.org, https://*.example.org, or self for this server's own"
)]
pub struct NoAncestor;

impl FromStr for Ancestor {
    type Err = NoAncestor;

    fn from_str(text: &str) -> Result<Self, NoAncestor> {
        if text.trim_matches('\'') == "self" {
            return Ok(Self("'self'".to_owned()));
        }
        if EDITORS.contains(&text) {
            return Ok(Self(text.to_owned()));
        }
        let host =
            text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).ok_or(NoAncestor)?;
        let host = host.strip_prefix("*.").unwrap_or(host);
        let starts = host.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[');
        let is_host = host
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b':' | b'[' | b']'));
        if starts && is_host { Ok(Self(text.to_owned())) } else { Err(NoAncestor) }
    }
}

impl fmt::Display for Ancestor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Frames {
    pub fn new(ancestors: Vec<Ancestor>) -> Self {
        Self { ancestors }
    }

    /// True if there are pages that may embed this one.
    pub(crate) fn are_allowed(&self) -> bool {
        !self.ancestors.is_empty()
    }

    /// Returns the value of `frame-ancestors` for a page.
    pub(crate) fn ancestors_of(&self, path: &str, query: &str) -> String {
        let is_embedded = query.split('&').any(|part| part.split('=').next() == Some("embed"));
        let is_trace = path.rsplit('/').nth(1) == Some("t");
        if !is_embedded || !is_trace || !self.are_allowed() {
            return "'none'".to_owned();
        }
        self.ancestors.iter().map(Ancestor::to_string).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_on_the_web_are_ancestors() {
        for text in
            ["https://wiki.example", "http://127.0.0.1:8080", "https://*.example:8443", "http://[::1]:1"]
        {
            assert_eq!(text.parse::<Ancestor>().as_ref().map(ToString::to_string).as_deref(), Ok(text));
        }
        assert_eq!("self".parse::<Ancestor>(), "'self'".parse());
        assert_eq!("vscode-webview:".parse::<Ancestor>(), Ok(Ancestor("vscode-webview:".to_owned())));
        for text in [
            "",
            "*",
            "https://*",
            "https://",
            "wiki.example",
            "https://a;script-src *",
            "https://a b",
            "data:",
            "https://a/b",
        ] {
            assert_eq!(text.parse::<Ancestor>(), Err(NoAncestor), "{text}");
        }
    }

    #[test]
    fn only_what_is_asked_for_as_embedded_may_be_framed() {
        let frames = Frames::new(vec!["https://a".parse().unwrap(), "self".parse().unwrap()]);
        for (address, want) in [
            ("/t/x?embed", "https://a 'self'"),
            ("/t/x?v=graph&embed=1", "https://a 'self'"),
            ("/t/x?v=embed", "'none'"),
            ("/s/secret/t/x?embed", "https://a 'self'"),
            ("/t/x", "'none'"),
            ("/?embed", "'none'"),
        ] {
            let (path, query) = address.split_once('?').unwrap_or((address, ""));
            assert_eq!(frames.ancestors_of(path, query), want);
            assert_eq!(Frames::default().ancestors_of(path, query), "'none'");
        }
    }
}
