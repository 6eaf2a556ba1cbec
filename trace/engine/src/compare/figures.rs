//! Figures of a run that are the same on a slow machine and on a fast one: what a gate looks at first.

use syclscope_language::api::FigureUnit;
use syclscope_language::event::NodeKind;
use syclscope_language::question::SerialisedQuestion;

use super::items::Items;
use super::sample::{FINDING, Figure};
use crate::cancel;
use crate::query::report::copies;
use crate::store::Trace;
use crate::store::table::Table as _;

/// The figures of a run, in the order in which they are shown.
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
    push("edges", FigureUnit::Count, trace.edges.rows.len() as u64);
    push("host_tasks", FigureUnit::Count, kinds(NodeKind::HostTask));
    push("waits", FigureUnit::Count, trace.blocking().blocks().len() as u64);
    push("calls", FigureUnit::Count, trace.calls);
    push("builds", FigureUnit::Count, crate::query::builds(trace).count() as u64);
    let mut ways = copies::by_direction(trace, 0..trace.executions.len());
    // Not by their time, which differs from run to run.
    ways.sort_by_key(|way| (way.from != "host", way.from.clone(), way.to.clone()));
    for copy in ways {
        let side = |side: &str| if side.is_empty() { "unknown".to_owned() } else { side.to_owned() };
        let direction = format!("{}_to_{}", side(&copy.from), side(&copy.to));
        push(&format!("copies_{direction}"), FigureUnit::Count, copy.count);
        push(&format!("bytes_{direction}"), FigureUnit::Bytes, copy.bytes);
    }
    walk();
    push("allocations", FigureUnit::Count, trace.allocations.len() as u64);
    for memory in crate::query::report::memory(trace) {
        push(&format!("peak_{}_bytes", memory.kind.as_str()), FigureUnit::Bytes, memory.peak_bytes);
    }
    let leaked = trace.allocations.iter().filter(|row| row.released.is_none());
    let (count, bytes) =
        leaked.fold((0, 0_u64), |(count, bytes), row| (count + 1, bytes.saturating_add(row.size_bytes)));
    push("leaks", FigureUnit::Count, count);
    push("leaked_bytes", FigureUnit::Bytes, bytes);
    if trace.nodes.len() > 0 {
        let serialised = trace.serialised(&SerialisedQuestion::default());
        push("serialised", FigureUnit::Count, serialised.count);
        walk();
    }
    let mut findings = crate::query::findings::kinds(trace);
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
