//! Third-party tools whose files are understood beyond slices: their data about devices becomes executions.

words! {
    /// A third-party tool, as named in [`ProcessInfo::recorder`](crate::api::ProcessInfo::recorder).
    Producer {
        /// The profiler of PyTorch, whose files Kineto writes.
        PyTorch = "PyTorch profiler",
        /// The profiler of XLA, used by JAX and TensorFlow.
        Xla = "XLA profiler",
        /// `unitrace` of Intel's PTI for GPU.
        Unitrace = "unitrace",
        /// A program that writes Perfetto's GPU render stages.
        GpuStages = "Perfetto GPU stages",
    }
}
