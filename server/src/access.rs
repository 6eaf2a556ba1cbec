//! Who may do what: who asks ([`Principal`]), what they may ([`may`]), and how they show who they are.
//!
//! Plain Rust that knows neither requests nor answers. A principal is found once for each request
//! (`middleware/principal.rs`); every route names its [`Action`], and [`may`] is the only table that says who may.

mod account;
mod action;
mod allowance;
mod change;
mod client;
mod connections;
mod entrance;
mod guesses;
mod known;
mod names;
mod network;
mod principal;
mod proxies;
mod rates;
mod secret;
mod sockets;

pub use account::Account;
pub(crate) use account::Peer;
pub use action::{Action, Standing, may, uploader_may};
pub use change::change;
pub use client::{Client, Place};
pub use connections::TooManyConnections;
pub(crate) use connections::{Asked, Caller, Connection, Connections, Room};
pub(crate) use entrance::again;
pub use entrance::{
    Begun, EntranceError, PERSON_SESSION_SECONDS, SESSION_SECONDS, count, grant, sign_in_as, sign_in_with,
    sign_out,
};
pub use guesses::{Guesses, TooManyGuesses};
pub use known::Known;
pub use names::is_name;
pub use network::{Network, NotANetwork};
pub use principal::{Grant, Principal, Roles};
pub use proxies::Proxies;
pub use rates::{CHANGES_PER_MINUTE, Rates, TooManyChanges};
pub use secret::{NotASecret, Secret, SecretHash, TOKEN_PREFIX};

use std::sync::Arc;

use crate::provider::Provider;

/// Who may use the server, and how they show who they are.
#[derive(Clone, Debug)]
pub enum Access {
    /// Whoever reaches it, without a sign of who they are.
    Everybody,
    /// The account that started it, and who brings its key, a token or a link.
    Account(Account),
    /// Who brings a token, has signed in with one, or has a link.
    Token,
    /// Who has signed in at a provider of identities, who brings a token, or has a link.
    Oidc(Arc<Provider>),
    /// For whom a trusted proxy vouches in a header, who brings a token, or has a link.
    Proxy {
        /// The header with the name, in lower case.
        header: String,
    },
}

impl Access {
    /// Whether browsers sign in here, and stay signed in with a cookie.
    pub(crate) fn has_sessions(&self) -> bool {
        match self {
            Self::Everybody | Self::Account(_) | Self::Proxy { .. } => false,
            Self::Token => true,
            Self::Oidc(_) => true,
        }
    }

    /// The provider whose people have sessions. Those of a provider that counts no more have ended.
    pub(crate) fn issuer(&self) -> Option<&str> {
        match self {
            Self::Everybody | Self::Account(_) | Self::Proxy { .. } | Self::Token => None,
            Self::Oidc(provider) => Some(provider.issuer()),
        }
    }

    /// Whether people sign in at a provider.
    pub(crate) fn has_people(&self) -> bool {
        self.issuer().is_some()
    }
}
