//! Times at which commands could have run, had they waited for their true dependences only.

use syclscope_language::event::{EdgeReason, NodeKind};

use super::regions::Regions;
use crate::graph::Links;
use crate::id::some;
use crate::query::findings::run::Run;
use crate::store::Trace;
use crate::store::table::Table as _;

/// The end of a command that may have run until its dependents began.
const UNKNOWN: u64 = u64::MAX;

/// For each node the end of its last true dependence, and its false dependences.
pub(super) struct Ready {
    at: Vec<u64>,
    /// Target, source and object of dependences between different parts of one buffer, by target.
    apart: Vec<(u32, u32, u32)>,
    /// Target and source of consecutive commands on the same parts of a buffer.
    on_same_parts: Vec<(u32, u32)>,
}

impl Ready {
    pub(super) fn new(trace: &Trace, run: &Run<'_>) -> Self {
        let count = trace.nodes.len();
        let regions = Regions::new(trace, run);
        let mut pairs = Vec::new();
        let mut apart: Vec<(u32, u32, u32)> = Vec::new();
        for edge in trace.edges.rows.iter() {
            let (source, target) = (edge.source, edge.target);
            if edge.reason == EdgeReason::InOrder || source as usize >= count || target as usize >= count {
                continue;
            }
            let object = some(edge.object).filter(|_| edge.reason == EdgeReason::Accessor);
            match object.filter(|_| regions.are_apart(edge.memory_object, source, target)) {
                Some(object) => apart.push((target, source, object)),
                None => pairs.push((source, target)),
            }
        }
        // Any other link between two commands makes a dependence true.
        let mut links = pairs.clone();
        links.sort_unstable();
        apart.retain(|(target, source, _)| links.binary_search(&(*source, *target)).is_err());
        apart.sort_unstable();
        apart.dedup();
        let mut ready = Self { at: vec![0; count], apart, on_same_parts: Vec::new() };
        if ready.has_false_sources() {
            ready.on_same_parts = regions.on_same_parts(run);
        }
        // In topological order, so that a command's dependences are known before it.
        let all =
            pairs.iter().copied().chain(ready.apart.iter().map(|(target, source, _)| (*source, *target)));
        let all = Links::new(count, all.collect());
        let truly = Links::new(count, pairs);
        for node in all.topological_order() {
            let waits = truly.sources(node).map(|source| ready.ended(run, source, node));
            // A command may still need the dependences of its false dependences.
            let passed = ready.false_sources(node).map(|(source, _)| ready.at[source as usize]);
            ready.at[node as usize] = waits.chain(passed).max().unwrap_or(0);
        }
        ready
    }

    /// Returns the end of a node's last true dependence; 0 if there is none, and `UNKNOWN` if it is unknown.
    pub(super) fn at(&self, node: u32) -> u64 {
        self.at[node as usize]
    }

    pub(super) fn has_false_sources(&self) -> bool {
        !self.apart.is_empty()
    }

    /// Returns the nodes that a node waits for though it uses another part of a buffer, with the object's row.
    pub(super) fn false_sources(&self, node: u32) -> impl Iterator<Item = (u32, u32)> {
        let first = self.apart.partition_point(|(target, _, _)| *target < node);
        let own = self.apart[first..].iter().take_while(move |(target, _, _)| *target == node);
        own.map(|(_, source, object)| (*source, *object))
    }

    /// Returns the last commands before a node that used the same parts of a buffer.
    pub(super) fn on_same_parts(&self, node: u32) -> impl Iterator<Item = u32> {
        let first = self.on_same_parts.partition_point(|(target, _)| *target < node);
        let own = self.on_same_parts[first..].iter().take_while(move |(target, _)| *target == node);
        own.map(|(_, source)| *source)
    }

    /// Returns the end of a node that another one waits for; a node without an execution inherits the end of its
    /// dependences. Host tasks, kernels and command graphs without a time take time, too: of a host task an upper bound
    /// may be known. A host accessor holds back the other node until the program destroys it, before the runtime
    /// enqueues that node.
    fn ended(&self, run: &Run<'_>, node: u32, target: u32) -> u64 {
        let trace = run.trace;
        let at = self.at[node as usize];
        if let Some(slice) = some(trace.nodes.execution.at(node as usize)) {
            let end = trace.slices.end(slice as usize);
            return if at == UNKNOWN { end } else { end.max(at) };
        }
        match trace.nodes.kind.at(node as usize) {
            NodeKind::HostTask => trace.host_tasks().get(node).map_or(UNKNOWN, |task| task.to),
            NodeKind::HostAccessor => {
                let enqueued = run.calls.get(target as usize).copied().and_then(some);
                enqueued.map_or(UNKNOWN, |call| trace.slices.start.at(call as usize))
            }
            NodeKind::Kernel | NodeKind::CommandGraph => UNKNOWN,
            _ => at,
        }
    }
}
