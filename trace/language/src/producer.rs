//! Third-party tools whose files are understood beyond slices: their data about devices becomes executions.

/// A third-party tool, as named in [`ProcessInfo::recorder`](crate::api::ProcessInfo::recorder).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Producer {
    /// The profiler of PyTorch, whose files Kineto writes.
    PyTorch,
    /// The profiler of XLA, used by JAX and TensorFlow.
    Xla,
    /// `unitrace` of Intel's PTI for GPU.
    Unitrace,
    /// A program that writes Perfetto's GPU render stages.
    GpuStages,
}

impl Producer {
    /// Every tool.
    pub const ALL: [Self; 4] = [Self::PyTorch, Self::Xla, Self::Unitrace, Self::GpuStages];

    /// Its name, in place of our recorder's.
    pub fn name(self) -> &'static str {
        match self {
            Self::PyTorch => "PyTorch profiler",
            Self::Xla => "XLA profiler",
            Self::Unitrace => "unitrace",
            Self::GpuStages => "Perfetto GPU stages",
        }
    }

    /// The tool with this recorder name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|producer| producer.name() == name)
    }
}
