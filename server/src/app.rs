//! The state that all requests share.

use std::sync::Arc;

use crate::auth::{Access, AuthCache, Guesses, Proxies, Rates};
use crate::comments::Live;
use crate::db::Db;
use crate::http::address::{Prefix, PublicUrl};
use crate::http::error::AppError;
use crate::http::external_viewers::Viewers;
use crate::http::frame_ancestors::Frames;
use crate::http::metrics::Metrics;
use crate::http::page::Page;
use crate::http::view_sync::ViewSync;
use crate::ingest::loading::Original;
use crate::ingest::trace_cache::{Loaded, SharedTrace, TraceCache};
use crate::limits::exports::Exports;
use crate::limits::query_executor::Questions;
use crate::storage::{Storage, Stored};

pub const CACHE_BYTES: u64 = 1 << 30;

#[derive(Debug)]
pub struct App {
    pub storage: Storage,
    /// `None` if the traces are the user's own files.
    pub db: Option<Db>,
    pub cache: TraceCache,
    pub page: Page,
    pub prefix: Prefix,
    /// External address, if configured.
    pub public: Option<PublicUrl>,
    pub hosts: Hosts,
    pub access: Access,
    pub proxies: Proxies,
    pub auth_cache: AuthCache,
    pub guesses: Guesses,
    pub rates: Rates,
    pub metrics: Metrics,
    /// True if every client may read the metrics.
    pub is_watched_by_all: bool,
    pub questions: Questions,
    pub exports: Exports,
    pub live: Live,
    pub view_sync: ViewSync,
    pub frames: Frames,
    pub viewers: Viewers,
}

/// Host names that the server responds to. A website can point its own name at this server (DNS rebinding);
/// its requests then carry that name, and the server rejects them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// In lower case, without ports.
    names: Vec<String>,
    /// True if every IP address is accepted as a host: unlike a name, a website can't redirect an address.
    any_address: bool,
}

impl Hosts {
    /// Returns this computer's own names, and `more`.
    pub fn local(more: impl IntoIterator<Item = String>) -> Self {
        let local = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let names = local.into_iter().chain(more).map(|name| name.to_ascii_lowercase()).collect();
        Self { names, any_address: false }
    }

    /// Returns these names and every IP address, for a server that other computers can reach.
    pub fn reachable(more: impl IntoIterator<Item = String>) -> Self {
        Self { any_address: true, ..Self::local(more) }
    }

    /// True if the server responds to `host`, which is in lower case and without a port.
    pub(crate) fn contains(&self, host: &str) -> bool {
        let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        self.names.iter().any(|name| name == host)
            || self.any_address && address.parse::<std::net::IpAddr>().is_ok()
    }
}

impl App {
    /// True if browsers use https.
    pub(crate) fn has_https(&self) -> bool {
        self.public.as_ref().is_some_and(PublicUrl::is_https)
    }

    /// Reauthenticates clients and rechecks listeners, because permissions have changed.
    pub(crate) fn rights_changed(&self) {
        self.auth_cache.forget();
        self.live.rights_changed();
    }

    /// Returns the database.
    ///
    /// # Errors
    /// Returns an error if there is none, because the traces are the user's own files.
    pub fn database(&self) -> Result<&Db, AppError> {
        Ok(self.storage.hosted()?.db())
    }

    /// Loads a trace from memory or from its file.
    ///
    /// # Errors
    /// Returns an error if the file can't be read or is not a trace.
    pub async fn load(&self, stored: &Stored) -> Result<SharedTrace, AppError> {
        self.ready(stored).await.map_err(|error| AppError::Load { name: stored.entry.name.clone(), error })
    }

    /// Like [`Self::load`], but returns the loader's own error.
    ///
    /// # Errors
    /// Returns an error if the file can't be read or is not a trace.
    pub async fn ready(&self, stored: &Stored) -> Loaded {
        let original = Original::new(&self.storage, stored).map_err(|error| Arc::new(error.into()))?;
        let found = original.clone();
        let find = move || found.derived_trace();
        let Stored { id, version, entry, .. } = stored;
        self.cache.get(id, version, entry.size_bytes, find, move |budget| original.import(budget)).await
    }
}
