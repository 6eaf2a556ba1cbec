//! Sign-in at an identity provider: `/sign-in` redirects to it, and browsers return to `/signed-in`.
//!
//! The state of a pending sign-in is in its own cookie, so that a browser can have several (in several tabs),
//! and the server stores nothing for abandoned ones. The cookie has the sign-in's secret and the requested
//! page.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::Deserialize;

use super::begin_session;
use crate::app::App;
use crate::auth::provider::{Attempt, Provider, ProviderError};
use crate::auth::{self, Access, PERSON_SESSION_SECONDS, Secret, SignIn};
use crate::http::error::{AppError, PageError};
use crate::http::extract::{Anyone, cookies};
use syclscope_text::printable;

const COOKIE: &str = "syclscope-sign-in-";
const PATIENCE_SECONDS: u64 = 600;
/// Maximum number of a browser's pending sign-ins, because proxies limit the size of cookies.
const MAX_PENDING: usize = 4;
/// Maximum length of the return URL, which is in a cookie, too.
const MAX_RETURN_BYTES: usize = 1000;

#[derive(Debug, Deserialize)]
pub(crate) struct Answer {
    state: Option<String>,
    code: Option<String>,
    error: Option<String>,
    iss: Option<String>,
}

pub(super) async fn begin(
    app: &App,
    provider: &Provider,
    headers: &HeaderMap,
    to: String,
) -> Result<Response, PageError> {
    let begun = async {
        let secret = Secret::random().map_err(|_| AppError::no_randomness())?;
        let attempt = Attempt::new(secret.expose());
        let address = provider.way_in(&attempt).await?;
        Ok::<_, AppError>((secret, attempt, address))
    };
    let (secret, attempt, address) = match begun.await {
        Ok(begun) => begun,
        Err(error) => return Err(PageError::NotLetIn { error, to }),
    };
    let mut response = Redirect::to(&address).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let value = format!("{}.{}", secret.expose(), utf8_percent_encode(shorten(&to), NON_ALPHANUMERIC));
    let attempt_cookie = cookies::set(&name_for(&attempt.state()), &value, PATIENCE_SECONDS, app.has_https());
    let under_way: Vec<&str> = cookies::names(headers, COOKIE).collect();
    let too_many = (under_way.len() + 1).saturating_sub(MAX_PENDING);
    for cookie in under_way[..too_many].iter().map(|name| cookies::clear(name)).chain([attempt_cookie]) {
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }
    Ok(response)
}

pub(crate) async fn end(
    Anyone(_): Anyone,
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Query(answer): Query<Answer>,
) -> Result<Response, PageError> {
    let Access::Oidc(provider) = &app.access else { return Ok(AppError::NoSuchAddress.into_response()) };
    let state = answer.state.clone().unwrap_or_default();
    let Some((attempt, to)) = under_way(&headers, &state) else {
        return Err(PageError::NotLetIn { error: ProviderError::Lost.into(), to: String::new() });
    };
    match session(&app, provider, &attempt, answer).await {
        Ok(session) => {
            let mut response = begin_session(&app, &headers, &session, PERSON_SESSION_SECONDS, &to);
            if let Ok(cookie) = HeaderValue::from_str(&cookies::clear(&name_for(&state))) {
                response.headers_mut().append(header::SET_COOKIE, cookie);
            }
            Ok(response)
        }
        Err(error) => Err(PageError::NotLetIn { error, to }),
    }
}

async fn session(
    app: &App,
    provider: &Provider,
    attempt: &Attempt,
    answer: Answer,
) -> Result<Secret, AppError> {
    if !provider.has_sent(answer.iss.as_deref()).await? {
        return Err(ProviderError::Lost.into());
    }
    if let Some(reason) = answer.error {
        tracing::info!("the identity provider rejected a sign-in: {}", printable(&reason, 80));
        let denied = reason == "access_denied";
        return Err(if denied { ProviderError::Denied } else { ProviderError::Refused }.into());
    }
    let person = provider.person(attempt, answer.code.ok_or(ProviderError::Lost)?).await?;
    if !auth::is_name(&person.name) {
        return Err(ProviderError::NoName.into());
    }
    let begun = auth::sign_in_as(app.database()?, provider.issuer(), &person, &attempt.digest()).await?;
    match begun {
        SignIn::Session(secret) => Ok(secret),
        SignIn::Before => Err(ProviderError::Lost.into()),
        SignIn::NameTaken => Err(ProviderError::NameTaken.into()),
    }
}

/// Returns this browser's pending sign-in with this state, and the requested page.
fn under_way(headers: &HeaderMap, state: &str) -> Option<(Attempt, String)> {
    let name = name_for(state);
    cookies::values(headers, &name).find_map(|value| {
        let (secret, to) = value.split_once('.')?;
        let attempt = Attempt::new(Secret::parse(secret).ok()?.expose());
        let to = percent_decode_str(to).decode_utf8().ok()?.into_owned();
        attempt.is_answered_by(state).then_some((attempt, to))
    })
}

fn name_for(state: &str) -> String {
    let start: String = state.chars().take(8).collect();
    format!("{COOKIE}{start}")
}

/// Returns a URL that fits in a cookie: without the view's state, if that is too long.
fn shorten(to: &str) -> &str {
    if to.len() <= MAX_RETURN_BYTES {
        return to;
    }
    let page = to.split('?').next().unwrap_or_default();
    if page.len() <= MAX_RETURN_BYTES { page } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn browser(cookies: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::COOKIE, cookies.parse().unwrap())])
    }

    #[test]
    fn an_answer_is_for_the_browser_that_asked() {
        let (secret, other) = (Secret::random().unwrap(), Secret::random().unwrap());
        let state = Attempt::new(secret.expose()).state();
        let cookie = format!("{}={}.t%2Fa%3Fv%3Dgraph", name_for(&state), secret.expose());
        let (attempt, to) = under_way(&browser(&cookie), &state).unwrap();
        assert_eq!((attempt.state(), to.as_str()), (state.clone(), "t/a?v=graph"));
        let others = Attempt::new(other.expose()).state();
        assert!(under_way(&browser(&cookie), &others).is_none());
        for forged in [
            format!("{}={}.", name_for(&state), other.expose()),
            format!("{}={}", name_for(&state), secret.expose()),
            format!("{}=.", name_for(&state)),
        ] {
            assert!(under_way(&browser(&forged), &state).is_none(), "{forged}");
        }
        assert!(under_way(&browser(&cookie), "").is_none());
    }

    #[test]
    fn a_long_address_loses_its_view() {
        let long = format!("t/a?f={}", "x".repeat(MAX_RETURN_BYTES));
        assert_eq!(
            [shorten("t/a?v=graph"), shorten(&long), shorten(&"y".repeat(MAX_RETURN_BYTES + 1))],
            ["t/a?v=graph", "t/a", ""]
        );
    }
}
