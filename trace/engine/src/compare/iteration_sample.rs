//! The main loop of a run, as a sample for comparison.

use serde::{Deserialize, Serialize};
use syclscope_language::api::IterationMarkKind;

use super::statistics::{MAX_DURATIONS, thinned};
use crate::store::Trace;

/// The main loop of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SampledIterations {
    /// Kind of mark that starts an iteration.
    pub kind: IterationMarkKind,
    /// Name of the marking region or command.
    pub name: String,
    /// Number of iterations.
    pub count: u64,
    /// Time before the first iteration, in nanoseconds.
    pub start_up_ns: u64,
    /// Number of warm-up iterations.
    pub warm_up: u64,
    /// Time of the warm-up in nanoseconds.
    pub warm_up_ns: u64,
    /// Number of steady iterations.
    pub steady: u64,
    /// Durations of the steady iterations in nanoseconds, shortest first; quantiles if there are many.
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
        durations_ns: thinned(&durations_ns, MAX_DURATIONS),
    })
}
