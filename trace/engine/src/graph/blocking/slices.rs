//! Slices that block their thread.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, Value};

use super::thread_of;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Functions of the runtime and of native interfaces that return only when other work has ended.
///
/// The native ones are the recorded functions of CUDA's driver and runtime and of Level Zero.
const WAITING: &[&str] = &[
    "urEventWait",
    "urQueueFinish",
    "piEventsWait",
    "piQueueFinish",
    "cuCtxSynchronize",
    "cuEventSynchronize",
    "cuStreamSynchronize",
    "cudaDeviceSynchronize",
    "cudaEventSynchronize",
    "cudaStreamSynchronize",
    "zeCommandListHostSynchronize",
    "zeCommandQueueSynchronize",
    "zeEventHostSynchronize",
    "zeFenceHostSynchronize",
];

/// Prefix of parameters that make a command return only when it has ended (`blockingRead`).
const BLOCKING: &str = "blocking";

/// Finds slices that block their thread, with a cache by name and by arguments.
#[derive(Default)]
pub(super) struct Blockers {
    names: FxHashMap<u32, Holds>,
    args: FxHashMap<u32, bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Always,
    IfTold,
    Never,
}

impl Blockers {
    /// Returns the slices that block each thread, by track: ordered by start, outer ones first.
    pub(super) fn slices_by_thread(mut self, trace: &Trace) -> Vec<(u32, Vec<u32>)> {
        let mut threads: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for row in trace.executions.kind.len()..trace.slices.len() {
            if self.holds(trace, row) {
                threads.entry(thread_of(trace, row)).or_default().push(row as u32);
            }
        }
        let mut threads: Vec<(u32, Vec<u32>)> = threads.into_iter().collect();
        threads.sort_unstable_by_key(|(track, _)| *track);
        for (_, slices) in &mut threads {
            // Of two slices with the same start, the longer one is the outer one. Of equally long ones, the outer one
            // is on the lower lane, and has the lower number.
            let order = |slice: &u32| {
                let row = *slice as usize;
                (trace.slices.start.at(row), std::cmp::Reverse(trace.slices.end(row)), *slice)
            };
            slices.sort_unstable_by_key(order);
        }
        threads
    }

    fn holds(&mut self, trace: &Trace, row: usize) -> bool {
        let category = trace.slices.category(row);
        if !may_hold(category) {
            return false;
        }
        match category {
            Category::Wait | Category::Barrier => true,
            _ => {
                let name = trace.slices.name.at(row);
                let holds = *self.names.entry(name.0).or_insert_with(|| of_name(trace.strings.get(name)));
                match holds {
                    Holds::Always => true,
                    Holds::Never => false,
                    Holds::IfTold => {
                        let args = trace.slices.args.at(row);
                        *self.args.entry(args.0).or_insert_with(|| {
                            trace.args.get(args, &trace.strings).any(|(key, value)| {
                                key.starts_with(BLOCKING)
                                    && matches!(value, Value::Bool(true) | Value::Uint(1..))
                            })
                        })
                    }
                }
            }
        }
    }
}

pub(super) fn may_hold(category: Category) -> bool {
    matches!(category, Category::Wait | Category::Barrier | Category::Call | Category::Native)
}

fn of_name(name: &str) -> Holds {
    if WAITING.contains(&name) {
        Holds::Always
    } else if name.contains("Enqueue") {
        Holds::IfTold
    } else {
        Holds::Never
    }
}
