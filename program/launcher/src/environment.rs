//! Variables that the launcher adds to the program's environment.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use super::{Format, Settings, Streams};

/// The Unified Runtime's layer that reports its calls.
const TRACING_LAYER: &str = "UR_LAYER_TRACING";

/// Variable that puts Level Zero's tracing layer before the drivers.
const LEVEL_ZERO_LAYER: &str = "ZE_ENABLE_TRACING_LAYER";

/// Variables by which frameworks load a tool, and the recorder's streams of their ranges.
const TOOLS: [(&str, &str); 3] = [
    ("INTEL_LIBITTNOTIFY64", "ranges.itt"),
    ("NVTX_INJECTION64_PATH", "ranges.nvtx"),
    ("KOKKOS_TOOLS_LIBS", "ranges.kokkos"),
];

/// Older name of Kokkos' variable, which holds as well.
const KOKKOS_BEFORE: &str = "KOKKOS_PROFILE_LIBRARY";

/// Variables to set for the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes(pub(super) Vec<(&'static str, OsString)>);

impl Changes {
    pub(super) fn apply(&self, command: &mut Command) {
        command.envs(self.0.iter().map(|(name, value)| (name, value)));
    }
}

/// The paths that runtime and subscriber read from the environment.
pub(super) struct Paths<'a> {
    pub(super) framework: &'a Path,
    pub(super) subscriber: &'a Path,
    /// The recording to write, or the folder for recordings, with `%` doubled.
    pub(super) output: &'a OsStr,
    /// Where the subscriber writes its status.
    pub(super) status_folder: &'a Path,
    /// Where its buffers are, if another process empties them.
    pub(super) rings: Option<&'a Path>,
}

/// The variables that switch recording on. Subscribers and layers that the user has set stay.
pub(super) fn changes(
    paths: &Paths<'_>,
    format: Format,
    settings: &Settings,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Changes {
    let subscribers = appended(variable("XPTI_SUBSCRIBERS"), paths.subscriber.as_os_str());
    let layers = variable("UR_ENABLE_LAYERS");
    let already = layers.as_ref().is_some_and(|value| {
        value
            .as_encoded_bytes()
            .split(|byte| *byte == b',')
            .any(|name| name.trim_ascii() == TRACING_LAYER.as_bytes())
    });
    let layers =
        if already { layers.unwrap_or_default() } else { appended(layers, OsStr::new(TRACING_LAYER)) };
    let mut changes = vec![
        ("XPTI_FRAMEWORK_DISPATCHER", paths.framework.into()),
        ("XPTI_SUBSCRIBERS", subscribers),
        ("XPTI_TRACE_ENABLE", "1".into()),
        ("UR_ENABLE_LAYERS", layers),
        ("SYCLSCOPE_OUT", paths.output.into()),
        ("SYCLSCOPE_FORMAT", format.as_str().into()),
        ("SYCLSCOPE_STATUS_DIR", paths.status_folder.into()),
    ];
    match paths.rings {
        Some(rings) => changes.push(("SYCLSCOPE_RINGS", rings.into())),
        // That of another launcher, under which this one runs.
        None if variable("SYCLSCOPE_RINGS").is_some() => changes.push(("SYCLSCOPE_RINGS", OsString::new())),
        None => {}
    }
    changes.extend(settings.variables());
    if settings.streams.as_ref().is_some_and(Streams::name_native_calls)
        && variable(LEVEL_ZERO_LAYER).is_none()
    {
        // The recorder sets it as well, but a program may have used Level Zero before it uses SYCL.
        changes.push((LEVEL_ZERO_LAYER, "1".into()));
    }
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let tools = wanted_tools(settings).filter(|name| others_tool(name, is_set).is_none());
    changes.extend(tools.map(|name| (name, paths.subscriber.into())));
    Changes(changes)
}

/// The variables of frameworks whose ranges are recorded.
fn wanted_tools(settings: &Settings) -> impl Iterator<Item = &'static str> {
    let wants = |stream| settings.streams.as_ref().is_none_or(|streams| streams.wants_ranges(stream));
    TOOLS.into_iter().filter(move |(_, stream)| wants(stream)).map(|(name, _)| name)
}

/// The variable by which the framework of this one loads another tool.
fn others_tool(name: &'static str, is_set: impl Fn(&str) -> bool) -> Option<&'static str> {
    let before = name.starts_with("KOKKOS").then_some(KOKKOS_BEFORE);
    [Some(name), before].into_iter().flatten().find(|name| is_set(name))
}

/// Returns a sentence for the user about frameworks that load another tool, whose ranges the recording lacks.
pub(super) fn note(settings: &Settings, variable: impl Fn(&str) -> Option<OsString>) -> Option<String> {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let others: Vec<&str> = wanted_tools(settings).filter_map(|name| others_tool(name, is_set)).collect();
    let (is, that) = if others.len() == 1 { ("is", "that tool") } else { ("are", "those tools") };
    (!others.is_empty()).then(|| {
        format!(
            "{} {is} set, so {that} and not the recording gets these ranges; unset to record them",
            others.join(", ")
        )
    })
}

/// A comma-separated list with one more entry.
fn appended(list: Option<OsString>, entry: &OsStr) -> OsString {
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
        let set = |streams: Option<&str>, own: &'static str| {
            let streams = streams.map(|streams| streams.parse().unwrap());
            let settings = Settings { streams, ..Settings::default() };
            let paths = Paths {
                framework: Path::new("/"),
                subscriber: Path::new("/cache/ours.so"),
                output: OsStr::new("run.json"),
                status_folder: Path::new("/"),
                rings: None,
            };
            let variable = |name: &str| (name == own).then(|| "/other.so".into());
            let changes = changes(&paths, Format::Json, &settings, variable);
            let ours = changes.0.into_iter().filter(|(name, _)| TOOLS.iter().any(|(tool, _)| tool == name));
            assert!(ours.clone().all(|(_, value)| value == "/cache/ours.so"));
            let note = note(&settings, variable);
            (ours.map(|(name, _)| name).collect::<Vec<_>>(), note)
        };
        let [itt, nvtx, kokkos] = TOOLS.map(|(name, _)| name);
        assert_eq!(set(None, ""), (vec![itt, nvtx, kokkos], None));
        assert_eq!(set(Some("-ranges.itt"), ""), (vec![nvtx, kokkos], None));
        assert_eq!(set(Some("sycl"), nvtx), (vec![], None));
        let (ours, note) = set(None, nvtx);
        assert_eq!(ours, [itt, kokkos]);
        assert!(note.unwrap().starts_with("NVTX_INJECTION64_PATH is set, so that tool"));
        assert_eq!(set(None, KOKKOS_BEFORE).0, [itt, nvtx]);
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
