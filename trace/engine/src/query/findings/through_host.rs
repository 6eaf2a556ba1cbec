//! Copies from one device to another through the host's memory.
//!
//! The vendor's library reports each piece of a copy. A copy with a piece to the host and another one from the host
//! passed through the memory of the host, one direction after the other.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, NodeKind, Value};

use super::run::{Command, Draft, Run};
use super::touched;
use super::words::{size, time};
use crate::graph::commands::Change;
use crate::id::{LocationId, NONE};
use crate::query::report::copies::number;
use crate::store::table::Table as _;
use crate::stretches::Stretches;

/// A copy through the host: the time that it could save, in ns, and its bytes.
type Found = (Command, u64, u64);

#[derive(Default)]
struct Pieces {
    to_host: Vec<(u64, u64)>,
    from_host: Vec<(u64, u64)>,
    bytes: u64,
}

impl Pieces {
    /// Returns the time that a direct copy would save, if this one is through the host's memory.
    fn saved_ns(&self) -> Option<u64> {
        let ns = |spans: &Vec<(u64, u64)>| Stretches::new(spans.clone()).ns();
        let (to, from) = (ns(&self.to_host), ns(&self.from_host));
        let both = Stretches::new([&self.to_host[..], &self.from_host].concat()).ns();
        (to > 0 && from > 0).then(|| both.saturating_sub(to.max(from)))
    }
}

/// Copies whose pieces move data to the host and from there to a device.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let pieces = pieces(run);
    let mut found: FxHashMap<(u32, LocationId), Vec<Found>> = FxHashMap::default();
    for command in run.commands().iter().filter(|command| command.kind == NodeKind::Copy) {
        let Some(pieces) = pieces.get(&command.node) else { continue };
        if let Some(saved) = pieces.saved_ns() {
            let place = found.entry((command.process, command.location)).or_default();
            place.push((*command, saved, pieces.bytes));
        }
    }
    found
        .into_iter()
        .filter_map(|((process, location), copies)| finding(run, process, location, &copies))
        .collect()
}

fn pieces(run: &Run<'_>) -> FxHashMap<u32, Pieces> {
    let trace = run.trace;
    let mut pieces: FxHashMap<u32, Pieces> = FxHashMap::default();
    for row in (0..trace.slices.len()).filter(|row| trace.slices.category(*row) == Category::Copy) {
        let node = trace.slices.node.at(row);
        let args = trace.slices.args.at(row);
        let direction = trace.args.get(args, &trace.strings).find(|(name, _)| *name == "direction");
        let (true, Some((_, Value::Str(direction)))) = (node != NONE, direction) else { continue };
        let span = trace.slices.interval(row);
        match direction {
            "device → host" => {
                let pieces = pieces.entry(node).or_default();
                pieces.to_host.push(span);
                pieces.bytes = pieces.bytes.saturating_add(number(trace, row, "bytes").unwrap_or(0));
            }
            "host → device" => pieces.entry(node).or_default().from_host.push(span),
            _ => {}
        }
    }
    pieces
}

fn finding(run: &Run<'_>, process: u32, location: LocationId, copies: &[Found]) -> Option<Draft> {
    let times = copies.iter().filter_map(|(copy, ..)| copy.execution);
    let saved: u64 = copies.iter().map(|(_, saved, _)| saved).sum();
    let touches_ns = touched::busy(times.clone().map(|execution| execution.span())).min(saved);
    if !run.is_worth(touches_ns) {
        return None;
    }
    let takes =
        |(copy, saved, _): &Found| Some((copy.node, copy.execution?.duration().saturating_sub(*saved)));
    let change = Change { takes_ns: copies.iter().filter_map(takes).collect(), ..Change::default() };
    let bytes = copies.iter().fold(0, |sum: u64, (.., bytes)| sum.saturating_add(*bytes));
    let all: u64 = times.clone().map(|execution| execution.duration()).sum();
    let copied = match copies.len() {
        1 => "A copy".to_owned(),
        several => format!("{several} copies"),
    };
    Some(Draft {
        kind: "copy_through_host",
        message: format!(
            "{copied}{} brought {} from one device to another through the host's memory: first to the host, then from there.",
            run.at_place(location),
            size(bytes)
        ),
        remedy:
            "Let the devices reach each other's memory (ext_oneapi_can_access_peer says whether they can, \
                 ext_oneapi_enable_peer_access lets them), or compute where the data are."
                .to_owned(),
        evidence: vec![
            format!("The copies took {} on the devices.", time(all)),
            "The vendor's records show pieces of both directions.".to_owned(),
        ],
        process,
        location,
        slices: times.map(|execution| execution.slice).collect(),
        nodes: copies.iter().map(|(copy, ..)| copy.node).collect(),
        count: copies.len() as u64,
        touches_ns,
        change: Ok(change),
        bytes: 0,
        how: "At most: the run replayed with copies that take as long as their longer direction.",
        filter: run.filter_at(location, "kind:copy"),
    })
}
