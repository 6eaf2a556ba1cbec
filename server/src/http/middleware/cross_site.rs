//! Rejects changes requested by a page of another site.
//!
//! Browsers send the site of the requesting page: newer ones in `Sec-Fetch-Site`, all in `Origin`. Tools like
//! curl send neither, and have the permissions of their user.

use axum::extract::Request;
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::Response;

use crate::http::error::AppError;

pub(crate) async fn refuse(request: Request, next: Next) -> Result<Response, AppError> {
    let only_reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if !only_reads && !is_own(request.headers()) {
        return Err(AppError::CrossSite);
    }
    Ok(next.run(request).await)
}

/// True if a request is from our own page or from no page.
fn is_own(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if let Some(site) = text("sec-fetch-site") {
        return matches!(site, "same-origin" | "none");
    }
    let Some(origin) = text(header::ORIGIN.as_str()) else { return true };
    let host = origin.split_once("://").map(|(_, host)| host);
    host.is_some() && host == text(header::HOST.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(headers: &[(&'static str, &'static str)], want: bool) {
        let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        assert_eq!(is_own(&headers.collect()), want);
    }

    #[test]
    fn own_pages_and_tools_may_change() {
        check(&[], true);
        check(&[("sec-fetch-site", "same-origin")], true);
        check(&[("sec-fetch-site", "none")], true);
        check(&[("origin", "http://127.0.0.1:4717"), ("host", "127.0.0.1:4717")], true);
    }

    #[test]
    fn other_pages_may_not() {
        check(&[("sec-fetch-site", "cross-site")], false);
        check(&[("sec-fetch-site", "same-site"), ("origin", "http://127.0.0.1:4717")], false);
        check(&[("origin", "http://127.0.0.1:8080"), ("host", "127.0.0.1:4717")], false);
        check(&[("origin", "null"), ("host", "127.0.0.1:4717")], false);
        check(&[("origin", "http://a")], false);
    }
}
