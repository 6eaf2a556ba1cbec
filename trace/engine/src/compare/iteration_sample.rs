//! The main loop of a run, as it is compared.

use serde::{Deserialize, Serialize};
use syclscope_language::api::IterationMarkKind;

use super::statistics::{MOST_KEPT, thinned};
use crate::store::Trace;

/// The main loop of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampledIterations {
    /// Kind of the mark at which an iteration begins.
    pub kind: IterationMarkKind,
    /// Name of the region or command that marks it.
    pub name: String,
    /// Iterations.
    pub count: u64,
    /// Time before the first one, in nanoseconds.
    pub start_up_ns: u64,
    /// Iterations of the warm-up.
    pub warm_up: u64,
    /// Their time in nanoseconds.
    pub warm_up_ns: u64,
    /// Steady iterations.
    pub steady: u64,
    /// Durations of those in nanoseconds, shortest first; where there are many, quantiles.
    pub durations_ns: Vec<u64>,
}

pub(super) fn sampled(trace: &Trace) -> Option<SampledIterations> {
    let times = trace.loop_times()?;
    let mut durations_ns = times.steady_ns;
    durations_ns.sort_unstable();
    Some(SampledIterations {
        kind: times.kind,
        name: times.name,
        count: times.count,
        start_up_ns: times.start_up_ns,
        warm_up: times.warm_up,
        warm_up_ns: times.warm_up_ns,
        steady: durations_ns.len() as u64,
        durations_ns: thinned(&durations_ns, MOST_KEPT),
    })
}
