//! Host accessors and destructors of buffers that hold the host until the device is done, and then the device until the
//! host has submitted more.

use rustc_hash::FxHashMap;

use super::claim::Claim;
use super::run::{Draft, Run};
use super::words::time;
use crate::graph::blocking::Cause;
use crate::id::LocationId;
use crate::query::stretches::Stretches;

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

/// Host accessors at a place that leave devices idle between them and the next command.
pub(super) fn host_accessors(run: &Run<'_>) -> Vec<Draft> {
    let [accessors, _] = blocks(run);
    report(run, &accessors, "blocking_host_accessor", |count, place, held| {
        format!(
            "{count} host accessors{place} blocked the host for {held} until the device was done with the \
                 buffer; the device then waited for the host. Keep the work on the device, read less often, or copy \
                 the needed data asynchronously."
        )
    })
}

/// The same of destructors of buffers.
pub(super) fn destructors(run: &Run<'_>) -> Vec<Draft> {
    let [_, destructors] = blocks(run);
    report(run, &destructors, "blocking_destructor", |count, place, held| {
        format!(
            "The destructors of {count} buffers{place} blocked the host for {held} until the device was done and the \
             data were written back. Keep the buffer alive beyond the loop, or disable the write-back with \
             set_final_data(nullptr)."
        )
    })
}

/// The times in which host accessors held the host, and those in which the ends of buffers did, each once.
fn blocks(run: &Run<'_>) -> [Vec<Block>; 2] {
    let (trace, blocking) = (run.trace, run.trace.blocking());
    let mut found: [Vec<Block>; 2] = [Vec::new(), Vec::new()];
    // What waits several times until it is gone: where its block is.
    let mut known: FxHashMap<u32, usize> = FxHashMap::default();
    for block in blocking.blocks() {
        let (of, node) = match block.cause {
            Cause::Call => continue,
            Cause::HostAccessor(node) => (0, Some(node)),
            Cause::Destructor(_) => (1, blocking.nodes_of(block).last().copied()),
        };
        let slices = blocking.slices_of(block);
        if let Cause::Destructor(object) = block.cause {
            if let Some(place) = known.get(&object) {
                let before = &mut found[of][*place];
                before.slices.extend(slices);
                before.end = before.end.max(block.end);
                continue;
            }
            known.insert(object, found[of].len());
        }
        found[of].extend(node.map(|node| Block {
            process: trace.tracks.process.at(block.track as usize),
            location: block.place,
            slices: slices.to_vec(),
            node,
            begin: block.begin,
            end: block.end,
        }));
    }
    found.iter_mut().for_each(|blocks| blocks.sort_by_key(|block| block.begin));
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
