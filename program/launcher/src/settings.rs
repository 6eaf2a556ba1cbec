//! Settings of the recorder, passed as environment variables so that the program and all its child processes
//! have the same ones. `docs/RECORDING.md` lists them for use without the launcher.

use std::ffi::OsString;
use std::str::FromStr;

use clap::ValueEnum;

use super::{Format, Frequency, Period, Size};

/// Level of detail of recorded calls and commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Detail {
    /// Calls by name and result.
    Low,
    /// The arguments of calls too.
    #[default]
    Normal,
    /// The source locations of calls and the arguments of kernels too: the runtime's `.debug` streams.
    High,
}

/// Kind of call stacks to record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Stacks {
    #[default]
    Off,
    /// Native frames.
    Native,
    /// Frames of Python.
    Python,
    /// Native frames and Python frames, merged.
    All,
}

/// Device times of command graphs on NVIDIA GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Graphs {
    /// Of each node.
    #[default]
    Nodes,
    /// Of each execution as a whole.
    Whole,
}

/// Purpose of a recording, with the cheapest settings for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Purpose {
    /// Times of kernels, copies and launches.
    Timing,
    /// Host waits, and the commands that they wait for.
    Waits,
    /// Allocations, buffers and copies.
    Memory,
    /// Everything that can be recorded.
    Everything,
}

impl Purpose {
    /// Returns `settings` completed with those of this purpose.
    pub fn complete(self, settings: Settings) -> Settings {
        let (streams, detail) = match self {
            Self::Timing => ("calls,ranges", Detail::Low),
            Self::Waits => ("sycl,calls,ranges", Detail::Low),
            Self::Memory => ("sycl,calls,memory,buffers,images,ranges", Detail::Normal),
            Self::Everything => ("all", Detail::High),
        };
        let streams = List(streams.split(',').map(str::to_owned).collect());
        Settings {
            streams: settings.streams.or(Some(Streams(streams))),
            detail: settings.detail.or(Some(detail)),
            graphs: settings.graphs.or((self == Self::Timing).then_some(Graphs::Whole)),
            no_python_lines: settings.no_python_lines || self == Self::Timing,
            ..settings
        }
    }
}

/// Handling of events that come faster than the recorder can write them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OnFull {
    /// The program continues; events for which memory has no room are written to disk, and from there into
    /// the recording.
    #[default]
    Spill,
    /// The program continues; the recorder drops events, counts them and reports the number.
    Drop,
    /// The program waits until there is room again, so that no event is lost.
    Wait,
}

/// Returns the recorder's name of a value, which is also the option's.
pub(super) fn name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

pub const STREAM_GROUPS: &[&str] =
    &["sycl", "calls", "memory", "buffers", "images", "native", "ranges", "user", "all"];

/// Words separated by commas; a `-` before a word excludes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct List(Vec<String>);

impl List {
    fn read(text: &str) -> Option<Self> {
        let words: Vec<String> = text.split(',').map(|word| word.trim().to_owned()).collect();
        let is_word = |word: &String| !word.is_empty() && word != "-" && !word.chars().any(char::is_control);
        words.iter().all(is_word).then_some(Self(words))
    }
}

/// The streams to record: groups and full names; a `-` before a name excludes streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Streams(List);

impl Streams {
    pub fn exact(&self) -> impl Iterator<Item = &str> {
        self.0
            .0
            .iter()
            .map(String::as_str)
            .filter(|word| !word.starts_with('-') && !STREAM_GROUPS.contains(word))
    }
}

impl Streams {
    /// Parses the streams in the recorder's variable, which may have any names.
    pub(super) fn of_variable(text: &str) -> Option<Self> {
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(str::to_owned).collect();
        (!words.is_empty()).then_some(Self(List(words)))
    }

    /// True if native calls are included, which need the tracing layer of Level Zero's loader.
    pub(super) fn name_native_calls(&self) -> bool {
        let is_one = |word: &String| {
            ["native", "all"].contains(&word.as_str()) || word.starts_with("sycl.experimental.level_zero.")
        };
        self.0.0.iter().any(is_one) && !self.0.0.iter().any(|word| word == "-native")
    }

    pub(super) fn wants_ranges(&self, stream: &str) -> bool {
        // As in the recorder: the last word with the stream's own name decides, else the last one with its
        // group.
        let last = |is_it: &dyn Fn(&str) -> bool| {
            self.0.0.iter().rev().find_map(|word| {
                let name = word.strip_prefix('-').unwrap_or(word);
                is_it(name).then_some(name.len() == word.len())
            })
        };
        let of_group = || last(&|name| ["ranges", "all"].contains(&name));
        let is_usual = || self.0.0.iter().all(|word| word.starts_with('-'));
        last(&|name| name == stream).or_else(of_group).unwrap_or_else(is_usual)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamsError {
    #[error("empty name; separate groups or names by commas, like sycl,calls or all,-native")]
    Empty,
    #[error("unknown group {word}; did you mean {group}?")]
    NearlyAGroup { word: String, group: &'static str },
    /// A word that is no group, and indistinguishable from a misspelt one.
    #[error(
        "unknown group {word}; the groups are {}. The exact name of a stream has a dot, and a program's own streams without a dot are in user",
        STREAM_GROUPS.join(", ")
    )]
    NoGroup { word: String },
}

impl FromStr for Streams {
    type Err = StreamsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let list = List::read(text).ok_or(StreamsError::Empty)?;
        for word in &list.0 {
            let name = word.strip_prefix('-').unwrap_or(word);
            // The names of the runtime's streams contain a dot, except for `sycl`.
            if STREAM_GROUPS.contains(&name) || name.contains('.') {
                continue;
            }
            let nearly = STREAM_GROUPS.iter().find(|group| is_nearly(name, group));
            let word = word.clone();
            return Err(match nearly {
                Some(group) => StreamsError::NearlyAGroup { word, group },
                None => StreamsError::NoGroup { word },
            });
        }
        Ok(Self(list))
    }
}

/// True if a word differs from a group's name only in case, or by a trailing `s`.
fn is_nearly(word: &str, group: &str) -> bool {
    word.trim_end_matches(['s', 'S']).eq_ignore_ascii_case(group.trim_end_matches('s'))
}

/// Patterns of kernel names with `*`; a `-` before a pattern excludes kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patterns(List);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("empty pattern; separate names by commas, with * for any text, like 'gemm*,-*warmup*'")]
pub struct PatternsError;

impl FromStr for Patterns {
    type Err = PatternsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        List::read(text).map(Self).ok_or(PatternsError)
    }
}

/// Settings of a recording. The recorder has a default for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Determined by the file's extension if `None`.
    pub format: Option<Format>,
    pub buffer_size: Option<Size>,
    pub on_full: Option<OnFull>,
    pub streams: Option<Streams>,
    pub detail: Option<Detail>,
    pub kernels: Option<Patterns>,
    pub graphs: Option<Graphs>,
    pub start_after: Option<Period>,
    /// Maximum time of the recording.
    pub duration: Option<Period>,
    /// Maximum size of a process's recording; the recorder deletes the oldest part first.
    pub max_size: Option<Size>,
    pub paused: bool,
    /// Omits the text of source files.
    pub no_sources: bool,
    /// Omits environment variables and facts about the user.
    pub no_environment: bool,
    pub no_python_lines: bool,
    /// Call stacks of commands, waits, allocations and builds.
    pub stacks: Option<Stacks>,
    pub sample: Option<Frequency>,
    pub no_counters: bool,
}

impl Settings {
    /// Returns the recorder's variables, without the format, which depends on the output.
    pub(super) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let mut variables: Vec<(&'static str, OsString)> = Vec::new();
        let mut set = |name, value: Option<String>| {
            if let Some(value) = value {
                variables.push((name, value.into()));
            }
        };
        let off = |is_off: bool| is_off.then(|| "0".to_owned());
        set("SYCLSCOPE_BUFFER_SIZE", self.buffer_size.map(|size| size.to_string()));
        set("SYCLSCOPE_ON_FULL", self.on_full.as_ref().map(name));
        set("SYCLSCOPE_STREAMS", self.streams.as_ref().map(|streams| streams.0.0.join(",")));
        set("SYCLSCOPE_DETAIL", self.detail.as_ref().map(name));
        set("SYCLSCOPE_KERNELS", self.kernels.as_ref().map(|patterns| patterns.0.0.join(",")));
        set("SYCLSCOPE_GRAPHS", self.graphs.as_ref().map(name));
        set("SYCLSCOPE_START_AFTER", self.start_after.map(|period| period.to_string()));
        set("SYCLSCOPE_DURATION", self.duration.map(|period| period.to_string()));
        set("SYCLSCOPE_MAX_SIZE", self.max_size.map(|size| size.to_string()));
        set("SYCLSCOPE_PAUSED", self.paused.then(|| "1".to_owned()));
        set("SYCLSCOPE_SOURCES", off(self.no_sources));
        set("SYCLSCOPE_ENVIRONMENT", off(self.no_environment));
        set("SYCLSCOPE_PYTHON_LINES", off(self.no_python_lines));
        set("SYCLSCOPE_STACKS", self.stacks.as_ref().map(name));
        set("SYCLSCOPE_SAMPLE", self.sample.map(|frequency| frequency.to_string()));
        set("SYCLSCOPE_COUNTERS", off(self.no_counters));
        variables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let streams: Streams = "sycl, calls ,-native,my.stream".parse().unwrap();
        assert_eq!(streams.exact().collect::<Vec<_>>(), ["my.stream"]);
        let wants = |text: &str| text.parse::<Streams>().unwrap().wants_ranges("ranges.itt");
        for text in ["-native", "sycl,ranges", "all,-native", "ranges.itt", "-ranges,ranges.itt"] {
            assert!(wants(text), "{text}");
        }
        for text in ["sycl", "-ranges", "all,-ranges", "-ranges.itt", "ranges.nvtx"] {
            assert!(!wants(text), "{text}");
        }
        for (text, group) in [("call", "calls"), ("sycl,-Buffer", "buffers"), ("ALL", "all")] {
            let error = text.parse::<Streams>().unwrap_err();
            assert!(error.to_string().ends_with(&format!("did you mean {group}?")), "{error}");
        }
        assert!("my.program".parse::<Streams>().is_ok());
        let error = "my_program".parse::<Streams>().unwrap_err().to_string();
        assert!(error.starts_with("unknown group my_program; the groups are sycl, calls,"), "{error}");
        for text in ["", "sycl,", "-", "a,,b"] {
            assert_eq!(text.parse::<Streams>(), Err(StreamsError::Empty), "{text}");
            assert_eq!(text.parse::<Patterns>(), Err(PatternsError), "{text}");
        }
        assert!("-*warmup*,gemm*".parse::<Patterns>().is_ok());
    }

    #[test]
    fn a_purpose_sets_what_the_user_has_not() {
        let variables = |purpose: Purpose, settings: Settings| -> Vec<String> {
            let set = purpose.complete(settings).variables();
            set.into_iter().map(|(name, value)| format!("{}={}", &name[10..], value.display())).collect()
        };
        assert_eq!(
            variables(Purpose::Timing, Settings::default()),
            ["STREAMS=calls,ranges", "DETAIL=low", "GRAPHS=whole", "PYTHON_LINES=0"]
        );
        let own = Settings { detail: Some(Detail::High), ..Settings::default() };
        assert_eq!(variables(Purpose::Waits, own), ["STREAMS=sycl,calls,ranges", "DETAIL=high"]);
        for purpose in [Purpose::Memory, Purpose::Everything] {
            let streams = purpose.complete(Settings::default()).streams.unwrap();
            assert_eq!(streams.0.0.join(",").parse::<Streams>(), Ok(streams.clone()));
        }
    }

    #[test]
    fn only_what_is_set_becomes_a_variable() {
        assert_eq!(Settings::default().variables(), []);
        let settings = Settings {
            buffer_size: Some("64M".parse().unwrap()),
            on_full: Some(OnFull::Wait),
            streams: Some("all,-native".parse().unwrap()),
            detail: Some(Detail::High),
            kernels: Some("gemm*".parse().unwrap()),
            graphs: Some(Graphs::Whole),
            start_after: Some("2s".parse().unwrap()),
            duration: Some("1m".parse().unwrap()),
            max_size: Some("512M".parse().unwrap()),
            paused: true,
            no_sources: true,
            no_environment: true,
            no_python_lines: true,
            stacks: Some(Stacks::All),
            sample: Some("99".parse().unwrap()),
            no_counters: true,
            format: Some(Format::Json),
        };
        let texts: Vec<String> = settings
            .variables()
            .into_iter()
            .map(|(name, value)| format!("{}={}", name.trim_start_matches("SYCLSCOPE_"), value.display()))
            .collect();
        assert_eq!(
            texts,
            [
                "BUFFER_SIZE=64M",
                "ON_FULL=wait",
                "STREAMS=all,-native",
                "DETAIL=high",
                "KERNELS=gemm*",
                "GRAPHS=whole",
                "START_AFTER=2000ms",
                "DURATION=60000ms",
                "MAX_SIZE=512M",
                "PAUSED=1",
                "SOURCES=0",
                "ENVIRONMENT=0",
                "PYTHON_LINES=0",
                "STACKS=all",
                "SAMPLE=99Hz",
                "COUNTERS=0",
            ]
        );
    }
}
