//! An identity provider, where people sign in: OpenID Connect's code flow with PKCE.
//!
//! The browser goes to the provider and comes back with a code; this server exchanges the code for a signed statement of who
//! it is. What belongs to one sign-in is derived from a secret that only the browser holds ([`Attempt`]), so that any copy of
//! the server can end what another one began, and an answer that belongs to another browser's sign-in fits nowhere.
//!
//! The provider is asked for its addresses and keys when somebody signs in, and not before: this server starts and shows
//! traces also while the provider is down.

mod addresses;
mod attempt;
mod error;
mod exchange;
mod http;
mod metadata;
mod name;
mod person;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use openidconnect::core::CoreAuthenticationFlow;
use openidconnect::{
    ClientId, ClientSecret, CsrfToken, IssuerUrl, Nonce, PkceCodeChallenge, RedirectUrl, Scope,
};
use tokio::time::Instant;

pub use self::attempt::Attempt;
pub use self::error::ProviderError;
use self::exchange::{client, from_discovery};
use self::http::Http;
use self::metadata::Metadata;
pub use self::name::NameClaim;
pub use self::person::Person;
use crate::http::address::PublicUrl;

/// Where the provider sends browsers back to, below this server's address.
pub const WAY_BACK: &str = "signed-in";

/// Lifetime of the cached metadata and keys.
const FRESH: Duration = Duration::from_secs(3600);

/// Shortest time between two requests for keys because of an unknown key: a provider that changes its keys does so
/// every few weeks, and each wrong signature would otherwise make this server ask.
const KEYS_AGAIN: Duration = Duration::from_secs(60);

#[derive(Clone, Debug)]
pub struct Settings {
    /// The provider's address, exactly as it calls itself.
    pub issuer: String,
    /// The name under which the provider knows this server.
    pub client_id: String,
    /// The secret that goes with it; a public client has none.
    pub client_secret: Option<String>,
    /// Scopes to request beside `openid`.
    pub scopes: Vec<String>,
    /// Claim that holds the user name.
    pub name: NameClaim,
    /// The address to which browsers come back.
    pub public: PublicUrl,
}

/// A provider, and what is known of it.
#[derive(Debug)]
pub struct Provider {
    issuer: IssuerUrl,
    client_id: ClientId,
    client_secret: Option<ClientSecret>,
    scopes: Vec<String>,
    name: NameClaim,
    way_back: RedirectUrl,
    http: Http,
    known: Mutex<Option<Discovery>>,
    /// When it was last asked for new keys.
    keys_asked: tokio::sync::Mutex<Option<Instant>>,
}

#[derive(Clone, Debug)]
struct Discovery {
    metadata: Metadata,
    since: Instant,
}

impl Provider {
    /// A provider of whom nothing is known yet.
    ///
    /// # Errors
    /// When an address is none, when others could read along on the way to it, or when there are no connections to be had.
    pub fn new(settings: Settings) -> Result<Self, ProviderError> {
        let issuer = IssuerUrl::new(settings.issuer).map_err(|_| ProviderError::NoIssuer)?;
        if !addresses::is_private(issuer.url()) {
            return Err(ProviderError::InTheClear);
        }
        let way_back =
            RedirectUrl::new(settings.public.below(WAY_BACK)).map_err(|_| ProviderError::NoIssuer)?;
        let http = Http::new(issuer.url().clone())?;
        Ok(Self {
            issuer,
            client_id: ClientId::new(settings.client_id),
            client_secret: settings.client_secret.map(ClientSecret::new),
            scopes: settings.scopes,
            name: settings.name,
            way_back,
            http,
            known: Mutex::default(),
            keys_asked: tokio::sync::Mutex::default(),
        })
    }

    /// Its issuer URL.
    pub fn issuer(&self) -> &str {
        self.issuer.as_str()
    }

    /// True if a response is from it, by the response's `iss` (RFC 9207). One that says none is from it unless it has
    /// announced that it always says so.
    ///
    /// # Errors
    /// When it can't be asked what it announces.
    pub async fn has_sent(&self, issuer: Option<&str>) -> Result<bool, ProviderError> {
        match issuer {
            Some(issuer) => Ok(self.issuer() == issuer),
            None => Ok(!self.known().await?.metadata.additional_metadata().says_issuer),
        }
    }

    /// The address to which a browser goes for a sign-in.
    ///
    /// # Errors
    /// When the provider can't be asked where that is.
    pub async fn way_in(&self, attempt: &Attempt) -> Result<String, ProviderError> {
        let metadata = self.known().await?.metadata;
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
                "the provider's authorization_endpoint is neither of the issuer's host nor https to a host with a name"
            );
            return Err(ProviderError::Odd);
        }
        Ok(address.into())
    }

    /// The signed-in person, for an authorization code.
    ///
    /// # Errors
    /// When the provider can't be asked, does not take the code, says nothing that counts, or no name that can be one.
    pub async fn person(&self, attempt: &Attempt, code: String) -> Result<Person, ProviderError> {
        exchange::person(self, attempt, code).await
    }

    /// Its addresses and keys. Old ones count for as long as it gives no new ones.
    async fn known(&self) -> Result<Discovery, ProviderError> {
        let known = self.lock().clone();
        match known {
            Some(known) if known.since.elapsed() < FRESH => Ok(known),
            Some(known) => Ok(self.discover().await.unwrap_or(known)),
            None => self.discover().await,
        }
    }

    /// Its addresses and keys where they are newer than old ones, in which a key is missing. Asks for them, unless it did so a moment ago.
    async fn newer_than(&self, old: &Discovery) -> Result<Option<Discovery>, ProviderError> {
        let mut asked = self.keys_asked.lock().await;
        if let Some(known) = self.lock().clone().filter(|known| known.since > old.since) {
            return Ok(Some(known));
        }
        if asked.is_some_and(|at| at.elapsed() < KEYS_AGAIN) {
            return Ok(None);
        }
        *asked = Some(Instant::now());
        self.discover().await.map(Some)
    }

    /// Asks it for its addresses and keys.
    async fn discover(&self) -> Result<Discovery, ProviderError> {
        let send = |request| self.http.send(request);
        let found = Metadata::discover_async(self.issuer.clone(), &send).await;
        let metadata = found.map_err(|error| from_discovery(&error))?;
        let known = Discovery { metadata, since: Instant::now() };
        *self.lock() = Some(known.clone());
        Ok(known)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Discovery>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
