//! Devices, their clocks, facts of the processes, source files, and pauses of the recording.

use syclscope_language::event::{FactKind, SourceState};

use super::table::{Table as _, columns, table};
use crate::id::{ArgsId, StringId};

table! {
    /// Devices in the order of their first appearance.
    Devices,
    DeviceRow {
        process: u32,
        /// Its number in the recording.
        number: u64,
        /// Time of its recording.
        at: u64,
        name: StringId,
        /// Displayed name: numbered if devices of the process share it.
        title: StringId,
        handle: u64,
        device_type: StringId,
        platform: StringId,
        /// Its driver's version.
        driver: StringId,
        args: ArgsId,
    }
}

table! {
    /// Mappings of clocks in recorded order.
    Clocks,
    /// A mapping of a device's clock to the host's.
    ClockRow {
        process: u32,
        device_handle: u64,
        /// Time of its recording.
        at: u64,
        /// Number of pairs of readings used for it.
        pairs: u64,
        /// Host time minus device time.
        offset_ns: i64,
        /// Excess speed of the host's clock, in parts per billion.
        drift_ppb: i64,
        /// Error bound of a mapped time.
        residual_ns: u64,
    }
}

table! {
    /// Facts in recorded order.
    Facts,
    /// A fact of a process.
    FactRow {
        process: u32,
        kind: FactKind,
        name: StringId,
        value: StringId,
    }
}

table! {
    /// Source files in the order of their first appearance.
    Sources,
    /// A version of a source file, shared by all processes.
    SourceRow {
        path: StringId,
        /// State of its text.
        state: SourceState,
        /// Hash of the text.
        sha256: StringId,
        size_bytes: u64,
        text: StringId,
    }
}

table! {
    /// Pauses in recorded order.
    Pauses,
    /// A period in which a process was not recorded.
    PauseRow {
        process: u32,
        /// Start of the pause.
        start: u64,
        /// End of the pause; `None` if recording never resumed.
        end: Option<u64>,
        /// Origin of the request.
        reason: StringId,
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    pub(crate) devices: Devices,
    pub(crate) clocks: Clocks,
    pub(crate) facts: Facts,
    pub(crate) sources: Sources,
    pub(crate) pauses: Pauses,
}

columns!(Machine { devices, clocks, facts, sources, pauses });

impl Machine {
    pub(crate) fn device(&self, process: u32, handle: u64) -> Option<DeviceRow> {
        self.devices.iter().find(|device| device.process == process && device.handle == handle)
    }
}
