//! Determines the principal of a request for the controllers.
//!
//! A link's secret is in the path, a token in `Authorization`, a session in a cookie, a person in the header
//! of a trusted proxy; on a local server, the account behind the connection counts. Invalid credentials are
//! rejected: a client with a wrong token is not admitted by other means.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use syclscope_language::api::LinkState;

use super::account;
use crate::app::App;
use crate::auth::{self, Access, Grant, Peer, Principal, Secret};
use crate::db::now_unix_ns;
use crate::http::error::{AppError, PageError};
use crate::http::extract::{SignedIn, Tries, Visit, cookies};

/// Path before the secret of a link.
const LINKS: &str = "/s/";

pub(crate) async fn find(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    // The body can't be shared between threads across an await.
    let (mut parts, body) = request.into_parts();
    if let Some((secret, rest)) = split_link(parts.uri.path()) {
        let is_page = !rest.starts_with("api/");
        return match by_link(&app, &parts, secret, is_page).await {
            Ok(visitor) => through_link(Request::from_parts(parts, body), next, visitor).await,
            Err(error) if is_page => PageError::Refused(error).into_response(),
            Err(error) => error.into_response(),
        };
    }
    match without_link(&app, &parts).await {
        Ok((principal, session)) => {
            parts.extensions.insert(principal);
            parts.extensions.insert(session);
            next.run(Request::from_parts(parts, body)).await
        }
        Err(error) => error.into_response(),
    }
}

/// Returns the secret of a link and the rest of a path.
fn split_link(path: &str) -> Option<(&str, &str)> {
    let rest = path.strip_prefix(LINKS)?;
    Some(rest.split_once('/').unwrap_or((rest, "")))
}

struct Visitor {
    grant: Grant,
    visit: Secret,
    cookie: Option<String>,
}

/// Returns the visitor of the link with this secret; `None` if only the page's files are requested, which are
/// public.
async fn by_link(app: &App, parts: &Parts, secret: &str, is_page: bool) -> Result<Option<Visitor>, AppError> {
    if parts.extensions.get::<MatchedPath>().is_none() {
        return Ok(None);
    }
    let db = app.db.as_ref().ok_or(AppError::NoSuchLink)?;
    let secret = Secret::parse(secret).map_err(|_| AppError::NoSuchLink)?;
    let row = tries(app, parts)
        .look_up(app, &secret, app.auth_cache.link(db, &secret))
        .await?
        .ok_or(AppError::NoSuchLink)?;
    let grant = auth::grant(&row);
    let name = cookies::visit(&grant.link);
    let earlier_visit = cookies::values(&parts.headers, &name).find_map(|text| Secret::parse(text).ok());
    match row.state_at(now_unix_ns()) {
        LinkState::Withdrawn => return Err(AppError::LinkWithdrawn),
        LinkState::Expired => return Err(AppError::LinkExpired),
        // Earlier visitors may continue. Queries through the link count as openings when answered; the page
        // alone shows nothing, so programs that only check for a page use up no opening.
        LinkState::UsedUp
            if is_page && !app.auth_cache.is_visiting(db, &grant, earlier_visit.as_ref()).await? =>
        {
            return Err(AppError::LinkUsedUp);
        }
        LinkState::Open | LinkState::UsedUp => {}
    }
    if is_page
        && earlier_visit.is_none()
        && !grant.is_counted
        // The number is only for display: a full disk must not hide the trace.
        && let Err(error) = auth::count(db, &grant).await
    {
        tracing::warn!(link = %grant.link, "can't count an opening of a link: {error}");
    }
    let is_new = earlier_visit.is_none();
    let visit = match earlier_visit {
        Some(visit) => visit,
        None => Secret::random().map_err(|_| AppError::no_randomness())?,
    };
    let set = || cookies::set_visit(&name, &visit, app.has_https(), app.frames.are_allowed());
    let cookie = is_new.then(set);
    Ok(Some(Visitor { grant, visit, cookie }))
}

async fn through_link(mut request: Request, next: Next, visitor: Option<Visitor>) -> Response {
    let Some(Visitor { grant, visit, cookie }) = visitor else {
        request.extensions_mut().insert(Principal::Nobody);
        return next.run(request).await;
    };
    request.extensions_mut().insert(Visit(visit));
    request.extensions_mut().insert(Principal::Link(grant));
    let mut response = next.run(request).await;
    // A browser with the page or an answer in its cache is a visitor, too.
    let is_shown = response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED;
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok())
        && is_shown
    {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// Returns the principal of a request without a link, and its session.
async fn without_link(app: &App, parts: &Parts) -> Result<(Principal, SignedIn), AppError> {
    if app.access.has_sessions() && (app.db.is_none() || bearer(&parts.headers)?.is_none()) {
        return by_session(app, parts).await;
    }
    Ok((without_session(app, parts).await?, SignedIn(None)))
}

async fn without_session(app: &App, parts: &Parts) -> Result<Principal, AppError> {
    if matches!(app.access, Access::Everybody) {
        return Ok(Principal::Everybody);
    }
    if let (Some(db), Some(secret)) = (&app.db, bearer(&parts.headers)?) {
        let found = tries(app, parts).look_up(app, &secret, app.auth_cache.by_token(db, &secret)).await?;
        return found.ok_or(AppError::WrongToken);
    }
    match &app.access {
        Access::Everybody => Ok(Principal::Everybody),
        Access::Account(own) => match account::is_own(own, parts).await {
            true => Ok(Principal::Account),
            false => Err(AppError::OtherAccount),
        },
        Access::Token | Access::Oidc(_) => Ok(Principal::Nobody),
        Access::Proxy { header } => match (&app.db, trusted_name(app, parts, header)) {
            (Some(db), Some(name)) => Ok(app.auth_cache.by_name(db, name).await?),
            _ => Ok(Principal::Nobody),
        },
    }
}

fn bearer(headers: &HeaderMap) -> Result<Option<Secret>, AppError> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let text = value.to_str().map_err(|_| AppError::WrongToken)?;
    let (scheme, secret) = text.split_once(' ').unwrap_or((text, ""));
    // The header may be for a proxy that requires its own password.
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Ok(None);
    }
    Secret::parse_token(secret.trim()).map(Some).map_err(|_| AppError::WrongToken)
}

/// Returns the principal of this browser's session. Requests without a route are for the page's files, which
/// are public.
async fn by_session(app: &App, parts: &Parts) -> Result<(Principal, SignedIn), AppError> {
    let nobody = || (Principal::Nobody, SignedIn(None));
    let Some(db) = app.db.as_ref().filter(|_| parts.extensions.get::<MatchedPath>().is_some()) else {
        return Ok(nobody());
    };
    let name = cookies::session(&parts.headers);
    let Some(secret) = cookies::values(&parts.headers, &name).find_map(|text| Secret::parse(text).ok())
    else {
        return Ok(nobody());
    };
    let look = app.auth_cache.by_session(db, &secret, app.access.issuer());
    let found = tries(app, parts).look_up(app, &secret, look).await?;
    Ok(found.map_or_else(nobody, |principal| (principal, SignedIn(Some(secret.hash())))))
}

/// Returns the name from a trusted proxy. Two names count as none, because one of them may be the client's
/// own.
fn trusted_name<'a>(app: &App, parts: &'a Parts, header: &str) -> Option<&'a str> {
    let peer = parts.extensions.get::<Peer>().and_then(Peer::address)?;
    let mut values = parts.headers.get_all(header).iter();
    let (value, other) = (values.next()?, values.next());
    (app.proxies.contain(peer) && other.is_none()).then(|| name_in(value))?
}

/// Returns the name in a header, whose letters may be of any script.
fn name_in(value: &HeaderValue) -> Option<&str> {
    let name = std::str::from_utf8(value.as_bytes()).ok()?.trim();
    auth::is_name(name).then_some(name)
}

fn tries(app: &App, parts: &Parts) -> Tries {
    Tries::by(app, &parts.headers, &parts.extensions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_may_name_anybody() {
        let of = |bytes: &[u8]| name_in(&HeaderValue::from_bytes(bytes).unwrap()).map(str::to_owned);
        for name in ["ada", "Grace Höpper", "山田"] {
            assert_eq!(of(name.as_bytes()).as_deref(), Some(name));
        }
        for wrong in [&b"*"[..], b"", b"Grace H\xf6pper"] {
            assert_eq!(of(wrong), None);
        }
    }
}
