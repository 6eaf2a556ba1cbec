//! Calls of the runtime and of the native API below it, by name.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::CallSummary;
use syclscope_language::event::{Category, Value};
use syclscope_language::question::CallsQuestion;

use super::percentile::rank;
use crate::id::ArgsId;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::Stretches;
use syclscope_language::sorting::Sorting as _;

/// Argument with the result of a call, unless it succeeded.
const RESULT: &str = "result";

/// True if calls with this name build device code, in the Unified Runtime or its predecessor.
pub(crate) fn builds_code(name: &str) -> bool {
    ["ProgramBuild", "ProgramCompile", "ProgramLink"].iter().any(|part| name.contains(part))
}

/// Returns the calls that build device code, by row.
pub(crate) fn builds(trace: &Trace) -> impl Iterator<Item = usize> {
    let mut names: FxHashMap<u32, bool> = FxHashMap::default();
    // Executions are not calls.
    (trace.executions.len()..trace.slices.len()).filter(move |row| {
        crate::cancel::row(*row);
        let name = trace.slices.name.at(*row);
        trace.slices.category(*row) == Category::Call
            && *names.entry(name.0).or_insert_with(|| builds_code(trace.strings.get(name)))
    })
}

/// Times of builds of device code, by track of the thread.
pub(crate) struct BuildTimes(FxHashMap<u32, OfThread>);

struct OfThread {
    stretches: Stretches,
    /// Start, end and row of the outermost calls, by time.
    calls: Vec<(u64, u64, usize)>,
}

impl BuildTimes {
    pub(crate) fn new(trace: &Trace) -> Self {
        let mut found: FxHashMap<u32, Vec<(u64, u64, usize)>> = FxHashMap::default();
        for row in builds(trace) {
            let track = trace.tracks.of_lane(trace.slices.lane_of(row)) as u32;
            found.entry(track).or_default().push((trace.slices.start.at(row), trace.slices.end(row), row));
        }
        let of_thread = |(track, mut calls): (u32, Vec<(u64, u64, usize)>)| {
            calls.arrange_by_key(|(begin, end, row)| (*begin, std::cmp::Reverse(*end), *row));
            let mut until = 0;
            calls.retain(|(begin, end, _)| {
                let is_outermost = *begin >= until;
                until = until.max(*end);
                is_outermost
            });
            let stretches = Stretches::new(calls.iter().map(|(begin, end, _)| (*begin, *end)).collect());
            (track, OfThread { stretches, calls })
        };
        Self(found.into_iter().map(of_thread).collect())
    }

    /// Returns the outermost building calls of a thread in a range of time, each clipped to the range.
    pub(crate) fn calls(
        &self,
        track: u32,
        range: Range<u64>,
    ) -> impl Iterator<Item = (Range<u64>, usize)> + '_ {
        let calls = self.0.get(&track).map_or(&[][..], |thread| &thread.calls);
        let first = calls.partition_point(|(_, end, _)| *end <= range.start);
        let within = calls[first..].iter().take_while(move |(begin, ..)| *begin < range.end);
        within.map(move |(begin, end, row)| ((*begin).max(range.start)..(*end).min(range.end), *row))
    }

    /// Returns the building calls of each process by time, with their rows. Of calls that overlap, the later one counts
    /// from the end of the earlier.
    pub(crate) fn of_processes(&self, trace: &Trace) -> FxHashMap<u32, Vec<(Range<u64>, usize)>> {
        let mut found: FxHashMap<u32, Vec<(u64, u64, usize)>> = FxHashMap::default();
        for (track, thread) in &self.0 {
            found.entry(trace.tracks.process.at(*track as usize)).or_default().extend(&thread.calls);
        }
        let without_overlaps = |(process, mut calls): (u32, Vec<(u64, u64, usize)>)| {
            calls.arrange_by_key(|(begin, end, row)| (*begin, std::cmp::Reverse(*end), *row));
            let mut until = 0;
            let rest = calls.into_iter().filter_map(|(begin, end, row)| {
                let begin = begin.max(until);
                until = until.max(end);
                (begin < end).then_some((begin..end, row))
            });
            (process, rest.collect())
        };
        found.into_iter().map(without_overlaps).collect()
    }

    /// Returns the build time of a thread in a range, in ns.
    pub(crate) fn within(&self, track: u32, range: Range<u64>) -> u64 {
        self.0.get(&track).map_or(0, |thread| thread.stretches.ns_within(range.start, range.end))
    }

    /// Returns the build times by track of the thread.
    pub(crate) fn into_stretches(self) -> FxHashMap<u32, Stretches> {
        self.0.into_iter().map(|(track, thread)| (track, thread.stretches)).collect()
    }
}

impl Trace {
    /// Returns the calls by name, most time first: all, or those that overlap a range. Their times are not clipped.
    pub fn calls(&self, question: &CallsQuestion) -> Vec<CallSummary> {
        let range = question.from_ns.unwrap_or(0)..question.to_ns.unwrap_or(u64::MAX);
        let mut rows = FxHashMap::default();
        let mut calls: Vec<CallSummary> = Vec::new();
        let mut durations: Vec<Vec<u64>> = Vec::new();
        let mut failures = FxHashMap::default();
        for row in 0..self.slices.len() {
            crate::cancel::row(row);
            let category = self.slices.category(row);
            if !matches!(category, Category::Call | Category::Native) || !self.slices.is_in(row, &range) {
                continue;
            }
            let name = self.slices.name.at(row);
            let call = *rows.entry((name.0, category as u8)).or_insert_with(|| {
                calls.push(CallSummary {
                    name: self.strings.get(name).to_owned(),
                    category,
                    count: 0,
                    errors: 0,
                    unfinished: 0,
                    total_ns: 0,
                    min_ns: u64::MAX,
                    p95_ns: 0,
                    max_ns: 0,
                });
                durations.push(Vec::new());
                calls.len() - 1
            });
            let args = self.slices.args.at(row);
            let is_error = *failures.entry(args.0).or_insert_with(|| self.is_error(args));
            let duration = self.slices.duration[row];
            durations[call].push(duration);
            let call = &mut calls[call];
            call.count += 1;
            call.errors += u64::from(is_error);
            call.unfinished += u64::from(self.slices.is_unfinished(row));
            call.total_ns = call.total_ns.saturating_add(duration);
            call.min_ns = call.min_ns.min(duration);
            call.max_ns = call.max_ns.max(duration);
        }
        for (call, durations) in calls.iter_mut().zip(&mut durations) {
            let rank = rank(durations.len(), 95);
            call.p95_ns = *durations.select_nth_unstable(rank).1;
        }
        calls.arrange_by(|a, b| {
            let most_first = b.total_ns.cmp(&a.total_ns);
            most_first.then_with(|| a.name.cmp(&b.name)).then(a.category.cmp(&b.category))
        });
        calls
    }

    /// Returns the result of a call; `None` if none was recorded, as for success.
    pub(crate) fn result(&self, args: ArgsId) -> Option<Value<'_>> {
        self.args.get(args, &self.strings).find(|(key, _)| *key == RESULT).map(|(_, value)| value)
    }

    /// True if arguments contain a result other than success.
    pub(crate) fn is_error(&self, args: ArgsId) -> bool {
        match self.result(args) {
            Some(Value::Int(code)) => code != 0,
            Some(Value::Uint(code)) => code != 0,
            // UR_RESULT_SUCCESS, ZE_RESULT_SUCCESS, CUDA_SUCCESS, cudaSuccess.
            Some(Value::Str(text)) => !text.is_empty() && !text.to_ascii_lowercase().ends_with("success"),
            _ => false,
        }
    }
}
