//! A code for a name: what the provider says about who brought it, verified.

use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};

use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreClientAuthMethod, CoreErrorResponseType, CoreGenderClaim,
    CoreJsonWebKey, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm, CoreProviderMetadata,
    CoreRevocableToken, CoreRevocationErrorResponse, CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::{
    AdditionalClaims, AuthType, AuthorizationCode, ClaimsVerificationError, Client, DiscoveryError,
    EmptyExtraTokenFields, EndpointMaybeSet, EndpointNotSet, EndpointSet, IdTokenClaims, IdTokenFields,
    Nonce, OAuth2TokenResponse as _, RequestTokenError, SignatureVerificationError, StandardErrorResponse,
    StandardTokenResponse, TokenResponse as _, UserInfoClaims, UserInfoError,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::http::NoAnswer;
use super::{Attempt, Provider, ProviderError};

/// By how much the provider's clock may be ahead of this server's.
const AHEAD_SECONDS: i64 = 300;

/// Claims that the standard does not name.
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

/// This server as the provider's client.
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

/// This server as the client of a provider with these addresses and keys.
pub(super) fn client(provider: &Provider, metadata: &CoreProviderMetadata) -> Ours {
    let (id, secret) = (provider.client_id.clone(), provider.client_secret.clone());
    let client = Client::from_provider_metadata(metadata.clone(), id, secret);
    // What every provider takes, unless it says that it does not.
    let methods = metadata.token_endpoint_auth_methods_supported();
    let takes_basic = methods.is_none_or(|all| all.contains(&CoreClientAuthMethod::ClientSecretBasic));
    let how = if takes_basic { AuthType::BasicAuth } else { AuthType::RequestBody };
    client.set_auth_type(how).set_redirect_uri(provider.way_back.clone())
}

/// The name of who brought a code.
pub(super) async fn name(
    provider: &Provider,
    attempt: &Attempt,
    code: String,
) -> Result<String, ProviderError> {
    let mut metadata = provider.metadata().await?;
    let send = |request| provider.http.send(request);
    let ours = client(provider, &metadata);
    let request = ours.exchange_code(AuthorizationCode::new(code)).map_err(|_| ProviderError::Odd)?;
    let request = request.set_pkce_verifier(attempt.verifier());
    let answer = request.request_async(&send).await.map_err(|error| from_exchange(&error))?;
    let claims = match verified(&ours, &metadata, attempt, &answer) {
        // Signed with a key that came after those that are known.
        Err(Unverified::Key) => {
            metadata = provider.discover().await?;
            verified(&client(provider, &metadata), &metadata, attempt, &answer)
        }
        other => other,
    };
    let claims = claims.map_err(|error| error.told())?;
    if let Some(name) = provider.name.of(&as_value(&claims)?)? {
        return Ok(name);
    }
    // Some say little in the token, and the rest to who asks.
    let (token, subject) = (answer.access_token().clone(), claims.subject().clone());
    let ours = client(provider, &metadata);
    let more: UserInfoClaims<Others, CoreGenderClaim> = match ours.user_info(token, Some(subject)) {
        Err(_) => return Err(ProviderError::NoName),
        Ok(request) => request.request_async(&send).await.map_err(|error| from_user_info(&error))?,
    };
    provider.name.of(&as_value(&more)?)?.ok_or(ProviderError::NoName)
}

fn as_value(claims: &impl Serialize) -> Result<Value, ProviderError> {
    serde_json::to_value(claims).map_err(|_| ProviderError::Odd)
}

/// Why what the provider says does not count.
enum Unverified {
    /// No key that is known fits.
    Key,
    Other(ProviderError),
}

impl Unverified {
    fn told(self) -> ProviderError {
        match self {
            Self::Key => {
                tracing::warn!("the provider signs with a key that it does not publish");
                ProviderError::Unverified
            }
            Self::Other(error) => error,
        }
    }
}

/// What the provider says, where it is signed by it, for this server, about this sign-in, and now.
fn verified(
    ours: &Ours,
    metadata: &CoreProviderMetadata,
    attempt: &Attempt,
    answer: &Answer,
) -> Result<Claims, Unverified> {
    let token = answer.id_token().ok_or_else(|| {
        tracing::warn!("the provider's answer has no ID token");
        Unverified::Other(ProviderError::Odd)
    })?;
    // Those that it signs with, but for those that need the secret: with that, this server shows who it is.
    let signs = metadata.id_token_signing_alg_values_supported().iter().filter(|kind| is_asymmetric(kind));
    let verifier = ours.id_token_verifier().set_allowed_algs(signs.cloned());
    let verifier = verifier.set_issue_time_verifier_fn(|issued| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let ahead = issued.timestamp().saturating_sub(now.try_into().unwrap_or(i64::MAX));
        if ahead <= AHEAD_SECONDS { Ok(()) } else { Err(format!("issued in {ahead} s")) }
    });
    let claims = token.claims(&verifier, &Nonce::new(attempt.nonce())).map_err(|error| {
        if let ClaimsVerificationError::SignatureVerification(
            SignatureVerificationError::NoMatchingKey | SignatureVerificationError::CryptoError(_),
        ) = error
        {
            return Unverified::Key;
        }
        tracing::warn!("the provider's ID token does not count: {}", words(&error));
        Unverified::Other(match error {
            ClaimsVerificationError::Expired(_) => ProviderError::Clocks,
            _ => ProviderError::Unverified,
        })
    })?;
    Ok(claims.clone())
}

fn is_asymmetric(kind: &CoreJwsSigningAlgorithm) -> bool {
    use CoreJwsSigningAlgorithm as Kind;
    !matches!(kind, Kind::HmacSha256 | Kind::HmacSha384 | Kind::HmacSha512 | Kind::None)
}

/// What is to be told where the provider does not say its addresses and keys.
pub(super) fn from_discovery(error: &DiscoveryError<NoAnswer>) -> ProviderError {
    let told = match error {
        DiscoveryError::Request(NoAnswer::Connection(_)) => ProviderError::Unreachable,
        DiscoveryError::Response(status, ..) if status.is_server_error() => ProviderError::Unreachable,
        _ => ProviderError::Odd,
    };
    tracing::warn!("the identity provider does not say what is needed: {}", words(error));
    told
}

fn from_exchange(error: &RequestTokenError<NoAnswer, ErrorAnswer>) -> ProviderError {
    let told = match error {
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
    tracing::warn!("the identity provider gives nothing for a code: {}", words(error));
    told
}

fn from_user_info(error: &UserInfoError<NoAnswer>) -> ProviderError {
    let told = match error {
        UserInfoError::Request(NoAnswer::Connection(_)) => ProviderError::Unreachable,
        UserInfoError::ClaimsVerification(_) => ProviderError::Unverified,
        _ => ProviderError::Odd,
    };
    tracing::warn!("the identity provider says nothing more of who signed in: {}", words(error));
    told
}

/// What an error says, with its causes.
fn words(error: &(dyn Error + 'static)) -> String {
    let (mut text, mut next) = (error.to_string(), error.source());
    while let Some(cause) = next {
        text = format!("{text}: {cause}");
        next = cause.source();
    }
    text
}
