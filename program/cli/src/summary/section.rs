//! The sections of a summary.

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Section {
    /// Slices by name: of a selection, or of another program's trace
    Slices,
    /// Kernels and other commands by device time
    Kernels,
    /// Energy of devices by kernel and command, estimated by time share
    Energy,
    /// Regions of the program: their times, and their submissions and waits
    Regions,
    /// Iterations of the main loop: their times, warm-up, the slowest, and where the time goes in them
    Iterations,
    /// The time before the first command, by step
    StartUp,
    /// Builds of device code: input, time, kernels, and why again
    Builds,
    /// Copies by direction
    Copies,
    /// Host waits by source location
    Waits,
    /// Peak memory by kind
    Memory,
    /// Memory that was never released, by source location
    Unreleased,
    /// The critical path: the chain of work and waits that determined the run's length
    CriticalPath,
    /// Busy and idle time of queues, with the reasons
    Queues,
    /// Idle time of devices by cause, and its longest stretches, each explained
    Gaps,
    /// Calls by name
    Calls,
    /// Findings: what could be faster, and by how much
    Findings,
    /// Problems of the recording and of the program
    Problems,
}

impl Section {
    /// The sections of the whole summary, in their order.
    pub(super) const REPORT: [Self; 16] = [
        Self::Slices,
        Self::Kernels,
        Self::Energy,
        Self::Regions,
        Self::Iterations,
        Self::StartUp,
        Self::Builds,
        Self::Copies,
        Self::Waits,
        Self::Memory,
        Self::Unreleased,
        Self::CriticalPath,
        Self::Queues,
        Self::Gaps,
        Self::Findings,
        Self::Problems,
    ];

    /// True if it always covers the whole run, whatever is selected.
    pub(super) fn needs_whole_run(self) -> bool {
        !matches!(
            self,
            Self::Slices
                | Self::Kernels
                | Self::Energy
                | Self::Regions
                | Self::Copies
                | Self::Waits
                | Self::Gaps
                | Self::CriticalPath
                | Self::Findings
                | Self::Builds
                | Self::Calls
                | Self::Memory
                | Self::Unreleased
                | Self::Queues
                | Self::Iterations
        )
    }

    /// True if it supports a range but no filter, because it also covers the time between slices, or only
    /// calls.
    pub(super) fn needs_no_filter(self) -> bool {
        !matches!(self, Self::Slices | Self::Kernels | Self::Copies | Self::Waits)
    }

    /// True if the report of a selection suffices, which has only commands, copies and waits.
    pub(super) fn is_of_slices(self) -> bool {
        use Section::{Builds, Copies, Energy, Gaps, Iterations, Regions, Slices, Waits};
        matches!(self, Slices | Copies | Waits | Gaps | Builds | Energy | Regions | Iterations)
    }

    /// Returns the line for a section without rows.
    pub(super) fn none(self) -> String {
        format!("{}: none", self.title().split(':').next().unwrap_or_default())
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Slices => "Slices by name",
            Self::Kernels => "Device time by kernel and command",
            Self::Energy => "Energy by kernel and command (estimate)",
            Self::Regions => "Regions of the program",
            Self::Iterations => "Iterations",
            Self::StartUp => "Start-up",
            Self::Builds => "Builds of device code",
            Self::Copies => "Copies by direction",
            Self::Waits => "Host waits",
            Self::Memory => "Memory",
            Self::Unreleased => "Never released",
            Self::CriticalPath => "Critical path",
            Self::Queues => "Queues",
            Self::Gaps => "Idle time of devices",
            Self::Calls => "Calls",
            Self::Findings => "Findings: what could be faster",
            Self::Problems => "Problems",
        }
    }
}
