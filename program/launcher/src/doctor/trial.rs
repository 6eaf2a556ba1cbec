//! Records a program into a temporary file and reads the file.

use std::ffi::OsString;
use std::path::Path;

use syclscope_language::api::TraceInfo;

use super::{Check, Parts};
use crate::program::Program;
use crate::{Ending, LaunchError, Options, ProgramOutput, Recording, Status, Weight};
use syclscope_system::memory;
use syclscope_system::trace_file;
use syclscope_text::{count, counted};

pub(super) struct Trial {
    pub(super) ending: Ending,
    /// The program's output, to help find out why it failed.
    pub(super) output: String,
    recording: Recording,
    /// The files' contents, or why a file can't be read.
    contents: Result<Vec<TraceInfo>, String>,
}

/// Records a program into a temporary file. Captures the output of our own program; other output goes to
/// standard error.
///
/// # Errors
/// Returns an error if the recording could not start.
pub(super) fn record(
    parts: &Parts<'_>,
    program: &Program,
    arguments: &[OsString],
    is_ours: bool,
) -> Result<Trial, String> {
    let Some(subscriber) = parts.subscriber else { return Err("no recorder to load".to_owned()) };
    let log = parts.scratch.join("output.log");
    let folder = parts.scratch.join(if is_ours { "probe" } else { "program" });
    let options = Options {
        program: program.path.clone().into(),
        arguments: arguments.to_vec(),
        output: Some(folder.join("")),
        framework: Some(parts.framework.path.clone()),
        subscriber: Some(subscriber.to_owned()),
        program_output: if is_ours { ProgramOutput::File(log.clone()) } else { ProgramOutput::StandardError },
        ..Options::default()
    };
    let recording = crate::record(&options).map_err(|error: LaunchError| error.to_string())?;
    // The user's program has written to standard error; an earlier trial's log may be there.
    let text = if is_ours { std::fs::read(&log).unwrap_or_default() } else { Vec::new() };
    let output = match String::from_utf8_lossy(&text).trim() {
        "" => String::new(),
        text => format!("; it printed: {text}"),
    };
    let contents = recording.processes.iter().flat_map(Status::files).map(read).collect();
    Ok(Trial { ending: recording.run.ending, output, recording, contents })
}

fn read(path: &Path) -> Result<TraceInfo, String> {
    let trace =
        trace_file::open(path, memory::alone()).map_err(|error| format!("{}: {error}", path.display()))?;
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

pub(super) fn calls(trial: &Trial, major: u32) -> Check {
    const NAME: &str = "calls";
    let (interface, stream, remedy) = if major <= 7 {
        ("the Plugin Interface", "sycl.pi", "unset SYCLSCOPE_STREAMS if it is set")
    } else {
        (
            "the Unified Runtime",
            "ur.call",
            "unset SYCLSCOPE_STREAMS if it is set, and change UR_ENABLE_LAYERS in no script",
        )
    };
    match trial.calls() {
        0 if trial.recording.processes.is_empty() => Check::skipped(NAME, "the recording is empty"),
        0 if trial.contents.is_err() => Check::skipped(NAME, "the recording can't be read"),
        0 if trial.announces(stream) => Check::warning(
            NAME,
            format!(
                "the runtime announces calls of {interface} ({stream}), but reports none: recordings will lack commands, device times and \
                 dependences"
            ),
            remedy,
        ),
        0 => Check::warning(
            NAME,
            format!(
                "the runtime announces no calls of {interface} ({stream}): recordings will lack device times and dependences"
            ),
            "use a runtime that was built with tracing of its calls",
        ),
        calls => Check::ok(NAME, format!("recorded {} of {interface} ({stream})", counted(calls, "call"))),
    }
}

/// Names the source of device times if there is an NVIDIA GPU.
pub(super) fn cupti(trial: &Trial) -> Option<Check> {
    cupti_of(trial.contents.iter().flatten())
}

fn cupti_of<'a>(mut contents: impl Iterator<Item = &'a TraceInfo>) -> Option<Check> {
    const NAME: &str = "cupti";
    let source = contents.find_map(|info| info.facts.iter().find(|fact| fact.name == "device times"))?;
    let Some(why) = source.value.strip_prefix("the runtime's events, because ") else {
        return Some(Check::ok(NAME, format!("device times of NVIDIA GPUs come from {}", source.value)));
    };
    Some(Check::warning(
        NAME,
        format!(
            "{why}: the start of a command on an NVIDIA GPU is when its stream reaches it, so starts, durations, concurrency and \
             rates are bounds; command graphs have no times"
        ),
        "install CUPTI for the CUDA of the driver: `pip install nvidia-cuda-cupti-cu12` (CUDA 12) or nvidia-cuda-cupti (CUDA 13) \
         into the program's Python environment, or the CUDA toolkit, which has it in extras/CUPTI; name the toolkit in CUDA_HOME \
         if it is not in /usr/local/cuda",
    ))
}

pub(super) fn recording(trial: &Trial) -> Check {
    check("recording", trial, "the recording of a small program is readable")
}

pub(super) fn of_program(parts: &Parts<'_>, program: &Program, arguments: &[OsString]) -> Check {
    const NAME: &str = "program";
    match record(parts, program, arguments, false) {
        Err(why) => Check::failed(NAME, why, "see the checks above"),
        Ok(trial) => {
            let ending = trial.ending.describe();
            check(NAME, &trial, &format!("it {ending}, and its recording is readable"))
        }
    }
}

fn check(name: &'static str, trial: &Trial, success: &str) -> Check {
    if trial.recording.processes.is_empty() {
        let ending = trial.ending.describe();
        return Check::failed(
            name,
            format!("the program {ending}, and no process loaded the SYCL runtime's tracing{}", trial.output),
            "see the checks above. If they are fine and the program uses SYCL, it may use another runtime (name \
             that one with --xptifw), or clear its environment",
        );
    }
    let warnings = trial.recording.warnings();
    if let Some(error) = warnings.iter().find(|warning| warning.weight == Weight::Error) {
        let remedy = "try another runtime with --xptifw; the checks above may say more";
        return Check::failed(name, error.text.clone(), remedy);
    }
    let contents = match &trial.contents {
        Ok(contents) => contents,
        Err(why) => {
            return Check::failed(name, format!("can't read the recording: {why}"), "please report this");
        }
    };
    let commands: u64 = contents.iter().map(|info| info.counts.commands).sum();
    let figures = format!(
        "{success}: {}, {}, {}, {} missing, {} dropped, streams {}",
        counted(trial.sum(|process| process.events), "event"),
        counted(commands, "command"),
        counted(trial.sum(|process| process.device_times), "device time"),
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

#[cfg(test)]
mod tests {
    use syclscope_language::api::FactInfo;
    use syclscope_language::event::FactKind;

    use super::super::State;
    use super::*;

    #[test]
    fn what_nvidia_times_rest_on_is_said_and_what_is_missing_named() {
        let check = |source: Option<&str>| {
            let facts = source.map(|value| FactInfo {
                kind: FactKind::Setting,
                name: "device times".to_owned(),
                value: value.to_owned(),
                ..FactInfo::default()
            });
            let info = TraceInfo { facts: facts.into_iter().collect(), ..TraceInfo::default() };
            cupti_of([TraceInfo::default(), info].iter())
        };
        assert_eq!(check(None), None, "there is no such GPU");
        let there = check(Some("CUPTI (API 26, libcupti.so.13); driver calls matched by callback")).unwrap();
        assert_eq!((there.state, there.remedy), (State::Ok, None));
        for why in [
            "no libcupti.so was found",
            "libcupti.so.12 is older than that of CUDA 11.6",
            "CUPTI (libcupti.so) refuses: 39",
        ] {
            let missing = check(Some(&format!("the runtime's events, because {why}"))).unwrap();
            assert_eq!(missing.state, State::Warning);
            assert!(missing.says.starts_with(why) && missing.says.contains("starts"), "{}", missing.says);
            let remedy = missing.remedy.unwrap();
            for package in ["nvidia-cuda-cupti-cu12", "extras/CUPTI", "CUDA_HOME"] {
                assert!(remedy.contains(package), "{remedy}");
            }
        }
    }
}
