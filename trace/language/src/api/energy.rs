//! Energy of devices by command: an estimate.

use serde::{Deserialize, Serialize};

use crate::event::NodeKind;

/// Method of the estimate, stated with every number.
pub const ENERGY_ESTIMATE: &str = "estimated by time share";

/// Energy by command, for each power counter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// Method: `estimated by time share`.
    pub estimate: String,
    /// Power counters, in the order of their tracks. Counters of two processes may measure the same device.
    pub counters: Vec<EnergyCounter>,
    /// Devices that ran commands but have no power counter in their process.
    pub without_counter: Vec<DeviceTime>,
}

/// Energy measured by a power counter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyCounter {
    /// Index of the counter's track.
    pub track: u32,
    /// Name of the counter.
    pub name: String,
    /// Its process, an index into [`super::TraceInfo::processes`].
    pub process: u32,
    /// The device whose commands get the energy; `None` if unknown.
    pub device: Option<String>,
    /// Start of its first interval between two samples, in nanoseconds.
    pub from_ns: u64,
    /// End of its last interval.
    pub to_ns: u64,
    /// Total time of all intervals.
    pub covered_ns: u64,
    /// Number of intervals.
    pub intervals: u64,
    /// Energy in joules: of commands, of idle time and of `rest`.
    pub joules: f64,
    /// Energy of the commands.
    pub command_joules: f64,
    /// Energy of the time in which no command ran.
    pub idle_joules: f64,
    /// Remaining energy, by reason.
    pub rest: Vec<EnergyRest>,
    /// Time in which commands ran outside of any interval.
    pub unsampled_ns: u64,
    /// Commands by name and kind, most energy first.
    pub commands: Vec<CommandEnergy>,
    /// Number of names that are not listed.
    pub more: u64,
    /// Energy of their commands.
    pub more_joules: f64,
}

impl EnergyCounter {
    /// Returns the mean power in watts; `None` without an interval.
    pub fn mean_watts(&self) -> Option<f64> {
        (self.covered_ns > 0).then(|| self.joules / self.covered_ns as f64 * 1e9)
    }
}

/// Energy of the commands with one name and kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandEnergy {
    /// Name of the kernel or operation.
    pub name: String,
    /// Kind.
    pub kind: NodeKind,
    /// Number of commands.
    pub count: u64,
    /// Their device time in nanoseconds, clipped to the range.
    pub total_ns: u64,
    /// The part outside of any interval.
    pub unsampled_ns: u64,
    /// Their energy in joules.
    pub joules: f64,
}

/// Energy of neither commands nor idle time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyRest {
    /// Reason.
    pub reason: EnergyRestReason,
    /// Energy in joules.
    pub joules: f64,
}

answer_words! {
    /// Reason for energy of neither commands nor idle time.
    #[derive(Default)]
    EnergyRestReason {
        /// The counter's device does not correspond to a device of the run.
        #[default]
        Device = "device",
        /// The recording was paused.
        Paused = "paused",
        /// Device times were lost because the program was killed.
        Lost = "lost",
    }
}

impl EnergyRestReason {
    /// Returns a description of the reason.
    pub fn words(self) -> &'static str {
        match self {
            Self::Device => "not known which device of the run it measures",
            Self::Paused => "the recording was paused",
            Self::Lost => "device times were lost",
        }
    }
}

/// Commands of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceTime {
    /// Its process, an index into [`super::TraceInfo::processes`].
    pub process: u32,
    /// Name.
    pub device: String,
    /// Number of commands.
    pub count: u64,
    /// Their device time in nanoseconds.
    pub total_ns: u64,
}
