//! Runs a program and records it: finds the runtime's tracing framework, sets the environment, starts the
//! program without changing its standard streams and signals, and reports the result.
//!
//! The launcher checks the prerequisites of a recording before it starts the program. After that the program
//! has priority: if recording fails, the program still runs.

mod child;
mod control;
pub mod doctor;
pub mod drain;
mod environment;
mod error;
mod framework;
mod linked;
mod merging;
mod output;
mod program;
mod progress;
mod quantity;
mod rank;
mod report;
mod runtime_variables;
mod settings;
mod status;
mod subscriber;
mod survivors;
mod sys;
mod waiting;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use child::{Ending, Run};
pub use error::LaunchError;
pub use framework::Candidate;
pub use merging::{
    MergeFailure, Merged, in_folder as recordings_in_folder, is_older, merge_into, process_of,
};
pub use progress::Progress;
pub use quantity::{Frequency, Period, Size};
pub use report::Weight;
pub use runtime_variables::RuntimeVariables;
pub use settings::{Detail, Graphs, OnFull, Patterns, Purpose, STREAM_GROUPS, Settings, Stacks, Streams};
pub use status::Status;
pub use survivors::Survivor;

use syclscope_system::{embedded, temporary_folder};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Perfetto's protobuf: compact, supported by most viewers, the default.
    Perfetto,
    /// Chrome's trace events as JSON: larger, readable by people and scripts.
    Json,
}

impl Format {
    fn extension(self) -> &'static str {
        match self {
            Self::Perfetto => "pftrace",
            Self::Json => "json",
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A path, or a name to look up in `PATH`.
    pub program: OsString,
    pub arguments: Vec<OsString>,
    /// The file to write, or a folder in which every process gets a file. Without it, the first free one of
    /// `run.pftrace`, `run-2.pftrace`… in the working folder, with `.json` instead for JSON.
    pub output: Option<PathBuf>,
    /// True if an existing `output` may be overwritten.
    pub replace: bool,
    pub settings: Settings,
    /// The runtime's `libxptifw.so` or its folder; searched for if `None`.
    pub framework: Option<PathBuf>,
    /// A subscriber to load instead of the embedded one.
    pub subscriber: Option<PathBuf>,
    pub progress: Progress,
    /// True if `SIGUSR1` and `SIGUSR2` are forwarded to the program instead of pausing and resuming the
    /// recording.
    pub passes_usr_signals: bool,
    pub program_output: ProgramOutput,
    /// Additional environment variables of the program.
    pub variables: Vec<(&'static str, OsString)>,
}

impl Options {
    fn variable(&self, name: &str) -> Option<OsString> {
        let own = self.variables.iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone());
        own.or_else(|| std::env::var_os(name))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProgramOutput {
    /// To our own standard output and standard error.
    #[default]
    Own,
    /// Both to standard error, which keeps standard output for our own results.
    StandardError,
    File(PathBuf),
}

#[derive(Clone, Debug)]
pub struct Recording {
    pub run: Run,
    /// The recording of the first process that used SYCL; `None` if nothing was recorded, or if the output is
    /// a folder.
    pub output: Option<PathBuf>,
    pub folder: Option<PathBuf>,
    /// The merged recordings of the folder; `None` while other ranks may still record into it.
    pub merged: Option<Result<Merged, Arc<MergeFailure>>>,
    /// Every process that loaded the subscriber.
    pub processes: Vec<Status>,
    pub framework: PathBuf,
    /// Total time for which signals paused the recording.
    pub paused: Duration,
    /// Streams that the user named in full.
    pub streams: Vec<String>,
    /// True if an MPI launcher started this process as one of several.
    pub is_one_of_many: bool,
    /// Possible losses if the program was killed.
    pub unsaved: Option<Unsaved>,
    /// Variables that were set so that the program finds its runtime's libraries and a device.
    pub runtime_variables: RuntimeVariables,
    /// A note about frameworks that load another tool instead of the recorder.
    pub other_tools: Option<String>,
    /// Processes that outlive the program and may record later.
    pub survivors: Vec<Survivor>,
    /// Folder of the survivors' recordings, or the file beside which they are.
    pub later: PathBuf,
}

/// Reason why the file of a killed program may lack its last moments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsaved {
    /// Programs emptied their buffers themselves, for this reason.
    Alone(String),
    /// The process that empties buffers ended early and left this folder.
    Left(PathBuf),
}

enum Destination {
    /// The first process writes to this file, the others to files next to it.
    File(output::Output),
    /// Every process creates a file in this folder.
    Folder(output::Folder),
}

impl Destination {
    fn new(options: &Options, format: Format) -> Result<Self, LaunchError> {
        let Some(path) = &options.output else {
            let folder = std::env::current_dir().map_err(|error| LaunchError::NoWorkingFolder { error })?;
            return output::Output::reserve_default(&folder, format).map(Self::File);
        };
        let rank = rank::rank(|name| std::env::var_os(name));
        let path =
            output::expand(path, &host_name(), &rank.unwrap_or_else(|| std::process::id().to_string()))?;
        if output::Folder::is_folder(&path) {
            output::Folder::at(&path).map(Self::Folder)
        } else {
            output::Output::reserve(&path, options.replace).map(Self::File)
        }
    }

    fn path(&self) -> &Path {
        match self {
            Self::File(output) => &output.path,
            Self::Folder(folder) => &folder.path,
        }
    }

    fn literal(&self) -> OsString {
        match self {
            Self::File(output) => output::literal(&output.path, false),
            Self::Folder(folder) => output::literal(&folder.path, true),
        }
    }
}

fn format(options: &Options) -> Format {
    options.settings.format.unwrap_or_else(|| match &options.output {
        Some(path) if !output::Folder::is_folder(path) => output::format_of(path),
        _ => Format::Perfetto,
    })
}

fn locate(options: &Options) -> Result<(program::Program, PathBuf), LaunchError> {
    let variable = |name: &str| options.variable(name);
    let program = program::find(&options.program, variable("PATH").as_deref())?;
    let clues = framework::Clues {
        explicit: options.framework.as_deref(),
        program: Some(&program),
        arguments: &options.arguments,
        variable: &variable,
    };
    let framework = framework::find(&clues)?.path;
    Ok((program, framework))
}

/// Runs a program and records it.
///
/// # Errors
/// Returns an error if recording can't work or the program can't be started. Then the program has not run, and no file
/// is left.
pub fn record(options: &Options) -> Result<Recording, LaunchError> {
    let variable = |name: &str| options.variable(name);
    let (program, framework) = locate(options)?;
    let status_folder = StatusFolder::create()?;
    let subscriber = subscriber_path(options.subscriber.as_deref(), &status_folder.0)?;
    let format = format(options);
    let destination = Destination::new(options, format)?;

    let (drain, mut unsaved) = match drain::Drain::start(&subscriber) {
        Ok(drain) => (Some(drain), None),
        Err(why) => (None, Some(Unsaved::Alone(why))),
    };
    let paths = environment::Paths {
        framework: &framework,
        subscriber: &subscriber,
        output: &destination.literal(),
        status_folder: &status_folder.0,
        rings: drain.as_ref().map(drain::Drain::folder),
    };
    let runtime_variables = RuntimeVariables::find(&framework, &program.path, &variable);
    let other_tools = environment::note(&options.settings, &subscriber, variable);
    let mut changes = environment::changes(&paths, format, &options.settings, variable);
    // The recorder's own variables come last and take precedence.
    changes.0.splice(0..0, options.variables.iter().cloned());
    changes.0.extend(runtime_variables.variables());
    let mut companion = child::Companion {
        control: control::Control::new(&status_folder.0, options.settings.paused),
        passes_usr_signals: options.passes_usr_signals,
        display: progress::Display::new(options.progress, &status_folder.0),
        program_output: options.program_output.clone(),
    };
    let run = child::run(&program, &options.arguments, &changes, &mut companion);
    let mut waiting = waiting::Waiting::new(options.progress != Progress::Off, &status_folder.0);
    if let Some(Err(folder)) = drain.map(|drain| drain.end(&mut waiting)) {
        unsaved = Some(Unsaved::Left(folder));
    }

    let processes = status::read_all(&status_folder.0);
    let survivors = survivors::find(&status_folder.0);
    let later = destination.path().to_owned();
    let (output, folder) = settle(destination, &processes)?;
    let run = run.map_err(|error| LaunchError::Start { path: program.path, error })?;
    let streams = options.settings.streams.iter().flat_map(Streams::exact).map(str::to_owned).collect();
    let paused = companion.control.paused();
    let is_one_of_many = rank::is_one_of_many(variable);
    let merged = folder.as_ref().filter(|_| !is_one_of_many).and_then(|folder| {
        collect(folder, &processes, &options.program, format, options.replace).map_err(Arc::new).transpose()
    });
    Ok(Recording {
        run,
        output,
        folder,
        merged,
        processes,
        framework,
        paused,
        streams,
        is_one_of_many,
        unsaved,
        runtime_variables,
        other_tools,
        survivors,
        later,
    })
}

/// Runs a program as [`record`] does, but without recording it, for comparison.
///
/// # Errors
/// Returns an error if recording can't work or the program can't be started. Then the program has not run.
pub fn run_bare(options: &Options) -> Result<Run, LaunchError> {
    let variable = |name: &str| options.variable(name);
    let (program, framework) = locate(options)?;
    let status_folder = StatusFolder::create()?;
    subscriber_path(options.subscriber.as_deref(), &status_folder.0)?;
    settle(Destination::new(options, format(options))?, &[])?;
    let mut changes = environment::Changes(options.variables.clone());
    changes.0.extend(RuntimeVariables::find(&framework, &program.path, &variable).variables());
    let mut companion = child::Companion {
        control: control::Control::new(&status_folder.0, false),
        passes_usr_signals: options.passes_usr_signals,
        display: None,
        program_output: options.program_output.clone(),
    };
    child::run(&program, &options.arguments, &changes, &mut companion)
        .map_err(|error| LaunchError::Start { path: program.path, error })
}

/// Writes the recordings of an interrupted run from its folder. Returns false if the folder has none.
///
/// # Errors
/// Returns an error if the recordings can't be written.
pub fn recover(folder: &Path, subscriber: Option<&Path>) -> Result<bool, RecoverError> {
    let last_resort = StatusFolder::create()?;
    let subscriber = subscriber_path(subscriber, &last_resort.0)?;
    let mut waiting = waiting::Waiting::new(true, &last_resort.0);
    let is_any =
        drain::recover(folder, &subscriber, &last_resort.0, &mut waiting).map_err(RecoverError::Failed)?;
    // The buffers are empty, too, if their events could not be written.
    match report::unwritten(&status::read_all(&last_resort.0)) {
        Some(why) => Err(RecoverError::Failed(why)),
        None => Ok(is_any),
    }
}

#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error("can't recover: {0}")]
    Failed(String),
}

/// Removes files without events. Returns the file of the first process, or the folder.
fn settle(
    destination: Destination,
    processes: &[Status],
) -> Result<(Option<PathBuf>, Option<PathBuf>), LaunchError> {
    let (folder, reserved) = match &destination {
        Destination::File(output::Output { path, .. }) => {
            (path.parent().unwrap_or(path), Some(path.as_path()))
        }
        Destination::Folder(folder) => (folder.path.as_path(), None),
    };
    let empty = processes.iter().filter(|process| process.ended_without_events());
    let (own, others): (Vec<&Status>, Vec<&Status>) =
        empty.partition(|process| reserved == Some(process.output.as_path()));
    for file in others.into_iter().flat_map(Status::files).filter(|file| file.starts_with(folder)) {
        // A file that can't be removed only has a header and a footer, which is harmless.
        let _ = fs::remove_file(file);
    }
    match destination {
        Destination::File(output) => {
            let path = output.path.clone();
            let settled = output.settle(!own.is_empty());
            let is_recorded = settled.map_err(|error| LaunchError::Output { path: path.clone(), error })?;
            Ok((is_recorded.then_some(path), None))
        }
        Destination::Folder(folder) => {
            let path = folder.path.clone();
            folder.settle();
            Ok((None, Some(path)))
        }
    }
}

/// Merges all recordings in a folder into a file named after the program; `None` if there are none.
fn collect(
    folder: &Path,
    processes: &[Status],
    program: &OsStr,
    format: Format,
    may_replace: bool,
) -> Result<Option<Merged>, MergeFailure> {
    let files: Vec<PathBuf> = processes.iter().flat_map(Status::files).map(Path::to_owned).collect();
    let Some(first) = files.first() else { return Ok(None) };
    // The recorder names files `<program>.<host>.<pid>.<extension>`.
    let first = first.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let program_name = Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned();
    let stem =
        first.split_once(&format!(".{}.", host_name())).map_or(program_name, |(name, _)| name.to_owned());
    let stem = merging::name_of_run(&stem);
    let reserved = if may_replace {
        output::Output::reserve(&folder.join(format!("{stem}.{}", format.extension())), true)
    } else {
        output::Output::free(folder, stem, format)
    };
    let reserved = reserved.map_err(|error| MergeFailure::Write {
        path: folder.to_owned(),
        error: io::Error::other(error.to_string()),
    })?;
    merging::collect(&files, reserved, format).map(Some)
}

pub fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

/// Ends this process by the signal that ended the program, so that our parent sees the same status. Returns
/// the exit code to use if the signal does not end this process.
pub fn die_by(signal: i32) -> u8 {
    sys::die_by(signal);
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

/// Returns the path of the subscriber to load: the user's, or the embedded one, unpacked.
fn subscriber_path(explicit: Option<&Path>, last_resort: &Path) -> Result<PathBuf, LaunchError> {
    if let Some(path) = explicit {
        let absolute = std::path::absolute(path).ok().filter(|path| path.is_file());
        return absolute.ok_or_else(|| LaunchError::NoSuchSubscriber { path: path.to_owned() });
    }
    let library = embedded::subscriber().ok_or(LaunchError::NoSubscriber)?;
    let library = library.map_err(|error| {
        let failures = vec![(PathBuf::from("the embedded recorder"), error)];
        LaunchError::Unpack { failures }
    })?;
    let mut folders = subscriber::folders(|name| std::env::var_os(name));
    folders.push(last_resort.to_owned());
    subscriber::unpack(&library, &folders)
}

/// A private folder for status files, removed when the recording is over.
struct StatusFolder(PathBuf);

impl StatusFolder {
    fn create() -> Result<Self, LaunchError> {
        let failed = |error| LaunchError::StatusFolder { folder: temporary_folder(), error };
        let number = getrandom::u64().map_err(|error| failed(io::Error::other(error)))?;
        let path = temporary_folder().join(format!("syclscope-{number:016x}"));
        let path = std::path::absolute(path).map_err(failed)?;
        fs::DirBuilder::new().mode(0o700).create(&path).map_err(failed)?;
        Ok(Self(path))
    }
}

impl Drop for StatusFolder {
    fn drop(&mut self) {
        // A process that outlives the program may write here now; a folder left behind is harmless.
        let _ = fs::remove_dir_all(&self.0);
    }
}
