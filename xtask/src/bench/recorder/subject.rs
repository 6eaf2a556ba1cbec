//! Programs for measuring the cost of recording.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::beside::Beside;
use crate::failure::{AtPath, Failure, Result};
use crate::process;
use crate::setup::sycl;
use crate::workspace::Workspace;

/// The streams of calls exist only with the runtime's own tracing layer.
const LAYERS: &str = "UR_LAYER_TRACING";

pub(super) struct Subject<'a> {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<&'a str>,
    /// Variables beside the runtime's own.
    pub(super) environment: Vec<(&'static str, OsString)>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Recorded {
    Not,
    /// A subscriber that does nothing.
    ByNobody,
    /// With a level of detail, by the program's own writer.
    ByUs(&'static str),
    /// As by `syclscope record`: another process drains the buffers.
    Beside,
    AsText,
}

/// Cost of a kernel in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    pub(super) wall_ns: f64,
    /// Processor time of the submitting threads.
    pub(super) threads_ns: f64,
    /// Processor time of the whole process.
    pub(super) process_ns: f64,
}

impl Costs {
    pub(super) const MOST: Self =
        Self { wall_ns: f64::INFINITY, threads_ns: f64::INFINITY, process_ns: f64::INFINITY };

    pub(super) fn min(self, other: Self) -> Self {
        Self {
            wall_ns: self.wall_ns.min(other.wall_ns),
            threads_ns: self.threads_ns.min(other.threads_ns),
            process_ns: self.process_ns.min(other.process_ns),
        }
    }

    fn read(line: &str) -> Option<Self> {
        let numbers: Vec<f64> =
            line.split(' ').map(str::parse).collect::<std::result::Result<_, _>>().ok()?;
        let [wall_ns, threads_ns, process_ns] = numbers[..] else { return None };
        Some(Self { wall_ns, threads_ns, process_ns })
    }
}

pub(super) struct Tracing<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) empty: PathBuf,
    pub(super) ours: PathBuf,
    pub(super) text: PathBuf,
    /// Drains buffers in a separate process: the `drain` example of the recorder.
    pub(super) drain: PathBuf,
}

impl Tracing<'_> {
    pub(super) fn seconds(&self, subject: &Subject<'_>, recorded: Recorded) -> Result<f64> {
        let begun = Instant::now();
        self.run(subject, recorded)?;
        Ok(begun.elapsed().as_secs_f64())
    }

    /// Minimum over the rounds that the program itself measured. (The text collector's lines are in the same output.)
    pub(super) fn round_costs(&self, subject: &Subject<'_>, recorded: Recorded) -> Result<Costs> {
        let printed = self.run(subject, recorded)?;
        let rounds: Vec<Costs> = printed.lines().filter_map(Costs::read).collect();
        if rounds.is_empty() {
            return Err(Failure::new("the program printed no figure").with_output(&printed));
        }
        Ok(rounds.into_iter().fold(Costs::MOST, Costs::min))
    }

    pub(super) fn size(&self, subject: &Subject<'_>, detail: &'static str) -> Result<(f64, f64)> {
        self.run(subject, Recorded::ByUs(detail))?;
        let status = self.status()?;
        match (status["bytes"].as_f64(), status["events"].as_f64(), status["dropped"].as_u64()) {
            (Some(bytes), Some(events), Some(0)) if events > 0.0 => Ok((bytes, events)),
            _ => Err(Failure::new(format!("the recording is not whole: {status}"))),
        }
    }

    pub(super) fn status(&self) -> Result<serde_json::Value> {
        let scratch = self.scratch();
        let entries = std::fs::read_dir(&scratch).at("read", &scratch)?;
        let statuses = entries.flatten().map(|entry| entry.path());
        let status = statuses
            .filter(|path| path.extension().is_some_and(|name| name == "json"))
            .find_map(|path| serde_json::from_slice::<serde_json::Value>(&std::fs::read(path).ok()?).ok());
        status.ok_or_else(|| Failure::new("the recording left no status"))
    }

    fn scratch(&self) -> PathBuf {
        self.workspace.target.join("xtask/bench-recorder")
    }

    fn run(&self, subject: &Subject<'_>, recorded: Recorded) -> Result<String> {
        let scratch = self.scratch();
        let _ = std::fs::remove_dir_all(&scratch);
        std::fs::create_dir_all(&scratch).at("create", &scratch)?;
        let mut command = Command::new(&subject.program);
        command.args(&subject.arguments).current_dir(&scratch).stdin(Stdio::null());
        command.envs(sycl::runtime(self.workspace).variables());
        command.envs(subject.environment.iter().map(|(name, value)| (name, value)));
        let mut beside = None;
        match recorded {
            Recorded::Not => {}
            Recorded::ByNobody => {
                command.envs(self.tracing(&self.empty));
            }
            Recorded::ByUs(detail) => {
                command.envs(self.tracing(&self.ours)).env("SYCLSCOPE_OUT", scratch.join("run.pftrace"));
                command.env("SYCLSCOPE_STATUS_DIR", &scratch).env("SYCLSCOPE_DETAIL", detail);
            }
            Recorded::Beside => {
                command.envs(self.tracing(&self.ours)).env("SYCLSCOPE_OUT", scratch.join("run.pftrace"));
                command.env("SYCLSCOPE_STATUS_DIR", &scratch).env("SYCLSCOPE_ON_FULL", "spill");
                beside = Some(Beside::start(&self.drain, &mut command)?);
            }
            Recorded::AsText => {
                command.envs(self.tracing(&self.text));
                command.env("SYCL_TRACE_UR_ENABLE", "1").env("SYCL_TRACE_API_ENABLE", "1");
            }
        }
        let output = command.output().map_err(|error| {
            Failure::new(format!("{} can't be run: {error}", process::described(&command)))
        })?;
        beside.map(Beside::end).transpose()?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            let what = format!("{} ended with {}", process::described(&command), output.status);
            return Err(Failure::new(what).with_output(&words));
        }
        Ok(printed)
    }

    /// The launcher's variables, for any library.
    fn tracing(&self, subscriber: &Path) -> Vec<(&'static str, OsString)> {
        let framework = sycl::runtime(self.workspace).link.join("lib/libxptifw.so");
        vec![
            ("XPTI_FRAMEWORK_DISPATCHER", framework.into()),
            ("XPTI_SUBSCRIBERS", subscriber.into()),
            ("XPTI_TRACE_ENABLE", "1".into()),
            ("UR_ENABLE_LAYERS", LAYERS.into()),
        ]
    }
}
