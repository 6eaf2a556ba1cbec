//! Tools of others whose files are understood beyond slices: what they say about a device becomes executions.

/// A tool of others, as [`ProcessInfo::recorder`](crate::api::ProcessInfo::recorder) names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Producer {
    /// The profiler of PyTorch, whose files Kineto writes.
    PyTorch,
    /// The profiler of XLA, which JAX and TensorFlow use.
    Xla,
    /// `unitrace` of Intel's PTI for GPU.
    Unitrace,
    /// A program that writes Perfetto's GPU render stages.
    GpuStages,
}

impl Producer {
    /// Every tool.
    pub const ALL: [Self; 4] = [Self::PyTorch, Self::Xla, Self::Unitrace, Self::GpuStages];

    /// Its name, which stands where a recording of ours names its recorder.
    pub fn name(self) -> &'static str {
        match self {
            Self::PyTorch => "PyTorch profiler",
            Self::Xla => "XLA profiler",
            Self::Unitrace => "unitrace",
            Self::GpuStages => "Perfetto GPU stages",
        }
    }

    /// The tool of a recorder's name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|producer| producer.name() == name)
    }
}
