//! Exchanges a code for a person: fetches and verifies the provider's claims.

use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};

use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreClaimName, CoreClaimType, CoreClientAuthMethod,
    CoreErrorResponseType, CoreGenderClaim, CoreGrantType, CoreJsonWebKey, CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm, CoreJwsSigningAlgorithm, CoreResponseMode, CoreResponseType,
    CoreRevocableToken, CoreRevocationErrorResponse, CoreSubjectIdentifierType,
    CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::{
    AdditionalClaims, AdditionalProviderMetadata, AuthType, AuthorizationCode, ClaimsVerificationError,
    Client, DiscoveryError, EmptyExtraTokenFields, EndpointMaybeSet, EndpointNotSet, EndpointSet,
    IdTokenClaims, IdTokenFields, Nonce, OAuth2TokenResponse as _, ProviderMetadata, RequestTokenError,
    SignatureVerificationError, StandardErrorResponse, StandardTokenResponse, TokenResponse as _,
    UserInfoClaims, UserInfoError,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::http::NoAnswer;
use super::name::is_subject;
use super::{Attempt, Person, Provider, ProviderError};

/// Maximum time by which the provider's clock may be ahead of this server's.
const AHEAD_SECONDS: i64 = 300;

/// Non-standard claims.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Others(Map<String, Value>);

impl AdditionalClaims for Others {}

type Claims = IdTokenClaims<Others, CoreGenderClaim>;

type Answer = StandardTokenResponse<
    IdTokenFields<
        Others,
        EmptyExtraTokenFields,
        CoreGenderClaim,
        CoreJweContentEncryptionAlgorithm,
        CoreJwsSigningAlgorithm,
    >,
    CoreTokenType,
>;

type ErrorAnswer = StandardErrorResponse<CoreErrorResponseType>;

type Ours = Client<
    Others,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    ErrorAnswer,
    Answer,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

pub(super) fn client(provider: &Provider, metadata: &Metadata) -> Ours {
    let (id, secret) = (provider.client_id.clone(), provider.client_secret.clone());
    let client = Client::from_provider_metadata(metadata.clone(), id, secret);
    // Every provider supports HTTP Basic, unless it announces otherwise.
    let methods = metadata.token_endpoint_auth_methods_supported();
    let takes_basic = methods.is_none_or(|all| all.contains(&CoreClientAuthMethod::ClientSecretBasic));
    let how = if takes_basic { AuthType::BasicAuth } else { AuthType::RequestBody };
    client.set_auth_type(how).set_redirect_uri(provider.way_back.clone())
}

pub(super) async fn person(
    provider: &Provider,
    attempt: &Attempt,
    code: String,
) -> Result<Person, ProviderError> {
    let mut discovery = provider.discovery().await?;
    let send = |request| provider.http.send(request);
    let ours = client(provider, &discovery.metadata);
    let request = ours.exchange_code(AuthorizationCode::new(code)).map_err(|_| ProviderError::Odd)?;
    let request = request.set_pkce_verifier(attempt.verifier());
    let answer = request.request_async(&send).await.map_err(|error| from_exchange(&error))?;
    let mut claims = verified(&ours, &discovery.metadata, attempt, &answer);
    // The token may be signed with a key that is newer than the cached ones.
    if let Err(Unverified::Key) = claims
        && let Some(newer) = provider.newer_than(&discovery).await?
    {
        discovery = newer;
        claims = verified(&client(provider, &discovery.metadata), &discovery.metadata, attempt, &answer);
    }
    let claims = claims.map_err(|error| error.into_error())?;
    let subject = claims.subject().to_string();
    if !is_subject(&subject) {
        tracing::warn!("the provider's ID token has an invalid subject");
        return Err(ProviderError::Unverified);
    }
    if let Some(name) = provider.name.read(&as_value(&claims)?)? {
        return Ok(Person { subject, name });
    }
    // Some providers put few claims into the token, and the rest into the user info.
    let (token, about) = (answer.access_token().clone(), claims.subject().clone());
    let ours = client(provider, &discovery.metadata);
    let more: UserInfoClaims<Others, CoreGenderClaim> = match ours.user_info(token, Some(about)) {
        Err(_) => return Err(ProviderError::NoName),
        Ok(request) => request.request_async(&send).await.map_err(|error| from_user_info(&error))?,
    };
    let name = provider.name.read(&as_value(&more)?)?.ok_or(ProviderError::NoName)?;
    Ok(Person { subject, name })
}

fn as_value(claims: &impl Serialize) -> Result<Value, ProviderError> {
    serde_json::to_value(claims).map_err(|_| ProviderError::Odd)
}

enum Unverified {
    Key,
    Other(ProviderError),
}

impl Unverified {
    fn into_error(self) -> ProviderError {
        match self {
            Self::Key => {
                tracing::warn!("the provider signs with a key that it does not publish");
                ProviderError::Unverified
            }
            Self::Other(error) => error,
        }
    }
}

/// Returns verified claims: signed by the provider, for this server and this sign-in, and valid now.
fn verified(
    ours: &Ours,
    metadata: &Metadata,
    attempt: &Attempt,
    answer: &Answer,
) -> Result<Claims, Unverified> {
    let token = answer.id_token().ok_or_else(|| {
        tracing::warn!("the provider's response has no ID token");
        Unverified::Other(ProviderError::Odd)
    })?;
    // Announced algorithms without the symmetric ones: their key is the client secret, which only
    // authenticates this server to the provider.
    let signs = metadata.id_token_signing_alg_values_supported().iter().filter(|kind| is_asymmetric(kind));
    let verifier = ours.id_token_verifier().set_allowed_algs(signs.cloned());
    let verifier = verifier.set_issue_time_verifier_fn(|issued| {
        let ahead = issued.timestamp().saturating_sub(now_unix_seconds());
        if ahead <= AHEAD_SECONDS { Ok(()) } else { Err(format!("issued in {ahead} s")) }
    });
    let claims = token.claims(&verifier, &Nonce::new(attempt.nonce())).map_err(|error| {
        if let ClaimsVerificationError::SignatureVerification(
            SignatureVerificationError::NoMatchingKey | SignatureVerificationError::CryptoError(_),
        ) = error
        {
            return Unverified::Key;
        }
        tracing::warn!("the provider's ID token is invalid: {}", words(&error));
        Unverified::Other(match error {
            ClaimsVerificationError::Expired(_) => ProviderError::Clocks,
            _ => ProviderError::Unverified,
        })
    })?;
    // The library doesn't check this. Such a token was issued for another client, which could present it
    // here.
    if claims.authorized_party().is_some_and(|party| party != ours.client_id()) {
        tracing::warn!("the provider's ID token is for another client (azp)");
        return Err(Unverified::Other(ProviderError::Unverified));
    }
    // OpenID Connect doesn't define this claim; a provider that sends it expects it to be respected (RFC
    // 7519).
    match claims.additional_claims().0.get("nbf").map(|begin| begin.as_f64()) {
        None => Ok(claims.clone()),
        Some(Some(begin)) if begin <= (now_unix_seconds() + AHEAD_SECONDS) as f64 => Ok(claims.clone()),
        Some(begin) => {
            tracing::warn!("the provider's ID token is not yet valid (nbf)");
            Err(Unverified::Other(begin.map_or(ProviderError::Unverified, |_| ProviderError::Clocks)))
        }
    }
}

fn now_unix_seconds() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    now.try_into().unwrap_or(i64::MAX)
}

fn is_asymmetric(kind: &CoreJwsSigningAlgorithm) -> bool {
    use CoreJwsSigningAlgorithm as Kind;
    !matches!(kind, Kind::HmacSha256 | Kind::HmacSha384 | Kind::HmacSha512 | Kind::None)
}

pub(super) fn from_discovery(error: &DiscoveryError<NoAnswer>) -> ProviderError {
    let answer = match error {
        DiscoveryError::Request(NoAnswer::Connection(_)) => ProviderError::Unreachable,
        DiscoveryError::Response(status, ..) if status.is_server_error() => ProviderError::Unreachable,
        _ => ProviderError::Odd,
    };
    tracing::warn!("can't fetch the identity provider's metadata: {}", words(error));
    answer
}

fn from_exchange(error: &RequestTokenError<NoAnswer, ErrorAnswer>) -> ProviderError {
    let answer = match error {
        RequestTokenError::Request(NoAnswer::Connection(_)) => ProviderError::Unreachable,
        RequestTokenError::ServerResponse(answer) => match answer.error() {
            CoreErrorResponseType::InvalidGrant => ProviderError::Code,
            CoreErrorResponseType::InvalidClient | CoreErrorResponseType::UnauthorizedClient => {
                ProviderError::Client
            }
            _ => ProviderError::Odd,
        },
        _ => ProviderError::Odd,
    };
    tracing::warn!("can't exchange the authorization code with the identity provider: {}", words(error));
    answer
}

fn from_user_info(error: &UserInfoError<NoAnswer>) -> ProviderError {
    let answer = match error {
        UserInfoError::Request(NoAnswer::Connection(_)) => ProviderError::Unreachable,
        UserInfoError::ClaimsVerification(_) => ProviderError::Unverified,
        _ => ProviderError::Odd,
    };
    tracing::warn!("can't fetch user info from the identity provider: {}", words(error));
    answer
}

/// Returns the text of an error with its causes.
fn words(error: &(dyn Error + 'static)) -> String {
    let (mut text, mut next) = (error.to_string(), error.source());
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}

pub(super) type Metadata = ProviderMetadata<
    Announced,
    CoreAuthDisplay,
    CoreClientAuthMethod,
    CoreClaimName,
    CoreClaimType,
    CoreGrantType,
    CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm,
    CoreJsonWebKey,
    CoreResponseMode,
    CoreResponseType,
    CoreSubjectIdentifierType,
>;

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Announced {
    /// True if each of its responses has `iss` (RFC 9207).
    #[serde(default, rename = "authorization_response_iss_parameter_supported")]
    pub(super) says_issuer: bool,
}

impl AdditionalProviderMetadata for Announced {}
