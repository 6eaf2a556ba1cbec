//! `POST /sign-out`: ends the session of this browser.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse as _, Redirect, Response};

use crate::app::App;
use crate::auth::{self, Secret};
use crate::http::error::AppError;
use crate::http::extract::{Anyone, cookies};

pub(crate) async fn sign_out(
    Anyone(_): Anyone,
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, AppError> {
    let name = cookies::session(&headers);
    for secret in cookies::of(&headers, &name).filter_map(|text| Secret::parse(text).ok()) {
        auth::sign_out(app.database()?, &secret).await?;
        app.rights_changed();
    }
    // With a provider, the page would redirect to it, and the user would be signed in again at once.
    let goal = if app.access.has_people() { "./sign-in?out" } else { "./" };
    let mut response = Redirect::to(goal).into_response();
    if let Ok(cookie) = HeaderValue::from_str(&cookies::clear(&name)) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}
