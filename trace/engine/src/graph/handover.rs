//! The time and thread at which each command was handed over.

use rustc_hash::FxHashMap;
use syclscope_language::event::TrackKind;

use super::blocking::Blocking;
use super::submitting_calls;
use crate::id::some;
use crate::store::Trace;
use crate::store::graph::NodeRow;
use crate::store::table::Table as _;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Handover {
    pub(crate) node: u32,
    pub(crate) track: u32,
    /// Earliest possible start of the command.
    pub(crate) at: u64,
}

/// Returns the thread that requested each command, and the time of its handover: by thread, then by time.
///
/// If a thread of the runtime later submits another thread's command, the requesting thread and the time of its request
/// count. The same applies to a thread that submits, within a wait, a command that it requested before.
pub(crate) fn handovers(trace: &Trace, blocking: &Blocking) -> Vec<Handover> {
    let mut threads: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for (number, track) in
        trace.tracks.iter().enumerate().filter(|(_, track)| track.kind == TrackKind::Thread)
    {
        threads.entry((track.process, track.tid)).or_insert(number as u32);
    }
    let calls = submitting_calls(trace);
    let of_node = |(row, node): (usize, NodeRow)| {
        let slice = some(node.submission).or_else(|| some(calls[row]))? as usize;
        let own = trace.tracks.of_lane(trace.slices.lane_of(slice)) as u32;
        let own_row = trace.tracks.get(own)?;
        let begin = trace.slices.start.at(slice);
        let asking = Some(node.tid).filter(|tid| *tid != 0 && *tid != own_row.tid && node.created <= begin);
        let asking = asking.and_then(|tid| threads.get(&(own_row.process, tid)));
        let (track, at) = match asking {
            Some(thread) => (*thread, node.created),
            None if blocking.at(own, begin).is_some_and(|block| block.begin < begin) => {
                (own, node.created.min(begin))
            }
            None => {
                let start =
                    some(node.execution).map_or(u64::MAX, |slice| trace.slices.start.at(slice as usize));
                (own, trace.slices.end(slice).min(start).max(begin))
            }
        };
        // A blocked thread hands nothing over, so the handover was before the block.
        let at = blocking.at(track, at).map_or(at, |block| block.begin);
        Some(Handover { node: row as u32, track, at })
    };
    let mut handovers: Vec<Handover> = trace.nodes.iter().enumerate().filter_map(of_node).collect();
    handovers.sort_unstable_by_key(|handover| (handover.track, handover.at, handover.node));
    handovers
}
