//! Samples of one moment.

pub(crate) struct Batch {
    pub(crate) at_ns: u64,
    /// Values by the names of their counters.
    pub(crate) samples: Vec<(String, f64)>,
    /// Counters that can't be read, and why.
    pub(crate) lacks: Vec<String>,
}
