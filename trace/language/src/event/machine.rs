//! The machine and the recording itself: devices and their clocks, facts about the process, source files, pauses.

use super::{Args, FactKind, SourceState};
use crate::time::Timestamp;

/// A device, as the runtime describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Device<'a> {
    /// Number of the device in this recording, counted from 1.
    pub device: u64,
    /// Time of its first appearance.
    pub at: Timestamp,
    /// Name (`info::device::name`); the same text as [`super::Queue::device`].
    pub name: &'a str,
    /// Handle of the Unified Runtime.
    pub handle: u64,
    /// Type as reported by the runtime (`CPU`, `GPU`, …).
    pub device_type: &'a str,
    /// Name of its platform, empty if unknown.
    pub platform: &'a str,
    /// Version of its driver, empty if unknown.
    pub driver: &'a str,
    /// Further properties, with the names of `sycl::info::device`.
    pub args: Args<'a>,
}

/// Mapping of a device clock to the host's `CLOCK_MONOTONIC`: `host = device + offset + device · drift`, fitted to
/// pairs of clock readings (`urDeviceGetGlobalTimestamps`). It applies to later executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceClock {
    /// Handle of the device.
    pub device_handle: u64,
    /// Time at which the mapping was computed.
    pub at: Timestamp,
    /// Number of pairs of readings; 0 if the device gave none and its clock is assumed to be the host's.
    pub pairs: u64,
    /// Host time minus device time at the last pair, in nanoseconds.
    pub offset_ns: i64,
    /// Drift of the host clock against the device clock, in parts per billion; positive if the host clock is faster.
    pub drift_ppb: i64,
    /// Error bound of a mapped time, in nanoseconds.
    pub residual_ns: u64,
}

/// A fact about the process that applies to the whole recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fact<'a> {
    /// Time at which it was found.
    pub at: Timestamp,
    /// Topic.
    pub kind: FactKind,
    /// Name of the variable, component or setting.
    pub name: &'a str,
    /// Its value.
    pub value: &'a str,
}

/// A source file that events reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceFile<'a> {
    /// Time at which it was read.
    pub at: Timestamp,
    /// Path, as in [`super::SourceLocation::file`].
    pub name: &'a str,
    /// State of its recorded text.
    pub state: SourceState,
    /// SHA-256 of the text in lower-case hexadecimal, empty if the text is missing.
    pub sha256: &'a str,
    /// Size of the file in bytes, 0 if unknown.
    pub size_bytes: u64,
    /// The text; bytes that are not valid UTF-8 are replaced.
    pub text: &'a str,
}

/// Start or end of a pause. During a pause, only events that later events refer to are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pause<'a> {
    /// Time of the event.
    pub at: Timestamp,
    /// True at the start of a pause, false at its end.
    pub is_paused: bool,
    /// Trigger (`signal`, `program`, `start_after`, …).
    pub reason: &'a str,
}
