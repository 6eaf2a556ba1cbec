//! The address of a team's server.

use std::fmt;
use std::str::FromStr;

use reqwest::Url;

/// The address of a server, such as `https://traces.example/tools/syclscope`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    /// Without a slash at its end.
    base: String,
    is_private: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAServer {
    #[error("not a URL; write it like https://traces.example or http://127.0.0.1:4717")]
    Malformed,
    #[error("a URL with a user name or password ends up in logs; use a token (SYCLSCOPE_TOKEN)")]
    HoldsSecret,
    /// The URL leads to a page or file of the server.
    #[error("remove '{0}' after the server's URL")]
    TooLong(String),
}

impl FromStr for ServerAddress {
    type Err = NotAServer;

    fn from_str(text: &str) -> Result<Self, NotAServer> {
        let url = Url::parse(text).map_err(|_| NotAServer::Malformed)?;
        let host = url.host_str().filter(|_| ["http", "https"].contains(&url.scheme()));
        let host = host.ok_or(NotAServer::Malformed)?.to_owned();
        if !url.username().is_empty() || url.password().is_some() {
            return Err(NotAServer::HoldsSecret);
        }
        if let Some(rest) = url.query().or(url.fragment()) {
            return Err(NotAServer::TooLong(rest.to_owned()));
        }
        // Copied from a browser that shows a trace.
        if let Some(place) = url.path().find("/t/") {
            return Err(NotAServer::TooLong(url.path()[place..].to_owned()));
        }
        let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
        let is_here = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
        let is_private = url.scheme() == "https" || is_here;
        Ok(Self { base: url.as_str().trim_end_matches('/').to_owned(), is_private })
    }
}

impl ServerAddress {
    /// True if nobody on the network can read the requests: they are encrypted, or stay on this computer.
    pub fn is_private(&self) -> bool {
        self.is_private
    }

    pub fn page(&self, id: &str) -> String {
        format!("{}/t/{id}", self.base)
    }

    pub(super) fn below(&self, path: &str) -> String {
        format!("{}/{path}", self.base)
    }

    pub(super) fn api(&self, path: &str) -> String {
        format!("{}/api/v1/{path}", self.base)
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_may_stand_below_a_path() {
        for (text, base, is_private) in [
            ("https://traces.example", "https://traces.example", true),
            ("https://traces.example/tools/syclscope/", "https://traces.example/tools/syclscope", true),
            ("http://traces.example:8080/", "http://traces.example:8080", false),
            ("http://127.0.0.1:4717", "http://127.0.0.1:4717", true),
            ("http://[::1]:4717/", "http://[::1]:4717", true),
            ("http://localhost:4717", "http://localhost:4717", true),
        ] {
            let server: ServerAddress = text.parse().unwrap();
            assert_eq!((server.to_string().as_str(), server.is_private()), (base, is_private), "{text}");
            assert_eq!(server.page("abc"), format!("{base}/t/abc"));
            assert_eq!(server.api("traces"), format!("{base}/api/v1/traces"));
        }
    }

    #[test]
    fn what_is_no_server_is_refused() {
        let parsed = |text: &str| text.parse::<ServerAddress>();
        for text in ["", "traces.example", "ftp://traces.example", "/srv/traces", "https://"] {
            assert_eq!(parsed(text), Err(NotAServer::Malformed), "{text}");
        }
        assert_eq!(parsed("https://me:secret@traces.example"), Err(NotAServer::HoldsSecret));
        assert_eq!(parsed("https://traces.example/t/abc"), Err(NotAServer::TooLong("/t/abc".into())));
        assert_eq!(parsed("https://traces.example/?v=graph"), Err(NotAServer::TooLong("v=graph".into())));
    }
}
