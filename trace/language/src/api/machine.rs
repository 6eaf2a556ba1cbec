//! Facts about the machine and the recording itself.

use serde::{Deserialize, Serialize};

use super::ArgValue;
use crate::event::{FactKind, SourceState};

/// A device of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Its number in the recording.
    pub device: u64,
    /// Its process, an index into [`super::TraceInfo::processes`].
    pub process: u32,
    /// Name.
    pub name: String,
    /// Type as reported by the runtime (`CPU`, `GPU`, …).
    pub device_type: String,
    /// Name of its platform, empty if unknown.
    pub platform: String,
    /// Version of its driver, empty if unknown.
    pub driver: String,
    /// Handle of the Unified Runtime as `0x…`.
    pub handle: String,
    /// Further properties, with the names of `sycl::info::device`.
    pub args: Vec<(String, ArgValue)>,
    /// Mapping of its clock to the host's; `None` if it was not recorded.
    pub clock: Option<ClockInfo>,
}

/// True if a device's displayed title is `name`, with or without a number: `GPU` and `GPU #1` both have the name `GPU`.
pub fn has_name(title: &str, name: &str) -> bool {
    title.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(" #"))
}

impl DeviceInfo {
    /// Returns the displayed name, with a number if its process has several devices of this name, by handle. Queues
    /// have the same title.
    pub fn title(&self, all: &[Self]) -> String {
        let is_same = |other: &&Self| (other.process, &other.name) == (self.process, &self.name);
        let mut handles: Vec<&str> = Vec::new();
        for other in all.iter().filter(is_same) {
            if !handles.contains(&other.handle.as_str()) {
                handles.push(&other.handle);
            }
        }
        match handles.iter().position(|handle| *handle == self.handle) {
            Some(place) if handles.len() > 1 => format!("{} #{}", self.name, place + 1),
            _ => self.name.clone(),
        }
    }
}

/// Mapping of a device's clock to the host's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockInfo {
    /// Number of mappings.
    pub mappings: u64,
    /// Number of pairs of clock readings in the last mapping; 0 if the device uses the host's clock.
    pub pairs: u64,
    /// Host time minus device time at the last pair.
    pub offset_ns: i64,
    /// Excess speed of the host's clock over the device's, in parts per billion.
    pub drift_ppb: i64,
    /// Largest error bound of a mapped time, over all mappings.
    pub residual_ns: u64,
}

/// A fact of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactInfo {
    /// Its process, an index into [`super::TraceInfo::processes`].
    pub process: u32,
    /// Kind of the fact.
    pub kind: FactKind,
    /// Name of the variable, component or setting.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A source file that the recording contains or names. Its index is the file's number in queries for its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceInfo {
    /// Path, as in source locations.
    pub path: String,
    /// State of the text.
    pub state: SourceState,
    /// SHA-256 of the text in hexadecimal, empty without a text.
    pub sha256: String,
    /// Size of the file.
    pub size_bytes: u64,
}

/// A source file's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceText {
    /// The file.
    pub file: SourceInfo,
    /// The whole text; empty if it was not recorded.
    pub text: String,
}

/// A time in which a process was not recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PauseInfo {
    /// Its process, an index into [`super::TraceInfo::processes`].
    pub process: u32,
    /// Start.
    pub start_ns: u64,
    /// End; `None` if recording never resumed.
    pub end_ns: Option<u64>,
    /// Origin of the request (`signal`, `program`, …).
    pub reason: String,
}
