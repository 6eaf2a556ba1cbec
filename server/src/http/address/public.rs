//! The public URL of this server.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use super::Prefix;

/// A URL like `https://traces.example/tools/syclscope`, as clients see it through any proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    /// Without a trailing slash.
    base: String,
    host: String,
    is_https: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a URL like https://traces.example or https://host.example/tools/syclscope")]
pub struct NoPublicUrl;

impl FromStr for PublicUrl {
    type Err = NoPublicUrl;

    fn from_str(text: &str) -> Result<Self, NoPublicUrl> {
        let (scheme, rest) = text.split_once("://").ok_or(NoPublicUrl)?;
        let place = rest.find('/').unwrap_or(rest.len());
        let (authority, path) = rest.split_at(place);
        let path: Prefix = if path.is_empty() { "/" } else { path }.parse().map_err(|_| NoPublicUrl)?;
        let host = match authority.rsplit_once(':') {
            Some((host, port))
                if port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok() =>
            {
                host
            }
            _ => authority,
        };
        let is_host = |text: &str| {
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
        };
        let is_address = |text: &str| text.parse::<Ipv6Addr>().is_ok();
        let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        if !matches!(scheme, "http" | "https") || !inner.map_or_else(|| is_host(host), is_address) {
            return Err(NoPublicUrl);
        }
        Ok(Self {
            base: format!("{scheme}://{authority}{}", path.as_str()),
            host: host.to_ascii_lowercase(),
            is_https: scheme == "https",
        })
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)
    }
}

impl PublicUrl {
    /// Returns its host, without the port.
    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn is_https(&self) -> bool {
        self.is_https
    }

    pub fn below(&self, path: &str) -> String {
        format!("{}/{path}", self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_have_a_path() {
        for (text, door, host, is_https) in [
            ("https://Traces.example", "https://Traces.example/signed-in", "traces.example", true),
            ("https://a.example/tools/x/", "https://a.example/tools/x/signed-in", "a.example", true),
            ("http://127.0.0.1:4717/", "http://127.0.0.1:4717/signed-in", "127.0.0.1", false),
            ("http://[::1]:4717", "http://[::1]:4717/signed-in", "[::1]", false),
        ] {
            let public: PublicUrl = text.parse().unwrap();
            assert_eq!((public.below("signed-in").as_str(), public.host()), (door, host), "{text}");
            assert_eq!(public.is_https(), is_https);
        }
        for text in [
            "",
            "traces.example",
            "ftp://a",
            "https://",
            "https://me:pw@a",
            "https://a/?x",
            "https://a?x",
            "https://a:b",
            "https://a:99999",
            "/a",
        ] {
            assert_eq!(text.parse::<PublicUrl>(), Err(NoPublicUrl), "{text}");
        }
    }
}
