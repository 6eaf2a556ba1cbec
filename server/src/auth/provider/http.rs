//! Requests to the provider.

use std::time::Duration;

use openidconnect::url::Url;
use openidconnect::{HttpRequest, HttpResponse};

use super::{ProviderError, addresses};

/// Timeouts of connections and responses: a user waits for them.
const CONNECTING: Duration = Duration::from_secs(5);
const ANSWERING: Duration = Duration::from_secs(10);
const ANSWER_BYTES: usize = 1 << 20;

#[derive(Clone, Debug)]
pub(super) struct Http {
    client: reqwest::Client,
    issuer: Url,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum NoAnswer {
    #[error(transparent)]
    Connection(#[from] reqwest::Error),
    #[error("{0} is neither on the issuer's host nor https to a named host")]
    Elsewhere(Url),
    #[error("the response is larger than {ANSWER_BYTES} bytes")]
    TooLong,
    #[error("malformed HTTP response: {0}")]
    Malformed(#[from] openidconnect::http::Error),
}

impl Http {
    pub(super) fn new(issuer: Url) -> Result<Self, ProviderError> {
        // Fails if a crypto provider is already installed; any one will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECTING)
            .timeout(ANSWERING)
            // The secret must not reach other servers through a redirect.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("syclscope/", env!("CARGO_PKG_VERSION")))
            .build();
        let client = client.map_err(|_| ProviderError::Setup)?;
        Ok(Self { client, issuer })
    }

    /// Sends a request, if its URL may belong to the provider.
    pub(super) fn send(
        &self,
        request: HttpRequest,
    ) -> impl Future<Output = Result<HttpResponse, NoAnswer>> + use<> {
        let Self { client, issuer } = self.clone();
        async move {
            let request = reqwest::Request::try_from(request)?;
            if !addresses::is_of(&issuer, request.url()) {
                return Err(NoAnswer::Elsewhere(request.url().clone()));
            }
            let mut response = client.execute(request).await?;
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
