//! The time that a finding touches: idle time of devices that it may cause, or time of unnecessary device work.

use super::run::Run;
use crate::stretches::Stretches;
use syclscope_language::sorting::Sorting as _;

/// Returns the idle time (ns) of a process before late events: within each range, and at most as long as the delay.
pub(super) fn late(run: &Run<'_>, process: u32, delays: impl Iterator<Item = ((u64, u64), u64)>) -> u64 {
    let Some(idle) = run.idle(process) else { return 0 };
    let mut parts: Vec<((u64, u64), u64)> = delays.collect();
    // Delays of the same event add up.
    parts.arrange_by_key(|((from, to), _)| (*to, *from));
    parts.dedup_by(|next, before| {
        let is_one = next.0.1 == before.0.1;
        if is_one {
            before.0.0 = before.0.0.min(next.0.0);
            before.1 = before.1.saturating_add(next.1);
        }
        is_one
    });
    let mut until = 0;
    let of_part = |((from, to), most_ns): ((u64, u64), u64)| {
        let from = from.max(until);
        until = to;
        idle.ns_within(from, to).min(most_ns)
    };
    parts.into_iter().map(of_part).sum()
}

/// Returns the idle time (ns) of a process during the host's work, and from then until the next command starts. It is
/// at most as long as the work.
pub(super) fn in_host_time(run: &Run<'_>, process: u32, spans: Vec<(u64, u64)>) -> u64 {
    let until_next = |to: u64| {
        let next = run.idle(process).and_then(|idle| idle.from(to).next());
        next.filter(|(begin, _)| *begin <= to).map_or(to, |(_, end)| end)
    };
    // Simultaneous work of several threads counts once.
    let spans = Stretches::new(spans);
    late(run, process, spans.iter().map(|(from, to)| ((from, until_next(to)), to - from)))
}

pub(super) fn busy(spans: impl Iterator<Item = (u64, u64)>) -> u64 {
    Stretches::new(spans.collect()).ns()
}
