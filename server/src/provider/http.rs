//! Requests to the provider.

use std::time::Duration;

use openidconnect::url::{Host, Url};
use openidconnect::{HttpRequest, HttpResponse};

use super::ProviderError;

/// How long a connection may take to stand, and an answer to come: somebody waits for it.
const CONNECTING: Duration = Duration::from_secs(5);
const ANSWERING: Duration = Duration::from_secs(10);
/// Most bytes of an answer.
const ANSWER_BYTES: usize = 1 << 20;

/// What asks the provider.
#[derive(Clone, Debug)]
pub(super) struct Http(reqwest::Client);

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoAnswer {
    #[error(transparent)]
    Connection(#[from] reqwest::Error),
    #[error("the answer is larger than {ANSWER_BYTES} bytes")]
    TooLong,
    #[error("an answer that is none: {0}")]
    Malformed(#[from] openidconnect::http::Error),
}

impl Http {
    pub(super) fn new() -> Result<Self, ProviderError> {
        // A second call changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECTING)
            .timeout(ANSWERING)
            // The secret is for the provider only.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("syclscope/", env!("CARGO_PKG_VERSION")))
            .build();
        client.map(Self).map_err(|_| ProviderError::Setup)
    }

    /// Sends one request.
    pub(super) fn send(
        &self,
        request: HttpRequest,
    ) -> impl Future<Output = Result<HttpResponse, NoAnswer>> + use<> {
        let client = self.0.clone();
        async move {
            let mut response = client.execute(reqwest::Request::try_from(request)?).await?;
            let mut answer = openidconnect::http::Response::builder().status(response.status());
            for (name, value) in response.headers() {
                answer = answer.header(name, value);
            }
            let mut body = Vec::new();
            while let Some(piece) = response.chunk().await? {
                if body.len() + piece.len() > ANSWER_BYTES {
                    return Err(NoAnswer::TooLong);
                }
                body.extend_from_slice(&piece);
            }
            Ok(answer.body(body)?)
        }
    }
}

/// Whether nobody between here and there can read along: it is encrypted, or there is nobody.
pub(super) fn is_private(address: &Url) -> bool {
    let is_here = match address.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    address.scheme() == "https" || address.scheme() == "http" && is_here
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_is_for_this_computer_only() {
        for (address, is_fine) in [
            ("https://login.example", true),
            ("http://127.0.0.1:4000", true),
            ("http://[::1]:4000", true),
            ("http://localhost:4000/realms/a", true),
            ("http://login.example", false),
            ("http://localhost.example", false),
            ("ftp://127.0.0.1", false),
        ] {
            assert_eq!(is_private(&Url::parse(address).unwrap()), is_fine, "{address}");
        }
    }
}
