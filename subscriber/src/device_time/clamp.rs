//! Clamping of times to their possible range.

use crate::xpti::ProfilingTimes;

/// Age from which the clock may have drifted.
const LONG_AGO_NS: u64 = 20_000_000;

/// Moves times into their possible range: a command starts after its submitting call starts, and has ended when it is
/// known to be finished. Its duration, which is more accurate, is kept. Also returns true if they were moved by more
/// than their resolution.
pub(crate) fn clamp_times(
    times: &ProfilingTimes,
    (called_ns, done_ns): (u64, u64),
    slack_ns: u64,
) -> (ProfilingTimes, bool) {
    // A queueing time of long ago is ignored: the device's clock is mapped less precisely there.
    let queued = times.queued.filter(|queued| times.start.saturating_sub(*queued) < LONG_AGO_NS);
    let early = called_ns.saturating_sub(queued.unwrap_or(times.start).min(times.start));
    let late = times.end.saturating_sub(done_ns);
    let within = |time: u64| (time + early - late.min(time)).clamp(called_ns.min(done_ns), done_ns);
    let clamped = ProfilingTimes {
        queued: times.queued.map(within),
        submitted: times.submitted.map(within),
        start: within(times.start),
        end: within(times.end),
    };
    (clamped, early > slack_ns || late > slack_ns)
}
