//! Costs of source locations: by line of a file, and by file.

use rustc_hash::FxHashMap;
use syclscope_language::api::{FileCost, FileLines, Line, LineCost};
use syclscope_language::event::{Category, Value};
use syclscope_language::question::LinesQuestion;

use super::matcher::place;
use crate::id::{LocationId, NONE, StringId, some};
use crate::query::QueryError;
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

impl Trace {
    /// Returns the costs of the lines of a source file. Walks over every slice.
    ///
    /// # Errors
    /// Returns an error if the trace has no such source file. An unknown path has no lines.
    pub fn lines(&self, file_asked: &LinesQuestion) -> Result<FileLines, QueryError> {
        let path = match file_asked {
            LinesQuestion::Source(source) => {
                let row = self.machine.sources.get(*source).ok_or(QueryError::NoSource(*source))?;
                self.strings.get(row.path)
            }
            LinesQuestion::Path(path) => path,
        };
        let mut groups = Groups::new(self);
        for (row, location) in self.locations.iter().enumerate().skip(1) {
            if self.strings.get(location.file) == path {
                groups.put(row, location.line);
            }
        }
        let (lines, total) = groups.costs(self);
        let mut file = file_cost(self, path.to_owned(), total);
        if let LinesQuestion::Source(source) = file_asked {
            file.source = Some(*source);
            file.state = self.machine.sources.get(*source).map(|row| row.state);
        }
        let mut lines: Vec<Line> = lines.into_iter().map(|(line, cost)| Line { line, cost }).collect();
        lines.arrange_by_key(|line| line.line);
        Ok(FileLines { file, lines })
    }

    /// Returns the costs of the lines of every source file, in the order of [`files`](Self::files). Walks over every
    /// slice twice, however many files there are.
    pub fn lines_of_files(&self) -> Vec<FileLines> {
        let mut groups = Groups::new(self);
        for (row, location) in self.locations.iter().enumerate().skip(1) {
            if !self.strings.get(location.file).is_empty() {
                groups.put(row, (location.file, location.line));
            }
        }
        let mut of_files: FxHashMap<&str, Vec<Line>> = FxHashMap::default();
        for ((file, line), cost) in groups.costs(self).0 {
            of_files.entry(self.strings.get(file)).or_default().push(Line { line, cost });
        }
        let lines = |file: FileCost| {
            let mut lines = of_files.remove(file.path.as_str()).unwrap_or_default();
            lines.arrange_by_key(|line| line.line);
            FileLines { file, lines }
        };
        self.files().into_iter().map(lines).collect()
    }

    /// Returns the costs of the source files, most device time first, then time of waits. Includes files without costs
    /// whose text was recorded. Walks over every slice.
    pub fn files(&self) -> Vec<FileCost> {
        let mut groups = Groups::new(self);
        for (row, location) in self.locations.iter().enumerate().skip(1) {
            if !self.strings.get(location.file).is_empty() {
                groups.put(row, location.file);
            }
        }
        let mut files: FxHashMap<StringId, LineCost> = groups.costs(self).0.into_iter().collect();
        for source in self.machine.sources.iter() {
            files.entry(source.path).or_default();
        }
        let path = |id| self.strings.get(id).to_owned();
        let mut files: Vec<FileCost> =
            files.into_iter().map(|(id, cost)| file_cost(self, path(id), cost)).collect();
        files.arrange_by(|a, b| {
            let key = |file: &FileCost| {
                let LineCost { device_ns, wait_ns, allocated_bytes, slices, .. } = file.cost;
                (device_ns, wait_ns, allocated_bytes, slices)
            };
            key(b).cmp(&key(a)).then_with(|| a.path.cmp(&b.path))
        });
        files
    }
}

/// Source locations grouped by line, or by file.
struct Groups<K> {
    keys: Vec<K>,
    numbers: FxHashMap<K, u32>,
    /// The group of each location by its row, or `NONE`.
    of_place: Vec<u32>,
}

impl<K: Copy + Eq + std::hash::Hash> Groups<K> {
    fn new(trace: &Trace) -> Self {
        let of_place = vec![NONE; trace.locations.len()];
        Self { keys: Vec::new(), numbers: FxHashMap::default(), of_place }
    }

    fn put(&mut self, place: usize, key: K) {
        let number = *self.numbers.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.keys.len() as u32 - 1
        });
        self.of_place[place] = number;
    }

    /// Returns the costs of each group with costs, and the total costs. Overlapping times count once within each group
    /// and within the total, so that the total is not the sum.
    fn costs(self, trace: &Trace) -> (Vec<(K, LineCost)>, LineCost) {
        let all = self.keys.len();
        let mut costs = vec![LineCost::default(); all + 1];
        let group_of = |place: LocationId| self.of_place.get(place.index()).copied().and_then(some);
        let mut at = |group: Option<u32>, change: &dyn Fn(&mut LineCost)| {
            if let Some(group) = group {
                change(&mut costs[group as usize]);
                change(&mut costs[all]);
            }
        };
        for node in trace.nodes.iter().filter(|node| some(node.submission).is_some()) {
            at(group_of(node.location), &|cost| cost.submissions += 1);
        }
        for allocation in trace.allocations.iter() {
            at(group_of(allocation.location), &|cost| {
                cost.allocations += 1;
                cost.allocated_bytes = cost.allocated_bytes.saturating_add(allocation.size_bytes);
            });
        }
        // Executions and waits: start, end, group, and whether it is a wait. Similar executions share their sizes.
        let mut times: Vec<(u64, u64, u32, bool)> = Vec::new();
        let mut sizes = FxHashMap::default();
        let executions = trace.executions.kind.len();
        for row in 0..trace.slices.len() {
            let here = place(trace, row);
            at(group_of(here), &|cost| cost.slices += 1);
            if row >= executions || trace.executions.in_pieces.at(row) {
                continue;
            }
            let command = some(trace.slices.node.at(row)).map(|node| trace.nodes.location.at(node as usize));
            let Some(group) = group_of(command.unwrap_or(here)) else { continue };
            if trace.slices.category(row) == Category::Copy {
                let args = trace.slices.args.at(row);
                let bytes = *sizes.entry(args.0).or_insert_with(|| bytes(trace, row));
                at(Some(group), &|cost| cost.moved_bytes = cost.moved_bytes.saturating_add(bytes));
            }
            times.push((trace.slices.start.at(row), trace.slices.end(row), group, false));
        }
        for block in trace.blocking().of_program() {
            let group = group_of(block.place);
            at(group, &|cost| cost.waits += 1);
            times.extend(group.map(|group| (block.begin, block.end, group, true)));
        }
        // Lanes are sorted already, which makes the sort fast.
        times.sort();
        let mut until = vec![[0_u64; 2]; all + 1];
        for (begin, end, group, is_wait) in times {
            for group in [group as usize, all] {
                let until = &mut until[group][usize::from(is_wait)];
                let more_ns = end.saturating_sub(begin.max(*until));
                *until = end.max(*until);
                let cost = &mut costs[group];
                *(if is_wait { &mut cost.wait_ns } else { &mut cost.device_ns }) += more_ns;
            }
        }
        let total = costs.pop().unwrap_or_default();
        let costs = self.keys.into_iter().zip(costs);
        (costs.filter(|(_, cost)| *cost != LineCost::default()).collect(), total)
    }
}

/// Returns the bytes that an execution moves; 0 if unknown.
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
