//! A fake identity provider on the loopback interface, whose responses each test can change.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Uri;
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use openidconnect::core::{CoreEdDsaPrivateSigningKey, CoreHmacKey, CoreJwsSigningAlgorithm};
use openidconnect::{JsonWebKeyId, PrivateSigningKey as _};
use serde_json::{Value, json};
use syclscope_server::auth::provider::{Provider, Settings};
use syclscope_server::db::now_unix_ns;

pub(super) const CLIENT: &str = "traces";
pub(super) const SECRET: &str = "a-secret-between-two-servers";
/// Minimum interval of requests for keys: half the lifetime of cached metadata.
pub(super) const KEY_INTERVAL: Duration = Duration::from_secs(1800);
/// Address of the server where people sign in.
pub(super) const HERE: &str = "http://127.0.0.1:4717";

/// The provider's responses. Each test changes a part of valid ones.
#[derive(Clone)]
pub(super) struct Says {
    /// The provider's metadata document.
    pub(super) metadata: Value,
    pub(super) keys: Value,
    pub(super) header: Value,
    /// Claims without a nonce, which is added if `has_nonce`.
    pub(super) claims: Value,
    pub(super) has_nonce: bool,
    pub(super) person: Value,
    pub(super) sign: fn(&[u8]) -> Vec<u8>,
    pub(super) token: fn(String) -> String,
    pub(super) instead: Option<Instead>,
}

type Instead = (&'static str, fn(&str) -> Response);

pub(super) struct Fake {
    pub(super) issuer: String,
    pub(super) says: Mutex<Says>,
    asked: Mutex<Vec<String>>,
    /// An address that must not be requested.
    pub(super) trap: String,
}

impl Fake {
    pub(super) async fn start() -> Arc<Self> {
        let (socket, trap) = (listener().await, listener().await);
        let issuer = format!("http://{}", socket.local_addr().expect("an address"));
        let fake = Arc::new(Self {
            trap: trap.local_addr().expect("an address").to_string(),
            says: Mutex::new(Says::right(&issuer)),
            issuer,
            asked: Mutex::default(),
        });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&fake));
        tokio::spawn(async move { axum::serve(socket, router).await });
        let trapped = Arc::clone(&fake);
        tokio::spawn(async move {
            while trap.accept().await.is_ok() {
                trapped.asked.lock().expect("a lock").push("trap".to_owned());
            }
        });
        fake
    }

    pub(super) fn lie(&self, change: impl FnOnce(&mut Says)) {
        let mut says = Says::right(&self.issuer);
        change(&mut says);
        *self.says.lock().expect("a lock") = says;
    }

    pub(super) fn asked(&self, path: &str) -> usize {
        self.asked.lock().expect("a lock").iter().filter(|asked| *asked == path).count()
    }

    pub(super) fn provider(&self) -> Provider {
        Provider::new(Settings {
            issuer: self.issuer.clone(),
            client_id: CLIENT.to_owned(),
            client_secret: Some(SECRET.to_owned()),
            scopes: vec!["profile".to_owned()],
            name: "preferred_username".parse().expect("a claim"),
            public: HERE.parse().expect("an address"),
        })
        .expect("a provider")
        // Longer than a test takes on the busiest machine.
        .with_key_interval(KEY_INTERVAL)
    }
}

async fn listener() -> tokio::net::TcpListener {
    tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a socket")
}

impl Says {
    fn right(issuer: &str) -> Self {
        let now = now_unix_seconds();
        Self {
            metadata: json!({
                "issuer": issuer,
                "authorization_endpoint": format!("{issuer}/auth"),
                "token_endpoint": format!("{issuer}/token"),
                "userinfo_endpoint": format!("{issuer}/person"),
                "jwks_uri": format!("{issuer}/keys"),
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["EdDSA", "RS256", "HS256", "none"],
            }),
            keys: published(&[1]),
            header: json!({ "alg": "EdDSA", "typ": "JWT", "kid": "1" }),
            claims: json!({
                "iss": issuer, "aud": CLIENT, "sub": "17", "preferred_username": "ada", "iat": now, "exp": now + 300,
            }),
            has_nonce: true,
            person: json!({ "sub": "17", "preferred_username": "ada" }),
            sign: sign::<1>,
            token: |token| token,
            instead: None,
        }
    }

    fn id_token(&self, nonce: &str) -> String {
        let mut claims = self.claims.clone();
        if self.has_nonce && claims.get("nonce").is_none() {
            claims["nonce"] = json!(nonce);
        }
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", part(&self.header), part(&claims));
        let signature = URL_SAFE_NO_PAD.encode((self.sign)(text.as_bytes()));
        (self.token)(format!("{text}.{signature}"))
    }
}

pub(super) fn now_unix_seconds() -> u64 {
    now_unix_ns() / 1_000_000_000
}

/// Creates a key, whose id is its number.
fn key(number: u8) -> CoreEdDsaPrivateSigningKey {
    // RFC 8410: the bytes before the 32 of a key.
    let der = [b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20".as_slice(), &[number; 32]];
    let kind = "PRIVATE KEY";
    let pem = format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", STANDARD.encode(der.concat()));
    CoreEdDsaPrivateSigningKey::from_ed25519_pem(&pem, Some(JsonWebKeyId::new(number.to_string())))
        .expect("a key")
}

pub(super) fn sign<const NUMBER: u8>(text: &[u8]) -> Vec<u8> {
    key(NUMBER).sign(&CoreJwsSigningAlgorithm::EdDsa, text).expect("a signature")
}

/// Signs a text with a public text as the key.
pub(super) fn hmac(secret: &[u8], text: &[u8]) -> Vec<u8> {
    CoreHmacKey::new(secret).sign(&CoreJwsSigningAlgorithm::HmacSha256, text).expect("a signature")
}

pub(super) fn published(numbers: &[u8]) -> Value {
    let keys: Vec<_> = numbers.iter().map(|number| key(*number).as_verification_key()).collect();
    json!({ "keys": keys })
}

async fn answer(State(fake): State<Arc<Fake>>, uri: Uri, body: String) -> Response {
    let path = uri.path();
    fake.asked.lock().expect("a lock").push(path.to_owned());
    let says = fake.says.lock().expect("a lock").clone();
    if let Some((at, instead)) = says.instead
        && at == path
    {
        return instead(&fake.trap);
    }
    axum::Json(match path {
        "/.well-known/openid-configuration" => says.metadata,
        "/keys" => says.keys,
        "/person" => says.person,
        "/token" => {
            // A code is the nonce of its sign-in.
            let nonce = body.split('&').find_map(|pair| pair.strip_prefix("code=")).unwrap_or_default();
            json!({ "access_token": "x", "token_type": "Bearer", "id_token": says.id_token(nonce) })
        }
        _ => return axum::http::StatusCode::NOT_FOUND.into_response(),
    })
    .into_response()
}

/// Returns JSON without an end, at once or a letter each second.
pub(super) fn endless(is_slow: bool) -> Response {
    let piece = if is_slow { Bytes::from_static(b" ") } else { Bytes::from(vec![b' '; 1 << 16]) };
    let pieces = Pieces { piece, wait: is_slow.then(|| Box::pin(second())) };
    ([("content-type", "application/json")], Body::new(pieces)).into_response()
}

struct Pieces {
    piece: Bytes,
    wait: Option<std::pin::Pin<Box<tokio::time::Sleep>>>,
}

fn second() -> tokio::time::Sleep {
    tokio::time::sleep(std::time::Duration::from_secs(1))
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        if let Some(wait) = &mut self.wait {
            std::task::ready!(wait.as_mut().poll(context));
            self.wait = Some(Box::pin(second()));
        }
        std::task::Poll::Ready(Some(Ok(http_body::Frame::data(self.piece.clone()))))
    }
}
