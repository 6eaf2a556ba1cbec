//! Samples of one moment.

pub(crate) struct Batch {
    pub(crate) at_ns: u64,
    pub(crate) samples: Vec<(String, f64)>,
    pub(crate) lacks: Vec<String>,
}
