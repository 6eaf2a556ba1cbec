//! `syclscope record`: runs a program and records it; with `--repeat` several times, each run with its own file.

mod bare_runs;
mod delivery;
pub(super) mod ending;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use syclscope_launcher as launcher;
use syclscope_launcher::{
    self, Detail, Format, Frequency, Graphs, OnFull, Options, Patterns, Period, ProgramOutput, Progress,
    Purpose, Settings, Size, Stacks, Streams,
};

use super::{CliError, Outcome};

/// Run a SYCL program and record it
///
/// The program needs no changes and no rebuild. It keeps its input, output and exit code, and receives the usual
/// signals sent to syclscope. The file survives if the program is killed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  syclscope record -- ./stencil 4096
  syclscope record -o before.pftrace -- python3 train.py --steps 10
  syclscope record -o runs/ -- ./driver --workers 4       one file per process in runs/
  mpirun -n 4 syclscope record -o runs/ -- ./stencil      one file per rank in runs/
  syclscope record --start-after 30s --duration 5s -- ./server
  syclscope record --max-size 512M -- ./service           keeps the newest 256 to 512 MiB
  syclscope record --kernels 'gemm*,-*warmup*' -- ./train
  syclscope record --detail low --streams sycl,calls -- ./stencil
View the recording with `syclscope open run.pftrace`, or at ui.perfetto.dev.

Signals: SIGUSR1 sent to syclscope pauses the recording, SIGUSR2 resumes it. syclscope passes
SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGXCPU, SIGWINCH and those of job control on to the
program.

syclscope finds the program's SYCL runtime wherever the program runs without syclscope. Versions
2024.2, 2025.0, 2025.2 and 2026.2 are tested; others may work. Every process that the program starts
and that uses SYCL gets its own file, with its process id in the name.
`syclscope doctor` checks whether recording works here. docs/RECORDING.md has the details.")]
pub(super) struct Arguments {
    /// Output file, or folder (an existing one, or a name that ends in /) for one file per process. %h stands for the
    /// host, %r for the rank [default: run.pftrace, or run-2.pftrace… if that exists]
    #[arg(short, long, value_name = "FILE|FOLDER")]
    output: Option<PathBuf>,
    /// Output format [default: json if FILE ends in .json, else perfetto]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Overwrite FILE, once there is a new recording
    #[arg(long, requires = "output")]
    force: bool,
    /// Run the program N times, each into its own file (run-1.pftrace, run-2.pftrace…), for `syclscope compare`; stops
    /// at the first run that fails
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: Option<u32>,
    /// Run the program without recording before each recorded run, and print both times and their ratio
    #[arg(long, conflicts_with = "quiet")]
    bare_first: bool,
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    when: When,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    delivery: delivery::Delivery,
    #[command(flatten)]
    libraries: Libraries,
    /// Pass SIGUSR1 and SIGUSR2 on to the program, instead of pausing the recording
    #[arg(long, help_heading = "Launching")]
    pass_usr_signals: bool,
    /// Display of the live count of events, bytes and drops, if standard error is a terminal. Choose line only for
    /// programs that print nothing
    #[arg(long, value_enum, value_name = "WHERE", default_value = "title", help_heading = "Launching")]
    progress: Progress,
    /// Print nothing but errors, and URLs of --share
    #[arg(short, long, help_heading = "Launching")]
    quiet: bool,
    /// Program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM", help_heading = None::<&str>)]
    program: Vec<OsString>,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Contents")]
pub(super) struct What {
    /// Purpose of the recording: sets --streams, --detail and the like to the cheapest values for it, unless
    /// they are given. timing: kernels, copies, launches; waits; memory; everything
    #[arg(long = "for", value_enum, value_name = "QUESTION", hide_possible_values = true)]
    purpose: Option<Purpose>,
    /// Streams to record: groups (sycl, calls, memory, buffers, images, native, ranges, user) or exact names with a
    /// dot, separated by commas; -NAME leaves one out. all adds silent streams and calls of Level Zero [default: all of
    /// these groups]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    streams: Option<Streams>,
    /// Detail of each event: calls by name and result (low), also their arguments (normal), also their source locations
    /// and the arguments of kernels (high) [default: normal]
    #[arg(long, value_enum, value_name = "LEVEL", hide_possible_values = true)]
    detail: Option<Detail>,
    /// Kernels to record: names with *, separated by commas; -PATTERN leaves kernels out. The recording counts the
    /// executions that it leaves out
    #[arg(long, value_name = "PATTERNS", allow_hyphen_values = true)]
    kernels: Option<Patterns>,
    /// Device times of command graphs on NVIDIA GPUs: of each node, or of each execution as a whole, which slows its
    /// submission far less [default: nodes]
    #[arg(long, value_enum, value_name = "HOW", hide_possible_values = true)]
    graphs: Option<Graphs>,
    /// Leave out the text of source files
    #[arg(long)]
    no_sources: bool,
    /// Leave out environment variables and facts about the user
    #[arg(long)]
    no_environment: bool,
    /// Record source locations of native code instead of lines of Python programs
    #[arg(long)]
    no_python_lines: bool,
    /// Call stacks of commands, waits, allocations and builds: none (off), of native code (native), of Python (python),
    /// or of both as one (all) [default: python; off with --detail low or --no-python-lines]
    #[arg(long, value_enum, value_name = "STACKS", hide_possible_values = true)]
    stacks: Option<Stacks>,
    /// Sample the stacks of host threads, 1 to 1000 times a second. Idle time then names the functions that ran
    /// [default: none]
    #[arg(long, value_name = "FREQUENCY")]
    sample: Option<Frequency>,
    /// Leave out the counters of process and machine: processor use, memory, clocks and power
    #[arg(long)]
    no_counters: bool,
}

impl What {
    /// Returns the settings of these options, completed by those of the purpose.
    pub(super) fn settings(self) -> Settings {
        let own = Settings {
            streams: self.streams,
            detail: self.detail,
            kernels: self.kernels,
            graphs: self.graphs,
            no_sources: self.no_sources,
            no_environment: self.no_environment,
            no_python_lines: self.no_python_lines,
            stacks: self.stacks,
            sample: self.sample,
            no_counters: self.no_counters,
            ..Settings::default()
        };
        match self.purpose {
            Some(purpose) => purpose.complete(own),
            None => own,
        }
    }
}

/// Libraries of a recording, if they are not found automatically.
#[derive(Debug, clap::Args)]
pub(super) struct Libraries {
    /// The SYCL runtime's libxptifw.so or its folder [default: search for it]
    #[arg(long, value_name = "PATH", help_heading = "Launching")]
    pub(super) xptifw: Option<PathBuf>,
    /// Load this subscriber instead of the built-in one (for work on syclscope itself)
    #[arg(long, value_name = "PATH", help_heading = "Launching")]
    pub(super) subscriber: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Start and end")]
struct When {
    /// Start recording this long after the program's first use of SYCL, like 500ms, 2s, 1m; with --paused it has no
    /// effect
    #[arg(long, value_name = "TIME")]
    start_after: Option<Period>,
    /// Stop recording after this long; the program goes on
    #[arg(long, value_name = "TIME")]
    duration: Option<Period>,
    /// Start paused; SIGUSR2 to syclscope starts the recording
    #[arg(long, conflicts_with = "pass_usr_signals")]
    paused: bool,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
struct Limits {
    /// Buffer for the unwritten events of each thread, like 8M [default: 8M]
    #[arg(long, value_name = "SIZE")]
    buffer_size: Option<Size>,
    /// If that buffer is full: spill to disk while it has room (spill), drop events and count them (drop), or make the
    /// program wait (wait) [default: spill]
    #[arg(long, value_enum, value_name = "CHOICE", hide_possible_values = true)]
    on_full: Option<OnFull>,
    /// Disk space limit of each process, like 512M; keeps the newest events
    #[arg(long, value_name = "SIZE")]
    max_size: Option<Size>,
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    arguments.delivery.check()?;
    let Arguments { what, when, limits, .. } = arguments;
    let settings = Settings {
        format: arguments.format,
        buffer_size: limits.buffer_size,
        on_full: limits.on_full,
        start_after: when.start_after,
        duration: when.duration,
        max_size: limits.max_size,
        paused: when.paused,
        ..what.settings()
    };
    let mut words = arguments.program.into_iter();
    let options = Options {
        program: words.next().unwrap_or_default(),
        arguments: words.collect(),
        output: arguments.output,
        replace: arguments.force,
        settings,
        framework: arguments.libraries.xptifw,
        subscriber: arguments.libraries.subscriber,
        progress: if arguments.quiet { Progress::Off } else { arguments.progress },
        passes_usr_signals: arguments.pass_usr_signals,
        program_output: ProgramOutput::Own,
        variables: Vec::new(),
    };
    let is_json = arguments.format == Some(Format::Json);
    let mut ending = launcher::Ending::Code(0);
    let mut runs = bare_runs::BareRuns::default();
    let mut printed = ending::Printed::default();
    for run in 1..=arguments.repeat.unwrap_or(1) {
        let options = arguments.repeat.map_or_else(|| options.clone(), |_| of_run(&options, run, is_json));
        let bare = arguments.bare_first.then(|| launcher::run_bare(&options)).transpose()?;
        if let Some(bare) = bare
            && bare.ending != launcher::Ending::Code(0)
        {
            let end = bare.ending.describe();
            eprintln!("syclscope: the program {end} in the run without recording, so it was not recorded");
            return Ok(Outcome::Program(bare.ending));
        }
        let recording = launcher::record(&options)?;
        ending::warn(&recording, arguments.quiet, &mut printed);
        if !arguments.quiet {
            ending::summarise(&recording);
        }
        arguments.delivery.run(&recording, arguments.quiet);
        ending = recording.run.ending;
        if ending != launcher::Ending::Code(0) {
            break;
        }
        if let Some(bare) = bare {
            runs.add(bare.wall_time, recording.run.wall_time);
        }
    }
    if let Some(summary) = runs.summary() {
        eprintln!("syclscope: {summary}");
    }
    Ok(Outcome::Program(ending))
}

/// Default name of a recording.
const USUAL: &str = "run.pftrace";

/// Returns the options of one run, counted from 1: `run.pftrace` becomes `run-3.pftrace`, and a folder gets a
/// subfolder.
pub(crate) fn of_run(options: &Options, run: u32, format_is_json: bool) -> Options {
    let usual = || PathBuf::from(if format_is_json { "run.json" } else { USUAL });
    let output = options.output.clone().unwrap_or_else(usual);
    Options { output: Some(numbered(&output, run)), ..options.clone() }
}

fn numbered(output: &Path, run: u32) -> PathBuf {
    let is_folder = output.is_dir() || output.as_os_str().as_encoded_bytes().ends_with(b"/");
    if is_folder {
        // The slash marks the output as a folder.
        return output.join(format!("run-{run}/"));
    }
    let stem = output.file_stem().unwrap_or_else(|| OsStr::new("run")).to_string_lossy();
    let end = output.extension().map_or_else(String::new, |end| format!(".{}", end.to_string_lossy()));
    output.with_file_name(format!("{stem}-{run}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_has_a_name_of_its_own() {
        let of = |path: &str| numbered(Path::new(path), 3).to_string_lossy().into_owned();
        assert_eq!(of("before.pftrace"), "before-3.pftrace");
        assert_eq!(of("a/b.json"), "a/b-3.json");
        assert_eq!(of("trace"), "trace-3");
        assert_eq!(of("runs/"), "runs/run-3/");
    }
}
