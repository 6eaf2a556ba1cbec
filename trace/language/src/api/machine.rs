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
    /// Type as the runtime says it (`CPU`, `GPU`, …).
    pub device_type: String,
    /// Name of its platform, empty if not known.
    pub platform: String,
    /// Version of its driver, empty if not known.
    pub driver: String,
    /// Handle of the Unified Runtime as `0x…`.
    pub handle: String,
    /// More properties, by the names of `sycl::info::device`.
    pub args: Vec<(String, ArgValue)>,
    /// Mapping of its clock to the host's; `None` if the recording has none.
    pub clock: Option<ClockInfo>,
}

/// Mapping of a device's clock to the host's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockInfo {
    /// Mappings that were made.
    pub mappings: u64,
    /// Pairs of readings that the last one rests on; 0 if the device's clock was taken for the host's.
    pub pairs: u64,
    /// Host time minus device time at the last pair.
    pub offset_ns: i64,
    /// Excess speed of the host's clock over the device's, in parts per billion.
    pub drift_ppb: i64,
    /// Largest distance of a pair from its mapping, over all mappings: how far off device times may be.
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

/// A source file that the recording holds or names. Its position is the number to ask for its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceInfo {
    /// Path, as source locations have it.
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
    /// The whole text; empty where the recording doesn't hold it.
    pub text: String,
}

/// A time in which a process was not recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PauseInfo {
    /// Its process, an index into [`super::TraceInfo::processes`].
    pub process: u32,
    /// Start.
    pub start_ns: u64,
    /// End; `None` if it never went on.
    pub end_ns: Option<u64>,
    /// Origin of the request (`signal`, `program`, …).
    pub reason: String,
}
