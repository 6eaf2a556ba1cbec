//! Figures of a run that don't depend on the machine's speed: the first thing that a gate checks.

use syclscope_language::api::FigureUnit;
use syclscope_language::event::{Category, NodeKind};
use syclscope_language::question::SerialisedQuestion;

use super::items::Items;
use super::sample::{FINDING, Figure};
use crate::cancel;
use crate::id::NONE;
use crate::query::report::copies;
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Returns the figures of a run, or of its part, in the order of display. A part has the commands, calls and
/// allocations that start in it.
pub(super) fn figures(trace: &Trace, items: &Items) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut push = |name: &str, unit: FigureUnit, value: u64| {
        figures.push(Figure { name: name.to_owned(), unit, value });
    };
    let walk = || cancel::spend(items.len() + trace.slices.len() + trace.nodes.len());
    let kinds = |kind: NodeKind| {
        walk();
        items.key.iter().filter(|key| items.keys[**key as usize].kind == kind).count() as u64
    };
    push("commands", FigureUnit::Count, if items.are_slices { 0 } else { items.len() as u64 });
    push("launches", FigureUnit::Count, kinds(NodeKind::Kernel));
    let (range, is_part) = (&items.range, items.are_of_part());
    let is_item = |node: u32| items.of_node.get(node as usize).is_some_and(|item| *item != NONE);
    let edges = trace.edges.rows.iter().filter(|edge| !is_part || is_item(edge.target));
    push("edges", FigureUnit::Count, edges.count() as u64);
    push("host_tasks", FigureUnit::Count, kinds(NodeKind::HostTask));
    let waits = trace.blocking().of_program().filter(|block| range.contains(&block.begin));
    push("waits", FigureUnit::Count, waits.count() as u64);
    let starts = |row: &usize| range.contains(&trace.slices.start.at(*row));
    let calls = || (0..trace.slices.len()).filter(|row| trace.slices.category(*row) == Category::Call);
    let calls = if is_part { calls().filter(starts).count() as u64 } else { trace.calls };
    push("calls", FigureUnit::Count, calls);
    push("builds", FigureUnit::Count, crate::query::builds(trace).filter(starts).count() as u64);
    let mut ways = copies::by_direction(trace, (0..trace.executions.len()).filter(starts), &(0..u64::MAX));
    // Not ordered by time, which differs from run to run.
    ways.arrange_by_key(|way| (way.from != "host", way.from.clone(), way.to.clone()));
    for copy in ways {
        let side = |side: &str| if side.is_empty() { "unknown".to_owned() } else { side.to_owned() };
        let direction = format!("{}_to_{}", side(&copy.from), side(&copy.to));
        push(&format!("copies_{direction}"), FigureUnit::Count, copy.count);
        push(&format!("bytes_{direction}"), FigureUnit::Bytes, copy.bytes);
    }
    walk();
    let made = trace.allocations.iter().filter(|row| range.contains(&row.at));
    push("allocations", FigureUnit::Count, made.count() as u64);
    for memory in crate::query::report::memory(trace, range) {
        push(&format!("peak_{}_bytes", memory.kind.as_str()), FigureUnit::Bytes, memory.peak_bytes);
    }
    // Memory may be released after a part, also after the file's.
    let leaked = trace.allocations.iter().filter(|row| row.released.is_none());
    let (count, bytes) =
        leaked.fold((0, 0_u64), |(count, bytes), row| (count + 1, bytes.saturating_add(row.size_bytes)));
    if !is_part && !(0..trace.processes.len() as u32).any(|process| trace.goes_on(process)) {
        push("leaks", FigureUnit::Count, count);
        push("leaked_bytes", FigureUnit::Bytes, bytes);
    }
    if trace.nodes.len() > 0 {
        let serialised = trace.serialised(&SerialisedQuestion {
            from_ns: Some(range.start),
            to_ns: Some(range.end),
            ..SerialisedQuestion::default()
        });
        push("serialised", FigureUnit::Count, serialised.count);
        walk();
    }
    let mut findings = crate::query::findings::kinds(trace, is_part.then(|| range.clone()));
    findings.sort_unstable();
    for kind in findings {
        let name = format!("{FINDING}{kind}");
        match figures.iter_mut().find(|figure: &&mut Figure| figure.name == name) {
            Some(known) => known.value += 1,
            None => figures.push(Figure { name, unit: FigureUnit::Count, value: 1 }),
        }
    }
    figures
}
