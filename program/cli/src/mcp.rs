//! `syclscope mcp`: answers programs that ask about recordings on a person's behalf, by the Model Context Protocol.

mod folders;
mod protocol;
mod tools;
mod traces;

use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;

use self::folders::Folders;
use self::tools::Tools;
use super::{CliError, Outcome};

/// Answer an assistant's queries about recordings, by the Model Context Protocol
///
/// An assistant (Claude, Copilot, Cursor and others) starts this command and talks to it over standard input and
/// output. It can list, summarize and compare the recordings in the folders, and run every query of the page. It only
/// reads, sees nothing outside the folders, and opens no connection.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  claude mcp add syclscope -- syclscope mcp runs/
  {\"mcpServers\": {\"syclscope\": {\"command\": \"syclscope\", \"args\": [\"mcp\", \"/home/me/runs\"]}}}

docs/MCP.md lists the tools.")]
pub(super) struct Arguments {
    /// Folders whose recordings may be read
    #[arg(value_name = "FOLDER", default_value = ".")]
    folders: Vec<PathBuf>,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let mut tools = Tools::new(Folders::open(&arguments.folders)?);
    let mut out = std::io::stdout().lock();
    // A message is a line; the client ends the conversation by closing its end.
    let mut incoming = std::io::stdin().lock();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read =
            incoming.read_until(b'\n', &mut bytes).map_err(|error| CliError::Conversation { error })?;
        if read == 0 {
            break;
        }
        let line = String::from_utf8_lossy(&bytes);
        if let Some(answer) = protocol::answer(&line, &mut tools) {
            let sent = writeln!(out, "{answer}").and_then(|()| out.flush());
            match sent {
                Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => break,
                sent => sent.map_err(|error| CliError::Conversation { error })?,
            }
        }
    }
    Ok(Outcome::Success)
}
