//! Code shared by `open` and `serve`: options, the server's parts, and the line with its URL.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use tracing_subscriber::filter::Targets;

use super::CliError;
use crate::logging;
use syclscope_server::app::{App, Hosts};
use syclscope_server::auth::{Access, Account, AuthCache, CHANGES_PER_MINUTE, Guesses, Proxies, Rates};
use syclscope_server::comments::Live;
use syclscope_server::db::Db;
use syclscope_server::http::address::{Prefix, PublicUrl};
use syclscope_server::http::external_viewers::{self, Viewers};
use syclscope_server::http::frame_ancestors::{Ancestor, Frames};
use syclscope_server::http::metrics::Metrics;
use syclscope_server::http::page::Page;
use syclscope_server::http::view_sync::ViewSync;
use syclscope_server::ingest::imports::Imports;
use syclscope_server::ingest::trace_cache::TraceCache;
use syclscope_server::limits::MemoryAccount;
use syclscope_server::limits::exports::Exports;
use syclscope_server::limits::query_executor::{Questions, STEPS};
use syclscope_server::storage::Storage;
use syclscope_system::memory::machine_bytes;

const PROXY: &str = "Behind a proxy";
const DIAGNOSIS: &str = "Diagnosis and development";

#[derive(Debug, clap::Args)]
pub(super) struct Hosting {
    /// URL prefix, for proxies that don't strip it
    #[arg(long, value_name = "PATH", default_value = "/", hide_default_value = true, help_heading = PROXY)]
    prefix: Prefix,
    /// Further host name that the server answers to, for example behind a proxy; may be repeated. A server on a local
    /// address answers to localhost; any other also to this computer's name and to IP addresses
    #[arg(long, value_name = "NAME", help_heading = PROXY)]
    pub(super) allow_host: Vec<String>,
    /// Origins allowed to embed the page (URLs with `?embed`), like https://HOST, https://*.example.org or self
    /// [default: none]
    #[arg(long, value_name = "ORIGIN", num_args = 1.., help_heading = PROXY)]
    frame_ancestors: Vec<Ancestor>,
    /// Perfetto UI that the page opens traces in, for example your own where there is no internet [default:
    /// ui.perfetto.dev]
    #[arg(long, value_name = "ADDRESS", value_parser = external_viewers::address, help_heading = "Other viewers")]
    perfetto_ui: Option<String>,
    /// Firefox Profiler that the page opens traces in [default: profiler.firefox.com]
    #[arg(long, value_name = "ADDRESS", value_parser = external_viewers::address, help_heading = "Other viewers")]
    firefox_profiler: Option<String>,
    /// Memory limit of all imports together, in bytes; a trace that needs more alone is refused [default: half of the
    /// memory of this machine, container or job; three quarters for open]
    #[arg(long, value_name = "N")]
    import_memory_bytes: Option<u64>,
    /// Step limit of a query, each about a row or a condition: a few nanoseconds. A query that needs more is refused
    #[arg(long, value_name = "N", default_value_t = STEPS, hide_short_help = true)]
    question_steps: u64,
    /// Rate limit of uploads, sign-ins and other changes of one client per minute; 0 is no limit. A client is a
    /// signed-in person, or else an address
    #[arg(long, value_name = "N", default_value_t = CHANGES_PER_MINUTE, hide_short_help = true)]
    changes_per_minute: u32,
    /// Let every client read /metrics; by default only this computer, without a proxy between, and admins of all
    /// projects may
    #[arg(long, help_heading = DIAGNOSIS)]
    metrics_for_all: bool,
    /// Lowest level to log on standard error: off, error, warn, info, debug (every request) or trace. Modules may have
    /// their own levels, as in warn,syclscope_server=debug [default: RUST_LOG, else info]
    #[arg(long, value_name = "LEVEL", value_parser = logging::filter, help_heading = DIAGNOSIS)]
    log: Option<Targets>,
    /// Serve the page from this folder instead of the built-in one, for work on the page. Files are read anew at each
    /// request, and browsers don't cache them
    #[arg(long, value_name = "FOLDER", hide_short_help = true, help_heading = DIAGNOSIS)]
    page: Option<PathBuf>,
}

pub(super) struct Memory {
    pub(super) cache_bytes: u64,
    pub(super) import_bytes: u64,
}

pub(super) struct Door {
    pub(super) hosts: Hosts,
    pub(super) public: Option<PublicUrl>,
    pub(super) access: Access,
    pub(super) proxies: Proxies,
}

impl Hosting {
    /// Starts logging and creates the server's components.
    pub(super) fn app(
        &self,
        storage: Storage,
        db: Option<Db>,
        memory: Memory,
        door: Door,
    ) -> Result<Arc<App>, CliError> {
        logging::start(self.log.clone());
        let import_bytes = self.import_memory_bytes.unwrap_or(memory.import_bytes);
        let page = self.page.as_deref().map_or_else(|| Ok(Page::embedded()), Page::in_folder)?;
        let viewers = Viewers { perfetto: self.perfetto_ui.clone(), firefox: self.firefox_profiler.clone() };
        let account = MemoryAccount::beside(machine_bytes(), memory.cache_bytes, import_bytes);
        let exports = Exports::new(&account, &storage);
        Ok(Arc::new(App {
            storage,
            db,
            cache: TraceCache::new(memory.cache_bytes, Imports::within(&account, import_bytes)),
            page,
            prefix: self.prefix.clone(),
            hosts: door.hosts,
            public: door.public,
            access: door.access,
            proxies: door.proxies,
            auth_cache: AuthCache::default(),
            guesses: Guesses::default(),
            rates: Rates::per_minute(self.changes_per_minute),
            metrics: Metrics::default(),
            is_watched_by_all: self.metrics_for_all,
            questions: Questions::new(self.question_steps, &account),
            exports,
            live: Live::default(),
            view_sync: ViewSync::default(),
            frames: Frames::new(self.frame_ancestors.clone()),
            viewers,
        }))
    }
}

/// Returns the URL of `path` below the application's folder.
pub(super) fn url(address: SocketAddr, app: &App, path: &str) -> String {
    format!("http://{address}{}/{path}", app.prefix.as_str())
}

/// Prints the URL on standard output, alone on its line, for people and scripts.
pub(super) fn announce(url: &str) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{url}").and_then(|()| out.flush()).map_err(|error| CliError::Print { error })
}

/// Returns access rules for this process's account and for holders of its key.
pub(super) fn own_account() -> Result<Access, CliError> {
    Account::own().map(Access::Account).map_err(|error| CliError::Account { error })
}

/// Prints on standard error the URL for users whose account the server can't detect.
pub(super) fn announce_key(url: &str, access: &Access) {
    if let Access::Account(account) = access {
        eprintln!("syclscope: only your account can open it; from a container: {url}?key={}", account.key());
    }
}

/// Runs a server or other work on a runtime until it ends, without waiting for queries that still run.
pub(super) fn block_on<T>(work: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| CliError::Threads { error })?;
    // Boxed, so that tokio compiles it only once rather than for each way to start a runtime.
    let work: Pin<Box<dyn Future<Output = Result<T, CliError>> + '_>> = Box::pin(work);
    let ended = runtime.block_on(work);
    runtime.shutdown_background();
    ended
}
