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
    /// The host's own time between them is none of it.
    spans: Vec<(u64, u64)>,
}

/// What of a program holds the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    HostAccessor,
    Destructor,
}

/// Host accessors at a place that leave devices idle between them and the next command.
pub(super) fn host_accessors(run: &Run<'_>) -> Vec<Draft> {
    report(run, &blocks(run, Holder::HostAccessor), "blocking_host_accessor", |count, place, held| {
        format!(
            "{count} host accessors{place} blocked the host for {held} until the device was done with the \
                 buffer; the device then waited for the host. Keep the work on the device, read less often, or copy \
                 the needed data asynchronously."
        )
    })
}

/// The same of destructors of buffers.
pub(super) fn destructors(run: &Run<'_>) -> Vec<Draft> {
    report(run, &blocks(run, Holder::Destructor), "blocking_destructor", |count, place, held| {
        format!(
            "The destructors of {count} buffers{place} blocked the host for {held} until the device was done and the \
             data were written back. Keep the buffer alive beyond the loop, or disable the write-back with \
             set_final_data(nullptr)."
        )
    })
}

/// The times in which host accessors held the host, or the ends of buffers did: each accessor and each buffer once.
fn blocks(run: &Run<'_>, wanted: Holder) -> Vec<Block> {
    let (trace, blocking) = (run.trace, run.trace.blocking());
    let mut found: Vec<Block> = Vec::new();
    // What waits several times until it is gone: where its block is.
    let mut known: FxHashMap<u32, usize> = FxHashMap::default();
    for block in blocking.blocks() {
        let (holder, object, node) = match block.cause {
            Cause::Call => continue,
            Cause::HostAccessor(node) => (Holder::HostAccessor, None, Some(node)),
            Cause::Destructor(object) => {
                (Holder::Destructor, Some(object), blocking.nodes_of(block).last().copied())
            }
        };
        let Some(node) = node.filter(|_| holder == wanted) else { continue };
        let (slices, span) = (blocking.slices_of(block), (block.begin, block.end));
        if let Some(before) = object.and_then(|object| known.get(&object)) {
            let before = &mut found[*before];
            before.slices.extend(slices);
            before.spans.push(span);
            continue;
        }
        known.extend(object.map(|object| (object, found.len())));
        found.push(Block {
            process: trace.tracks.process.at(block.track as usize),
            location: block.place,
            slices: slices.to_vec(),
            node,
            spans: vec![span],
        });
    }
    found.sort_by_key(|block| block.spans[0]);
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
        let spans: Vec<(u64, u64)> = blocks.iter().flat_map(|block| block.spans.iter().copied()).collect();
        let harmful = spans.iter().copied().filter(|(_, end)| run.is_idle_between(process, *end));
        let claim = Claim::held(run, process, harmful.collect());
        if blocks.len() < LEAST || !run.is_worth(claim.ns()) {
            continue;
        }
        let held = Stretches::new(spans).ns();
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
