//! Classes of causes.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::api::{CriticalStep, GapClass, StepKind};
use syclscope_language::event::Category;

use super::stretches::Stretch;
use crate::graph::blocking::Cause;
use crate::graph::path::{Piece, PieceKind};
use crate::graph::{Launches, devices_of_queues};
use crate::id::some;
use crate::query::calls::builds_code;
use crate::query::report::split::untimed_work;
use crate::store::Trace;
use crate::store::table::Table as _;

pub(super) struct Classes<'t> {
    trace: &'t Trace,
    launches: &'t Launches,
    devices: Vec<usize>,
    /// Creation times of the commands without a device time that may have run, by process, ascending.
    untimed: FxHashMap<u32, Vec<u64>>,
}

impl<'t> Classes<'t> {
    pub(super) fn new(trace: &'t Trace, launches: &'t Launches) -> Self {
        let mut untimed: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
        for (_, node) in untimed_work(trace) {
            untimed.entry(trace.process_of_node(&node)).or_default().push(node.created);
        }
        untimed.values_mut().for_each(|times| times.sort_unstable());
        Self { trace, launches, devices: devices_of_queues(trace).0, untimed }
    }

    /// Returns the class of a step of a piece that is followed by `next`; the last piece is followed by the command
    /// after the gap.
    pub(super) fn classify(
        &self,
        piece: &Piece,
        next: Option<&Piece>,
        step: &CriticalStep,
        stretch: &Stretch,
    ) -> GapClass {
        match piece.kind {
            PieceKind::Start => GapClass::Host,
            PieceKind::Unknown | PieceKind::End => GapClass::Unknown,
            PieceKind::Wait(slice) => self.wait(slice),
            PieceKind::Launch(node) if step.kind == StepKind::Launch => {
                let may_be_busy = self.may_be_busy(node, stretch.from..piece.to);
                if may_be_busy { GapClass::Unknown } else { GapClass::Launch }
            }
            PieceKind::HostTask(_) if step.kind == StepKind::Host => GapClass::Dependence,
            PieceKind::Thread(_) | PieceKind::Launch(_) | PieceKind::HostTask(_) => self.on_thread(step),
            PieceKind::Command(node) => self.command(node, next, stretch),
            PieceKind::Native(_) => match next.map(|next| next.kind) {
                Some(PieceKind::Wait(slice)) => self.wait(slice),
                Some(PieceKind::Thread(_)) => GapClass::Wait,
                _ => GapClass::DeviceBusy,
            },
        }
    }

    /// True if a command without a device time, created in a range by the process of `node`, may have kept its device
    /// busy.
    fn may_be_busy(&self, node: u32, range: Range<u64>) -> bool {
        let process = self.trace.process_of_node(&self.trace.nodes.row(node as usize));
        self.untimed.get(&process).is_some_and(|created| {
            let first = created.partition_point(|at| *at < range.start);
            created.get(first).is_some_and(|at| *at < range.end)
        })
    }

    /// Returns the class of a wait. A call or barrier of the runtime that blocks its thread outside of any wait of SYCL
    /// is the runtime's own decision, except in a recording without commands, which has no waits of SYCL.
    fn wait(&self, slice: u32) -> GapClass {
        let block = self.trace.blocking().of_slice(slice);
        let is_of_runtime = block.is_some_and(|block| {
            let category = self.trace.slices.category(block.slice as usize);
            block.cause == Cause::Call && matches!(category, Category::Call | Category::Barrier)
        });
        if is_of_runtime && self.trace.nodes.len() > 0 { GapClass::Synchronisation } else { GapClass::Wait }
    }

    fn on_thread(&self, step: &CriticalStep) -> GapClass {
        match step.kind {
            StepKind::Submission => GapClass::Submission,
            StepKind::Call if builds_code(&step.name) => GapClass::Build,
            StepKind::Call => {
                let category = step.at.as_ref().map(|at| self.trace.slices.category(at.slice as usize));
                let is_memory = category == Some(Category::Memory) || manages_memory(&step.name);
                if is_memory { GapClass::Memory } else { GapClass::Call }
            }
            _ if step.samples.is_some() => GapClass::Sampled,
            _ => GapClass::Host,
        }
    }

    /// Returns the class of a command on another device or queue: the host waited for it, the next command depended on
    /// it, or it occupied the device.
    fn command(&self, node: u32, next: Option<&Piece>, stretch: &Stretch) -> GapClass {
        let successor = match next.map(|next| next.kind) {
            Some(PieceKind::Wait(slice)) => return self.wait(slice),
            Some(PieceKind::Thread(_)) => return GapClass::Wait,
            // At the end of the run, nothing shows that a thread waited for the command.
            Some(PieceKind::End) => return GapClass::Unknown,
            Some(PieceKind::Launch(node) | PieceKind::Command(node) | PieceKind::HostTask(node)) => {
                Some(node)
            }
            _ => stretch.next_node(self.trace),
        };
        let Some(successor) = successor else { return GapClass::Unknown };
        let had_device = self.launches.get(successor).is_some_and(|launch| launch.device_order == node);
        let is_same_device = self.device(node).is_some()
            && self.device(node) == stretch.next_node(self.trace).and_then(|next| self.device(next));
        if had_device && is_same_device { GapClass::DeviceBusy } else { GapClass::Dependence }
    }

    fn device(&self, node: u32) -> Option<usize> {
        let queue = some(self.trace.nodes.queue.at(node as usize))?;
        self.devices.get(queue as usize).copied()
    }
}

fn manages_memory(name: &str) -> bool {
    [
        "USMHostAlloc",
        "USMDeviceAlloc",
        "USMSharedAlloc",
        "USMFree",
        "MemBufferCreate",
        "MemImageCreate",
        "MemRelease",
    ]
    .iter()
    .any(|part| name.contains(part))
        || ["USMPool", "VirtualMem", "PhysicalMem"].iter().any(|part| name.contains(part))
}
