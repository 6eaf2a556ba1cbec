//! An identity provider where people sign in: OpenID Connect's code flow with PKCE.
//!
//! The browser returns from the provider with a code, which this server exchanges for a signed ID token.
//! State, nonce and verifier of a sign-in are derived from a secret that only the browser has ([`Attempt`]),
//! so any replica can complete it, and a response can't be used for another browser's sign-in.
//!
//! Metadata and keys are fetched at a sign-in, not at the start, so that the server starts and shows traces
//! while the provider is down.

mod addresses;
mod attempt;
mod error;
mod exchange;
mod http;
mod name;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use openidconnect::core::CoreAuthenticationFlow;
use openidconnect::{
    ClientId, ClientSecret, CsrfToken, IssuerUrl, Nonce, PkceCodeChallenge, RedirectUrl, Scope,
};
use tokio::time::Instant;

pub use self::attempt::Attempt;
pub use self::error::ProviderError;
use self::exchange::{Metadata, client, from_discovery};
use self::http::Http;
pub use self::name::{NameClaim, Person};
use crate::http::address::PublicUrl;

/// Path to which the provider redirects browsers, below this server's URL.
pub const WAY_BACK: &str = "signed-in";

/// Lifetime of the cached metadata and keys.
const CACHE_LIFETIME: Duration = Duration::from_secs(3600);

/// Minimum interval of requests for keys because of an unknown key. Providers change keys every few weeks,
/// and otherwise each wrong signature would cause a request.
const MIN_KEY_INTERVAL: Duration = Duration::from_secs(60);

#[derive(Clone, Debug)]
pub struct Settings {
    /// The issuer URL, exactly as the provider writes it.
    pub issuer: String,
    pub client_id: String,
    /// `None` for a public client.
    pub client_secret: Option<String>,
    /// Scopes to request in addition to `openid`.
    pub scopes: Vec<String>,
    pub name: NameClaim,
    pub public: PublicUrl,
}

/// A provider with its cached metadata and keys.
#[derive(Debug)]
pub struct Provider {
    issuer: IssuerUrl,
    client_id: ClientId,
    client_secret: Option<ClientSecret>,
    scopes: Vec<String>,
    name: NameClaim,
    way_back: RedirectUrl,
    http: Http,
    discovery: Mutex<Option<Discovery>>,
    key_interval: Duration,
    /// Time of the last request for new keys.
    last_key_request: tokio::sync::Mutex<Option<Instant>>,
}

#[derive(Clone, Debug)]
struct Discovery {
    metadata: Metadata,
    since: Instant,
}

impl Provider {
    /// Creates a provider; the first sign-in fetches its metadata.
    ///
    /// # Errors
    /// Returns an error if a URL is invalid or not private, or the HTTP client can't be set up.
    pub fn new(settings: Settings) -> Result<Self, ProviderError> {
        let issuer = IssuerUrl::new(settings.issuer).map_err(|_| ProviderError::NoIssuer)?;
        if !addresses::is_private(issuer.url()) {
            return Err(ProviderError::InTheClear);
        }
        let way_back =
            RedirectUrl::new(settings.public.below(WAY_BACK)).map_err(|_| ProviderError::NoWayBack)?;
        let http = Http::new(issuer.url().clone())?;
        Ok(Self {
            issuer,
            client_id: ClientId::new(settings.client_id),
            client_secret: settings.client_secret.map(ClientSecret::new),
            scopes: settings.scopes,
            name: settings.name,
            way_back,
            http,
            discovery: Mutex::default(),
            key_interval: MIN_KEY_INTERVAL,
            last_key_request: tokio::sync::Mutex::default(),
        })
    }

    /// Returns the provider with another minimum interval of requests for keys.
    #[must_use]
    pub fn with_key_interval(self, key_interval: Duration) -> Self {
        Self { key_interval, ..self }
    }

    pub fn issuer(&self) -> &str {
        self.issuer.as_str()
    }

    /// True if a response is from this provider, by its `iss` (RFC 9207). A response without `iss` is
    /// accepted unless the provider announces that it always sends one.
    ///
    /// # Errors
    /// Returns an error if the provider's metadata can't be fetched.
    pub async fn has_sent(&self, issuer: Option<&str>) -> Result<bool, ProviderError> {
        match issuer {
            Some(issuer) => Ok(self.issuer() == issuer),
            None => Ok(!self.discovery().await?.metadata.additional_metadata().says_issuer),
        }
    }

    /// Returns the provider's URL for a sign-in.
    ///
    /// # Errors
    /// Returns an error if the provider's metadata can't be fetched.
    pub async fn way_in(&self, attempt: &Attempt) -> Result<String, ProviderError> {
        let metadata = self.discovery().await?.metadata;
        let client = client(self, &metadata);
        let (state, nonce) = (attempt.state(), attempt.nonce());
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&attempt.verifier());
        let scopes = self.scopes.iter().cloned().map(Scope::new);
        let request = client.authorize_url(
            CoreAuthenticationFlow::AuthorizationCode,
            move || CsrfToken::new(state),
            move || Nonce::new(nonce),
        );
        let (address, ..) = request.add_scopes(scopes).set_pkce_challenge(challenge).url();
        if !addresses::is_of(self.issuer.url(), &address) {
            tracing::warn!(
                "the provider's authorization_endpoint is neither on the issuer's host nor https to a named host"
            );
            return Err(ProviderError::Odd);
        }
        Ok(address.into())
    }

    /// Returns the person who signed in, for an authorization code.
    ///
    /// # Errors
    /// Returns an error if the provider can't be reached, rejects the code, or sends no valid claims or no usable user
    /// name.
    pub async fn person(&self, attempt: &Attempt, code: String) -> Result<Person, ProviderError> {
        exchange::person(self, attempt, code).await
    }

    /// Returns metadata and keys. Old ones stay valid until the provider sends new ones.
    async fn discovery(&self) -> Result<Discovery, ProviderError> {
        let discovery = self.lock().clone();
        match discovery {
            Some(discovery) if discovery.since.elapsed() < CACHE_LIFETIME => Ok(discovery),
            Some(discovery) => Ok(self.discover().await.unwrap_or(discovery)),
            None => self.discover().await,
        }
    }

    /// Returns metadata and keys that are newer than `old`, which lacks a key. Fetches them, unless that was
    /// done recently.
    async fn newer_than(&self, old: &Discovery) -> Result<Option<Discovery>, ProviderError> {
        let mut last_request = self.last_key_request.lock().await;
        if let Some(discovery) = self.lock().clone().filter(|discovery| discovery.since > old.since) {
            return Ok(Some(discovery));
        }
        if last_request.is_some_and(|at| at.elapsed() < self.key_interval) {
            return Ok(None);
        }
        *last_request = Some(Instant::now());
        self.discover().await.map(Some)
    }

    async fn discover(&self) -> Result<Discovery, ProviderError> {
        let send = |request| self.http.send(request);
        let found = Metadata::discover_async(self.issuer.clone(), &send).await;
        let metadata = found.map_err(|error| from_discovery(&error))?;
        let discovery = Discovery { metadata, since: Instant::now() };
        *self.lock() = Some(discovery.clone());
        Ok(discovery)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Discovery>> {
        self.discovery.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
