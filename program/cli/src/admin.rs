//! `syclscope admin`: backs up a server, restores a backup, and checks that database rows and stored bytes
//! match.

use clap::Subcommand;

use super::hosting::block_on;
use super::scratch::Scratch;
use super::storage_args::{Places, SCRATCH_BYTES, store_at};
use super::{CliError, Outcome, print};
use syclscope_server::storage::backup::{self, CheckReport, CopyReport};
use syclscope_text as text;

/// Back up and restore a server, and check its traces
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope admin backup --data /srv/syclscope --to /backup/syclscope
  syclscope admin backup --database postgres://me@db/s --store s3://traces --to s3://other
  syclscope admin restore --from /backup/syclscope --data /srv/new
  syclscope admin check --data /srv/syclscope

backup and check work while the server runs. A second backup into the same place copies only new
traces.")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: AdminCommand,
}

#[derive(Debug, Subcommand)]
enum AdminCommand {
    /// Copy database and traces, as of one moment, to a folder or store; the server may be running
    Backup(Backup),
    /// Restore a backup into an empty server that is not running
    Restore(Restore),
    /// Check that every trace has its bytes, unchanged, and that no bytes are orphaned; exits with 1 if not
    Check(Check),
}

#[derive(Debug, clap::Args)]
struct Backup {
    #[command(flatten)]
    places: Places,
    /// Destination: a folder, or a store such as s3://BUCKET/PREFIX
    #[arg(long, value_name = "PLACE")]
    to: String,
}

#[derive(Debug, clap::Args)]
struct Restore {
    /// Source: a folder, or a store such as s3://BUCKET/PREFIX
    #[arg(long, value_name = "PLACE")]
    from: String,
    #[command(flatten)]
    places: Places,
}

#[derive(Debug, clap::Args)]
struct Check {
    #[command(flatten)]
    places: Places,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let (text, faults) = block_on(async {
        // Each store needs its own folder, because objects of two stores have the same names.
        let (scratch, other) = (Scratch::new()?, Scratch::new()?);
        match arguments.command {
            AdminCommand::Backup(Backup { places, to }) => {
                let (db, store) = places.beside(scratch.path()).await?;
                let to = store_at(&to, other.path(), SCRATCH_BYTES)?;
                Ok(describe("backed up", backup::back_up(&db, &store, &to).await?))
            }
            AdminCommand::Restore(Restore { from, places }) => {
                let from = store_at(&from, other.path(), SCRATCH_BYTES)?;
                let (hosted, _) = places.open(u64::MAX, false).await?;
                Ok(describe("restored", backup::restore(&from, hosted.db(), hosted.store()).await?))
            }
            AdminCommand::Check(Check { places }) => {
                let (db, store) = places.beside(scratch.path()).await?;
                let CheckReport { traces, bytes, faults } = backup::check(&db, &store).await?;
                let text =
                    format!("checked {}, {}", text::counted(traces as u64, "trace"), text::bytes(bytes));
                Ok((text, faults))
            }
        }
    })?;
    for fault in &faults {
        eprintln!("syclscope: {fault}");
    }
    print(&text)?;
    Ok(if faults.is_empty() { Outcome::Success } else { Outcome::Failure })
}

fn describe(what: &str, CopyReport { traces, copied, bytes, faults }: CopyReport) -> (String, Vec<String>) {
    let all = text::counted(traces as u64, "trace");
    (format!("{what} {all} ({copied} copied, {})", text::bytes(bytes)), faults)
}
