//! `syclscope share`: uploads recordings to a team's server and prints their URLs.

mod sharing;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use syclscope_language::api::NewLink;

pub(super) use self::sharing::{Reach, Sharing};
use super::progress::Progress;
use super::{CliError, Outcome, print, report};
use syclscope_client as client;
use syclscope_client::{Client, Note, Recording, ShareError, Shared, Spool, Step};
use syclscope_text as text;

/// Upload recordings to a team's server, and print their URLs
///
/// A broken connection is retried, and the upload resumes, now or when the command runs again. A recording that the
/// server has is not uploaded twice. Without a network, --spool keeps recordings in a folder until `syclscope sync`
/// uploads them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope share run.pftrace --to https://traces.example
  syclscope share run.pftrace --label branch:main --label machine:pvc-3
  syclscope share run.pftrace --link --expires 7d          for somebody without an account
  syclscope share *.pftrace --spool /scratch/me/spool
  syclscope record --share https://traces.example -- ./stencil 4096

SYCLSCOPE_SERVER holds the address where --to is not given, SYCLSCOPE_TOKEN your token. The address
is all that is printed on standard output. A file that can't be read, or that the server refuses,
does not prevent the upload of the others. The command then ends with 1.")]
pub(super) struct Arguments {
    /// Recordings to upload
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Display name, for one FILE [default: the file's name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// URL of the server [default: SYCLSCOPE_SERVER]
    #[arg(long, value_name = "ADDRESS")]
    to: Option<client::ServerAddress>,
    /// Keep the recordings in this folder, for `syclscope sync`
    #[arg(long, value_name = "FOLDER", conflicts_with = "to")]
    spool: Option<PathBuf>,
    #[command(flatten)]
    sharing: Sharing,
    #[command(flatten)]
    reach: Reach,
    /// Print only URLs and errors
    #[arg(short, long)]
    quiet: bool,
}

/// Variable with the server's address. Read here and not by clap, for which a variable would conflict with --spool.
const SERVER: &str = "SYCLSCOPE_SERVER";

/// Returns the server of the option, or of the environment.
pub(super) fn server(named: Option<client::ServerAddress>) -> Result<client::ServerAddress, CliError> {
    if let Some(server) = named {
        return Ok(server);
    }
    let text = std::env::var(SERVER).ok().filter(|text| !text.trim().is_empty()).ok_or(CliError::NoServer)?;
    text.trim().parse().map_err(|error| CliError::WrongServer { error })
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let Arguments { files, name, to, spool, sharing, reach, quiet } = arguments;
    if name.is_some() && files.len() > 1 {
        return Err(CliError::OneName);
    }
    let recording = |path: &Path| sharing.recording(path, name.clone());
    if let Some(folder) = spool {
        let spool = Spool::in_folder(&folder);
        return each(&files, |path| {
            check_file(path).map_err(|error| ShareError::Unreadable { path: path.to_owned(), error })?;
            Ok(keep(&spool, &recording(path))?.display().to_string())
        });
    }
    let client = reach.client(server(to)?)?;
    each(&files, |path| send(&client, &recording(path), sharing.link().as_ref(), quiet))
}

/// Shares each file and prints its place. An error that concerns one of several files doesn't prevent the others.
fn each(files: &[PathBuf], place: impl Fn(&Path) -> Result<String, CliError>) -> Result<Outcome, CliError> {
    let mut outcome = Outcome::Success;
    for path in files {
        match place(path) {
            Ok(place) => drop(print(&place)?),
            Err(CliError::Share(error)) if files.len() > 1 && error.concerns_one_file() => {
                report(&error.into());
                outcome = Outcome::Failure;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(outcome)
}

/// Returns an error if a file can't be read or is a folder. Opening a folder succeeds.
fn check_file(path: &Path) -> io::Result<()> {
    let is_folder = File::open(path)?.metadata()?.is_dir();
    if is_folder { Err(io::ErrorKind::IsADirectory.into()) } else { Ok(()) }
}

pub(super) fn keep(spool: &Spool, recording: &Recording) -> Result<PathBuf, CliError> {
    let Recording { path, name, project, labels } = recording.clone();
    Ok(spool.add(&path, &Note { name, project, labels, address: None })?)
}

/// Uploads a recording, with a progress bar. Returns the URL of its page, or of a share link if requested.
pub(super) fn send(
    client: &Client,
    recording: &Recording,
    link: Option<&NewLink>,
    quiet: bool,
) -> Result<String, CliError> {
    let path = &recording.path;
    let unreadable = |error| ShareError::Unreadable { path: path.clone(), error };
    let size_bytes = std::fs::metadata(path).map_err(unreadable)?.len();
    let mut bar = Progress::new(size_bytes, quiet);
    let mut is_sending = false;
    let step = |step| match step {
        Step::Read(_) => {}
        Step::Sent(bytes) => {
            // Starts with the first bytes, so that the displayed rate is the network's.
            if !std::mem::replace(&mut is_sending, true) {
                bar = Progress::new(size_bytes, quiet);
            }
            bar.add(bytes);
        }
        Step::Importing => bar.say("importing on the server"),
    };
    let shared = block_on(client::send(client, recording, step))?;
    drop(bar);
    if !quiet {
        let (name, size) = (text::printable(&recording.name, 80), text::bytes(size_bytes));
        eprintln!("syclscope: {name} ({size}) {}", outcome(&shared, recording));
    }
    match link {
        Some(link) => block_on(client::link(client, &shared, link)).inspect_err(|_| {
            eprintln!(
                "syclscope: the trace is at {}, without a share link; create one there",
                shared.address
            );
        }),
        None => Ok(shared.address),
    }
}

/// Describes the outcome of an upload.
pub(super) fn outcome(shared: &Shared, recording: &Recording) -> &'static str {
    match (shared.was_there, recording.labels.is_empty()) {
        (false, _) => "uploaded",
        (true, true) => "was already there",
        // A trace may be another person's.
        (true, false) => "was already there and keeps its labels (set them on its page)",
    }
}

/// Runs a client's task on this thread.
pub(super) fn block_on<T>(talk: impl Future<Output = Result<T, ShareError>>) -> Result<T, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    Ok(runtime.map_err(|error| CliError::Threads { error })?.block_on(talk)?)
}
