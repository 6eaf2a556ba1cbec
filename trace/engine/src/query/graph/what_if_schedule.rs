//! Recorded and predicted times of commands, by queue, joined in the columns of a picture.

use rustc_hash::FxHashMap;
use syclscope_language::api::{WhatIfPiece, WhatIfQueue, WhatIfSchedule};
use syclscope_language::question::{MAX_SCHEDULE_COLUMNS, ScheduleQuestion};
use syclscope_language::sorting::Sorting as _;

use super::what_if::Replay;
use crate::cancel;
use crate::id::{StringId, some};
use crate::store::Trace;
use crate::store::cache::cached;
use crate::store::table::Table as _;
use crate::stretches::Stretches;

/// Default number of columns.
const COLUMNS: u32 = 200;
/// Maximum number of queues. Each has two rows of at most [`MAX_SCHEDULE_COLUMNS`] pieces.
const QUEUES: usize = 6;

/// Tracks of the busiest queues, in their order, and the number of other queues.
#[derive(Debug)]
struct Busiest {
    tracks: Vec<usize>,
    more: u64,
}

cached!(Busiest { tracks });

#[derive(Clone, Copy, Debug)]
struct Times {
    from_ns: u64,
    to_ns: u64,
    node: u32,
}

/// Returns the recorded times of the busiest queues, and those of the changed run's replay, in a range of time.
pub(super) fn schedule(
    trace: &Trace,
    replay: &Replay,
    end_ns: u64,
    question: &ScheduleQuestion,
) -> WhatIfSchedule {
    cancel::spend(trace.nodes.len());
    let busiest = trace.shelf.slot().get_or_init(|| Busiest::new(trace));
    let (from_ns, to_ns) = (question.from_ns.unwrap_or(0), question.to_ns.unwrap_or(end_ns));
    let columns = question.columns.unwrap_or(COLUMNS).clamp(1, MAX_SCHEDULE_COLUMNS);
    let column_ns = to_ns.saturating_sub(from_ns).div_ceil(columns.into()).max(1);
    let is_within = |times: &Times| {
        let is_before_end = question.to_ns.is_none_or(|to_ns| times.from_ns < to_ns);
        times.from_ns < times.to_ns && times.to_ns > from_ns && is_before_end
    };
    let mut rows: Vec<[Vec<Times>; 2]> = vec![<[Vec<Times>; 2]>::default(); busiest.tracks.len()];
    for (node, slice) in executions(trace) {
        let track = trace.tracks.of_lane(trace.slices.lane_of(slice));
        let Some(place) = busiest.tracks.iter().position(|known| *known == track) else { continue };
        let recorded = trace.slices.interval(slice);
        let predicted =
            replay.times_ns.get(node as usize).map(|(from, ns)| (*from, from.saturating_add(*ns)));
        for (row, (from_ns, to_ns)) in
            rows[place].iter_mut().zip([Some(recorded), predicted].into_iter().flatten())
        {
            row.extend(Some(Times { from_ns, to_ns, node }).filter(is_within));
        }
    }
    let mut pieces = Pieces { trace, from_ns, column_ns, names: Vec::new(), places: FxHashMap::default() };
    let queues = busiest.tracks.iter().zip(rows).map(|(track, [recorded, predicted])| WhatIfQueue {
        track: *track as u32,
        name: trace.track_name(*track).to_owned(),
        recorded: pieces.joined(recorded),
        predicted: pieces.joined(predicted),
    });
    let queues = queues.collect();
    WhatIfSchedule { column_ns, names: pieces.names, queues, more_queues: busiest.more }
}

/// Returns the nodes of commands with known times, and their slices.
fn executions(trace: &Trace) -> impl Iterator<Item = (u32, usize)> {
    let nodes = 0..trace.nodes.len() as u32;
    nodes.filter_map(|node| Some((node, some(trace.nodes.execution.at(node as usize))? as usize)))
}

impl Busiest {
    fn new(trace: &Trace) -> Self {
        let mut times: FxHashMap<usize, Vec<(u64, u64)>> = FxHashMap::default();
        for (_, slice) in executions(trace) {
            let track = trace.tracks.of_lane(trace.slices.lane_of(slice));
            let own = times.entry(track).or_default();
            own.push(trace.slices.interval(slice));
        }
        let mut tracks: Vec<(usize, u64)> =
            times.into_iter().map(|(track, times)| (track, Stretches::new(times).ns())).collect();
        tracks.arrange_by_key(|(track, busy_ns)| (std::cmp::Reverse(*busy_ns), *track));
        let more = tracks.len().saturating_sub(QUEUES) as u64;
        tracks.truncate(QUEUES);
        let mut tracks: Vec<usize> = tracks.into_iter().map(|(track, _)| track).collect();
        tracks.arrange();
        Self { tracks, more }
    }
}

struct Pieces<'t> {
    trace: &'t Trace,
    /// Begin of the first column.
    from_ns: u64,
    column_ns: u64,
    names: Vec<String>,
    places: FxHashMap<StringId, u32>,
}

impl Pieces<'_> {
    /// Joins commands that begin in one column. Those that run as the range begins are in the first column.
    fn joined(&mut self, mut row: Vec<Times>) -> Vec<WhatIfPiece> {
        row.arrange_by_key(|times| (times.from_ns, times.to_ns));
        let (from_ns, column_ns) = (self.from_ns, self.column_ns);
        let column = |times: &Times| times.from_ns.saturating_sub(from_ns) / column_ns;
        let commands = row.chunk_by(|one, other| column(one) == column(other));
        commands.filter_map(|commands| self.piece(commands)).collect()
    }

    fn piece(&mut self, commands: &[Times]) -> Option<WhatIfPiece> {
        let from_ns = commands.first()?.from_ns;
        let (mut to_ns, mut busy_ns) = (from_ns, 0);
        let mut longest = *commands.first()?;
        for times in commands {
            busy_ns += times.to_ns.saturating_sub(times.from_ns.max(to_ns));
            to_ns = to_ns.max(times.to_ns);
            if times.to_ns - times.from_ns > longest.to_ns - longest.from_ns {
                longest = *times;
            }
        }
        let row = longest.node as usize;
        let name = self.trace.nodes.name.at(row);
        let names = &mut self.names;
        let place = self.places.entry(name).or_insert_with(|| {
            names.push(self.trace.strings.get(name).to_owned());
            names.len() as u32 - 1
        });
        Some(WhatIfPiece {
            from_ns,
            to_ns,
            category: self.trace.nodes.kind.at(row).category(),
            count: commands.len() as u64,
            busy_ns,
            name: *place,
            node: self.trace.nodes.number.at(row),
        })
    }
}
