//! What findings could gain, and how it is shared out: each moment of a process belongs to one of them.
//!
//! What holds the host up gains time in which the process's devices were idle; what keeps devices busy without need gains
//! time in which they were busy. So all gains of a process together are never more than its span.

use rustc_hash::FxHashMap;
use syclscope_language::api::{Finding, Gain};

use super::parts::{Parts, Within};
use super::run::{Draft, Run};
use super::words::time;
use crate::query::stretches::Stretches;

/// The time that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Of {
    /// Devices were idle.
    Idle,
    /// Devices were busy.
    Busy,
}

/// What a finding could gain if there was no other: parts of the time, one after the other, and how much of each.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    of: Of,
    parts: Vec<Part>,
    /// How much of all of them.
    most_ns: u64,
    ns: u64,
}

/// A part of the time, and how much of what is idle or busy in it.
#[derive(Clone, Copy, Debug)]
struct Part {
    from: u64,
    to: u64,
    most_ns: u64,
}

impl Claim {
    fn new(of: Of, parts: Vec<Part>, most_ns: u64, there: Option<&Stretches>) -> Self {
        let mut claim = Self { of, parts, most_ns, ns: 0 };
        claim.ns = there.map_or(0, |there| claim.of_the(there).ns());
        claim
    }

    /// Idle time of a process before something that came late: from one moment to another, and not more than it was
    /// held up for. These come one after the other.
    pub(super) fn late(run: &Run<'_>, process: u32, held: impl Iterator<Item = ((u64, u64), u64)>) -> Self {
        let mut parts: Vec<Part> = held.map(|((from, to), most_ns)| Part { from, to, most_ns }).collect();
        // Where one begins before another is over, what they gain adds up.
        parts.sort_unstable_by_key(|part| (part.to, part.from));
        parts.dedup_by(|next, before| {
            let is_one = next.to == before.to;
            if is_one {
                before.from = before.from.min(next.from);
                before.most_ns = before.most_ns.saturating_add(next.most_ns);
            }
            is_one
        });
        let mut until = 0;
        for part in &mut parts {
            part.from = part.from.max(until);
            until = part.to;
        }
        Self::new(Of::Idle, parts, u64::MAX, run.idle(process))
    }

    /// Idle time of a process while the host does something, and from then until the next command starts; not more than
    /// it takes.
    pub(super) fn held(run: &Run<'_>, process: u32, spans: Vec<(u64, u64)>) -> Self {
        let until_next = |to: u64| {
            let next = run.idle(process).and_then(|idle| idle.from(to).next());
            next.filter(|(begin, _)| *begin <= to).map_or(to, |(_, end)| end)
        };
        // Two threads at a time are no longer about it than one.
        let spans = Stretches::new(spans);
        Self::late(run, process, spans.iter().map(|(from, to)| ((from, until_next(to)), to - from)))
    }

    /// Time in which commands ran: all of it, or so much.
    pub(super) fn busy(spans: impl Iterator<Item = (u64, u64)>, most_ns: u64) -> Self {
        let ran = Stretches::new(spans.collect());
        let parts = ran.iter().map(|(from, to)| Part { from, to, most_ns: to - from }).collect();
        Self::new(Of::Busy, parts, most_ns, Some(&ran))
    }

    pub(super) fn ns(&self) -> u64 {
        self.ns
    }

    /// What it can have of what is there.
    fn of_the(&self, there: &impl Within) -> Stretches {
        let parts = self.parts.iter().map(|part| there.within(part.from, part.to).last(part.most_ns));
        Stretches::new(parts.flat_map(|part| part.iter().collect::<Vec<_>>()).collect()).last(self.most_ns)
    }
}

/// Idle or busy time of a process that findings have claimed.
struct Taken {
    free: Parts,
    /// Claims by kind of finding, in the order of the first.
    kinds: Vec<(&'static str, Parts)>,
}

impl Taken {
    fn give(&mut self, kind: &'static str, stretches: &Stretches) {
        if stretches.is_empty() {
            return;
        }
        let known = self.kinds.iter().position(|(known, _)| *known == kind).unwrap_or_else(|| {
            self.kinds.push((kind, Parts::default()));
            self.kinds.len() - 1
        });
        for (from, to) in stretches.iter() {
            self.free.take(from, to);
            self.kinds[known].1.add(from, to);
        }
    }
}

/// Findings with what is theirs alone. Rules come in the order in which they may choose; of one rule, what gains most.
pub(super) fn share_out(run: &Run<'_>, mut drafts: Vec<Vec<Draft>>) -> Vec<Finding> {
    let mut taken: FxHashMap<(u32, Of), Taken> = FxHashMap::default();
    let mut findings = Vec::new();
    for rule in &mut drafts {
        rule.sort_by_key(|draft| (std::cmp::Reverse(draft.claim.ns()), draft.process, draft.location.0));
        for mut draft in rule.drain(..) {
            let claim = &draft.claim;
            let (process, of) = (draft.process, claim.of);
            let there = if of == Of::Idle { run.idle(process) } else { run.busy(process) };
            let taken = taken.entry((process, of)).or_insert_with(|| Taken {
                free: there.map_or_else(Parts::default, |there| there.iter().collect()),
                kinds: Vec::new(),
            });
            let stretches = claim.of_the(&taken.free);
            let (ns, shared_ns) = (stretches.ns(), claim.ns() - stretches.ns());
            let mut shared_with: Vec<&str> = Vec::new();
            if shared_ns > 0 {
                let is_met = |theirs: &Parts| claim.parts.iter().any(|part| theirs.meet(part.from, part.to));
                shared_with
                    .extend(taken.kinds.iter().filter(|(_, theirs)| is_met(theirs)).map(|(kind, _)| *kind));
            }
            draft.evidence.extend((shared_ns > 0).then(|| {
                let words: Vec<String> = shared_with.iter().map(|kind| kind.replace('_', " ")).collect();
                let kind_of_time = if of == Of::Idle { "idle time" } else { "busy time" };
                format!("Another {} of {kind_of_time} counts with: {}.", time(shared_ns), words.join(", "))
            }));
            let gain = Gain {
                ns,
                bytes: draft.bytes,
                how: draft.how.to_owned(),
                shared_ns,
                shared_with: shared_with.into_iter().map(str::to_owned).collect(),
            };
            taken.give(draft.kind, &stretches);
            findings.push(run.finding(draft, gain));
        }
    }
    findings
}
