//! Copies of USM: their changes are known from copies and fills, and from kernels whose arguments were recorded. Other
//! kernels count as if they wrote everywhere, and so does the host in any sufficiently long time.

use rustc_hash::FxHashMap;
use syclscope_language::api::{ObjectEventKind, Side};

use super::HOST_BYTES_PER_NS;
use super::judge::{Reason, Verdict};
use crate::id::{NONE, some};
use crate::query::memory::activity::{Activity, Copy, End};
use crate::store::Trace;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of uses of the same memory that are examined for one copy; beyond, the verdict is unknown.
const MAX_USES: usize = 64;

#[derive(Clone, Copy)]
struct Use {
    start: u64,
    end: u64,
    from: u64,
    to: u64,
    /// True if the range is known.
    is_known: bool,
    writes: bool,
    reads: bool,
    slice: u32,
    /// Latest known end of the writes up to this use.
    written_until: u64,
}

/// Memory: an allocation by id, or the host memory of a process.
type Memory = (u32, u32);

/// The uses of each memory by start.
struct Uses {
    uses: FxHashMap<Memory, Vec<Use>>,
}

#[derive(Clone, Copy)]
struct Twin {
    copy: u32,
    allocations: (u32, u32),
}

/// Judges every copy without a buffer or image at either end.
pub(super) fn judge(trace: &Trace, verdicts: &mut [Verdict]) {
    let activity = trace.memory_activity();
    let uses = Uses::new(trace, activity);
    let mut twins: FxHashMap<(u32, u64, u64, u64), Twin> = FxHashMap::default();
    for (number, copy) in (0..).zip(&activity.copies) {
        let Some(bytes) = copy.bytes.filter(|_| !copy.from.is_handle && !copy.to.is_handle) else { continue };
        let (low, high) = (copy.from.pointer.min(copy.to.pointer), copy.from.pointer.max(copy.to.pointer));
        let key = (copy.process, low, high, bytes);
        let ends = (copy.from.allocation, copy.to.allocation);
        let allocations = (ends.0.min(ends.1), ends.0.max(ends.1));
        let twin = twins.insert(key, Twin { copy: number, allocations });
        let twin = twin.filter(|twin| twin.allocations == allocations);
        let twin = twin.and_then(|twin| activity.copies.get(twin.copy as usize));
        let Some(verdict) = verdicts.get_mut(number as usize) else { continue };
        let (unchanged, why) = unchanged(trace, activity, &uses, copy, twin);
        if unchanged == Some(true) {
            let evidence = twin.map_or(NONE, |twin| some(twin.execution).unwrap_or(twin.call));
            *verdict = Verdict { unchanged, read: None, reason: why, evidence };
            continue;
        }
        let (read, because, evidence) = read(trace, activity, &uses, copy);
        let reason = match (unchanged, read) {
            (_, Some(false)) | (Some(false), Some(true)) => because,
            (Some(false), None) => because,
            _ => why,
        };
        *verdict = Verdict { unchanged, read, reason, evidence };
    }
}

/// Returns true if both ends, or the source since the previous copy, are unchanged, with the reason; `None` if unknown.
fn unchanged(
    trace: &Trace,
    activity: &Activity,
    uses: &Uses,
    copy: &Copy,
    twin: Option<&Copy>,
) -> (Option<bool>, Reason) {
    let is_on_device = |end: &End| end.side == Side::Device;
    let Some(twin) = twin else {
        let is_first = is_on_device(&copy.to) && uses.is_first(copy);
        let made = some(copy.to.allocation).map_or(0, |row| trace.allocations.at.at(row as usize));
        let is_blind = activity.blind.any_within(copy.process, made, copy.start);
        let is_new = is_first && !is_blind && trace.has_since(copy.process, made);
        let is_host = copy.to.side == Side::Host || copy.to.side == Side::Shared;
        let why = if is_host { Reason::Host } else { Reason::Nothing };
        return (is_new.then_some(false), if is_blind { Reason::Blind } else { why });
    };
    if twin.end > copy.start {
        return (None, Reason::Nothing);
    }
    if activity.blind.any_within(copy.process, twin.start, copy.start) {
        return (None, Reason::Blind);
    }
    let host_ns = copy.start - twin.end;
    let had_time = host_ns.saturating_mul(HOST_BYTES_PER_NS) >= copy.bytes.unwrap_or_default();
    let is_written = |end: &End| uses.is_written(copy, end, twin);
    match (is_written(&copy.from), is_on_device(&copy.from) || !had_time) {
        (None, _) | (Some(true), _) => return (None, Reason::Nothing),
        (Some(false), false) => return (None, Reason::Host),
        (Some(false), true) => {}
    }
    match (is_written(&copy.to), is_on_device(&copy.to) || !had_time) {
        (None, _) | (Some(true), _) => (None, Reason::Nothing),
        (Some(false), true) => (Some(true), Reason::Same),
        // The copy restores the previous contents.
        (Some(false), false) => (Some(true), Reason::SourceSame),
    }
}

fn read(trace: &Trace, activity: &Activity, uses: &Uses, copy: &Copy) -> (Option<bool>, Reason, u32) {
    if copy.to.side != Side::Device || copy.end == u64::MAX {
        return (None, Reason::Host, NONE);
    }
    let (Some(memory), Some((from, to))) = (memory_of(copy.process, &copy.to), span(copy, &copy.to)) else {
        return (None, Reason::Nothing, NONE);
    };
    let known = |until: u64| !activity.blind.any_within(copy.process, copy.end, until);
    let mut may_be_overwritten = false;
    let later = uses.later(memory, copy.start, some(copy.execution).unwrap_or(copy.call));
    for (looked_at, next) in later.enumerate() {
        if looked_at == MAX_USES {
            return (None, Reason::Nothing, NONE);
        }
        if next.to <= from || next.from >= to {
            continue;
        }
        if !known(next.start) {
            return (None, Reason::Blind, NONE);
        }
        if next.reads && !may_be_overwritten {
            return (Some(true), Reason::Read, next.slice);
        }
        if next.reads {
            return (None, Reason::Nothing, NONE);
        }
        if next.is_known && next.from <= from && next.to >= to && !may_be_overwritten {
            return (Some(false), Reason::Overwritten, next.slice);
        }
        may_be_overwritten = true;
    }
    let released = some(copy.to.allocation).and_then(|row| trace.allocations.released.at(row as usize));
    match released {
        None if !trace.has_end(copy.process) => (None, Reason::Nothing, NONE),
        released if known(released.unwrap_or(u64::MAX)) => (Some(false), Reason::Released, NONE),
        _ => (None, Reason::Blind, NONE),
    }
}

fn memory_of(process: u32, end: &End) -> Option<Memory> {
    match some(end.id) {
        Some(id) => Some((id, NONE)),
        None if end.side == Side::Host => Some((NONE, process)),
        None => None,
    }
}

/// Returns the range of a copy at one end, in bytes of the object or in the host's addresses.
fn span(copy: &Copy, end: &End) -> Option<(u64, u64)> {
    let from = if end.id == NONE { end.offset.map(|_| end.pointer)? } else { end.offset? };
    Some((from, from.saturating_add(copy.bytes?)))
}

impl Uses {
    fn new(trace: &Trace, activity: &Activity) -> Self {
        let mut uses: FxHashMap<Memory, Vec<Use>> = FxHashMap::default();
        for copy in &activity.copies {
            let slice = some(copy.execution).unwrap_or(copy.call);
            for (end, writes) in [(&copy.to, true), (&copy.from, false)] {
                if let (Some(memory), false) = (memory_of(copy.process, end), end.is_handle) {
                    // An unknown range may be everything.
                    let span = span(copy, end);
                    let (from, to) = span.unwrap_or((0, u64::MAX));
                    let (start, end) = (copy.start, copy.end);
                    uses.entry(memory).or_default().push(Use {
                        start,
                        end,
                        from,
                        to,
                        is_known: span.is_some(),
                        writes,
                        reads: !writes,
                        slice,
                        written_until: 0,
                    });
                }
            }
        }
        for touch in activity.touches.all().iter().filter(|touch| touch.id >= trace.owners().objects()) {
            let (writes, reads) = match touch.kind {
                ObjectEventKind::Fill => (true, false),
                ObjectEventKind::ReadWrite => (true, true),
                _ => continue,
            };
            let span = touch.offset.zip(touch.bytes).map(|(from, bytes)| (from, from.saturating_add(bytes)));
            let (from, to) = span.unwrap_or((0, u64::MAX));
            let (start, end, slice) = (touch.start, touch.end, touch.slice);
            uses.entry((touch.id, NONE)).or_default().push(Use {
                start,
                end,
                from,
                to,
                is_known: span.is_some(),
                writes,
                reads,
                slice,
                written_until: 0,
            });
        }
        for uses in uses.values_mut() {
            uses.arrange_by_key(|one| (one.start, one.slice));
            let mut written_until = 0;
            for one in uses {
                // One command without a device time must not leave all later ones unknown.
                if one.writes && one.end != u64::MAX {
                    written_until = one.end.max(written_until);
                }
                one.written_until = written_until;
            }
        }
        Self { uses }
    }

    fn get(&self, memory: Memory) -> &[Use] {
        self.uses.get(&memory).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the uses that start at or after a moment, without those of the slice `but`.
    fn later(&self, memory: Memory, start: u64, but: u32) -> impl Iterator<Item = &Use> {
        let uses = self.get(memory);
        let first = uses.partition_point(|one| one.start < start);
        uses[first..].iter().filter(move |one| one.slice != but)
    }

    /// True if a copy is the first access to its target.
    fn is_first(&self, copy: &Copy) -> bool {
        let own = some(copy.execution).unwrap_or(copy.call);
        let uses = memory_of(copy.process, &copy.to).map(|memory| self.get(memory)).unwrap_or_default();
        uses.first().is_some_and(|first| first.slice == own)
    }

    /// True if any access but the twin's wrote to an end of a copy since the twin started; `None` if there are too many
    /// to examine.
    fn is_written(&self, copy: &Copy, end: &End, twin: &Copy) -> Option<bool> {
        let memory = memory_of(copy.process, end)?;
        let (from, to) = span(copy, end)?;
        let uses = self.get(memory);
        let own = some(copy.execution).unwrap_or(copy.call);
        let of_twin = some(twin.execution).unwrap_or(twin.call);
        let until = uses.partition_point(|one| one.start <= copy.start);
        for (looked_at, one) in uses[..until].iter().rev().enumerate() {
            if one.slice == of_twin {
                // Uses that start before the twin and outlast it are rare: commands on one memory follow one another.
                let mut earlier = uses[..until - looked_at].iter().rev();
                let outlasts = |one: &Use| one.writes && one.end > twin.start && one.slice != of_twin;
                let is_written = earlier.by_ref().take(MAX_USES).any(outlasts);
                return Some(is_written || earlier.next().is_some_and(|one| one.written_until > twin.start));
            }
            if looked_at == MAX_USES {
                return None;
            }
            if one.writes && one.slice != own && one.from < to && one.to > from {
                return Some(true);
            }
        }
        Some(false)
    }
}
