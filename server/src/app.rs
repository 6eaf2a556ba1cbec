//! What every request shares.

use std::sync::Arc;

use crate::error::AppError;
use crate::loading::Original;
use crate::page::Page;
use crate::storage::{Storage, StorageError, Stored};
use crate::trace_cache::{Loaded, SharedTrace, TraceCache};

/// Bytes of traces that stay in memory, where nothing else is asked for.
pub const CACHE_BYTES: u64 = 1 << 30;

/// The server's parts, assembled once.
#[derive(Debug)]
pub struct App {
    /// Where traces are kept.
    pub storage: Storage,
    /// Traces in memory.
    pub cache: TraceCache,
    /// The page.
    pub page: Page,
    /// Names that the server answers to.
    pub hosts: Hosts,
}

/// Names that a server answers to. A page on the internet can make its own name point here (DNS rebinding);
/// it then comes with that name and is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// In lower case, without ports.
    names: Vec<String>,
    /// Whether every IP address is an answer too: nobody can make an address point elsewhere.
    any_address: bool,
}

impl Hosts {
    /// The names of this computer for itself, and `more`.
    pub fn local(more: impl IntoIterator<Item = String>) -> Self {
        let local = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let names = local.into_iter().chain(more).map(|name| name.to_ascii_lowercase()).collect();
        Self { names, any_address: false }
    }

    /// The same and every IP address, for a server that other computers reach.
    pub fn reachable(more: impl IntoIterator<Item = String>) -> Self {
        Self { any_address: true, ..Self::local(more) }
    }

    /// Whether the server answers to `host`, which is in lower case and without a port.
    pub(crate) fn contains(&self, host: &str) -> bool {
        let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        self.names.iter().any(|name| name == host)
            || self.any_address && address.parse::<std::net::IpAddr>().is_ok()
    }
}

impl App {
    /// A trace, from memory or from its file.
    ///
    /// # Errors
    /// When its file can't be read or is not a trace.
    pub async fn load(&self, stored: &Stored) -> Result<SharedTrace, AppError> {
        self.ready(stored).await.map_err(|error| AppError::Load { name: stored.entry.name.clone(), error })
    }

    /// The same, with the error of loading.
    ///
    /// # Errors
    /// When its file can't be read or is not a trace.
    pub async fn ready(&self, stored: &Stored) -> Loaded {
        let original = Original::of(stored);
        let found = original.clone();
        let find = move || found.derived_trace();
        let Stored { id, version, entry, .. } = stored;
        self.cache.get(id, version, entry.size_bytes, find, move || original.import()).await
    }
}

/// Runs storage work on a thread that may block.
///
/// # Errors
/// Those of the work.
pub async fn with_storage<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce(&App) -> Result<T, StorageError> + Send + 'static,
) -> Result<T, AppError> {
    let app = Arc::clone(app);
    let done = tokio::task::spawn_blocking(move || work(&app)).await;
    done.map_err(|_| AppError::Internal("storage work failed"))?.map_err(AppError::from)
}
