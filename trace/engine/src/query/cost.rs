//! Cost of recording for the program's threads, in the recorder's own code: measured costs times the notifications of
//! the threads' tracks.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::RecordingCost;
use syclscope_language::event::{Category, Cost, EdgeReason, FactKind, Notified, TrackKind};

use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Costs of notifications in a process, in the order of [`Notified::ALL`].
pub(crate) struct Costs([Cost; Notified::ALL.len()]);

impl Costs {
    /// Returns the costs measured in a process; `None` if the recording has none.
    pub(crate) fn new(trace: &Trace, process: u32) -> Option<Self> {
        let facts = trace.machine.facts.iter();
        let known: Vec<(&str, Cost)> = facts
            .filter(|fact| fact.process == process && fact.kind == FactKind::Cost)
            .filter_map(|fact| {
                Some((trace.strings.get(fact.name), Cost::from_text(trace.strings.get(fact.value))?))
            })
            .collect();
        // A kind without a measurement takes at most as long as the slowest measured one.
        let most_ns = known.iter().map(|(_, cost)| cost.most_ns).max()?;
        let mut costs = [Cost { least_ns: 0, most_ns }; Notified::ALL.len()];
        for (name, cost) in known {
            if let Some(place) = Notified::ALL.iter().position(|notified| notified.as_str() == name) {
                costs[place] = cost;
            }
        }
        Some(Self(costs))
    }

    fn get(&self, notified: Notified) -> Cost {
        self.0[notified as usize]
    }

    /// Returns a lower bound (ns) of the cost of recording within a submission, nested calls included.
    pub(crate) fn within(&self, trace: &Trace, submission: u32) -> u64 {
        let row = submission as usize;
        let (slices, span) = (&trace.slices, trace.slices.start.at(row)..trace.slices.end(row));
        let lane = slices.lane_of(row);
        let Some(track) = trace.tracks.get(trace.tracks.of_lane(lane) as u32) else { return 0 };
        let below = (lane + 1..track.lane_range().end).map(|lane| begun_in(trace, lane, &span));
        let of = |notified| self.get(notified).least_ns;
        let own_ns = of(Notified::SubmissionBegins) + of(Notified::Signal);
        let nested = below.flatten().map(|row| notified(slices.category(row)).iter().map(|kind| of(*kind)));
        nested.flatten().fold(own_ns, u64::saturating_add)
    }
}

fn notified(category: Category) -> &'static [Notified] {
    match category {
        Category::Submission => {
            // The node is created just before.
            &[Notified::Node, Notified::SubmissionBegins, Notified::Signal, Notified::SubmissionEnds]
        }
        Category::Wait | Category::Barrier => &[Notified::WaitBegins, Notified::WaitEnds],
        _ => &[Notified::CallBegins, Notified::CallEnds],
    }
}

/// Returns the rows of a lane that start within a range.
fn begun_in(trace: &Trace, lane: usize, span: &Range<u64>) -> Range<usize> {
    let rows = trace.slices.lane(lane);
    let first = |moment: u64| {
        let (mut from, mut to) = (rows.start, rows.end);
        while from < to {
            let middle = from.midpoint(to);
            if trace.slices.start.at(middle) < moment { from = middle + 1 } else { to = middle }
        }
        from
    };
    first(span.start)..first(span.end)
}

/// Returns the thread with the highest cost of recording. Walks over every slice of threads.
pub(super) fn largest(trace: &Trace) -> Option<RecordingCost> {
    let processes = 0..trace.processes.len() as u32;
    let costs: Vec<Option<Costs>> = processes.map(|process| Costs::new(trace, process)).collect();
    if costs.iter().all(Option::is_none) {
        return None;
    }
    // An edge is created by the thread that submits its target.
    let mut edges: FxHashMap<u32, u64> = FxHashMap::default();
    for edge in trace.edges.rows.iter().filter(|edge| edge.reason != EdgeReason::InOrder) {
        if let Some(slice) = trace.nodes.get(edge.target).and_then(|node| some(node.submission)) {
            let track = trace.tracks.of_lane(trace.slices.lane_of(slice as usize));
            *edges.entry(track as u32).or_default() += 1;
        }
    }
    let mut threads: FxHashMap<(u32, u32), ThreadCost> = FxHashMap::default();
    for (row, track) in (0..).zip(trace.tracks.iter()) {
        let is_own = matches!(track.kind, TrackKind::Thread | TrackKind::Stream);
        let Some(costs) = costs.get(track.process as usize).and_then(Option::as_ref).filter(|_| is_own)
        else {
            continue;
        };
        let taken = threads.entry((track.process, track.tid)).or_default();
        if track.kind == TrackKind::Thread {
            taken.track.get_or_insert(row);
            taken.add(Notified::Node, costs, edges.get(&row).copied().unwrap_or_default());
        }
        for row in track.lane_range().flat_map(|lane| trace.slices.lane(lane)) {
            let kinds = notified(trace.slices.category(row));
            kinds.iter().for_each(|kind| taken.add(*kind, costs, 1));
            let (start, end) = trace.slices.interval(row);
            let (first, last) = taken.span.unwrap_or((start, end));
            taken.span = Some((first.min(start), last.max(end)));
        }
    }
    let all = threads.into_values().filter_map(|taken| taken.into_cost(trace));
    // Of equal costs, the first track's counts.
    all.max_by_key(|cost| (cost.most_ns, std::cmp::Reverse(cost.track)))
}

#[derive(Default)]
struct ThreadCost {
    track: Option<u32>,
    span: Option<(u64, u64)>,
    notifications: u64,
    least_ns: u64,
    most_ns: u64,
}

impl ThreadCost {
    fn add(&mut self, notified: Notified, costs: &Costs, times: u64) {
        let Cost { least_ns, most_ns } = costs.get(notified);
        self.notifications += times;
        self.least_ns = self.least_ns.saturating_add(least_ns.saturating_mul(times));
        self.most_ns = self.most_ns.saturating_add(most_ns.saturating_mul(times));
    }

    fn into_cost(self, trace: &Trace) -> Option<RecordingCost> {
        let Self { track, span, notifications, least_ns, most_ns } = self;
        let (track, (first, last)) = (track?, span?);
        let thread = trace.strings.get(trace.tracks.get(track)?.name).to_owned();
        let thread_ns = last.saturating_sub(first);
        (thread_ns > 0).then_some(RecordingCost {
            track,
            thread,
            notifications,
            least_ns,
            most_ns,
            thread_ns,
        })
    }
}
