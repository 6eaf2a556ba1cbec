//! The hidden subcommand that `syclscope doctor` runs in a separate process, because it may crash.

use std::io::Write as _;
use std::path::PathBuf;

use super::{CliError, Outcome};
use syclscope_launcher::doctor::probe;

#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Load a library and look for these symbols; prints what fails
    Library { library: PathBuf, symbols: Vec<String> },
    /// Write to ANSWER which counters SUBSCRIBER can read
    Counters { subscriber: PathBuf, answer: PathBuf },
    /// Ask libsycl.so.MAJOR for its devices and write them to ANSWER
    Devices { libsycl: PathBuf, major: u32, answer: PathBuf },
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let done = match arguments.what {
        What::Library { library, symbols } => probe::library(&library, &symbols),
        What::Counters { subscriber, answer } => probe::counters(&subscriber, &answer),
        What::Devices { libsycl, major, answer } => probe::devices(&libsycl, major).and_then(|devices| {
            let text = serde_json::to_vec(&devices).map_err(|error| error.to_string())?;
            syclscope_system::private_files::write(&answer, 0o600, &text).map_err(|error| error.to_string())
        }),
    };
    match done {
        Ok(()) => Ok(Outcome::Success),
        Err(why) => {
            writeln!(std::io::stdout().lock(), "{why}").map_err(|error| CliError::Print { error })?;
            Ok(Outcome::Failure)
        }
    }
}
