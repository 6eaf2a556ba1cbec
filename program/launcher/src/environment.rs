//! Variables that the launcher adds to the program's environment.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use super::settings::name;
use super::{Format, Settings, Streams};

/// Unified Runtime's layer that reports its calls.
const TRACING_LAYER: &str = "UR_LAYER_TRACING";

/// Variable that enables Level Zero's tracing layer.
const LEVEL_ZERO_LAYER: &str = "ZE_ENABLE_TRACING_LAYER";

struct Tool {
    /// Variables that name the tool; the recorder sets the first.
    variables: &'static [&'static str],
    /// The recorder's stream for the framework's ranges.
    stream: &'static str,
}

const TOOLS: [Tool; 3] = [
    Tool { variables: &["INTEL_LIBITTNOTIFY64"], stream: "ranges.itt" },
    Tool { variables: &["NVTX_INJECTION64_PATH"], stream: "ranges.nvtx" },
    // The second name is deprecated.
    Tool { variables: &["KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY"], stream: "ranges.kokkos" },
];

/// Variable that selects the recorded streams, which a user may also set by hand.
const STREAMS: &str = "SYCLSCOPE_STREAMS";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes(pub(super) Vec<(&'static str, OsString)>);

impl Changes {
    pub(super) fn apply(&self, command: &mut Command) {
        command.envs(self.0.iter().map(|(name, value)| (name, value)));
    }
}

pub(super) struct Paths<'a> {
    pub(super) framework: &'a Path,
    pub(super) subscriber: &'a Path,
    /// The recording to write, or the folder for recordings, with `%` doubled.
    pub(super) output: &'a OsStr,
    pub(super) status_folder: &'a Path,
    /// The folder of its buffers, if another process empties them.
    pub(super) rings: Option<&'a Path>,
}

/// Returns the variables that enable recording. Subscribers and layers that the user has set stay.
pub(super) fn changes(
    paths: &Paths<'_>,
    format: Format,
    settings: &Settings,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Changes {
    let subscribers = append(variable("XPTI_SUBSCRIBERS"), paths.subscriber.as_os_str());
    let layers = variable("UR_ENABLE_LAYERS");
    let already = layers.as_ref().is_some_and(|value| {
        value
            .as_encoded_bytes()
            .split(|byte| *byte == b',')
            .any(|name| name.trim_ascii() == TRACING_LAYER.as_bytes())
    });
    let layers = if already { layers.unwrap_or_default() } else { append(layers, OsStr::new(TRACING_LAYER)) };
    let mut changes = vec![
        ("XPTI_FRAMEWORK_DISPATCHER", paths.framework.into()),
        ("XPTI_SUBSCRIBERS", subscribers),
        ("XPTI_TRACE_ENABLE", "1".into()),
        ("UR_ENABLE_LAYERS", layers),
        ("SYCLSCOPE_OUT", paths.output.into()),
        ("SYCLSCOPE_FORMAT", name(&format).into()),
        ("SYCLSCOPE_STATUS_DIR", paths.status_folder.into()),
    ];
    match paths.rings {
        Some(rings) => changes.push(("SYCLSCOPE_RINGS", rings.into())),
        // The buffers of an outer launcher are not ours.
        None if variable("SYCLSCOPE_RINGS").is_some() => changes.push(("SYCLSCOPE_RINGS", OsString::new())),
        None => {}
    }
    changes.extend(settings.variables());
    let streams = streams(settings, &variable);
    if streams.as_ref().is_some_and(Streams::name_native_calls) && variable(LEVEL_ZERO_LAYER).is_none() {
        // The recorder sets it as well, but the program may use Level Zero before SYCL.
        changes.push((LEVEL_ZERO_LAYER, "1".into()));
    }
    let free = recorded_tools(streams.as_ref()).filter(|tool| tool.set_by(&variable).is_none());
    changes.extend(free.map(|tool| (tool.variables[0], paths.subscriber.into())));
    Changes(changes)
}

/// Returns the streams of the settings, or else of the user's own variable.
fn streams(settings: &Settings, variable: impl Fn(&str) -> Option<OsString>) -> Option<Streams> {
    let by_hand = || Streams::of_variable(variable(STREAMS)?.to_str()?);
    settings.streams.clone().or_else(by_hand)
}

fn recorded_tools(streams: Option<&Streams>) -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(move |tool| streams.is_none_or(|streams| streams.wants_ranges(tool.stream)))
}

impl Tool {
    /// Returns the variable that names a tool, and the tool's library.
    fn set_by(&self, variable: impl Fn(&str) -> Option<OsString>) -> Option<(&'static str, OsString)> {
        let set = |name: &&'static str| Some((*name, variable(name).filter(|value| !value.is_empty())?));
        self.variables.iter().find_map(set)
    }
}

/// Returns a note about frameworks that load another tool, whose ranges the recording lacks.
pub(super) fn note(
    settings: &Settings,
    subscriber: &Path,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Option<String> {
    let streams = streams(settings, &variable);
    let set = recorded_tools(streams.as_ref()).filter_map(|tool| tool.set_by(&variable));
    let others: Vec<&str> =
        set.filter(|(_, library)| library.as_os_str() != subscriber).map(|(name, _)| name).collect();
    let (is, that) = if others.len() == 1 { ("is", "that tool") } else { ("are", "those tools") };
    (!others.is_empty()).then(|| {
        format!(
            "{} {is} set, so {that} and not the recording gets these ranges; unset to record them",
            others.join(", ")
        )
    })
}

/// Adds an entry to a comma-separated list.
fn append(list: Option<OsString>, entry: &OsStr) -> OsString {
    let mut list = list.unwrap_or_default();
    if !list.is_empty() {
        list.push(",");
    }
    list.push(entry);
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(subscribers: Option<&str>, layers: Option<&str>, want: (&str, &str)) {
        let paths = Paths {
            framework: Path::new("/rt/libxptifw.so"),
            subscriber: Path::new("/cache/ours.so"),
            output: OsStr::new("/work/run.pftrace"),
            status_folder: Path::new("/tmp/status"),
            rings: None,
        };
        let settings = Settings { paused: true, ..Settings::default() };
        let changes = changes(&paths, Format::Perfetto, &settings, |name| match name {
            "XPTI_SUBSCRIBERS" => subscribers.map(OsString::from),
            "UR_ENABLE_LAYERS" => layers.map(OsString::from),
            _ => None,
        });
        let value =
            |wanted: &str| changes.0.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.clone());
        assert_eq!(value("XPTI_SUBSCRIBERS"), Some(want.0.into()));
        assert_eq!(value("UR_ENABLE_LAYERS"), Some(want.1.into()));
        assert_eq!(value("SYCLSCOPE_FORMAT"), Some("perfetto".into()));
        assert_eq!(value("SYCLSCOPE_PAUSED"), Some("1".into()));
        assert_eq!(value("SYCLSCOPE_DETAIL"), None);
    }

    #[test]
    fn level_zero_is_traced_where_its_calls_are_asked_for() {
        let layer = |streams: &str, is_set: bool| {
            let settings = Settings { streams: Some(streams.parse().unwrap()), ..Settings::default() };
            let nowhere = Path::new("/");
            let output = OsStr::new("run.json");
            let paths = Paths {
                framework: nowhere,
                subscriber: nowhere,
                output,
                status_folder: nowhere,
                rings: None,
            };
            let variable = |name: &str| (is_set && name == LEVEL_ZERO_LAYER).then(|| "0".into());
            let changes = changes(&paths, Format::Json, &settings, variable);
            changes.0.into_iter().find(|(name, _)| *name == LEVEL_ZERO_LAYER).map(|(_, value)| value)
        };
        for streams in ["native", "sycl,all", "sycl.experimental.level_zero.call"] {
            assert_eq!(layer(streams, false), Some("1".into()), "{streams}");
            assert_eq!(layer(streams, true), None, "{streams}");
        }
        for streams in ["sycl", "all,-native", "-images"] {
            assert_eq!(layer(streams, false), None, "{streams}");
        }
    }

    #[test]
    fn frameworks_load_the_recorder_unless_they_load_another_tool() {
        let set = |streams: Option<&str>, own: &[(&str, &str)]| {
            let streams = streams.map(|streams| streams.parse().unwrap());
            let settings = Settings { streams, ..Settings::default() };
            let paths = Paths {
                framework: Path::new("/"),
                subscriber: Path::new("/cache/ours.so"),
                output: OsStr::new("run.json"),
                status_folder: Path::new("/"),
                rings: None,
            };
            let variable =
                |name: &str| own.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
            let changes = changes(&paths, Format::Json, &settings, variable);
            let is_tool = |name: &str| TOOLS.iter().any(|tool| tool.variables.contains(&name));
            let ours = changes.0.into_iter().filter(|(name, _)| is_tool(name));
            assert!(ours.clone().all(|(_, value)| value == "/cache/ours.so"));
            let note = note(&settings, paths.subscriber, variable);
            (ours.map(|(name, _)| name).collect::<Vec<_>>(), note)
        };
        let [itt, nvtx, kokkos] = TOOLS.each_ref().map(|tool| tool.variables[0]);
        assert_eq!(set(None, &[]), (vec![itt, nvtx, kokkos], None));
        assert_eq!(set(Some("-ranges.itt"), &[]), (vec![nvtx, kokkos], None));
        assert_eq!(set(Some("sycl"), &[(nvtx, "/other.so")]), (vec![], None));
        let (ours, note) = set(None, &[(nvtx, "/other.so")]);
        assert_eq!(ours, [itt, kokkos]);
        assert!(note.unwrap().starts_with("NVTX_INJECTION64_PATH is set, so that tool"));
        let (ours, note) = set(None, &[("KOKKOS_PROFILE_LIBRARY", "/other.so")]);
        assert_eq!(ours, [itt, nvtx]);
        assert!(note.unwrap().starts_with("KOKKOS_PROFILE_LIBRARY is set"));
        // Kokkos before 3.7 reads only this one.
        let (ours, note) = set(None, &[("KOKKOS_PROFILE_LIBRARY", "/cache/ours.so")]);
        assert_eq!((ours, note), (vec![itt, nvtx], None));
        // The list may be in the environment already, and an option has precedence over it.
        for (by_hand, ours) in [("-ranges.itt", vec![nvtx, kokkos]), ("sycl, ranges.itt,own", vec![itt])] {
            assert_eq!(set(None, &[(STREAMS, by_hand)]), (ours, None), "{by_hand}");
        }
        let by_hand = [(STREAMS, "sycl"), (nvtx, "/other.so")];
        assert_eq!(set(None, &by_hand), (vec![], None));
        assert_eq!(set(Some("ranges.itt"), &by_hand).0, [itt]);
    }

    #[test]
    fn what_the_user_set_is_kept() {
        check(None, None, ("/cache/ours.so", "UR_LAYER_TRACING"));
        check(
            Some("/a.so"),
            Some("UR_LAYER_FULL_VALIDATION"),
            ("/a.so,/cache/ours.so", "UR_LAYER_FULL_VALIDATION,UR_LAYER_TRACING"),
        );
        check(Some(""), Some("UR_LAYER_TRACING,X"), ("/cache/ours.so", "UR_LAYER_TRACING,X"));
    }
}
