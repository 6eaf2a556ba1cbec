//! Calls that built the programs of some launches: from the launching call by its kernel to that kernel's program.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::Category;

use super::Execution;
use crate::id::some;
use crate::query::calls::builds_code;
use crate::query::report::copies::number;
use crate::store::Trace;
use crate::store::table::Table as _;

/// A handle of a process.
type Handle = (u32, u64);

/// Calls about kernels and programs, each list by time once it is complete.
#[derive(Default)]
struct Calls {
    /// By kernel: when it was made, and of which program.
    kernels: FxHashMap<Handle, Vec<(u64, u64)>>,
    /// By program: when it was made.
    programs: FxHashMap<Handle, Vec<u64>>,
    /// By program: when it was built, and by which slice.
    builds: FxHashMap<Handle, Vec<(u64, u32)>>,
    /// When which kernel was launched for one of the nodes.
    launches: Vec<(u64, Handle)>,
}

/// The calls that built the programs of the first executions on each queue before they were launched, by start. Handles
/// are used again: the last one made before is meant.
pub(super) fn builds(trace: &Trace, executions: &[Execution]) -> Vec<u32> {
    let first = executions.iter().filter(|one| one.is_first);
    let nodes: FxHashSet<u32> = first.filter_map(|one| some(trace.slices.node.at(one.row))).collect();
    let calls = Calls::new(trace, &nodes);
    let mut found: FxHashSet<(u64, u32)> = FxHashSet::default();
    for (launched, kernel) in &calls.launches {
        let made = before(calls.kernels.get(kernel), *launched, |(at, _)| *at);
        let Some((made, program)) = made else { continue };
        let program = (kernel.0, *program);
        let since = before(calls.programs.get(&program), *made, |at| *at).copied().unwrap_or_default();
        let builds = calls.builds.get(&program).into_iter().flatten();
        found.extend(builds.filter(|(at, _)| (since..*launched).contains(at)));
    }
    let mut found: Vec<(u64, u32)> = found.into_iter().collect();
    found.sort_unstable();
    found.into_iter().map(|(_, row)| row).collect()
}

/// The last of a list by time that is not after a moment.
fn before<T>(list: Option<&Vec<T>>, at: u64, time: impl Fn(&T) -> u64) -> Option<&T> {
    let list = list?;
    list.get(list.partition_point(|one| time(one) <= at).checked_sub(1)?)
}

impl Calls {
    fn new(trace: &Trace, nodes: &FxHashSet<u32>) -> Self {
        let mut calls = Self::default();
        let mut names: FxHashMap<u32, Option<About>> = FxHashMap::default();
        for row in trace.executions.len()..trace.slices.len() {
            if trace.slices.category(row) != Category::Call {
                continue;
            }
            let name = trace.slices.name.at(row);
            let about = names.entry(name.0).or_insert_with(|| About::of(trace.strings.get(name)));
            if let Some(about) = *about {
                calls.add(trace, row, about, nodes);
            }
        }
        calls.kernels.values_mut().for_each(|list| list.sort_unstable());
        calls.programs.values_mut().for_each(|list| list.sort_unstable());
        calls
    }

    fn add(&mut self, trace: &Trace, row: usize, about: About, nodes: &FxHashSet<u32>) {
        let start = trace.slices.start.at(row);
        let process = trace.tracks.process.at(trace.tracks.of_lane(trace.slices.lane_of(row)));
        let handle = |key: &str| number(trace, row, key).map(|handle| (process, handle));
        match about {
            About::Launch => {
                let is_asked = some(trace.slices.node.at(row)).is_some_and(|node| nodes.contains(&node));
                if let Some(kernel) = handle("hKernel").filter(|_| is_asked) {
                    self.launches.push((start, kernel));
                }
            }
            About::Kernel => {
                if let (Some(kernel), Some((_, program))) = (handle("phKernel"), handle("hProgram")) {
                    self.kernels.entry(kernel).or_default().push((start, program));
                }
            }
            About::Program => {
                if let Some(program) = handle("phProgram") {
                    self.programs.entry(program).or_default().push(start);
                }
            }
            About::Build => {
                if let Some(program) = handle("hProgram") {
                    self.builds.entry(program).or_default().push((start, row as u32));
                }
            }
        }
    }
}

/// Effect of a call on kernels and programs.
#[derive(Clone, Copy)]
enum About {
    Launch,
    Kernel,
    Program,
    Build,
}

impl About {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            name if name.contains("KernelLaunch") => Self::Launch,
            name if name.contains("KernelCreate") => Self::Kernel,
            name if name.contains("ProgramCreate") => Self::Program,
            name if builds_code(name) => Self::Build,
            _ => return None,
        })
    }
}
