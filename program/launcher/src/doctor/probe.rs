//! Loads libraries and queries devices in a separate process, which runs this executable with a hidden
//! subcommand. If that process crashes, this one continues and reports it.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use super::Device;
use crate::Ending;
use crate::sys::{self, Library};

pub const SUBCOMMAND: &str = "probe";

/// Functions of the framework that the recorder requires.
pub(super) const FRAMEWORK_SYMBOLS: &[&str] = &[
    "xptiRegisterStream",
    "xptiRegisterCallback",
    "xptiLookupString",
    "xptiLookupObject",
    "xptiQueryMetadata",
];
pub(super) const SUBSCRIBER_SYMBOLS: &[&str] = &["xptiTraceInit", "xptiTraceFinish"];

const PATIENCE_SECONDS: u32 = 60;

/// Tries to load a library in a separate process.
///
/// # Errors
/// Returns the reason if the library can't be loaded, or the names of the functions that it lacks.
pub(super) fn try_loading(library: &Path, symbols: &[&str]) -> Result<(), String> {
    let arguments = [OsStr::new("library"), library.as_os_str()];
    run(arguments.into_iter().chain(symbols.iter().map(OsStr::new)))
}

/// Queries the counters that a subscriber can read here, in a separate process, since that loads drivers'
/// libraries.
///
/// # Errors
/// Returns the reason if the subscriber can't be queried.
pub(super) fn try_counters(subscriber: &Path, answer: &Path) -> Result<String, String> {
    run([OsStr::new("counters"), subscriber.as_os_str(), answer.as_os_str()])?;
    std::fs::read_to_string(answer).map_err(|error| error.to_string())
}

fn run<'a>(arguments: impl IntoIterator<Item = &'a OsStr>) -> Result<(), String> {
    let program = super::this_program().map_err(|error| error.to_string())?;
    let output = Command::new(program.path)
        .arg(SUBCOMMAND)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .map_err(|error| format!("can't start a process to try: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Err(match std::os::unix::process::ExitStatusExt::signal(&output.status) {
        Some(signal) => format!("the process that loads it {}", Ending::Signal(signal).describe()),
        None if said.is_empty() => format!("loading ended with {}", output.status),
        None => said,
    })
}

/// In the separate process: loads a library.
///
/// # Errors
/// Returns the reason if the library can't be loaded, or the names of the functions that it lacks.
pub fn library(library: &Path, symbols: &[String]) -> Result<(), String> {
    sys::end_after(PATIENCE_SECONDS);
    let library = Library::open(library)?;
    let lacking: Vec<&str> = symbols.iter().map(String::as_str).filter(|name| !library.has(name)).collect();
    if lacking.is_empty() { Ok(()) } else { Err(format!("it lacks {}", lacking.join(", "))) }
}

/// In the separate process: writes the list of counters that a subscriber can read.
///
/// # Errors
/// Returns the reason if the subscriber can't be queried.
pub fn counters(subscriber: &Path, answer: &Path) -> Result<(), String> {
    sys::end_after(PATIENCE_SECONDS);
    match Library::open(subscriber)?.call(c"syclscope_counters", answer) {
        Some(0) => Ok(()),
        Some(_) => Err(format!("{} can't be written", answer.display())),
        None => Err(format!("{} has no such function", subscriber.display())),
    }
}

/// In the separate process: queries a runtime for its devices.
///
/// # Errors
/// Returns the reason if the runtime can't be queried.
pub fn devices(libsycl: &Path, major: u32) -> Result<Vec<Device>, String> {
    sys::end_after(PATIENCE_SECONDS);
    let devices = sys::devices(Library::open(libsycl)?, major)?;
    let device = |one: sys::Description| Device {
        name: one.name,
        kind: one.kind,
        driver: one.driver,
        profiling: one.profiling,
    };
    Ok(devices.into_iter().map(device).collect())
}
