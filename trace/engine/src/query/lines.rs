//! What places in the source cost: by line of a file, and by file.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use syclscope_language::api::{FileCost, FileLines, Line, LineCost};
use syclscope_language::event::{Category, Value};
use syclscope_language::question::LinesOf;

use super::matcher::place;
use crate::id::{LocationId, StringId, some};
use crate::query::QueryError;
use crate::store::Trace;
use crate::store::table::Table as _;

impl Trace {
    /// What the lines of a source file caused. The cost is that of a walk over every slice.
    ///
    /// # Errors
    /// When the trace has no such source file. A path that it doesn't know has no lines.
    pub fn lines(&self, file_asked: &LinesOf) -> Result<FileLines, QueryError> {
        let path = match file_asked {
            LinesOf::Source(source) => {
                let row = self.machine.sources.get(*source).ok_or(QueryError::NoSource(*source))?;
                self.strings.get(row.path)
            }
            LinesOf::Path(path) => path,
        };
        let mut lines: BTreeMap<u32, LineCost> = BTreeMap::new();
        let mut total = LineCost::default();
        for (location, cost) in self.locations.iter().zip(of_places(self)) {
            if cost != LineCost::default() && self.strings.get(location.file) == path {
                add(lines.entry(location.line).or_default(), &cost);
                add(&mut total, &cost);
            }
        }
        let mut file = file_cost(self, path.to_owned(), total);
        if let LinesOf::Source(source) = file_asked {
            file.source = Some(*source);
            file.state = self.machine.sources.get(*source).map(|row| row.state);
        }
        let lines = lines.into_iter().map(|(line, cost)| Line { line, cost }).collect();
        Ok(FileLines { file, lines })
    }

    /// What each source file caused, most device time first, then time of waits; the files that the recording holds are
    /// there even if they caused nothing. The cost is that of a walk over every slice.
    pub fn files(&self) -> Vec<FileCost> {
        let mut files: FxHashMap<StringId, LineCost> = FxHashMap::default();
        for (location, cost) in self.locations.iter().zip(of_places(self)) {
            if cost != LineCost::default() && !self.strings.get(location.file).is_empty() {
                add(files.entry(location.file).or_default(), &cost);
            }
        }
        for source in self.machine.sources.iter() {
            files.entry(source.path).or_default();
        }
        let path = |id| self.strings.get(id).to_owned();
        let mut files: Vec<FileCost> =
            files.into_iter().map(|(id, cost)| file_cost(self, path(id), cost)).collect();
        files.sort_by(|a, b| {
            let key = |file: &FileCost| {
                let LineCost { device_ns, wait_ns, allocated_bytes, slices, .. } = file.cost;
                (device_ns, wait_ns, allocated_bytes, slices)
            };
            key(b).cmp(&key(a)).then_with(|| a.path.cmp(&b.path))
        });
        files
    }
}

/// Adds what another place caused.
fn add(total: &mut LineCost, other: &LineCost) {
    let LineCost {
        submissions,
        device_ns,
        moved_bytes,
        allocations,
        allocated_bytes,
        waits,
        wait_ns,
        slices,
    } = other;
    total.submissions += submissions;
    total.device_ns = total.device_ns.saturating_add(*device_ns);
    total.moved_bytes = total.moved_bytes.saturating_add(*moved_bytes);
    total.allocations += allocations;
    total.allocated_bytes = total.allocated_bytes.saturating_add(*allocated_bytes);
    total.waits += waits;
    total.wait_ns = total.wait_ns.saturating_add(*wait_ns);
    total.slices += slices;
}

/// What each place of the trace caused, by its row; nothing for the unknown place.
fn of_places(trace: &Trace) -> Vec<LineCost> {
    let mut places = vec![LineCost::default(); trace.locations.len()];
    let mut at = |place: LocationId, change: &dyn Fn(&mut LineCost)| {
        if let Some(cost) = places.get_mut(place.index()).filter(|_| place != LocationId(0)) {
            change(cost);
        }
    };
    for node in trace.nodes.iter().filter(|node| some(node.submission).is_some()) {
        at(node.location, &|cost| cost.submissions += 1);
    }
    for allocation in trace.allocations.iter() {
        at(allocation.location, &|cost| {
            cost.allocations += 1;
            cost.allocated_bytes = cost.allocated_bytes.saturating_add(allocation.size_bytes);
        });
    }
    // Executions share their arguments where they are alike.
    let mut sizes = FxHashMap::default();
    let executions = trace.executions.kind.len();
    for row in 0..trace.slices.len() {
        let duration = trace.slices.duration.at(row);
        let category = trace.slices.category(row);
        let here = place(trace, row);
        at(here, &|cost| cost.slices += 1);
        if row < executions {
            let args = trace.slices.args.at(row);
            let bytes = if category == Category::Copy {
                *sizes.entry(args.0).or_insert_with(|| bytes(trace, row))
            } else {
                0
            };
            let command = some(trace.slices.node.at(row)).map(|node| trace.nodes.location.at(node as usize));
            at(command.unwrap_or(here), &|cost| {
                cost.device_ns = cost.device_ns.saturating_add(duration);
                cost.moved_bytes = cost.moved_bytes.saturating_add(bytes);
            });
        }
    }
    for block in trace.blocking().blocks() {
        at(block.place, &|cost| {
            cost.waits += 1;
            cost.wait_ns = cost.wait_ns.saturating_add(block.duration());
        });
    }
    places
}

/// Bytes that an execution moves; 0 if that is not known.
fn bytes(trace: &Trace, execution: usize) -> u64 {
    let args = trace.slices.args.at(execution);
    match trace.args.get(args, &trace.strings).find(|(name, _)| *name == "bytes") {
        Some((_, Value::Uint(bytes))) => bytes,
        _ => 0,
    }
}

fn file_cost(trace: &Trace, path: String, cost: LineCost) -> FileCost {
    let known =
        trace.machine.sources.iter().enumerate().filter(|(_, row)| trace.strings.get(row.path) == path);
    let known = known.last().map(|(row, source)| (row as u32, source.state));
    FileCost { path, source: known.map(|(row, _)| row), state: known.map(|(_, state)| state), cost }
}
