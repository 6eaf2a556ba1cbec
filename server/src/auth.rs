//! Authentication and authorization: clients ([`Principal`]), permissions ([`may`]), and credentials.
//!
//! Plain Rust, independent of HTTP. A principal is determined once for each request
//! (`middleware/principal.rs`); every route names its [`Action`], and [`may`] is the only table of permissions.

mod account;
mod action;
mod auth_cache;
mod authenticate;
mod client;
mod connections;
pub mod identity;
mod network;
mod principal;
pub mod provider;
mod proxies;
mod rate_limit;
mod secret;
mod sockets;

pub use account::Account;
pub(crate) use account::Peer;
pub use action::{Action, Standing, change, may, uploader_may};
pub use auth_cache::AuthCache;
pub use authenticate::{
    EntranceError, PERSON_SESSION_SECONDS, SESSION_SECONDS, SignIn, count, grant, sign_in_as, sign_in_with,
    sign_out,
};
pub(crate) use authenticate::{reauthenticate, was_issued};
pub use client::{Client, Place};
pub use connections::TooManyConnections;
pub(crate) use connections::{Caller, Connection, Connections, OpenRequest, Room};
pub use identity::is_name;
pub use network::{Network, NotANetwork};
pub use principal::{Grant, Principal, Roles};
pub use proxies::Proxies;
pub use rate_limit::{CHANGES_PER_MINUTE, Guesses, Rates, TooManyChanges, TooManyGuesses};
pub use secret::{NotASecret, Secret, SecretHash, TOKEN_PREFIX};

use std::sync::Arc;

use crate::auth::provider::Provider;

/// Clients that may use the server, and their credentials.
#[derive(Clone, Debug)]
pub enum Access {
    /// Everyone who can reach it, without credentials.
    Everybody,
    /// The account that started it, and clients with its key, a token or a link.
    Account(Account),
    /// Clients with a token, a session from one, or a link.
    Token,
    /// Clients who signed in at an identity provider, or have a token or a link.
    Oidc(Arc<Provider>),
    /// Clients named in a header by a trusted proxy, or with a token or a link.
    Proxy {
        /// Header with the name, in lower case.
        header: String,
    },
}

impl Access {
    /// True if browsers sign in here and get a session cookie.
    pub(crate) fn has_sessions(&self) -> bool {
        match self {
            Self::Everybody | Self::Account(_) | Self::Proxy { .. } => false,
            Self::Token | Self::Oidc(_) => true,
        }
    }

    /// Returns the issuer of people's sessions. Sessions from a provider that is no longer configured are invalid.
    pub(crate) fn issuer(&self) -> Option<&str> {
        match self {
            Self::Everybody | Self::Account(_) | Self::Proxy { .. } | Self::Token => None,
            Self::Oidc(provider) => Some(provider.issuer()),
        }
    }

    /// True if people sign in at an identity provider.
    pub(crate) fn has_people(&self) -> bool {
        self.issuer().is_some()
    }
}
