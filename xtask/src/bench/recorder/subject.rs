//! Programs for measuring the cost of recording.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::DirBuilderExt as _;
use std::process::{Child, Stdio};

use super::TURNS;
use crate::prelude::*;
use crate::setup::sycl;

/// The streams of calls exist only with the runtime's own tracing layer.
const LAYERS: &str = "UR_LAYER_TRACING";

pub(super) struct Subject<'a> {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<&'a str>,
    /// Variables in addition to the runtime's own.
    pub(super) environment: Vec<(&'static str, OsString)>,
}

impl<'a> Subject<'a> {
    pub(super) fn new(program: &Path, arguments: &[&'a str]) -> Self {
        Self { program: program.to_owned(), arguments: arguments.to_vec(), environment: Vec::new() }
    }
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
    /// The same, with a variable of the recorder.
    BesideWith(&'static str, &'static str),
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
    const INFINITE: Self =
        Self { wall_ns: f64::INFINITY, threads_ns: f64::INFINITY, process_ns: f64::INFINITY };

    fn min(self, other: Self) -> Self {
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

    /// Returns the minimum for each kind of recording, over the turns and the rounds that the program itself measures
    /// in each turn, and the number of dropped events. (The text collector's lines are in the same output.)
    pub(super) fn least_costs(
        &self,
        subject: &Subject<'_>,
        name: &str,
        kinds: &[Recorded],
    ) -> Result<(Vec<Costs>, f64)> {
        say::begins("measuring", name, &format!("{TURNS} turns"));
        let mut least = vec![Costs::INFINITE; kinds.len()];
        let mut dropped = 0.0;
        for _ in 0..TURNS {
            for (least, kind) in least.iter_mut().zip(kinds) {
                let printed = self.run(subject, *kind)?;
                let rounds: Vec<Costs> = printed.lines().filter_map(Costs::read).collect();
                if rounds.is_empty() {
                    return Err(Failure::new("the program printed no figure").with_output(&printed));
                }
                *least = rounds.into_iter().fold(*least, Costs::min);
                if let Recorded::Beside | Recorded::BesideWith(..) = kind {
                    dropped += self.status()?["dropped"].as_f64().unwrap_or(f64::NAN);
                }
            }
        }
        Ok((least, dropped))
    }

    pub(super) fn size(&self, subject: &Subject<'_>, detail: &'static str) -> Result<(f64, f64)> {
        self.run(subject, Recorded::ByUs(detail))?;
        let status = self.status()?;
        match (status["bytes"].as_f64(), status["events"].as_f64(), status["dropped"].as_f64()) {
            (Some(bytes), Some(events), Some(0.0)) if events > 0.0 => Ok((bytes, events)),
            _ => Err(Failure::new(format!("the recording is not whole: {status}"))),
        }
    }

    fn status(&self) -> Result<serde_json::Value> {
        let status = files::entries(&self.scratch())?
            .iter()
            .filter(|path| files::has_extension(path, "json"))
            .find_map(|path| serde_json::from_str(&files::read(path).ok()?).ok());
        status.ok_or_else(|| Failure::new("the recording left no status"))
    }

    fn scratch(&self) -> PathBuf {
        self.workspace.target.join("xtask/bench-recorder")
    }

    fn run(&self, subject: &Subject<'_>, recorded: Recorded) -> Result<String> {
        let scratch = self.scratch();
        files::empty(&scratch)?;
        let mut command = Command::new(&subject.program);
        command.args(&subject.arguments).current_dir(&scratch);
        command.envs(sycl::runtime(self.workspace).variables());
        command.envs(subject.environment.iter().map(|(name, value)| (name, value)));
        let mut beside = None;
        match recorded {
            Recorded::Not => {}
            Recorded::ByNobody => {
                command.envs(self.tracing(&self.empty));
            }
            Recorded::ByUs(_) | Recorded::Beside | Recorded::BesideWith(..) => {
                command.envs(self.tracing(&self.ours)).env("SYCLSCOPE_OUT", scratch.join("run.pftrace"));
                command.env("SYCLSCOPE_STATUS_DIR", &scratch);
                if let Recorded::ByUs(detail) = recorded {
                    command.env("SYCLSCOPE_DETAIL", detail);
                } else {
                    if let Recorded::BesideWith(name, value) = recorded {
                        command.env(name, value);
                    }
                    command.env("SYCLSCOPE_ON_FULL", "spill");
                    beside = Some(Beside::start(&self.drain, &mut command)?);
                }
            }
            Recorded::AsText => {
                command.envs(self.tracing(&self.text));
                command.env("SYCL_TRACE_UR_ENABLE", "1").env("SYCL_TRACE_API_ENABLE", "1");
            }
        }
        let printed = process::answer(&mut command);
        beside.map(Beside::end).transpose()?;
        printed
    }

    /// Returns the launcher's variables, for any library.
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

/// The process that drains a program's buffers, as `syclscope record` starts it. It removes the folder of the buffers
/// when it ends.
struct Beside {
    process: Child,
    program: PathBuf,
}

impl Beside {
    /// Starts the process, and makes `recorded` create its buffers in a folder in memory.
    fn start(drain: &Path, recorded: &mut Command) -> Result<Self> {
        let folder = PathBuf::from(format!("/dev/shm/syclscope-rings-{}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&folder).at("create", &folder)?;
        let mut command = Command::new(drain);
        command.arg(&folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().at("start", drain)?;
        let mut word = String::new();
        if let Some(words) = process.stdout.take() {
            BufReader::new(words).read_line(&mut word).at("read from", drain)?;
        }
        if word.trim() != "ready" {
            return Err(Failure::new(format!("{} is not ready: {word}", drain.display())));
        }
        recorded.env("SYCLSCOPE_RINGS", folder);
        Ok(Self { process, program: drain.to_owned() })
    }

    fn end(mut self) -> Result<()> {
        drop(self.process.stdin.take());
        let status = self.process.wait().at("wait for", &self.program)?;
        if status.success() {
            return Ok(());
        }
        Err(Failure::new(format!("{} ended with {status}", self.program.display())))
    }
}
