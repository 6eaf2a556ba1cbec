//! `syclscope sync`: uploads the recordings that wait in a folder.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::share::{Reach, block_on, outcome, server};
use super::{CliError, Outcome, print};
use syclscope_client as client;
use syclscope_client::{Client, ServerAddress, ShareError, Shared, Spool, Waiting};
use syclscope_system::raise_open_files;
use syclscope_text as text;

/// Upload the recordings that wait in a folder
///
/// `record --spool` and `share --spool` put them there, for example on machines without a network. Each is
/// uploaded once, however often this runs; failed uploads stay and are resumed by the next run.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope record --spool /scratch/me/spool -- ./stencil 4096
  syclscope sync /scratch/me/spool --to https://traces.example

sync prints the URL of each uploaded recording, and keeps it in FOLDER/NAME.shared.json.
The exit code is 1 if an upload failed, else 0.")]
pub(super) struct Arguments {
    /// Folder with the recordings
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// URL of the server [default: SYCLSCOPE_SERVER]
    #[arg(long, value_name = "ADDRESS")]
    to: Option<ServerAddress>,
    /// Number of parallel uploads
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=64))]
    at_once: u8,
    #[command(flatten)]
    reach: Reach,
    /// Print only URLs and errors
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug)]
struct Work {
    left: Mutex<VecDeque<Waiting>>,
    failed: Mutex<u64>,
    all: usize,
    quiet: bool,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let Arguments { folder, to, at_once, reach, quiet } = arguments;
    let client = reach.client(server(to)?)?;
    // Each waiting recording is locked by its open note.
    raise_open_files();
    let (waiting, unreadable) = Spool::in_folder(&folder).waiting()?;
    for error in &unreadable {
        eprintln!("syclscope: {}", text::safe(&error.to_string()));
    }
    if !quiet {
        let bytes: u64 = waiting.iter().map(Waiting::size_bytes).sum();
        eprintln!(
            "syclscope: {} to upload ({})",
            text::counted(waiting.len() as u64, "recording"),
            text::bytes(bytes)
        );
    }
    let all = waiting.len();
    let failed = Mutex::new(unreadable.len() as u64);
    let work = Arc::new(Work { left: Mutex::new(waiting.into()), failed, all, quiet });
    block_on(async {
        let senders: Vec<_> =
            (0..at_once).map(|_| tokio::spawn(send_all(client.clone(), Arc::clone(&work)))).collect();
        for sender in senders {
            sender.await.map_err(|error| ShareError::Setup(error.to_string()))?;
        }
        Ok(())
    })?;
    let failed = *work.failed.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(if failed == 0 { Outcome::Success } else { Outcome::Failure })
}

async fn send_all(client: Client, work: Arc<Work>) {
    while let Some(waiting) = work.next() {
        let recording = waiting.recording();
        let sent = client::send(&client, &recording, |_| {}).await;
        let name = text::printable(&recording.name, 80);
        if let Err(error) =
            sent.map_err(CliError::from).and_then(|shared| work.finish(waiting, &shared, &name))
        {
            eprintln!("syclscope: {name}: {}", text::safe(&error.to_string()));
            *work.failed.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        }
    }
}

impl Work {
    fn next(&self) -> Option<Waiting> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    fn finish(&self, waiting: Waiting, shared: &Shared, name: &str) -> Result<(), CliError> {
        let (size, how) = (text::bytes(waiting.size_bytes()), outcome(shared, &waiting.recording()));
        waiting.finish(shared)?;
        if !self.quiet {
            eprintln!("syclscope: {name} ({size}) {how}, one of {}", text::count(self.all as u64));
        }
        print(&shared.address).map(drop)
    }
}
