//! Threads of the runtime that run host tasks. Before each task, such a thread waits for the task's dependences. The
//! program does not wait meanwhile.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::{NodeKind, TrackKind};

use crate::graph::neighbours::real_neighbours;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Returns the tracks of the runtime's threads. `calls` are the calls that blocked a thread outside of any wait of
/// SYCL: track and awaited nodes.
///
/// Such a thread waits for dependences of host tasks that other threads requested, more often than it requests commands
/// itself. A command whose request was not recorded counts for the thread that submitted it.
pub(super) fn find<'n>(trace: &Trace, calls: impl Iterator<Item = (u32, &'n [u32])>) -> FxHashSet<u32> {
    // By node: the threads that requested host tasks behind it.
    let mut requesters: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for task in (0..trace.nodes.len()).filter(|row| trace.nodes.kind.at(*row) == NodeKind::HostTask) {
        let tid = trace.nodes.tid.at(task);
        if tid != 0 {
            for source in real_neighbours(trace, task as u32, true) {
                let known = requesters.entry(source).or_default();
                if !known.contains(&tid) {
                    known.push(tid);
                }
            }
        }
    }
    if requesters.is_empty() {
        return FxHashSet::default();
    }
    let mut waits: FxHashMap<u32, u64> = FxHashMap::default();
    for (track, nodes) in calls {
        let Some(row) = trace.tracks.get(track).filter(|row| row.kind == TrackKind::Thread) else { continue };
        let main = trace.processes.get(row.process as usize).map(|process| process.pid);
        let is_other = row.tid != 0 && Some(row.tid) != main;
        let is_of_task = |node: &u32| {
            requesters.get(node).is_some_and(|requesters| requesters.iter().any(|tid| *tid != row.tid))
        };
        if is_other && nodes.iter().any(is_of_task) {
            *waits.entry(track).or_default() += 1;
        }
    }
    let mut requests: FxHashMap<(u32, u32), u64> = FxHashMap::default();
    for node in trace.nodes.iter() {
        *requests.entry((trace.process_of_node(&node), node.tid)).or_default() += 1;
    }
    let is_of_runtime = |(track, waits): (u32, u64)| {
        let row = trace.tracks.get(track)?;
        let requests = requests.get(&(row.process, row.tid)).copied().unwrap_or_default();
        (waits > requests).then_some(track)
    };
    waits.into_iter().filter_map(is_of_runtime).collect()
}
