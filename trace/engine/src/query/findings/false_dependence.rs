//! Commands on parts of one buffer that the runtime serialises.

use rustc_hash::FxHashMap;

use super::run::{Draft, Run};
use super::touched;
use super::words::time;
use crate::id::{LocationId, StringId};
use crate::query::serialised::{FalseDependences, Pair, false_dependences};

/// Fewer may be chance.
const MIN_DEPENDENCES: usize = 4;

/// Commands that waited only for a command on another part of the same buffer, by the waiting command and its source
/// location.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let mut places: FxHashMap<(u32, StringId, LocationId), Vec<Pair>> = FxHashMap::default();
    let known = false_dependences(run);
    for pair in known.pairs.iter().filter(|pair| run.has(pair.second.begun)) {
        let second = pair.second;
        let name = run.trace.nodes.name.at(second.node as usize);
        places.entry((second.process, name, second.location)).or_default().push(*pair);
    }
    places
        .into_iter()
        .filter_map(|((process, _, location), pairs)| finding(run, &known, process, location, &pairs))
        .collect()
}

fn finding(
    run: &Run<'_>,
    known: &FalseDependences,
    process: u32,
    location: LocationId,
    pairs: &[Pair],
) -> Option<Draft> {
    let waited = pairs.iter().filter_map(|pair| {
        let start = pair.second.execution?.start;
        Some((start, start + pair.overlap_ns))
    });
    let touches_ns = touched::busy(waited);
    if pairs.len() < MIN_DEPENDENCES || !run.is_worth(touches_ns) {
        return None;
    }
    let mut change = known.removed(pairs.iter().map(|pair| pair.second.node));
    let mut queues: FxHashMap<u32, Vec<(u64, u32)>> = FxHashMap::default();
    for command in pairs.iter().flat_map(|pair| [pair.first, pair.second]) {
        let start = command.execution.map_or(0, |execution| execution.start);
        queues.entry(command.queue).or_default().push((start, command.node));
    }
    for (queue, mut commands) in queues {
        commands.sort_unstable();
        commands.dedup();
        let nodes: Vec<u32> = commands.iter().map(|(_, node)| *node).collect();
        change.instead.extend(run.in_the_room(queue, &nodes));
    }
    let example = pairs.iter().max_by_key(|pair| pair.overlap_ns)?;
    let (first, second) = (run.short_name(&example.first), run.short_name(&example.second));
    Some(Draft {
        kind: "false_dependence",
        message: format!(
            "{} times {second}{} waited for a command on another part of the same buffer ({first}{}), with which it \
             shares no memory: the runtime orders all commands on sub-buffers of one buffer.",
            pairs.len(),
            run.at_place(location),
            run.at_place(example.first.location)
        ),
        remedy: "Use a buffer for each part, or USM.".to_owned(),
        evidence: vec![format!(
            "They could have overlapped for {}, the longest for {}.",
            time(touches_ns),
            time(example.overlap_ns)
        )],
        process,
        location,
        slices: pairs.iter().filter_map(|pair| Some(pair.second.execution?.slice)).collect(),
        nodes: pairs.iter().map(|pair| pair.second.node).collect(),
        count: pairs.len() as u64,
        touches_ns,
        change: Ok(change),
        bytes: 0,
        how: "At most: the run replayed with these commands beside what they waited for; less where one of them fills the device.",
        filter: run.filter_at(location, "category:kernel"),
    })
}
