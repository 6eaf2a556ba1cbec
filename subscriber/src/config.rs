//! Settings from the environment, read once when the recording starts.
//!
//! An invalid value never stops a program: the default is used, and a note names the variable and its valid values.
//! Notes go to the status file and into the recording.

mod names;
mod output;
mod stacks;
mod streams;
mod units;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

pub(crate) use names::NamePatterns;
pub(crate) use output::with_part;
pub(crate) use stacks::{Stacks, stacks};
pub(crate) use streams::StreamChoice;

use crate::flags::FLAGS;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    #[default]
    Perfetto,
    /// Chrome trace event format.
    Json,
}

impl Format {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Perfetto => "perfetto",
            Self::Json => "json",
        }
    }

    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Perfetto => "pftrace",
            Self::Json => "json",
        }
    }
}

/// Handling of a record that does not fit into its thread's buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OnFull {
    /// Written to a disk, if another process empties the buffers and the disk has room; otherwise dropped and counted.
    #[default]
    Spill,
    /// Dropped and counted.
    Drop,
    /// The thread waits for the writer.
    Wait,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    /// Names and results of calls.
    Low,
    /// Also the arguments of calls.
    #[default]
    Normal,
    /// Also the `.debug` streams: source locations of calls, arguments of kernels.
    High,
}

#[inline]
pub(crate) fn has_python_lines() -> bool {
    FLAGS.has_python_lines.load(Ordering::Relaxed)
}

/// Granularity of device times in command graphs, if a vendor's tools offer a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Graphs {
    /// One per node.
    #[default]
    Nodes,
    /// One per execution of the whole graph, which slows down its submission far less.
    Whole,
}

static GRAPHS: AtomicU8 = AtomicU8::new(Graphs::Nodes as u8);

/// Returns the level of detail for handlers, which have no time to look up the settings.
#[inline]
pub(crate) fn detail() -> Detail {
    match FLAGS.detail.load(Ordering::Relaxed) {
        0 => Detail::Low,
        1 => Detail::Normal,
        _ => Detail::High,
    }
}

/// True if a stream is recorded; for streams that start before a recording does.
pub(crate) fn wants_stream(stream: &str) -> bool {
    Config::without_output().streams.wants(stream)
}

/// True if a stream is requested by name, as streams outside the default must be.
pub(crate) fn names_stream(stream: &str) -> bool {
    Config::without_output().streams.names(stream)
}

pub(crate) fn graphs() -> Graphs {
    if GRAPHS.load(Ordering::Relaxed) == Graphs::Whole as u8 { Graphs::Whole } else { Graphs::Nodes }
}

#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) output: PathBuf,
    /// True if the launcher created the file for this process; any other existing file belongs to somebody else.
    pub(crate) is_reserved: bool,
    pub(crate) format: Format,
    /// Folder of `<pid>.json` and `control`.
    pub(crate) status_folder: Option<PathBuf>,
    /// Size of each thread's buffer in bytes.
    pub(crate) buffer_bytes: usize,
    pub(crate) on_full: OnFull,
    pub(crate) streams: StreamChoice,
    pub(crate) detail: Detail,
    pub(crate) graphs: Graphs,
    pub(crate) kernels: NamePatterns,
    /// Time without recording at the start.
    pub(crate) start_after: Option<Duration>,
    pub(crate) duration: Option<Duration>,
    /// Maximum total size of both files of a rotating recording, in bytes.
    pub(crate) max_bytes: Option<u64>,
    pub(crate) is_paused: bool,
    pub(crate) pause_signal: Option<i32>,
    /// Maximum total size of recorded source texts in bytes; 0 for none.
    pub(crate) sources_max_bytes: u64,
    /// True if records may use the processor's counter, where it is reliable.
    pub(crate) may_use_counter: bool,
    /// True if environment variables and facts about the user are recorded.
    pub(crate) has_environment: bool,
    pub(crate) has_python_lines: bool,
    pub(crate) stacks: Stacks,
    pub(crate) samples_per_second: Option<u32>,
    /// True if the state of process and machine is sampled.
    pub(crate) has_counters: bool,
    pub(crate) notes: Vec<String>,
}

/// Default size of a thread's buffer: at 40 bytes and 200 ns a call, some 40 ms of uninterrupted calls.
const BUFFER_BYTES: u64 = 8 << 20;
const BUFFER_LIMITS: (u64, u64) = (4 << 10, 1 << 30);
const SOURCES_MAX_BYTES: u64 = 16 << 20;
/// Minimum size of each file of a rotation.
const MIN_FILE_BYTES: u64 = 64 << 10;

impl Config {
    /// Reads the variables that `docs/RECORDING.md` lists.
    ///
    /// The first process of a run writes to the output itself, every other one to a file next to it with its process id
    /// in the name. Without an output the file is `syclscope.<pid>.pftrace` in the working folder.
    pub(crate) fn from_environment(is_forked: bool) -> Self {
        let mut config = Self::read(&|name| std::env::var_os(name));
        config.choose_output(&|name| std::env::var_os(name), is_forked);
        config
    }

    /// Reads the variables for a process that writes no file.
    pub(crate) fn without_output() -> Self {
        Self::read(&|name| std::env::var_os(name))
    }

    /// Chooses the file; only the first process of a run gets the requested one.
    pub(crate) fn choose_output(&mut self, variable: &dyn Fn(&str) -> Option<OsString>, is_forked: bool) {
        let output = output_path(variable);
        let place = output::choose(output, self.format, self.status_folder.as_deref(), is_forked, variable);
        (self.output, self.is_reserved) = (place.path, place.is_reserved);
    }

    fn read(variable: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let mut reader = Reader { variable, notes: Vec::new() };
        let of_name = match output_path(variable).as_deref().and_then(std::path::Path::extension) {
            Some(extension) if extension.eq_ignore_ascii_case("json") => Format::Json,
            _ => Format::Perfetto,
        };
        let format = reader.one_of(
            "SYCLSCOPE_FORMAT",
            of_name,
            &[("perfetto", Format::Perfetto), ("json", Format::Json)],
        );
        let status_folder = variable("SYCLSCOPE_STATUS_DIR").map(PathBuf::from);
        let buffer_bytes = reader.parsed("SYCLSCOPE_BUFFER_SIZE", BUFFER_BYTES, units::size, SIZE);
        let buffer_bytes = reader.limited("SYCLSCOPE_BUFFER_SIZE", buffer_bytes, BUFFER_LIMITS);
        let on_full = reader.one_of(
            "SYCLSCOPE_ON_FULL",
            OnFull::Spill,
            &[("spill", OnFull::Spill), ("drop", OnFull::Drop), ("wait", OnFull::Wait)],
        );
        let detail = reader.one_of(
            "SYCLSCOPE_DETAIL",
            Detail::Normal,
            &[("low", Detail::Low), ("normal", Detail::Normal), ("high", Detail::High)],
        );
        let graphs = reader.one_of(
            "SYCLSCOPE_GRAPHS",
            Graphs::Nodes,
            &[("nodes", Graphs::Nodes), ("whole", Graphs::Whole)],
        );
        let max_bytes = reader.optional("SYCLSCOPE_MAX_SIZE", units::size, SIZE);
        let max_bytes =
            max_bytes.map(|bytes| reader.limited("SYCLSCOPE_MAX_SIZE", bytes, (MIN_FILE_BYTES, u64::MAX)));
        let has_sources = reader.switch("SYCLSCOPE_SOURCES", true);
        let sources_max_bytes = reader.parsed("SYCLSCOPE_SOURCES_MAX", SOURCES_MAX_BYTES, units::size, SIZE);
        let streams = StreamChoice::parse(&reader.text("SYCLSCOPE_STREAMS"), detail, &mut reader.notes);
        let has_python_lines = reader.switch("SYCLSCOPE_PYTHON_LINES", true);
        let has_python_stacks = has_python_lines && detail != Detail::Low;
        let stacks = if has_python_stacks { Stacks::Python } else { Stacks::Off };
        Self {
            output: PathBuf::new(),
            is_reserved: false,
            format,
            status_folder,
            buffer_bytes: buffer_bytes as usize,
            on_full,
            streams,
            detail,
            graphs,
            kernels: NamePatterns::parse(&reader.text("SYCLSCOPE_KERNELS")),
            start_after: reader.optional("SYCLSCOPE_START_AFTER", units::duration, DURATION),
            duration: reader.optional("SYCLSCOPE_DURATION", units::duration, DURATION),
            max_bytes,
            is_paused: reader.switch("SYCLSCOPE_PAUSED", false),
            pause_signal: reader.optional("SYCLSCOPE_PAUSE_SIGNAL", units::signal, SIGNAL),
            sources_max_bytes: if has_sources { sources_max_bytes } else { 0 },
            may_use_counter: reader.one_of(
                "SYCLSCOPE_CLOCK",
                true,
                &[("counter", true), ("monotonic", false)],
            ),
            has_environment: reader.switch("SYCLSCOPE_ENVIRONMENT", true),
            has_python_lines,
            stacks: reader.one_of("SYCLSCOPE_STACKS", stacks, &Stacks::CHOICES),
            samples_per_second: reader.optional("SYCLSCOPE_SAMPLE", units::frequency, FREQUENCY),
            has_counters: reader.switch("SYCLSCOPE_COUNTERS", true),
            notes: reader.notes,
        }
    }

    /// Publishes the settings to code without access to the recording.
    pub(crate) fn publish(&self) {
        FLAGS.detail.store(self.detail as u8, Ordering::Relaxed);
        FLAGS.has_python_lines.store(self.has_python_lines, Ordering::Relaxed);
        self.stacks.publish();
        GRAPHS.store(self.graphs as u8, Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(crate) fn for_test(output: PathBuf) -> Self {
        let mut config = Self::read(&|_| None);
        (config.output, config.is_reserved) = (output, true);
        config
    }
}

fn output_path(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    variable("SYCLSCOPE_OUT").filter(|output| !output.is_empty()).map(PathBuf::from)
}

const SIZE: &str = "a number of bytes, or one followed by K, M or G, as in 8M";
const DURATION: &str = "a number followed by ms, s, m or h, as in 500ms";
const FREQUENCY: &str = "samples a second, from 1 to 1000, as in 99Hz";
const SIGNAL: &str = "the name of a signal, as in USR2";

struct Reader<'v> {
    variable: &'v dyn Fn(&str) -> Option<OsString>,
    notes: Vec<String>,
}

impl Reader<'_> {
    /// Returns a variable's text, empty if it isn't set.
    fn text(&self, name: &str) -> String {
        (self.variable)(name).unwrap_or_default().to_string_lossy().trim().to_owned()
    }

    fn optional<T>(&mut self, name: &str, parse: fn(&str) -> Option<T>, expected: &str) -> Option<T> {
        let text = self.text(name);
        if text.is_empty() {
            return None;
        }
        let value = parse(&text);
        if value.is_none() {
            self.notes.push(format!("{name}={text} is ignored: it takes {expected}"));
        }
        value
    }

    fn parsed<T>(&mut self, name: &str, default: T, parse: fn(&str) -> Option<T>, expected: &str) -> T {
        self.optional(name, parse, expected).unwrap_or(default)
    }

    fn one_of<T: Copy>(&mut self, name: &str, default: T, choices: &[(&str, T)]) -> T {
        let text = self.text(name);
        if text.is_empty() {
            return default;
        }
        if let Some((_, value)) = choices.iter().find(|(choice, _)| choice.eq_ignore_ascii_case(&text)) {
            return *value;
        }
        let choices: Vec<&str> = choices.iter().map(|(choice, _)| *choice).collect();
        self.notes.push(format!("{name}={text} is ignored: it takes {}", choices.join(" or ")));
        default
    }

    fn switch(&mut self, name: &str, default: bool) -> bool {
        self.one_of(name, default, &[("1", true), ("0", false), ("true", true), ("false", false)])
    }

    fn limited(&mut self, name: &str, value: u64, (least, most): (u64, u64)) -> u64 {
        let limited = value.clamp(least, most);
        if limited != value {
            let text = self.text(name);
            let (limit, kind) = if value < least { (least, "least") } else { (most, "most") };
            self.notes.push(format!("{name}={text} is taken as {limit} bytes, the {kind} allowed"));
        }
        limited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Config {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        Config::read(&variable)
    }

    #[test]
    fn nothing_asked_for_is_the_usual() {
        let config = read(&[]);
        assert_eq!(config.notes, [""; 0]);
        assert_eq!((config.format, config.detail, config.on_full), Default::default());
        assert_eq!(config.buffer_bytes, 8 << 20);
        assert_eq!((config.start_after, config.duration, config.max_bytes), (None, None, None));
        assert!(!config.is_paused && config.has_environment && config.sources_max_bytes > 0);
        assert!(config.has_python_lines && config.stacks == Stacks::Python);
        for without in [("SYCLSCOPE_PYTHON_LINES", "0"), ("SYCLSCOPE_DETAIL", "low")] {
            assert_eq!(read(&[without]).stacks, Stacks::Off, "{without:?}");
        }
        assert_eq!(config.samples_per_second, None);
        assert!(config.kernels.wants("anything"));
    }

    #[test]
    fn every_variable_is_heard() {
        let config = read(&[
            ("SYCLSCOPE_OUT", "/w/run.json"),
            ("SYCLSCOPE_BUFFER_SIZE", "64K"),
            ("SYCLSCOPE_ON_FULL", "wait"),
            ("SYCLSCOPE_DETAIL", "High"),
            ("SYCLSCOPE_GRAPHS", "whole"),
            ("SYCLSCOPE_KERNELS", "mat*"),
            ("SYCLSCOPE_START_AFTER", "500ms"),
            ("SYCLSCOPE_DURATION", "1m"),
            ("SYCLSCOPE_MAX_SIZE", "512M"),
            ("SYCLSCOPE_PAUSED", "1"),
            ("SYCLSCOPE_PAUSE_SIGNAL", "SIGUSR2"),
            ("SYCLSCOPE_SOURCES", "0"),
            ("SYCLSCOPE_ENVIRONMENT", "0"),
            ("SYCLSCOPE_PYTHON_LINES", "0"),
            ("SYCLSCOPE_STACKS", "all"),
            ("SYCLSCOPE_SAMPLE", "99Hz"),
        ]);
        assert_eq!(config.notes, [""; 0]);
        assert_eq!(config.format, Format::Json, "the file's name says so");
        assert_eq!(read(&[("SYCLSCOPE_OUT", "/w/RUN.JSON")]).format, Format::Json);
        assert_eq!((config.buffer_bytes, config.max_bytes), (64 << 10, Some(512 << 20)));
        assert_eq!((config.on_full, config.detail), (OnFull::Wait, Detail::High));
        config.publish();
        assert_eq!((detail(), graphs()), (Detail::High, Graphs::Whole));
        assert_eq!(config.start_after, Some(Duration::from_millis(500)));
        assert_eq!(config.duration, Some(Duration::from_secs(60)));
        assert_eq!(config.pause_signal, Some(libc::SIGUSR2));
        assert!(config.is_paused && !config.has_environment && config.sources_max_bytes == 0);
        assert!(!config.has_python_lines && config.stacks == Stacks::All);
        assert_eq!(config.samples_per_second, Some(99));
        assert!(config.kernels.wants("matrix") && !config.kernels.wants("vector"));
    }

    #[test]
    fn what_cannot_be_understood_is_said_and_the_default_used() {
        let config = read(&[
            ("SYCLSCOPE_FORMAT", "xml"),
            ("SYCLSCOPE_BUFFER_SIZE", "many"),
            ("SYCLSCOPE_DURATION", "2 weeks"),
            ("SYCLSCOPE_MAX_SIZE", "1"),
            ("SYCLSCOPE_PAUSE_SIGNAL", "KILL"),
        ]);
        let expected = [
            "SYCLSCOPE_FORMAT=xml is ignored: it takes perfetto or json",
            "SYCLSCOPE_BUFFER_SIZE=many is ignored: it takes a number of bytes, or one followed by K, M or G, as in 8M",
            "SYCLSCOPE_MAX_SIZE=1 is taken as 65536 bytes, the least allowed",
            "SYCLSCOPE_DURATION=2 weeks is ignored: it takes a number followed by ms, s, m or h, as in 500ms",
            "SYCLSCOPE_PAUSE_SIGNAL=KILL is ignored: it takes the name of a signal, as in USR2",
        ];
        assert_eq!(config.notes, expected);
        assert_eq!((config.format, config.buffer_bytes), (Format::Perfetto, 8 << 20));
    }
}
