//! `syclscope serve`: stores traces in a data folder and hosts them.

mod oidc;
mod sign_in;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use self::sign_in::SignIn;
use super::hosting::{Door, Hosting, Memory, announce, announce_key, block_on, url};
use super::storage_args::Keeping;
use super::{CliError, Outcome};
use syclscope_server::app::{App, CACHE_BYTES, Hosts};
use syclscope_server::auth::Access;
use syclscope_server::http::listen::{self, Port};
use syclscope_server::http::router::router;
use syclscope_server::ingest::jobs::Jobs;
use syclscope_server::storage::{Hosted, Storage, SweepReport};
use syclscope_system::memory::machine_bytes;

/// Host traces from a folder
///
/// The page lists them and accepts new ones by drag and drop. On a local address only your account on this computer has
/// access; on any other, people sign in (docs/SHARING.md).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope serve --data /srv/syclscope
  syclscope serve --data traces --listen 0.0.0.0:4717 --sign-in token
  curl --data-binary @run.pftrace 'http://127.0.0.1:4717/api/v1/traces?name=run.pftrace'

A stored trace is DIR/traces/ID/trace.bin. Only one server at a time can use a DIR; several share
a --store and a --database, each with a DIR of its own. Ctrl-C or SIGTERM ends it.")]
pub(super) struct Arguments {
    #[command(flatten)]
    keeping: Keeping,
    /// Address and port to listen on
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:4717")]
    listen: SocketAddr,
    /// Memory for open traces, in bytes
    #[arg(long, value_name = "N", default_value_t = CACHE_BYTES)]
    cache_bytes: u64,
    #[command(flatten)]
    sign_in: SignIn,
    #[command(flatten)]
    hosting: Hosting,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    // Check before anything is created or opened.
    let access = arguments.sign_in.access(arguments.listen)?;
    let public = arguments.sign_in.public_url();
    let known_as = public.iter().map(|public| public.host().to_owned());
    let allowed: Vec<String> = arguments.hosting.allow_host.iter().cloned().chain(known_as).collect();
    let hosts = if arguments.listen.ip().is_loopback() {
        // The address may be another one of the loopback network than 127.0.0.1.
        Hosts::local(allowed.into_iter().chain([arguments.listen.ip().to_string()]))
    } else {
        Hosts::reachable(allowed.into_iter().chain(own_name()))
    };
    // The other half is for the cache, for queries and for everything else that runs here.
    let memory = Memory { cache_bytes: arguments.cache_bytes, import_bytes: machine_bytes() / 2 };
    block_on(async {
        let (hosted, complaints) = arguments.keeping.open().await?;
        let db = hosted.db().clone();
        let storage = Storage::Hosted(hosted.clone());
        let proxies = arguments.sign_in.proxies();
        let door = Door { hosts, public, access, proxies };
        let app = arguments.hosting.app(storage, Some(db), memory, door)?;
        for complaint in complaints {
            tracing::warn!("{complaint}");
        }
        let jobs = Jobs::start(&app, &hosted).map_err(|error| CliError::Random { error })?;
        tokio::spawn(sweep(hosted));
        let ended = serve(app, arguments.listen).await;
        jobs.give_up().await;
        ended
    })?;
    Ok(Outcome::Success)
}

const SWEEP_INTERVAL: Duration = Duration::from_secs(600);

/// Periodically expires old traces, and removes bytes that belong to no trace.
async fn sweep(hosted: Hosted) {
    loop {
        match hosted.sweep().await {
            Ok(swept) if swept == SweepReport::default() => {}
            Ok(swept) => tracing::info!(?swept, "swept the store"),
            Err(error) => tracing::warn!("can't sweep the store: {error}"),
        }
        tokio::time::sleep(SWEEP_INTERVAL).await;
    }
}

fn own_name() -> Option<String> {
    Some(syclscope_launcher::host_name()).filter(|name| !name.is_empty())
}

async fn serve(app: Arc<App>, address: SocketAddr) -> Result<(), CliError> {
    listen::check_own_clock()?;
    let listener = listen::bind(address.ip(), Port::Exactly(address.port())).await.map_err(|error| {
        match error.kind() {
            std::io::ErrorKind::AddrInUse => CliError::AddressTaken { address },
            _ => CliError::ListenAt { address, error },
        }
    })?;
    let bound = listener.local_addr().map_err(|error| CliError::ListenAt { address, error })?;
    if !bound.ip().is_loopback() && matches!(app.access, Access::Everybody) {
        eprintln!("syclscope: warning: everyone who reaches {bound} can view, upload and delete traces");
    }
    let url = url(bound, &app, "");
    announce(&url)?;
    announce_key(&url, &app.access);
    let (live, proxies) = (app.live.clone(), app.proxies.clone());
    listen::serve(listener, router(app), proxies, || live.end())
        .await
        .map_err(|error| CliError::ListenAt { address, error })
}
