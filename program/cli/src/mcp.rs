//! `syclscope mcp`: answers assistants' queries about recordings, by the Model Context Protocol.

mod defaults;
mod documents;
mod folders;
mod incoming;
mod pages;
mod protocol;
mod tools;
mod traces;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;

use self::folders::Folders;
use self::tools::{Program, Tools};
use super::{CliError, Outcome, record};

/// Answer an assistant's queries about recordings, by the Model Context Protocol
///
/// An assistant (Claude, Copilot, Cursor and others) starts this command and talks to it over standard input and
/// output. It can list, summarize and compare the recordings in the folders, and run every query of the page. It only
/// reads, sees nothing outside the folders, and opens no connection. With --run it can also try that program.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  claude mcp add syclscope -- syclscope mcp runs/
  {\"mcpServers\": {\"syclscope\": {\"command\": \"syclscope\", \"args\": [\"mcp\", \"/home/me/runs\"]}}}

  syclscope mcp runs/ --run ./stencil 4096

docs/MCP.md lists the tools.")]
pub(super) struct Arguments {
    /// Folders whose recordings may be read
    #[arg(value_name = "FOLDER", default_value = ".")]
    folders: Vec<PathBuf>,
    /// Program with its arguments that the assistant may run by `syclscope try`; without it the server only reads
    #[arg(long, num_args = 1.., allow_hyphen_values = true, value_name = "PROGRAM")]
    run: Vec<OsString>,
    #[command(flatten)]
    libraries: record::Libraries,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let folders = Folders::open(&arguments.folders)?;
    let program = Program::new(arguments.run, &arguments.libraries, &folders);
    let mut tools = Tools::new(folders, program);
    let mut out = std::io::stdout().lock();
    // A message is a line. The client ends the session by closing its end.
    let (lines, cancelled) = incoming::begin();
    for line in lines {
        let message = line.map_err(|error| CliError::Conversation { error })?;
        if let Some(answer) = protocol::answer(message.as_ref(), &mut tools, &cancelled) {
            let sent = writeln!(out, "{answer}").and_then(|()| out.flush());
            match sent {
                Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => break,
                sent => sent.map_err(|error| CliError::Conversation { error })?,
            }
        }
    }
    Ok(Outcome::Success)
}
