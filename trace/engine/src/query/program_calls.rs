//! Calls about programs and kernels. They lead from a launched kernel to its program and the calls that built it.

use rustc_hash::FxHashMap;
use syclscope_language::event::Category;

use super::calls::builds_code;
use super::report::copies::number;
use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;

/// A handle of a process.
pub(super) type Handle = (u32, u64);

/// Calls about kernels and programs, each list by time. Handles are reused: the last object created before a call
/// counts.
#[derive(Default)]
pub(super) struct ProgramCalls {
    /// By kernel: time of creation, and program.
    kernels: FxHashMap<Handle, Vec<(u64, u64)>>,
    /// By program: time of creation, and slice.
    programs: FxHashMap<Handle, Vec<(u64, u32)>>,
    /// By program: time of build, and slice.
    builds: FxHashMap<Handle, Vec<(u64, u32)>>,
    /// Launches: time, kernel and node.
    launches: Vec<(u64, Handle, u32)>,
}

impl ProgramCalls {
    /// Returns all calls of a trace, with the launches of the selected nodes only.
    pub(super) fn new(trace: &Trace, is_wanted: impl Fn(u32) -> bool) -> Self {
        let mut calls = Self::default();
        let mut names: FxHashMap<u32, Option<Effect>> = FxHashMap::default();
        for row in trace.executions.len()..trace.slices.len() {
            crate::cancel::row(row);
            if trace.slices.category(row) != Category::Call {
                continue;
            }
            let name = trace.slices.name.at(row);
            let effect = names.entry(name.0).or_insert_with(|| Effect::from_name(trace.strings.get(name)));
            if let Some(effect) = *effect {
                calls.add(trace, row, effect, &is_wanted);
            }
        }
        calls.kernels.values_mut().for_each(|list| list.sort_unstable());
        calls.programs.values_mut().for_each(|list| list.sort_unstable());
        calls.builds.values_mut().for_each(|list| list.sort_unstable());
        calls.launches.sort_unstable();
        calls
    }

    fn add(&mut self, trace: &Trace, row: usize, effect: Effect, is_wanted: impl Fn(u32) -> bool) {
        let start = trace.slices.start.at(row);
        let handle = |key: &str| handle(trace, row, key);
        let made = || handle("phProgram").map(|program| (program, (start, row as u32)));
        match effect {
            Effect::Launch => {
                let node = some(trace.slices.node.at(row)).filter(|node| is_wanted(*node));
                self.launches.extend(node.zip(handle("hKernel")).map(|(node, kernel)| (start, kernel, node)));
            }
            Effect::Kernel => {
                if let (Some(kernel), Some((_, program))) = (handle("phKernel"), handle("hProgram")) {
                    self.kernels.entry(kernel).or_default().push((start, program));
                }
            }
            Effect::Program => {
                if let Some((program, made)) = made() {
                    self.programs.entry(program).or_default().push(made);
                }
            }
            Effect::Build => {
                if let Some(program) = handle("hProgram") {
                    self.builds.entry(program).or_default().push((start, row as u32));
                } else if let Some((program, made)) = made() {
                    // A link creates the program that it builds.
                    self.programs.entry(program).or_default().push(made);
                    self.builds.entry(program).or_default().push(made);
                }
            }
        }
    }

    /// Returns the launches by time: time, kernel and node.
    pub(super) fn launches(&self) -> &[(u64, Handle, u32)] {
        &self.launches
    }

    /// Returns the slices that built the program of a kernel between the program's creation and a launch.
    pub(super) fn builds_of(&self, kernel: Handle, launched: u64) -> impl Iterator<Item = u32> + '_ {
        let made = before(self.kernels.get(&kernel), launched).copied();
        let builds = made.and_then(|(made, program)| {
            let program = (kernel.0, program);
            let since = before(self.programs.get(&program), made).map_or(0, |(at, _)| *at);
            self.builds.get(&program).map(|builds| (since, builds))
        });
        builds.into_iter().flat_map(move |(since, builds)| {
            builds.iter().filter(move |(at, _)| (since..launched).contains(at)).map(|(_, row)| *row)
        })
    }

    /// Returns the time of a kernel's last creation before a moment.
    pub(super) fn kernel_creation(&self, kernel: Handle, at: u64) -> Option<u64> {
        before(self.kernels.get(&kernel), at).map(|(made, _)| *made)
    }

    /// Returns the slice that created a program before a moment.
    pub(super) fn program_creation(&self, program: Handle, at: u64) -> Option<u32> {
        before(self.programs.get(&program), at).map(|(_, row)| *row)
    }
}

pub(super) fn handle(trace: &Trace, row: usize, key: &str) -> Option<Handle> {
    let process = trace.process_of_slice(row);
    number(trace, row, key).map(|handle| (process, handle))
}

/// Returns the last entry of a sorted list that is not after a moment.
fn before<T>(list: Option<&Vec<(u64, T)>>, at: u64) -> Option<&(u64, T)> {
    let list = list?;
    list.get(list.partition_point(|one| one.0 <= at).checked_sub(1)?)
}

#[derive(Clone, Copy)]
enum Effect {
    Launch,
    Kernel,
    Program,
    Build,
}

impl Effect {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            name if name.contains("KernelLaunch") => Self::Launch,
            name if name.contains("KernelCreate") => Self::Kernel,
            name if name.contains("ProgramCreate") => Self::Program,
            name if builds_code(name) => Self::Build,
            _ => return None,
        })
    }
}
