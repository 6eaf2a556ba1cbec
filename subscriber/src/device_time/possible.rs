//! Times as they can be.

use crate::xpti::ProfilingTimes;

/// A clock may have gone astray since.
const LONG_AGO_NS: u64 = 20_000_000;

/// Moves times to where they can be: a command begins after the call that submits it, and has ended when it is known
/// to be done. Its duration, which is known better, stays. Returns true with them if they were moved by more than
/// their resolution.
pub(crate) fn possible(
    times: &ProfilingTimes,
    (called_ns, done_ns): (u64, u64),
    slack_ns: u64,
) -> (ProfilingTimes, bool) {
    // When it was queued may be long ago, where the device's clock is known less well.
    let queued = times.queued.filter(|queued| times.start.saturating_sub(*queued) < LONG_AGO_NS);
    let early = called_ns.saturating_sub(queued.unwrap_or(times.start).min(times.start));
    let late = times.end.saturating_sub(done_ns);
    let within = |time: u64| (time + early - late.min(time)).clamp(called_ns.min(done_ns), done_ns);
    let possible = ProfilingTimes {
        queued: times.queued.map(within),
        submitted: times.submitted.map(within),
        start: within(times.start),
        end: within(times.end),
    };
    (possible, early > slack_ns || late > slack_ns)
}
