//! Records something for real, into a temporary file, and looks at what came of it.

use std::ffi::OsString;
use std::path::Path;

use syclscope_language::api::TraceInfo;

use super::{Check, Parts};
use crate::launch::program::Program;
use crate::launch::{self, Ending, LaunchError, Options, ProgramOutput, Recording, Status, Weight};
use crate::text::count;
use crate::trace_cache;

/// A recording, and what is in it.
pub(super) struct Trial {
    pub(super) ending: Ending,
    /// What the program printed, for the one who must find out why it failed.
    pub(super) said: String,
    recording: Recording,
    /// What the files hold; or why one can't be read.
    contents: Result<Vec<TraceInfo>, String>,
}

/// Records a program into a temporary file. Its output is kept where it is ours, else it goes to standard error.
///
/// # Errors
/// When the recording could not be started.
pub(super) fn record(
    parts: &Parts<'_>,
    program: &Program,
    arguments: &[OsString],
    is_ours: bool,
) -> Result<Trial, String> {
    let Some(subscriber) = parts.subscriber else { return Err("there is no recorder to load".to_owned()) };
    let log = parts.scratch.join("output.log");
    let folder = parts.scratch.join(if is_ours { "probe" } else { "program" });
    let options = Options {
        program: program.path.clone().into(),
        arguments: arguments.to_vec(),
        output: Some(folder.join("")),
        framework: Some(parts.found.path.clone()),
        subscriber: Some(subscriber.to_owned()),
        program_output: if is_ours { ProgramOutput::File(log.clone()) } else { ProgramOutput::StandardError },
        ..Options::default()
    };
    let recording = launch::record(&options).map_err(|error: LaunchError| error.to_string())?;
    let text = std::fs::read(&log).unwrap_or_default();
    let said = match String::from_utf8_lossy(&text).trim() {
        "" => String::new(),
        text => format!("; it said: {text}"),
    };
    let contents = recording.processes.iter().flat_map(Status::files).map(read).collect();
    Ok(Trial { ending: recording.run.ending, said, recording, contents })
}

fn read(path: &Path) -> Result<TraceInfo, String> {
    let trace = trace_cache::open_file(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(trace.info())
}

impl Trial {
    fn sum(&self, of: fn(&Status) -> u64) -> u64 {
        self.recording.processes.iter().map(of).sum()
    }

    fn calls(&self) -> u64 {
        self.contents.iter().flatten().map(|info| info.counts.calls).sum()
    }

    fn announces(&self, stream: &str) -> bool {
        self.recording
            .processes
            .iter()
            .flat_map(|process| &process.streams)
            .any(|one| one.starts_with(stream))
    }
}

/// Whether the runtime's calls are reported.
pub(super) fn calls(trial: &Trial, major: u32) -> Check {
    const NAME: &str = "calls";
    let (interface, stream, remedy) = if major <= 7 {
        ("the Plugin Interface", "sycl.pi", "is SYCLSCOPE_STREAMS set?")
    } else {
        (
            "the Unified Runtime",
            "ur.call",
            "is UR_ENABLE_LAYERS changed by a script, or SYCLSCOPE_STREAMS set?",
        )
    };
    match trial.calls() {
        0 if trial.recording.processes.is_empty() => Check::skipped(NAME, "nothing was recorded"),
        0 if trial.announces(stream) => Check::warning(
            NAME,
            format!("calls of {interface} ({stream}) are announced, but none came"),
            format!("commands, device times and dependences will be incomplete; {remedy}"),
        ),
        0 => Check::warning(
            NAME,
            format!("calls of {interface} ({stream}) are not announced"),
            "this runtime was built without them; device times and dependences will be missing",
        ),
        calls => Check::ok(NAME, format!("{} calls of {interface} ({stream}) were recorded", count(calls))),
    }
}

/// Whether the recording as such works.
pub(super) fn recording(trial: &Trial) -> Check {
    check("recording", trial, "a small program was recorded and read back")
}

/// Whether the user's program can be recorded.
pub(super) fn of_program(parts: &Parts<'_>, program: &Program, arguments: &[OsString]) -> Check {
    const NAME: &str = "program";
    match record(parts, program, arguments, false) {
        Err(why) => Check::failed(NAME, why, "see the checks above"),
        Ok(trial) => {
            let ending = trial.ending.describe();
            check(NAME, &trial, &format!("it {ending} and was recorded and read back"))
        }
    }
}

fn check(name: &'static str, trial: &Trial, success: &str) -> Check {
    if trial.recording.processes.is_empty() {
        let ending = trial.ending.describe();
        return Check::failed(
            name,
            format!("it {ending}, and no process loaded the SYCL runtime's tracing{}", trial.said),
            "see the checks above. If all is well there: does it use SYCL? Then its runtime may be another one (name \
             that with --xptifw), or it clears its environment",
        );
    }
    let warnings = trial.recording.warnings();
    if let Some(error) = warnings.iter().find(|warning| warning.weight == Weight::Error) {
        let remedy = "`--xptifw` chooses another runtime; the checks above may say more";
        return Check::failed(name, error.text.clone(), remedy);
    }
    let contents = match &trial.contents {
        Ok(contents) => contents,
        Err(why) => {
            return Check::failed(
                name,
                format!("what was recorded can't be read: {why}"),
                "please report this",
            );
        }
    };
    let commands: u64 = contents.iter().map(|info| info.counts.nodes).sum();
    let figures = format!(
        "{success}: {} events, {} commands, {} device times, {} missing, {} dropped, streams {}",
        count(trial.sum(|process| process.events)),
        count(commands),
        count(trial.sum(|process| process.device_times)),
        count(trial.sum(|process| process.device_times_missing)),
        count(trial.sum(|process| process.dropped)),
        streams(&trial.recording.processes),
    );
    match warnings.iter().find(|warning| warning.weight == Weight::Warning) {
        Some(warning) => Check::warning(name, figures, warning.text.clone()),
        None => Check::ok(name, figures),
    }
}

fn streams(processes: &[Status]) -> String {
    let mut streams: Vec<&str> =
        processes.iter().flat_map(|process| &process.streams).map(String::as_str).collect();
    streams.sort_unstable();
    streams.dedup();
    streams.join(" ")
}
