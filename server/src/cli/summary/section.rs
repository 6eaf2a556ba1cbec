//! The parts of a summary.

/// A part of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Section {
    /// Slices by name: of a selection, or of another program's trace.
    Slices,
    /// Kernels and other commands by device time.
    Kernels,
    /// Copies by direction.
    Copies,
    /// Waits of the host.
    Waits,
    /// Peak memory by kind.
    Memory,
    /// Memory that was never released, by place.
    Unreleased,
    /// The chain that decided how long the run took.
    CriticalPath,
    /// What queues did and why they were idle.
    Queues,
    /// Calls by name.
    Calls,
    /// What is slower than it must be.
    Findings,
    /// What is wrong with the recording or the program.
    Problems,
}

impl Section {
    /// What is printed where nothing is chosen.
    pub(super) const REPORT: [Self; 10] = [
        Self::Slices,
        Self::Kernels,
        Self::Copies,
        Self::Waits,
        Self::Memory,
        Self::Unreleased,
        Self::CriticalPath,
        Self::Queues,
        Self::Findings,
        Self::Problems,
    ];

    /// Whether it tells of the run as a whole, and not of what a selection holds.
    pub(super) fn is_of_the_run(self) -> bool {
        !matches!(self, Self::Slices | Self::Kernels | Self::Copies | Self::Waits)
    }

    /// Its title.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Slices => "Slices by name",
            Self::Kernels => "Device time by kernel and command",
            Self::Copies => "Copies by direction",
            Self::Waits => "Waits of the host",
            Self::Memory => "Memory",
            Self::Unreleased => "Never released",
            Self::CriticalPath => "Critical path",
            Self::Queues => "Queues",
            Self::Calls => "Calls",
            Self::Findings => "Findings: what is slower than it must be",
            Self::Problems => "Problems",
        }
    }
}
