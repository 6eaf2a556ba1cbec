//! Sign-in at a hostile identity provider: no wrong response signs anyone in, and no other host gets a
//! request.

mod fake;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use syclscope_language::api::{Me, Role};
use syclscope_server::auth::Access;
use syclscope_server::auth::provider::{Attempt, Provider, ProviderError, Settings};
use syclscope_server::db::members;

use self::fake::{
    CLIENT, Fake, KEY_INTERVAL, SECRET, Says, endless, hmac, now_unix_seconds, published, sign,
};
use super::gate::{Gate, cookies};
use crate::http::Answer;

struct Stand {
    gate: Gate,
    fake: Arc<Fake>,
}

/// A browser on its way back from the provider.
struct Browser {
    cookie: String,
    state: String,
    code: String,
}

impl Stand {
    async fn new() -> Self {
        let fake = Fake::start().await;
        let gate = Gate::with(Access::Oidc(Arc::new(fake.provider()))).await;
        Self { gate, fake }
    }

    async fn browser(&self) -> Browser {
        let answer = self.gate.send("GET", "/sign-in?to=", &[], Body::empty()).await;
        let place = answer.header("location").to_owned();
        Browser {
            cookie: cookies(&answer),
            state: parameter(&place, "state"),
            code: parameter(&place, "nonce"),
        }
    }

    async fn back(&self, browser: &Browser, query: &str) -> Answer {
        let path = format!("/signed-in?{query}");
        self.gate.send("GET", &path, &[("cookie", &browser.cookie)], Body::empty()).await
    }

    async fn sign_in(&self) -> Answer {
        let browser = self.browser().await;
        self.back(&browser, &browser.answer()).await
    }

    async fn sessions(&self) -> i64 {
        let connection = &mut *self.gate.db.reading().await.expect("a connection");
        sqlx::query_scalar("SELECT COUNT(*) FROM sessions").fetch_one(connection).await.expect("a number")
    }

    async fn me(&self, answer: &Answer) -> Me {
        let cookie = cookies(answer);
        self.gate.send("GET", "/api/v1/me", &[("cookie", &cookie)], Body::empty()).await.json()
    }
}

impl Browser {
    fn answer(&self) -> String {
        format!("state={}&code={}", self.state, self.code)
    }
}

fn parameter(address: &str, name: &str) -> String {
    let query = address.split_once('?').expect("a query").1;
    let value = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    percent_decode_str(value.expect("the parameter")).decode_utf8().expect("text").into_owned()
}

async fn outcome(fake: &Fake) -> Result<String, ProviderError> {
    with(&fake.provider()).await
}

async fn with(provider: &Provider) -> Result<String, ProviderError> {
    let attempt = Attempt::new("a secret");
    let nonce = parameter(&provider.way_in(&attempt).await?, "nonce");
    provider.person(&attempt, nonce).await.map(|person| person.name)
}

#[test]
fn a_public_url_that_is_none_is_named() {
    let settings = Settings {
        issuer: "https://login.example".to_owned(),
        client_id: CLIENT.to_owned(),
        client_secret: None,
        scopes: Vec::new(),
        name: "preferred_username".parse().expect("a claim"),
        // The last number is too large for an IPv4 address.
        public: "https://10.0.0.999".parse().expect("letters and digits"),
    };
    assert_eq!(Provider::new(settings).err(), Some(ProviderError::NoWayBack));
}

#[tokio::test]
async fn an_answer_is_for_the_browser_that_asked_and_counts_once() {
    let stand = Stand::new().await;
    let browser = stand.browser().await;
    let other = stand.browser().await;
    let changed = |at: usize| {
        let mut letters = browser.state.clone().into_bytes();
        letters[at] = if letters[at] == b'0' { b'1' } else { b'0' };
        String::from_utf8(letters).expect("text")
    };
    let mut lost = vec![
        format!("code={}", browser.code),
        format!("state={}", browser.state),
        format!("state=&code={}", browser.code),
        format!("state={}&code={}", other.state, other.code),
        format!("state={}&state={}&code={}", browser.state, browser.state, browser.code),
        format!("state={}&code={}", browser.code, browser.code),
        String::new(),
    ];
    lost.extend((0..browser.state.len()).map(|at| format!("state={}&code={}", changed(at), browser.code)));
    lost.extend(
        ["http://127.0.0.1:1", "", "x", &format!("{}/", stand.fake.issuer)]
            .map(|issuer| format!("{}&iss={issuer}", browser.answer())),
    );
    for query in &lost {
        let refused = stand.back(&browser, query).await;
        assert_eq!((refused.status.as_u16(), refused.header("set-cookie")), (400, ""), "{query}");
    }
    // Without the cookie, or with another browser's.
    for cookie in ["", &other.cookie] {
        let thief = Browser { cookie: cookie.to_owned(), state: String::new(), code: String::new() };
        assert_eq!(stand.back(&thief, &browser.answer()).await.status, 400);
    }
    assert_eq!((stand.fake.asked("/token"), stand.sessions().await), (0, 0), "no code leaves this server");
    // Its own state with the code of another sign-in, whose nonce differs.
    let mixed = format!("state={}&code={}", other.state, browser.code);
    assert_eq!(stand.back(&other, &mixed).await.status, 502);
    let signed_in = stand.back(&browser, &format!("{}&iss={}", browser.answer(), stand.fake.issuer)).await;
    assert_eq!(signed_in.status, 303, "{}", signed_in.text());
    assert_eq!(stand.back(&browser, &browser.answer()).await.status, 400, "it counts once");
    assert_eq!(stand.sessions().await, 1);
}

#[tokio::test]
async fn a_provider_that_always_says_its_issuer_says_it() {
    let stand = Stand::new().await;
    stand.fake.lie(|says| says.metadata["authorization_response_iss_parameter_supported"] = json!(true));
    let browser = stand.browser().await;
    assert_eq!(stand.back(&browser, &browser.answer()).await.status, 400);
    assert_eq!((stand.fake.asked("/token"), stand.sessions().await), (0, 0));
    let answer = format!("{}&iss={}", browser.answer(), stand.fake.issuer);
    assert_eq!(stand.back(&browser, &answer).await.status, 303);
}

#[tokio::test]
async fn what_is_not_signed_with_a_published_key_is_not_believed() {
    let stand = Stand::new().await;
    let algorithm = |says: &mut Says, name: &str| says.header["alg"] = json!(name);
    type Lie<'l> = (&'l str, &'l dyn Fn(&mut Says));
    let lies: [Lie<'_>; 12] = [
        ("no signature", &|says| (algorithm(says, "none"), says.sign = |_| Vec::new()).1),
        ("None, in other letters", &|says| (algorithm(says, "None"), says.sign = |_| Vec::new()).1),
        ("the client's secret", &|says| {
            algorithm(says, "HS256");
            says.sign = |text| hmac(SECRET.as_bytes(), text);
        }),
        ("the public key as a secret", &|says| {
            algorithm(says, "HS256");
            says.sign =
                |text| hmac(published(&[1])["keys"][0]["x"].as_str().expect("a key").as_bytes(), text);
        }),
        ("the published keys as a secret", &|says| {
            algorithm(says, "HS256");
            says.sign = |text| hmac(published(&[1]).to_string().as_bytes(), text);
        }),
        ("a secret among the published keys", &|says| {
            algorithm(says, "HS256");
            says.keys = json!({ "keys": [{ "kty": "oct", "kid": "1", "k": "c2VjcmV0", "alg": "HS256" }] });
            says.sign = |text| hmac(b"secret", text);
        }),
        ("another algorithm than the key's", &|says| algorithm(says, "RS256")),
        ("another key under a known id", &|says| says.sign = sign::<2>),
        ("another key under its own id", &|says| {
            says.header["kid"] = json!("2");
            says.sign = sign::<2>;
        }),
        ("a key in the token's own header", &|says| {
            says.header = json!({ "alg": "EdDSA", "jwk": published(&[2])["keys"][0] });
            says.sign = sign::<2>;
        }),
        ("a signature of something else", &|says| says.sign = |_| sign::<1>(b"something else")),
        ("an encrypted token", &|says| says.token = |token| format!("{token}.x.y")),
    ];
    for (what, lie) in lies {
        stand.fake.lie(lie);
        let refused = stand.sign_in().await;
        assert_eq!((refused.status.as_u16(), refused.header("set-cookie")), (502, ""), "{what}");
    }
    assert_eq!(stand.sessions().await, 0);
    stand.fake.lie(|_| ());
    assert_eq!(stand.sign_in().await.status, 303);
}

#[tokio::test]
async fn a_claim_counts_with_its_right_values_only() {
    let fake = Fake::start().await;
    let provider = fake.provider();
    let now = now_unix_seconds();
    let (past, near, future) = (json!(now - 7200), json!(now + 60), json!(now + 7200));
    let values = [
        json!(null),
        json!(true),
        json!(""),
        json!("x"),
        json!(0),
        json!(-1),
        json!(0.5),
        json!(1e300),
        json!([]),
        json!({}),
        json!([CLIENT]),
        json!([CLIENT, "other"]),
        json!(["other"]),
        json!(CLIENT),
        json!("17"),
        json!(fake.issuer),
        json!(format!("{}/", fake.issuer)),
        json!("https://other.example"),
        json!("\u{0}"),
        json!("a".repeat(256)),
        past.clone(),
        near.clone(),
        future.clone(),
    ];
    let is_fine = |claim: &str, value: &Value| match claim {
        "iss" => *value == json!(fake.issuer),
        "aud" => *value == json!(CLIENT) || *value == json!([CLIENT]),
        "azp" => *value == json!(CLIENT) || value.is_null(),
        "nonce" => false,
        "sub" => value.as_str().is_some_and(|text| !["", "\u{0}"].contains(&text) && text.len() < 256),
        "exp" => [&near, &future].contains(&value),
        "iat" => value.as_f64().is_some_and(|at| at <= (now + 60) as f64),
        "nbf" => value.as_f64().is_some_and(|at| at <= (now + 60) as f64),
        _ => unreachable!("{claim}"),
    };
    for claim in ["iss", "aud", "azp", "nonce", "sub", "exp", "iat", "nbf"] {
        for value in &values {
            fake.lie(|says| says.claims[claim] = value.clone());
            let found = with(&provider).await;
            let refused =
                matches!(found, Err(ProviderError::Unverified | ProviderError::Clocks | ProviderError::Odd));
            assert_eq!(refused, !is_fine(claim, value), "{claim}: {value}: {found:?}");
        }
        fake.lie(|says| {
            says.claims.as_object_mut().expect("claims").remove(claim);
            says.has_nonce = claim != "nonce";
        });
        let is_optional = matches!(claim, "azp" | "nbf");
        assert_eq!(with(&provider).await.is_ok(), is_optional, "without {claim}");
    }
}

#[tokio::test]
async fn no_letter_of_a_token_can_be_another() {
    let fake = Fake::start().await;
    let provider = fake.provider();
    let changes: [fn(String) -> String; 4] = [
        |token| change(&token, 0),
        |token| change(&token, 1),
        |token| change(&token, 2),
        |token| change(&token, 3),
    ];
    for (number, token) in changes.into_iter().enumerate() {
        for place in 0..64 {
            PLACE.store(place, std::sync::atomic::Ordering::SeqCst);
            fake.lie(|says| says.token = token);
            assert!(with(&provider).await.is_err(), "change {number} at {place} of 64");
        }
    }
    fake.lie(|_| ());
    assert_eq!(with(&provider).await, Ok("ada".to_owned()));
    assert_eq!(fake.asked("/keys"), 2, "wrong signatures make the server ask for keys once");
}

/// Position of the change in the next token, in 64ths of its length.
static PLACE: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// Returns a token with another letter at a place, with one less, with one more, or cut off there.
fn change(token: &str, how: usize) -> String {
    let at = PLACE.load(std::sync::atomic::Ordering::SeqCst) * token.len() / 64;
    let (before, behind) = token.split_at(at);
    let letter = if behind.starts_with('A') { 'B' } else { 'A' };
    match how {
        0 => format!("{before}{letter}{}", &behind[1..]),
        1 => format!("{before}{}", &behind[1..]),
        2 => format!("{before}{letter}{behind}"),
        _ => before.to_owned(),
    }
}

#[tokio::test]
async fn new_keys_are_asked_for_once_in_a_while() {
    let fake = Fake::start().await;
    let provider = fake.provider();
    assert_eq!((with(&provider).await, fake.asked("/keys")), (Ok("ada".to_owned()), 1));
    let signed_with_2 = |says: &mut Says| {
        says.header["kid"] = json!("2");
        says.sign = sign::<2>;
        says.keys = published(&[2]);
    };
    fake.lie(signed_with_2);
    assert_eq!((with(&provider).await, fake.asked("/keys")), (Ok("ada".to_owned()), 2));
    assert_eq!((with(&provider).await, fake.asked("/keys")), (Ok("ada".to_owned()), 2));
    let unknown = |says: &mut Says| {
        signed_with_2(says);
        says.header["kid"] = json!("3");
    };
    for asked in [2, 3] {
        for _ in 0..5 {
            fake.lie(unknown);
            assert_eq!((with(&provider).await, fake.asked("/keys")), (Err(ProviderError::Unverified), asked));
            fake.lie(signed_with_2);
            assert!(with(&provider).await.is_ok(), "who is signed with a known key is let in meanwhile");
        }
        tokio::time::pause();
        tokio::time::advance(KEY_INTERVAL + Duration::from_secs(1)).await;
        tokio::time::resume();
    }
    // Withdrawn keys become invalid, after an hour at the latest.
    fake.lie(|says| says.keys = published(&[2]));
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(3601)).await;
    tokio::time::resume();
    assert_eq!(with(&provider).await, Err(ProviderError::Unverified));
}

const PLACES: [&str; 4] = ["/.well-known/openid-configuration", "/keys", "/token", "/person"];

#[tokio::test]
async fn answers_that_are_huge_slow_or_lead_elsewhere_end() {
    let fake = Fake::start().await;
    type Instead = fn(&str) -> Response;
    let answers: [(&str, Instead); 8] = [
        ("endless", |_| endless(false)),
        ("301", |trap| leading(301, trap)),
        ("302", |trap| leading(302, trap)),
        ("307", |trap| leading(307, trap)),
        ("308", |trap| leading(308, trap)),
        ("refresh", |trap| ([("refresh", format!("0;url=http://{trap}/"))], "{}").into_response()),
        ("other", |_| "[".repeat(100_000).into_response()),
        ("500", |_| axum::http::StatusCode::INTERNAL_SERVER_ERROR.into_response()),
    ];
    for place in PLACES {
        for (what, instead) in answers {
            fake.lie(|says| {
                says.instead = Some((place, instead));
                // The server then requests the user info.
                says.claims.as_object_mut().expect("claims").remove("preferred_username");
            });
            let found = outcome(&fake).await;
            assert!(found.is_err(), "{what} at {place}: {found:?}");
        }
    }
    assert_eq!(fake.asked("trap"), 0);
}

fn leading(status: u16, trap: &str) -> Response {
    let status = axum::http::StatusCode::from_u16(status).expect("a status");
    (status, [("location", format!("http://{trap}/"))]).into_response()
}

/// The response sends a letter each second, by a clock that continues while all tasks wait.
#[tokio::test]
async fn an_answer_that_never_ends_is_given_up() {
    for place in PLACES {
        let fake = Fake::start().await;
        let provider = fake.provider();
        fake.lie(|says| {
            says.instead = Some((place, |_| endless(true)));
            says.claims.as_object_mut().expect("claims").remove("preferred_username");
        });
        tokio::time::pause();
        assert_eq!(with(&provider).await, Err(ProviderError::Unreachable), "{place}");
        tokio::time::resume();
    }
}

#[tokio::test]
async fn no_address_that_the_provider_makes_up_is_asked() {
    let fake = Fake::start().await;
    let (_, port) = fake.trap.split_once(':').expect("a port");
    let places = [
        format!("http://{}/", fake.trap),
        format!("https://{}/", fake.trap),
        format!("http://localhost:{port}/"),
        format!("http://localhost.:{port}/"),
        format!("http://a.localhost:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://{}@{}/", CLIENT, fake.trap),
        format!("{}@{}/", fake.issuer, fake.trap),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "javascript:alert(1)".to_owned(),
        "data:application/json,{}".to_owned(),
        String::new(),
    ];
    for name in ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "issuer"] {
        for place in &places {
            fake.lie(|says| {
                says.metadata[name] = json!(place);
                says.claims.as_object_mut().expect("claims").remove("preferred_username");
            });
            let found = outcome(&fake).await;
            assert_eq!(found, Err(ProviderError::Odd), "{name}: {place}");
        }
    }
    assert_eq!(fake.asked("trap"), 0);
}

#[tokio::test]
async fn who_asks_for_the_rest_is_told_of_the_same_account() {
    let fake = Fake::start().await;
    for (person, is_fine) in [
        (json!({ "sub": "17", "preferred_username": "ada" }), true),
        (json!({ "sub": "18", "preferred_username": "ada" }), false),
        (json!({ "preferred_username": "ada" }), false),
        (json!({ "sub": "17" }), false),
        (json!({ "sub": "17", "preferred_username": ["ada"] }), false),
    ] {
        fake.lie(|says| {
            says.claims.as_object_mut().expect("claims").remove("preferred_username");
            says.person = person.clone();
        });
        assert_eq!(outcome(&fake).await.is_ok(), is_fine, "{person}");
    }
}

#[tokio::test]
async fn another_account_of_the_same_name_inherits_nothing() {
    let stand = Stand::new().await;
    let as_account = |subject: &'static str, name: &'static str| {
        move |says: &mut Says| {
            says.claims["sub"] = json!(subject);
            says.claims["preferred_username"] = json!(name);
        }
    };
    {
        let connection = &mut *stand.gate.db.reading().await.unwrap();
        members::set(connection, &"default".parse().unwrap(), "ada", Role::Contributor).await.unwrap();
    }
    stand.fake.lie(as_account("17", "ada"));
    let first = stand.sign_in().await;
    assert_eq!(stand.me(&first).await.roles.len(), 1);
    // Another account has the name now, and the first account has a new one.
    stand.fake.lie(as_account("18", "ada"));
    let refused = stand.sign_in().await;
    assert_eq!((refused.status.as_u16(), refused.header("set-cookie")), (403, ""));
    assert!(refused.text().contains("member forget"), "{}", refused.text());
    stand.fake.lie(as_account("17", "bob"));
    let me = stand.me(&stand.sign_in().await).await;
    assert_eq!((me.name.as_deref(), me.roles.len()), (Some("ada"), 1), "it stays who it is here");
    stand.fake.lie(as_account("19", "bob"));
    let me = stand.me(&stand.sign_in().await).await;
    assert_eq!((me.name.as_deref(), me.roles.len()), (Some("bob"), 0));

    // Another provider, with the same names and subjects, over the same rows.
    let other = Fake::start().await;
    let gate = stand.gate.again(Access::Oidc(Arc::new(other.provider()))).await;
    let stand = Stand { gate, fake: other };
    assert_eq!(stand.me(&first).await.kind, "nobody", "sessions of the other provider have ended");
    stand.fake.lie(as_account("17", "ada"));
    assert_eq!(stand.sign_in().await.status, 403);
    stand.fake.lie(as_account("17", "eve"));
    let me = stand.me(&stand.sign_in().await).await;
    assert_eq!((me.name.as_deref(), me.roles.len()), (Some("eve"), 0));
}
