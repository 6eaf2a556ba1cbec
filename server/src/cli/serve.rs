//! `syclscope serve`: stores traces in a data folder and hosts them.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use super::hosting::{Hosting, Memory, announce, announce_key, block_on, own_account, url};
use super::{CliError, Outcome};
use crate::access::Access;
use crate::app::{App, CACHE_BYTES, Hosts};
use crate::db::Db;
use crate::listen::{self, Port};
use crate::memory::machine_bytes;
use crate::router::router;
use crate::storage::{DataFolder, Storage};

/// Store traces in a folder and host them
///
/// The page lists them and accepts new ones by drag and drop. On a local address only your account on this computer gets
/// in; on any other, whoever reaches the address can view, upload and delete traces.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope serve --data /srv/syclscope
  syclscope serve --data traces --listen 0.0.0.0:4717
  curl --data-binary @run.pftrace 'http://127.0.0.1:4717/api/v1/traces?name=run.pftrace'

A stored trace is DIR/traces/ID/trace.bin. Only one server at a time can use a DIR. Ctrl-C or
SIGTERM ends it.")]
pub(super) struct Arguments {
    /// Folder for traces; created if it doesn't exist
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Address and port to listen on
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:4717")]
    listen: SocketAddr,
    /// Largest upload in bytes
    #[arg(long, value_name = "N", default_value_t = 4 << 30)]
    max_upload_bytes: u64,
    /// Bytes of memory for traces that are in use
    #[arg(long, value_name = "N", default_value_t = CACHE_BYTES)]
    cache_bytes: u64,
    /// Let every account of this computer in, and not only yours: for a reverse proxy on this computer, which must then
    /// know its users. A server on an address that other computers reach has no such limit
    #[arg(long)]
    any_account: bool,
    #[command(flatten)]
    hosting: Hosting,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let (folder, complaints) = DataFolder::open(&arguments.data, arguments.max_upload_bytes)?;
    let allowed = arguments.hosting.allow_host.clone();
    let hosts = if arguments.listen.ip().is_loopback() {
        Hosts::local(allowed)
    } else {
        Hosts::reachable(allowed.into_iter().chain(own_name()))
    };
    let is_private = arguments.listen.ip().is_loopback() && !arguments.any_account;
    let access = if is_private { own_account()? } else { Access::Everybody };
    // The other half is for the cache, for questions and for all else that runs here.
    let memory = Memory { cache_bytes: arguments.cache_bytes, import_bytes: machine_bytes() / 2 };
    block_on(async {
        let db = Db::in_folder(&arguments.data).await?;
        db.migrate().await?;
        let storage = Storage::DataFolder(folder);
        let app = arguments.hosting.app(storage, Some(db), memory, hosts, access)?;
        for complaint in complaints {
            tracing::warn!("{complaint}");
        }
        serve(app, arguments.listen).await
    })?;
    Ok(Outcome::Success)
}

/// This computer's name for itself.
fn own_name() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

async fn serve(app: Arc<App>, address: SocketAddr) -> Result<(), CliError> {
    let listener = listen::bind(address.ip(), Port::Exactly(address.port())).await.map_err(|error| {
        match error.kind() {
            std::io::ErrorKind::AddrInUse => CliError::AddressTaken { address },
            _ => CliError::ListenAt { address, error },
        }
    })?;
    let bound = listener.local_addr().map_err(|error| CliError::ListenAt { address, error })?;
    if !bound.ip().is_loopback() {
        eprintln!("syclscope: warning: everybody who reaches {bound} can view, upload and delete traces");
    }
    let url = url(bound, &app, "");
    announce(&url)?;
    announce_key(&url, &app.access);
    listen::serve(listener, router(app)).await.map_err(|error| CliError::ListenAt { address, error })
}
