//! Host accessors and destructors of buffers that hold the host until the device is done, and then the device until the
//! host has submitted more.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, NodeKind, Value};

use super::claim::Claim;
use super::run::{Draft, Run};
use super::words::time;
use crate::id::{LocationId, some};
use crate::query::stretches::Stretches;
use crate::store::table::Table as _;

/// Fewer at a place may be what the program needs to get at its results.
const LEAST: usize = 8;

/// A time in which the host was held.
struct Block {
    process: u32,
    location: LocationId,
    /// Slices of the host that make it up.
    slices: Vec<u32>,
    node: u32,
    begin: u64,
    end: u64,
}

/// When an object was made and destroyed, and the place that made it.
type Life = (u64, u64, LocationId);

/// Host accessors at a place that leave devices idle between them and the next command.
pub(super) fn host_accessors(run: &Run<'_>) -> Vec<Draft> {
    report(run, &held_by_accessors(run, &waits(run)), "blocking_host_accessor", |count, place, held| {
        format!(
            "{count} host accessors{place} blocked the host for {held} until the device was done with the \
                 buffer; the device then waited for the host. Keep the work on the device, read less often, or copy \
                 the needed data asynchronously."
        )
    })
}

/// The same of destructors of buffers.
pub(super) fn destructors(run: &Run<'_>) -> Vec<Draft> {
    report(run, &held_by_destructors(run, &waits(run)), "blocking_destructor", |count, place, held| {
        format!(
            "The destructors of {count} buffers{place} blocked the host for {held} until the device was done and the \
             data were written back. Keep the buffer alive beyond the loop, or disable the write-back with \
             set_final_data(nullptr)."
        )
    })
}

/// The host's waits in the order of their begin.
fn waits(run: &Run<'_>) -> Vec<u32> {
    let slices = &run.trace.slices;
    let rows = (0..slices.len()).filter(|row| slices.category(*row) == Category::Wait);
    let mut waits: Vec<u32> = rows.map(|row| row as u32).collect();
    waits.sort_by_key(|row| slices.start.at(*row as usize));
    waits
}

fn held_by_accessors(run: &Run<'_>, waits: &[u32]) -> Vec<Block> {
    let slices = &run.trace.slices;
    let mut of_node: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for wait in waits {
        if let Some(node) = some(slices.node.at(*wait as usize)) {
            of_node.entry(node).or_default().push(*wait);
        }
    }
    let accessors = run.commands.iter().filter(|command| command.kind == NodeKind::HostAccessor);
    let blocks = accessors.filter_map(|command| {
        let waits = of_node.remove(&command.node).unwrap_or_default();
        let held: Vec<u32> = some(command.submission).into_iter().chain(waits).collect();
        let own = run.trace.objects.accessors_of_node(command.node).map(|accessor| accessor.location);
        Some(Block {
            process: command.process,
            location: own.into_iter().find(|place| *place != LocationId(0)).unwrap_or(command.location),
            begin: held.iter().map(|slice| slices.start.at(*slice as usize)).min()?,
            end: held.iter().map(|slice| slices.end(*slice as usize)).max()?,
            slices: held,
            node: command.node,
        })
    });
    blocks.collect()
}

/// The last wait for a command on a buffer, when nothing came after it but the buffer's end.
fn held_by_destructors(run: &Run<'_>, waits: &[u32]) -> Vec<Block> {
    let (trace, slices) = (run.trace, &run.trace.slices);
    let mut objects: FxHashMap<(u32, u64), Vec<Life>> = FxHashMap::default();
    for row in trace.objects.rows.iter() {
        if let Some(destroyed) = row.destroyed {
            objects.entry((row.process, row.address)).or_default().push((
                row.created,
                destroyed,
                row.location,
            ));
        }
    }
    objects.values_mut().for_each(|lives| lives.sort_unstable_by_key(|life| life.0));
    // What a thread submitted, by process and begin.
    let begins: Vec<(u32, u64)> = run
        .commands
        .iter()
        .filter(|command| command.execution.is_some())
        .map(|c| (c.thread, c.begun))
        .collect();
    let mut found: Vec<Block> = Vec::new();
    for wait in waits {
        let row = *wait as usize;
        let Some(node) = some(slices.node.at(row)) else { continue };
        let args = trace.args.get(slices.args.at(row), &trace.strings);
        let is_object = |(key, _): &(&str, Value<'_>)| *key == "memory_object";
        let Some((_, Value::Pointer(address))) = args.into_iter().find(is_object) else { continue };
        let track = trace.tracks.of_lane(slices.lane_of(row));
        let process = trace.tracks.process.at(track);
        let (begin, end) = (slices.start.at(row), slices.end(row));
        let Some(lives) = objects.get(&(process, address)) else { continue };
        let Some(life) = lives[..lives.partition_point(|life| life.0 <= begin)].last() else { continue };
        let (_, destroyed, location) = *life;
        if destroyed < end || trace.nodes.kind.at(node as usize) == NodeKind::HostAccessor {
            continue;
        }
        let next = begins.partition_point(|(_, begun)| *begun < end);
        let mut until = begins[next..].iter().take_while(|(_, begun)| *begun < destroyed);
        if until.any(|(thread, _)| *thread == track as u32) {
            continue;
        }
        found.push(Block { process, location, slices: vec![*wait], node, begin, end });
    }
    found
}

fn report(
    run: &Run<'_>,
    blocks: &[Block],
    kind: &'static str,
    message: impl Fn(usize, &str, &str) -> String,
) -> Vec<Draft> {
    let mut places: FxHashMap<(u32, LocationId), Vec<&Block>> = FxHashMap::default();
    for block in blocks {
        places.entry((block.process, block.location)).or_default().push(block);
    }
    let mut findings = Vec::new();
    for ((process, location), blocks) in places {
        // Devices that were busy when the host went on lost nothing.
        let harmful = blocks.iter().filter(|block| run.is_idle_between(process, block.end));
        let claim = Claim::held(run, process, harmful.map(|block| (block.begin, block.end)).collect());
        if blocks.len() < LEAST || !run.is_worth(claim.ns()) {
            continue;
        }
        let held = Stretches::new(blocks.iter().map(|block| (block.begin, block.end)).collect()).ns();
        let place = run.at_place(location);
        findings.push(Draft {
            kind,
            message: message(blocks.len(), &place, &time(held)),
            evidence: vec![
                format!("The host was blocked for {}.", time(held)),
                format!("Devices were idle for {} of it or right after.", time(claim.ns())),
            ],
            process,
            location,
            slices: blocks.iter().flat_map(|block| block.slices.iter().copied()).collect(),
            nodes: blocks.iter().map(|block| block.node).collect(),
            count: blocks.len() as u64,
            claim,
            bytes: 0,
            how: "At most the time for which the host was blocked, as far as no device was busy until the next command.",
            filter: "category:wait".to_owned(),
        });
    }
    findings
}
