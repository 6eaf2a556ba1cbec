//! Samples of host threads in a range of time.

mod system_calls;

use std::cmp::Reverse;
use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::{SampledPlace, StepSamples};
use syclscope_language::names::short_name;
pub(super) use system_calls::blocked_in;

use super::detail::location;
use crate::cancel;
use crate::id::some;
use crate::store::Trace;
use crate::store::stacks::FrameRow;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of functions in an answer.
const MAX_PLACES: usize = 5;

/// Samples of some ranges by location, before they are described.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// Number of all samples and of those of blocked threads, by the innermost frame or the blocking system call.
    places: FxHashMap<Place, (u64, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    /// Row of a frame.
    Frame(u32),
    /// The number of the system call plus one.
    Blocked(u32),
    Unknown,
}

impl Tally {
    pub(super) fn add(&mut self, trace: &Trace, track: u32, range: &Range<u64>) {
        let rows = trace.samples.rows(track, range);
        cancel::spend(rows.len());
        for row in rows {
            let is_blocked = trace.samples.is_blocked.at(row);
            let place = match some(trace.samples.stack.at(row)) {
                Some(stack) => Place::Frame(stack),
                None if is_blocked => Place::Blocked(trace.samples.system_call.at(row)),
                None => Place::Unknown,
            };
            let (count, blocked) = self.places.entry(place).or_default();
            *count += 1;
            *blocked += u64::from(is_blocked);
        }
    }

    /// Returns the samples of every thread in a range. If some threads ran in half of their samples, only those count:
    /// workers that wait for work are left out.
    pub(super) fn of_threads(trace: &Trace, range: &Range<u64>) -> Self {
        let of_thread = |track| {
            let mut tally = Self::default();
            tally.add(trace, track, range);
            tally
        };
        let threads: Vec<Self> = trace.samples.tracks().into_iter().map(of_thread).collect();
        let has_busy = threads.iter().any(Self::is_busy);
        let mut all = Self::default();
        for thread in threads.into_iter().filter(|thread| thread.is_busy() || !has_busy) {
            for (place, (count, blocked)) in thread.places {
                let sum = all.places.entry(place).or_default();
                *sum = (sum.0 + count, sum.1 + blocked);
            }
        }
        all
    }

    /// True if the thread ran in at least half of its samples.
    fn is_busy(&self) -> bool {
        let (count, blocked) =
            self.places.values().fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        count > 0 && blocked * 2 <= count
    }

    /// Returns the tally for an answer, with every line of every function; `None` without samples.
    pub(super) fn lines(self, trace: &Trace) -> Option<StepSamples> {
        if self.places.is_empty() {
            return None;
        }
        let mut places: FxHashMap<Place, (u64, u64)> = FxHashMap::default();
        for (place, (count, blocked)) in self.places {
            let place = match place {
                Place::Frame(stack) => Place::Frame(trace.users_frame(stack)),
                other => other,
            };
            let sum = places.entry(place).or_default();
            *sum = (sum.0 + count, sum.1 + blocked);
        }
        let mut samples = StepSamples::default();
        for (place, (count, blocked)) in places {
            samples.count += count;
            samples.blocked += blocked;
            let (function, location) = match place {
                Place::Frame(frame) => {
                    let row = trace.stacks.outwards(frame).next().map(|(_, frame)| frame);
                    let place = row.and_then(|row| location(trace, row.location));
                    (row.map(|row| trace.frame_name(&row)).unwrap_or_default(), place)
                }
                Place::Blocked(call) => (blocked_in(call), None),
                Place::Unknown => (String::new(), None),
            };
            samples.places.push(SampledPlace { function, location, count, blocked });
        }
        Some(samples)
    }
}

/// Adds the samples of further ranges; both contain every line.
pub(super) fn add(known: &mut Option<StepSamples>, more: Option<StepSamples>) {
    let Some(more) = more else { return };
    let Some(known) = known else {
        *known = Some(more);
        return;
    };
    known.count += more.count;
    known.blocked += more.blocked;
    known.places.extend(more.places);
}

/// Sums up the lines of each function, and describes the first.
pub(super) fn finish(samples: &mut Option<StepSamples>) {
    let Some(StepSamples { count, blocked, places, message }) = samples else { return };
    let mut lines = std::mem::take(places);
    let key = |place: &SampledPlace| {
        let location = place.location.as_ref();
        let file = location.map(|location| location.file.clone()).unwrap_or_default();
        (place.function.clone(), file, location.map_or(0, |location| location.line))
    };
    lines.arrange_by_cached_key(key);
    lines.dedup_by(|line, before| {
        let is_same = key(line) == key(before);
        if is_same {
            before.count += line.count;
            before.blocked += line.blocked;
        }
        is_same
    });
    // The line with most samples is first, and represents its function.
    lines.arrange_by_cached_key(|line| (Reverse(line.count), key(line)));
    let mut known: FxHashMap<(String, String), usize> = FxHashMap::default();
    // Functions with samples on several lines, by index.
    let mut spread = Vec::new();
    for line in lines.into_iter().filter(|line| !line.function.is_empty()) {
        let (function, file, _) = key(&line);
        let at = *known.entry((function, file)).or_insert(places.len());
        match places.get_mut(at) {
            Some(place) => {
                place.count += line.count;
                place.blocked += line.blocked;
                spread[at] = true;
            }
            None => {
                places.push(line);
                spread.push(false);
            }
        }
    }
    let first = (0..places.len()).max_by_key(|at| (places[*at].count, Reverse(*at)));
    *message = words(*count, *blocked, first.map(|at| (&places[at], spread[at])));
    places.arrange_by_key(|place| Reverse(place.count));
    places.truncate(MAX_PLACES);
}

/// Returns `in solve at solver.cpp:88 in 41 of 43 samples`; for a function with samples on several lines, `in solve in
/// 41 of 43 samples, most often at solver.cpp:88`.
fn words(count: u64, blocked: u64, first: Option<(&SampledPlace, bool)>) -> String {
    let of = |part: u64| match count {
        1 => "in the only sample".to_owned(),
        _ => format!("in {part} of {count} samples"),
    };
    let Some((first, is_spread)) = first else {
        let waits = if blocked == 0 { String::new() } else { format!(", blocked in {blocked}") };
        return format!("at an unknown place {}{waits}", of(count));
    };
    let place = match &first.location {
        Some(location) if !location.file.is_empty() => {
            let file = location.file.rsplit(['/', '\\']).next().unwrap_or(&location.file);
            format!(" at {file}:{}", location.line)
        }
        _ => String::new(),
    };
    let name = short_name(&first.function);
    let is_call = first.function.starts_with(system_calls::BLOCKED);
    let within = if is_call { "" } else { "in " };
    let waits = match first.blocked {
        _ if is_call => String::new(),
        0 => String::new(),
        _ if count == 1 => ", blocked".to_owned(),
        blocked => format!(", blocked in {blocked}"),
    };
    let part = of(first.count);
    match is_spread && !place.is_empty() {
        true => format!("{within}{name} {part}, most often{place}{waits}"),
        false => format!("{within}{name}{place} {part}{waits}"),
    }
}

impl Trace {
    /// Returns the frame that represents a stack: the innermost named one of the program's own code, else the innermost
    /// one.
    fn users_frame(&self, innermost: u32) -> u32 {
        let has_name = |frame: &FrameRow| {
            self.locations.get(frame.location.0).is_some_and(|row| !self.strings.get(row.function).is_empty())
        };
        let mut frames = self.stacks.outwards(innermost);
        let users = frames.find(|(_, frame)| frame.kind.is_users() && has_name(frame));
        users.map_or(innermost, |(row, _)| row)
    }
}
