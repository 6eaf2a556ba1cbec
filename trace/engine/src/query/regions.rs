//! Regions of the program, with their durations, commands and waits.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::api::{RegionReport, Regions};
use syclscope_language::event::NodeKind;
use syclscope_language::question::RegionsQuestion;
use syclscope_language::sorting::Sorting as _;

use super::percentile::percentile;
use crate::cancel;
use crate::graph::regions::RegionPaths;
use crate::id::{StringId, some};
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::within;
use crate::strings::without_numbers;

/// Maximum number of sibling regions whose names differ only in numbers; more are merged.
const MAX_NUMBERED: usize = 16;

#[derive(Default)]
struct Sum {
    report: RegionReport,
    durations: Vec<u64>,
    threads: FxHashSet<u32>,
}

impl Trace {
    /// Returns the regions of the run by path, or those that overlap a range, most time first. Walks over all regions,
    /// commands and waits.
    pub fn regions(&self, question: &RegionsQuestion) -> Regions {
        let range = question.from_ns.unwrap_or(0)..question.to_ns.unwrap_or(u64::MAX);
        let paths = self.region_paths();
        let rows = RegionRows::new(self, paths);
        let mut sums: Vec<Sum> = Vec::new();
        sums.resize_with(rows.rows.len(), Sum::default);
        for span in paths.slices().filter(|span| self.slices.is_in(span.slice as usize, &range)) {
            let sum = &mut sums[rows.of_path[span.path as usize] as usize];
            sum.report.count += 1;
            sum.report.total_ns = sum.report.total_ns.saturating_add(span.end - span.begin);
            sum.durations.push(span.end - span.begin);
            sum.threads.insert(self.tracks.of_lane(self.slices.lane_of(span.slice as usize)) as u32);
        }
        self.add_commands(&range, paths, &rows, &mut sums);
        self.add_waits(&range, paths, &rows, &mut sums);
        let mut found: Vec<(u32, Sum)> = (0..).zip(sums).filter(|(_, sum)| sum.report.count > 0).collect();
        found.arrange_by_key(|(row, sum)| (std::cmp::Reverse(sum.report.total_ns), *row));
        let limit = found.len().min(question.limit as usize);
        let more = found.split_off(limit).len() as u64;
        // Paths are long: they are built for listed rows only.
        let regions = found.into_iter().map(|(row, sum)| sum.finished(rows.names(row))).collect();
        Regions { regions, more }
    }

    fn add_commands(&self, range: &Range<u64>, paths: &RegionPaths, rows: &RegionRows, sums: &mut [Sum]) {
        let mut of_node: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for slice in self.device_work().filter(|slice| self.slices.is_in(*slice, range)) {
            cancel::row(slice);
            let Some(node) = some(self.slices.node.at(slice)) else { continue };
            let around = of_node.entry(node).or_insert_with(|| {
                self.nodes.get(node).map_or_else(Vec::new, |node| {
                    let process = self.process_of_node(&node);
                    let threads = self.rows_of_thread(process, node.tid);
                    rows.around(paths, paths.innermost(threads, process, node.created))
                })
            });
            let ns = self.slices.duration.at(slice);
            for row in around {
                let report = &mut sums[*row as usize].report;
                report.commands += 1;
                let total = if self.executions.kind.at(slice) == NodeKind::Copy {
                    &mut report.copy_ns
                } else {
                    &mut report.device_ns
                };
                *total = total.saturating_add(ns);
            }
        }
    }

    /// Adds the waits in regions. Of a wait beyond the end of a region, the part within the region counts.
    fn add_waits(&self, range: &Range<u64>, paths: &RegionPaths, rows: &RegionRows, sums: &mut [Sum]) {
        let blocks = self.blocking().blocks();
        for span in paths.slices().filter(|span| self.slices.is_in(span.slice as usize, range)) {
            let track = self.tracks.of_lane(self.slices.lane_of(span.slice as usize)) as u32;
            let Some(thread) = self.thread_of_track(track, &self.tracks.row(track as usize)) else {
                continue;
            };
            let first = blocks.partition_point(|block| (block.track, block.end) <= (thread, span.begin));
            let own =
                blocks[first..].iter().take_while(|block| block.track == thread && block.begin < span.end);
            let ns = own.map(|block| within(&(span.begin..span.end), block.begin, block.end)).sum::<u64>();
            let report = &mut sums[rows.of_path[span.path as usize] as usize].report;
            report.wait_ns = report.wait_ns.saturating_add(ns);
        }
    }
}

impl Sum {
    fn finished(mut self, path: Vec<String>) -> RegionReport {
        self.durations.sort_unstable();
        let percent = |percent| percentile(&self.durations, percent);
        let (min_ns, median_ns, max_ns) = (percent(0), percent(50), percent(100));
        RegionReport { path, min_ns, median_ns, max_ns, threads: self.threads.len() as u64, ..self.report }
    }
}

/// Paths as rows of an answer, with many numbered siblings merged.
pub(in crate::query) struct RegionRows {
    /// Outer row and own name of each row, outer rows before inner ones.
    rows: Vec<(Option<u32>, String)>,
    of_path: Vec<u32>,
}

impl RegionRows {
    pub(in crate::query) fn new(trace: &Trace, paths: &RegionPaths) -> Self {
        let mut rows = Self { rows: Vec::new(), of_path: vec![0; paths.paths().len()] };
        let mut of_depth: Vec<Vec<u32>> = Vec::new();
        for (number, path) in (0..).zip(paths.paths()) {
            of_depth.resize_with(of_depth.len().max(path.depth as usize + 1), Vec::new);
            of_depth[path.depth as usize].push(number);
        }
        for numbers in of_depth {
            rows.add_depth(trace, paths, &numbers);
        }
        rows
    }

    pub(in crate::query) fn of_path(&self, path: u32) -> u32 {
        self.of_path[path as usize]
    }

    /// Returns the names of the regions around a row, outermost first, and its own.
    pub(in crate::query) fn names(&self, row: u32) -> Vec<String> {
        let outward = std::iter::successors(Some(row), |row| self.rows[*row as usize].0);
        let mut names: Vec<String> = outward.map(|row| self.rows[row as usize].1.clone()).collect();
        names.reverse();
        names
    }

    fn add_depth(&mut self, trace: &Trace, paths: &RegionPaths, numbers: &[u32]) {
        let mut numbered: FxHashMap<(Option<u32>, String), FxHashSet<StringId>> = FxHashMap::default();
        let place = |rows: &Self, number: u32| {
            let path = paths.paths()[number as usize];
            (path.outer.map(|outer| rows.of_path[outer as usize]), path.name)
        };
        for number in numbers {
            let (outer, name) = place(self, *number);
            let plain = without_numbers(trace.strings.get(name));
            numbered.entry((outer, plain)).or_default().insert(name);
        }
        let mut known: FxHashMap<(Option<u32>, String), u32> = FxHashMap::default();
        for number in numbers {
            let (outer, name) = place(self, *number);
            let mut key = (outer, without_numbers(trace.strings.get(name)));
            if numbered.get(&key).is_none_or(|names| names.len() <= MAX_NUMBERED) {
                trace.strings.get(name).clone_into(&mut key.1);
            }
            let rows = &mut self.rows;
            self.of_path[*number as usize] = *known.entry(key).or_insert_with_key(|key| {
                rows.push(key.clone());
                rows.len() as u32 - 1
            });
        }
    }

    /// Returns the rows of some paths and of those around them, each once.
    fn around(&self, paths: &RegionPaths, innermost: impl Iterator<Item = u32>) -> Vec<u32> {
        let all = innermost.flat_map(|path| paths.outward(path));
        let mut rows: Vec<u32> = all.map(|path| self.of_path[path as usize]).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}
