//! Shows files in the browser for `open` and `demo`: options, the server, and the line with its URL.

use std::io::IsTerminal as _;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use super::CliError;
use super::hosting::{Door, Hosting, Memory, announce, announce_key, block_on, own_account, url};
use syclscope_server::app::{App, CACHE_BYTES, Hosts};
use syclscope_server::auth::Proxies;
use syclscope_server::http::listen::{self, Port};
use syclscope_server::http::router::router;
use syclscope_server::storage::{Files, Storage, Stored};
use syclscope_system::memory;
use syclscope_text as text;

const PORT: u16 = 4717;

#[derive(Debug, clap::Args)]
pub(super) struct Showing {
    /// Port on 127.0.0.1 [default: 4717, or a free one if another program uses it]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Print the address, but don't open the browser
    #[arg(long)]
    no_browser: bool,
    /// End when standard input ends: the program that started this one may be killed
    #[arg(long, hide = true)]
    until_input_ends: bool,
    #[command(flatten)]
    hosting: Hosting,
}

pub(super) struct First<'a> {
    pub(super) stored: Stored,
    /// Path as given by the user.
    pub(super) path: &'a Path,
}

impl Showing {
    /// Serves `files` to this account alone until Ctrl-C. Calls `tell` with the page's base URL once the
    /// server responds.
    pub(super) fn show(
        &self,
        files: Files,
        first: Option<First<'_>>,
        tell: impl FnOnce(&str),
    ) -> Result<(), CliError> {
        if self.until_input_ends {
            std::thread::spawn(end_with_input);
        }
        let memory = Memory { cache_bytes: CACHE_BYTES, import_bytes: memory::bytes_alone() };
        let hosts = Hosts::local(self.hosting.allow_host.clone());
        let door = Door { hosts, public: None, access: own_account()?, proxies: Proxies::default() };
        let app = self.hosting.app(Storage::Files(files), None, memory, door)?;
        block_on(self.serve(app, first, tell))
    }

    async fn serve(
        &self,
        app: Arc<App>,
        first: Option<First<'_>>,
        tell: impl FnOnce(&str),
    ) -> Result<(), CliError> {
        let path = match &first {
            Some(first) => {
                import(&app, first).await?;
                format!("t/{}", first.stored.id)
            }
            None if is_of_ledger(&app) => "tries".to_owned(),
            None => String::new(),
        };
        let port = self.port.map_or(Port::Preferably(PORT), Port::Exactly);
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        listen::check_own_clock()?;
        let listener = listen::bind(address, port).await.map_err(|error| match port {
            Port::Exactly(port) if error.kind() == std::io::ErrorKind::AddrInUse => {
                CliError::PortTaken { port }
            }
            _ => CliError::Listen { error },
        })?;
        let address = listener.local_addr().map_err(|error| CliError::Listen { error })?;
        if self.port.is_none() && address.port() != PORT {
            eprintln!("syclscope: another program uses port {PORT}, so this is port {}", address.port());
        }
        let front = url(address, &app, &path);
        announce(&front)?;
        announce_key(&front, &app.access);
        tell(&url(address, &app, ""));
        if !self.no_browser {
            open_browser(&front);
        }
        eprintln!("syclscope: Ctrl-C ends it");
        let proxies = app.proxies.clone();
        listen::serve(listener, router(app), proxies, || ()).await.map_err(|error| CliError::Listen { error })
    }
}

fn end_with_input() {
    let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
    // No client is left that waits for a response.
    std::process::exit(0);
}

/// True if the folder is the ledger folder of `syclscope try`.
fn is_of_ledger(app: &App) -> bool {
    matches!(&app.storage, Storage::Files(files) if files.is_of_ledger())
}

/// Imports a single trace before the page requests it, so that errors of an invalid file appear on the
/// terminal.
async fn import(app: &Arc<App>, First { stored, path }: &First<'_>) -> Result<(), CliError> {
    let started = Instant::now();
    let trace = app
        .ready(stored)
        .await
        .map_err(|error| CliError::NotATrace { path: path.to_path_buf(), error: error.to_string() })?;
    let counts = trace.info().counts;
    let ns = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
    // Pages of this process group digits, but a log file must not.
    let mut slices = text::counted(counts.slices, "slice");
    if !std::io::stderr().is_terminal() {
        slices = text::without_groups(&slices);
    }
    eprintln!(
        "syclscope: {}: {} and {}, read in {}",
        text::path(path),
        text::bytes(stored.entry.size_bytes),
        slices,
        text::duration(ns)
    );
    Ok(())
}

/// Opens `url` in the desktop's browser. Does nothing without a desktop, since the URL is already printed.
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
