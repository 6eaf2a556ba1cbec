//! Host accessors, destructors of buffers and copies of a few numbers that block the host until the device is done, and
//! then leave the device idle until the host has submitted more.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::NodeKind;

use super::remedies;
use super::run::{Command, Draft, Run};
use super::touched;
use super::words::time;
use crate::graph::blocking::{Block as HostBlock, Cause};
use crate::id::LocationId;
use crate::query::report::copies::{copied_bytes, directed};
use crate::stretches::Stretches;
use syclscope_language::sorting::Sorting as _;

/// Fewer at a location may be necessary to get the results.
const MIN_BLOCKS: usize = 8;
/// A larger copy delivers results, not a value on which the host decides.
const MAX_BYTES: u64 = 256;

struct Block {
    process: u32,
    location: LocationId,
    /// Host slices of the block.
    slices: Vec<u32>,
    node: u32,
    /// Blocked times (ns), without the host's own time between them.
    spans: Vec<(u64, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    HostAccessor,
    Destructor,
}

/// Host accessors at a location that leave devices idle between them and the next command.
pub(super) fn host_accessors(run: &Run<'_>) -> Vec<Draft> {
    let remedy = "Keep the work on the device, read less often, or copy the needed data asynchronously.";
    report(
        run,
        &blocks(run, Holder::HostAccessor),
        "blocking_host_accessor",
        |_, _| remedy,
        |count, place, held| {
            format!(
                "{count} host accessors{place} blocked the host for {held} until the device was done with the \
                 buffer; the device then waited for the host."
            )
        },
    )
}

/// Destructors of buffers with the same effect.
pub(super) fn destructors(run: &Run<'_>) -> Vec<Draft> {
    let remedy = |process, place| remedies::of_destructors(run.trace, process, place);
    report(run, &blocks(run, Holder::Destructor), "blocking_destructor", remedy, |count, place, held| {
        format!(
            "The destructors of {count} buffers{place} blocked the host for {held} until the device was done and the \
             data were written back."
        )
    })
}

/// Copies of a few numbers to the host with the same effect.
pub(super) fn reads(run: &Run<'_>) -> Vec<Draft> {
    let remedy =
        "Keep such numbers on the device, look at them less often, or copy them while the next work runs.";
    report(
        run,
        &blocks_by_reads(run),
        "blocking_read",
        |_, _| remedy,
        |count, place, held| {
            format!(
                "{count} times{place} the host waited for a copy of a few bytes from the device, {held} in all; the device \
             then waited for the host."
            )
        },
    )
}

/// Returns the times in which the host waited for a few bytes of a device: the last command before the wait copies
/// them.
fn blocks_by_reads(run: &Run<'_>) -> Vec<Block> {
    let trace = run.trace;
    let small: FxHashSet<u32> = directed(trace, 0..trace.executions.kind.len())
        .filter(|(row, direction)| {
            *direction == ("device", "host")
                && copied_bytes(trace, *row).is_some_and(|bytes| bytes <= MAX_BYTES)
        })
        .map(|(row, _)| row as u32)
        .collect();
    if small.len() < MIN_BLOCKS {
        return Vec::new();
    }
    let mut submitted: FxHashMap<u32, Vec<&Command>> = FxHashMap::default();
    for command in run.commands() {
        submitted.entry(command.thread).or_default().push(command);
    }
    let mut found = Vec::new();
    let by_calls = |block: &&HostBlock| block.cause == Cause::Call && run.has(block.begin);
    for block in trace.blocking().of_program().filter(by_calls) {
        let commands = submitted.get(&block.track).map(Vec::as_slice).unwrap_or_default();
        // A blocking copy is both copy and wait.
        let before = commands.partition_point(|command| command.begun <= block.begin);
        let Some(copy) = commands[..before].last().filter(|command| command.kind == NodeKind::Copy) else {
            continue;
        };
        let Some(execution) = copy.execution else { continue };
        if !small.contains(&execution.slice) || execution.end <= block.begin {
            continue;
        }
        found.push(Block {
            process: copy.process,
            location: if block.place == LocationId(0) { copy.location } else { block.place },
            slices: trace.blocking().slices_of(block).to_vec(),
            node: copy.node,
            spans: vec![(block.begin, block.end)],
        });
    }
    found.arrange_by_key(|block| block.spans[0]);
    found
}

/// Returns the times in which host accessors or destructors blocked the host: each accessor and each buffer once.
fn blocks(run: &Run<'_>, wanted: Holder) -> Vec<Block> {
    let (trace, blocking) = (run.trace, run.trace.blocking());
    let mut found: Vec<Block> = Vec::new();
    // The index of each object's block, if it waits several times until it is destroyed.
    let mut known: FxHashMap<u32, usize> = FxHashMap::default();
    for block in blocking.of_program().filter(|block| run.has(block.begin)) {
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
    found.arrange_by_key(|block| block.spans[0]);
    found
}

fn report(
    run: &Run<'_>,
    blocks: &[Block],
    kind: &'static str,
    remedy: impl Fn(u32, LocationId) -> &'static str,
    message: impl Fn(usize, &str, &str) -> String,
) -> Vec<Draft> {
    let mut places: FxHashMap<(u32, LocationId), Vec<&Block>> = FxHashMap::default();
    for block in blocks {
        places.entry((block.process, block.location)).or_default().push(block);
    }
    let mut findings = Vec::new();
    for ((process, location), blocks) in places {
        // Devices that were busy when the host continued lost nothing.
        let spans: Vec<(u64, u64)> = blocks.iter().flat_map(|block| block.spans.iter().copied()).collect();
        let harmful = spans.iter().copied().filter(|(_, end)| run.is_idle_between(process, *end));
        let touches_ns = touched::in_host_time(run, process, harmful.collect());
        if blocks.len() < MIN_BLOCKS || !run.is_worth(touches_ns) {
            continue;
        }
        let held = Stretches::new(spans).ns();
        let slices = blocks.iter().flat_map(|block| block.slices.iter().copied());
        let change = run.without_waits(slices.clone());
        let place = run.at_place(location);
        findings.push(Draft {
            kind,
            message: message(blocks.len(), &place, &time(held)),
            remedy: remedy(process, location).to_owned(),
            evidence: vec![
                format!("The host was blocked for {}.", time(held)),
                format!("Devices were idle for {} of that time or right after it.", time(touches_ns)),
            ],
            process,
            location,
            slices: slices.collect(),
            nodes: blocks.iter().map(|block| block.node).collect(),
            count: blocks.len() as u64,
            touches_ns,
            change: Ok(change),
            bytes: 0,
            how: "At most: the run replayed without these waits.",
            filter: "category:wait".to_owned(),
        });
    }
    findings
}
