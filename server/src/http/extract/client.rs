//! The client of a request, and its wrong secrets.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Instant;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};

use crate::app::App;
use crate::auth::{self, Peer, Secret};
use crate::http::error::AppError;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// Returns the address of the client: behind trusted proxies, the address that they name. Requests without a
/// socket share one address.
pub(crate) fn address(app: &App, headers: &HeaderMap, extensions: &Extensions) -> IpAddr {
    let peer = extensions.get::<Peer>().and_then(Peer::address);
    let named = headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
    app.proxies.client(peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)), named)
}

/// Attempts of a client to use a secret: behind trusted proxies, of the client that they name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tries {
    client: IpAddr,
}

impl Tries {
    pub(crate) fn by(app: &App, headers: &HeaderMap, extensions: &Extensions) -> Self {
        Self { client: address(app, headers, extensions) }
    }

    pub(crate) fn client(self) -> IpAddr {
        self.client
    }

    /// Looks up a secret, unless this client has sent too many wrong ones.
    ///
    /// # Errors
    /// Returns an error if the lookup fails, or the client has made too many attempts.
    pub(crate) async fn look_up<T, E: Into<AppError>>(
        self,
        app: &App,
        secret: &Secret,
        look: impl Future<Output = Result<Option<T>, E>>,
    ) -> Result<Option<T>, AppError> {
        app.guesses.check(self.client, secret.hash(), Instant::now())?;
        let found = look.await.map_err(E::into)?;
        // A program that still sends a revoked token is no guesser, also after a restart of the server.
        let is_known = found.is_some()
            || match &app.db {
                Some(db) => auth::was_issued(db, secret).await?,
                None => false,
            };
        if is_known {
            app.guesses.right(secret.hash());
        } else {
            app.guesses.wrong(self.client, secret.hash(), Instant::now());
        }
        Ok(found)
    }
}

impl FromRequestParts<Arc<App>> for Tries {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, AppError> {
        Ok(Self::by(app, &parts.headers, &parts.extensions))
    }
}
