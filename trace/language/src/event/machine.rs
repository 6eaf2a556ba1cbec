//! The machine and the recording itself: devices and their clocks, facts of the process, source files, pauses.

use super::{Args, FactKind, SourceState};
use crate::time::Timestamp;

/// A device, as the runtime describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Device<'a> {
    /// Number of the device in this recording, counted from 1.
    pub device: u64,
    /// When it was first heard of.
    pub at: Timestamp,
    /// Name (`info::device::name`); the same text as [`super::Queue::device`].
    pub name: &'a str,
    /// Handle of the Unified Runtime.
    pub handle: u64,
    /// Type as the runtime says it (`CPU`, `GPU`, …).
    pub device_type: &'a str,
    /// Name of its platform, empty if not known.
    pub platform: &'a str,
    /// Version of its driver, empty if not known.
    pub driver: &'a str,
    /// More of its properties, by the names of `sycl::info::device`.
    pub args: Args<'a>,
}

/// How a device's clock maps to the host's `CLOCK_MONOTONIC`: `host = device + offset + device · drift`, fitted to
/// pairs of readings (`urDeviceGetGlobalTimestamps`). Executions that follow were mapped with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceClock {
    /// Handle of the device.
    pub device_handle: u64,
    /// When the mapping was made.
    pub at: Timestamp,
    /// Pairs of readings that it rests on; 0 if the device gave none and its clock was taken for the host's.
    pub pairs: u64,
    /// Host time minus device time at the last pair, in nanoseconds.
    pub offset_ns: i64,
    /// How much faster than the device's the host's clock runs, in parts per billion.
    pub drift_ppb: i64,
    /// Largest distance of a pair from the mapping, in nanoseconds.
    pub residual_ns: u64,
}

/// A fact of the process that holds for the whole recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fact<'a> {
    /// When it was found out.
    pub at: Timestamp,
    /// What it is about.
    pub kind: FactKind,
    /// Name of the variable, component or setting.
    pub name: &'a str,
    /// Its value.
    pub value: &'a str,
}

/// A source file that events name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceFile<'a> {
    /// When it was read.
    pub at: Timestamp,
    /// Path, as [`super::SourceLocation::file`] has it.
    pub name: &'a str,
    /// What of it is here.
    pub state: SourceState,
    /// SHA-256 of the text in lower-case hexadecimal, empty without a text.
    pub sha256: &'a str,
    /// Size of the file in bytes, 0 if not known.
    pub size_bytes: u64,
    /// The text; bytes that are not UTF-8 are replaced.
    pub text: &'a str,
}

/// Recording was paused, or goes on: between the two nothing is recorded but what later events refer to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pause<'a> {
    /// When.
    pub at: Timestamp,
    /// Paused from here on, or recording from here on.
    pub is_paused: bool,
    /// Who asked for it (`signal`, `program`, `start_after`, …).
    pub reason: &'a str,
}
