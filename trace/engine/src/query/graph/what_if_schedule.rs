//! Recorded and predicted times of commands, by queue, in pieces of a picture's width.

use rustc_hash::FxHashMap;
use syclscope_language::api::{WhatIfPiece, WhatIfQueue, WhatIfSchedule};
use syclscope_language::event::Category;

use crate::cancel;
use crate::graph::Schedule;
use crate::graph::commands::Commands;
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::Stretches;
use syclscope_language::sorting::Sorting as _;

/// Columns of the picture, and its most queues: 2,400 pieces at most.
const COLUMNS: u64 = 200;
const QUEUES: usize = 6;

/// Times of a queue's commands: from, to and category.
#[derive(Default)]
struct Times {
    recorded: Vec<(u64, u64, Category)>,
    predicted: Vec<(u64, u64, Category)>,
}

/// Returns the times of the busiest queues as they were, and by the replay of the changed run.
pub(super) fn of(
    trace: &Trace,
    (commands, schedule): &(Commands, Schedule),
    recorded_ns: u64,
) -> WhatIfSchedule {
    cancel::spend(trace.nodes.len());
    let mut tracks: FxHashMap<usize, Times> = FxHashMap::default();
    for node in 0..trace.nodes.len() as u32 {
        let Some(slice) = some(trace.nodes.execution.at(node as usize)) else { continue };
        let row = slice as usize;
        let category = trace.nodes.kind.at(node as usize).category();
        let times = tracks.entry(trace.tracks.of_lane(trace.slices.lane_of(row))).or_default();
        times.recorded.push((trace.slices.start.at(row), trace.slices.end(row), category));
        let from = schedule.earliest_ns(node);
        times.predicted.push((from, from.saturating_add(commands.steps.duration_ns(node)), category));
    }
    let mut tracks: Vec<(usize, Times)> = tracks.into_iter().collect();
    let busy_ns = |times: &Times| {
        Stretches::new(times.recorded.iter().map(|(from, to, _)| (*from, *to)).collect()).ns()
    };
    tracks.arrange_by_cached_key(|(track, times)| (std::cmp::Reverse(busy_ns(times)), *track));
    let more_queues = tracks.len().saturating_sub(QUEUES) as u64;
    tracks.truncate(QUEUES);
    tracks.arrange_by_key(|(track, _)| *track);
    let column_ns = recorded_ns.max(schedule.length_ns()).div_ceil(COLUMNS).max(1);
    let queue = |(track, times): (usize, Times)| WhatIfQueue {
        track: track as u32,
        name: trace.track_name(track).to_owned(),
        recorded: pieces(times.recorded, column_ns),
        predicted: pieces(times.predicted, column_ns),
    };
    WhatIfSchedule { column_ns, queues: tracks.into_iter().map(queue).collect(), more_queues }
}

/// Joins commands that begin in one column.
fn pieces(mut times: Vec<(u64, u64, Category)>, column_ns: u64) -> Vec<WhatIfPiece> {
    times.retain(|(from, to, _)| from < to);
    times.arrange_by_key(|(from, to, _)| (*from, *to));
    let mut pieces: Vec<WhatIfPiece> = Vec::new();
    let mut longest_ns = 0;
    for (from_ns, to_ns, category) in times {
        match pieces.last_mut().filter(|piece| piece.from_ns / column_ns == from_ns / column_ns) {
            Some(piece) => {
                piece.to_ns = piece.to_ns.max(to_ns);
                piece.count += 1;
                if to_ns - from_ns > longest_ns {
                    (longest_ns, piece.category) = (to_ns - from_ns, category);
                }
            }
            None => {
                longest_ns = to_ns - from_ns;
                pieces.push(WhatIfPiece { from_ns, to_ns, category, count: 1 });
            }
        }
    }
    pieces
}
