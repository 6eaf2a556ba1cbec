//! Checks whether recording works here, and suggests remedies where it doesn't: examines every part from the
//! SYCL runtime to the file, and then records a program.
//!
//! Code that may crash or hang, such as a driver or a library's initialisation, runs in a separate process
//! ([`probe`]).

mod counters;
mod devices;
mod level_zero;
mod machine;
pub mod probe;
mod runtime;
mod trial;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::framework::{self, Clues, Framework};
use super::program::{self, Program};
use super::{LaunchError, StatusFolder};

#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The runtime's `libxptifw.so` or its folder; searched for if `None`.
    pub framework: Option<PathBuf>,
    /// A subscriber to load instead of the embedded one.
    pub subscriber: Option<PathBuf>,
    /// The folder for recordings; the working folder if `None`.
    pub folder: Option<PathBuf>,
    pub program: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Ok,
    /// Not checked, because an earlier check failed.
    Skipped,
    /// Recording works, but with restrictions.
    Warning,
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub state: State,
    pub says: String,
    /// `None` if the check passed.
    pub remedy: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    pub works: bool,
    /// All checks, in the order in which they build on each other.
    pub checks: Vec<Check>,
    pub devices: Vec<Device>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Device {
    /// Empty if unknown.
    pub name: String,
    /// `cpu`, `gpu` or `other`.
    pub kind: String,
    /// Driver version, empty if unknown.
    pub driver: String,
    /// True if it reports execution times; `None` if unknown.
    pub profiling: Option<bool>,
}

impl Check {
    fn ok(name: &'static str, says: impl Into<String>) -> Self {
        Self { name, state: State::Ok, says: says.into(), remedy: None }
    }

    fn warning(name: &'static str, says: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, state: State::Warning, says: says.into(), remedy: Some(remedy.into()) }
    }

    fn failed(name: &'static str, says: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, state: State::Failed, says: says.into(), remedy: Some(remedy.into()) }
    }

    fn skipped(name: &'static str, because: &str) -> Self {
        Self { name, state: State::Skipped, says: format!("not checked, because {because}"), remedy: None }
    }
}

/// Checks this machine, and records the program, if there is one, by running it once.
///
/// # Errors
/// Returns an error if the program does not exist, or no temporary folder can be created.
pub fn examine(request: &Request) -> Result<Diagnosis, LaunchError> {
    let variable = |name: &str| std::env::var_os(name);
    let mut words = request.program.iter();
    let program = words.next().map(|name| program::find(name, variable("PATH").as_deref())).transpose()?;
    let arguments = words.as_slice();
    let scratch = StatusFolder::create()?;
    let folder = request.folder.clone().unwrap_or_else(|| PathBuf::from("."));

    let mut checks = vec![machine::temporary_folder(), machine::folder(&folder)];
    checks.extend(machine::file_size());
    checks.extend(machine::variables(&variable));
    checks.extend(program.as_ref().and_then(machine::program));
    let (subscriber, check) = recorder(request, &scratch.0);
    checks.push(check);
    checks.extend(subscriber.as_deref().map(|subscriber| counters::readable(subscriber, &scratch.0)));

    let clues = Clues {
        explicit: request.framework.as_deref(),
        program: program.as_ref(),
        arguments,
        variable: &variable,
    };
    let mut devices = Vec::new();
    match framework::find(&clues) {
        Err(error) => {
            checks.push(runtime::missing(&error));
            for name in ["dispatcher", "devices", "calls", "profiling", "recording"] {
                checks.push(Check::skipped(name, "no runtime was found"));
            }
        }
        Ok(found) => {
            let parts = Parts { framework: &found, subscriber: subscriber.as_deref(), scratch: &scratch.0 };
            let (runtime_checks, runtime) = runtime::checks(&found, program.as_ref());
            checks.extend(runtime_checks);
            checks.push(runtime::dispatcher(&found));
            let of_program = program.as_ref().map_or(Path::new(""), |program| &program.path);
            checks.extend(runtime::runtime_variables(&found, of_program));
            checks.extend(level_zero::loader());
            devices = devices::checks(&parts, runtime.as_ref(), &mut checks);
            if let Some(program) = &program {
                checks.push(trial::of_program(&parts, program, arguments));
            }
        }
    }
    Ok(Diagnosis { works: works(&checks), checks, devices })
}

/// True if something was recorded and no check failed.
fn works(checks: &[Check]) -> bool {
    let is_recording = |check: &Check| ["recording", "program"].contains(&check.name);
    let has_recorded = checks.iter().any(|check| is_recording(check) && check.state != State::Skipped);
    has_recorded && !checks.iter().any(|check| check.state == State::Failed)
}

struct Parts<'a> {
    framework: &'a Framework,
    subscriber: Option<&'a Path>,
    scratch: &'a Path,
}

fn recorder(request: &Request, scratch: &Path) -> (Option<PathBuf>, Check) {
    const NAME: &str = "recorder";
    let path = match super::subscriber_path(request.subscriber.as_deref(), scratch) {
        Ok(path) => path,
        Err(error) => return (None, Check::failed(NAME, error.to_string(), "see above")),
    };
    let check = match probe::try_loading(&path, probe::SUBSCRIBER_SYMBOLS) {
        Ok(()) => Check::ok(NAME, format!("loads from {}", path.display())),
        Err(why) => Check::failed(
            NAME,
            format!("can't load {}: {why}", path.display()),
            "if its file system is mounted with noexec, set XDG_CACHE_HOME to a folder on another disk",
        ),
    };
    (Some(path), check)
}

pub(super) fn this_program() -> std::io::Result<Program> {
    let path = std::env::current_exe()?;
    Ok(Program { name: path.clone().into(), path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_tried_does_not_work() {
        let half = Check::warning("runtime", "no libsycl", "name it");
        assert!(!works(&[half.clone(), Check::skipped("recording", "libsycl is missing")]));
        assert!(works(&[half.clone(), Check::ok("recording", "recorded")]));
        let tried = [Check::skipped("recording", "libsycl is missing"), Check::ok("program", "recorded")];
        assert!(works(&[&[half][..], &tried].concat()));
        assert!(!works(&[Check::ok("recording", "recorded"), Check::failed("folder", "full", "free some")]));
    }
}
