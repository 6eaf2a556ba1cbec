//! `syclscope health`: checks whether a server responds, for health checks that run a program.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use super::{CliError, Outcome};

/// Check that a server responds, for health checks of containers
///
/// Exits with 0 if it does.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  podman run --health-cmd '[\"/usr/local/bin/syclscope\", \"health\"]' …")]
pub(super) struct Arguments {
    /// Address of the server
    #[arg(value_name = "ADDRESS", default_value = "127.0.0.1:4717")]
    address: SocketAddr,
}

/// A server that takes longer is unhealthy.
const PATIENCE: Duration = Duration::from_secs(5);
/// More than the length of a status line.
const LINE_BYTES: u64 = 1 << 10;

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let address = arguments.address;
    let answer = ask(address).map_err(|error| CliError::NotHealthy { address, why: error.to_string() })?;
    let line = answer.lines().next().unwrap_or_default();
    if line.split(' ').nth(1) == Some("200") {
        return Ok(Outcome::Success);
    }
    let why = if line.is_empty() { "empty response".to_owned() } else { format!("its response was {line}") };
    Err(CliError::NotHealthy { address, why })
}

fn ask(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // Written at once: a server may respond to the first of several writes and close the connection before
    // the next.
    stream.write_all(
        format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").as_bytes(),
    )?;
    let mut answer = Vec::new();
    stream.take(LINE_BYTES).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
