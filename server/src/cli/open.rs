//! `syclscope open`: shows a trace, or the traces of a folder, in the browser.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use super::hosting::{Door, Hosting, Memory, announce, announce_key, block_on, own_account, url};
use super::{CliError, Outcome};
use crate::access::Proxies;
use crate::app::{App, CACHE_BYTES, Hosts};
use crate::listen::{self, Port};
use crate::memory;
use crate::router::router;
use crate::storage::{Files, Storage, Stored};
use crate::text;

pub(super) const PORT: u16 = 4717;

/// Show a trace, or the traces of a folder, in the browser
///
/// Only your account on this computer can open the page. syclscope reads the files and never changes them. Ctrl-C ends it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope open run.pftrace
  syclscope open recordings/
  syclscope open --no-browser --port 8080 run.json

On a remote computer? Forward the port with `ssh -L 4717:127.0.0.1:4717 HOST`, and open the printed
address.")]
pub(super) struct Arguments {
    /// A trace (Perfetto or Chrome JSON), or a folder of traces
    #[arg(value_name = "FILE|FOLDER")]
    path: PathBuf,
    /// Port on 127.0.0.1 [default: 4717, or a free one if another program uses it]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Print the address, but don't open the browser
    #[arg(long)]
    no_browser: bool,
    #[command(flatten)]
    hosting: Hosting,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let files = Files::at(&arguments.path)
        .map_err(|error| CliError::Unreadable { path: arguments.path.clone(), error: error.to_string() })?;
    let only = files
        .only()
        .transpose()
        .map_err(|error| CliError::Unreadable { path: arguments.path.clone(), error: error.to_string() })?;
    let memory = Memory { cache_bytes: CACHE_BYTES, import_bytes: memory::bytes_alone() };
    let hosts = Hosts::local(arguments.hosting.allow_host.clone());
    let files = Storage::Files(files);
    let door = Door { hosts, public: None, access: own_account()?, proxies: Proxies::default() };
    let app = arguments.hosting.app(files, None, memory, door)?;
    block_on(serve(app, only, &arguments))?;
    Ok(Outcome::Success)
}

async fn serve(app: Arc<App>, only: Option<Stored>, arguments: &Arguments) -> Result<(), CliError> {
    let path = match &only {
        Some(stored) => {
            import(&app, stored, arguments).await?;
            format!("t/{}", stored.id)
        }
        None => String::new(),
    };
    let port = arguments.port.map_or(Port::Preferably(PORT), Port::Exactly);
    let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let listener = listen::bind(address, port).await.map_err(|error| match port {
        Port::Exactly(port) if error.kind() == std::io::ErrorKind::AddrInUse => CliError::PortTaken { port },
        _ => CliError::Listen { error },
    })?;
    let address = listener.local_addr().map_err(|error| CliError::Listen { error })?;
    if arguments.port.is_none() && address.port() != PORT {
        eprintln!("syclscope: another program uses port {PORT}, so this is port {}", address.port());
    }
    let url = url(address, &app, &path);
    announce(&url)?;
    announce_key(&url, &app.access);
    if !arguments.no_browser {
        open_browser(&url);
    }
    eprintln!("syclscope: Ctrl-C ends it");
    listen::serve(listener, router(app), || ()).await.map_err(|error| CliError::Listen { error })
}

/// Imports the one trace before the page asks for it, so that the terminal shows what is wrong with a bad file.
async fn import(app: &Arc<App>, stored: &Stored, arguments: &Arguments) -> Result<(), CliError> {
    let started = Instant::now();
    let trace = app
        .ready(stored)
        .await
        .map_err(|error| CliError::NotATrace { path: arguments.path.clone(), error: error.to_string() })?;
    let counts = trace.info().counts;
    let ns = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
    eprintln!(
        "syclscope: {}: {} and {}, read in {}",
        arguments.path.display(),
        text::bytes(stored.entry.size_bytes),
        text::counted(counts.slices, "slice"),
        text::duration(ns)
    );
    Ok(())
}

/// Asks the desktop to show `url`. Without a desktop it does nothing: the address is already printed.
fn open_browser(url: &str) {
    let has_desktop = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|v| !v.is_empty()));
    if !has_desktop {
        return;
    }
    let started = Command::new("xdg-open")
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match started {
        Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
        Err(error) => {
            eprintln!("syclscope: can't start xdg-open ({error}); open the address yourself")
        }
    }
}
