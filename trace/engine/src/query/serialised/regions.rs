//! Parts of a buffer used by commands.
//!
//! The runtime creates a separate memory object for each sub-buffer (`urMemBufferPartition`); the arguments of a
//! command's submitting call name it.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, Value};

use crate::query::findings::run::{Command, Run};
use crate::query::report::copies::number;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Bytes of a memory object: start and end.
pub(super) type Region = (u64, u64);

/// The parts of buffers that have their own handles, and the handles in each command's arguments.
pub(super) struct Regions {
    /// Parts of each process's handles, sorted by time of creation: that time, and the part.
    parts: FxHashMap<(u32, u64), Vec<(u64, Region)>>,
    /// Owners of each process's handles, sorted by time of binding: that time, and the object's address.
    owners: FxHashMap<(u32, u64), Vec<(u64, u64)>>,
    /// By node and the address of a buffer: the parts among the command's arguments, sorted; `None` if it may use the
    /// whole buffer.
    given: FxHashMap<(u32, u64), Option<Vec<Region>>>,
}

impl Regions {
    pub(super) fn new(trace: &Trace, run: &Run<'_>) -> Self {
        let mut known =
            Self { parts: FxHashMap::default(), owners: FxHashMap::default(), given: FxHashMap::default() };
        for row in 0..trace.slices.len() {
            if trace.slices.category(row) == Category::Call
                && trace.strings.get(trace.slices.name.at(row)).ends_with("MemBufferPartition")
                && let Some((handle, region)) = part(trace, row)
            {
                known
                    .parts
                    .entry((trace.process_of_slice(row), handle))
                    .or_default()
                    .push((trace.slices.start.at(row), region));
            }
        }
        if known.parts.is_empty() {
            return known;
        }
        for binding in trace.objects.bindings.iter() {
            if let (Some(at), Some(object)) = (binding.bound, trace.objects.rows.get(binding.object)) {
                known.owners.entry((object.process, binding.handle)).or_default().push((at, object.address));
            }
        }
        known.parts.values_mut().for_each(|parts| parts.sort_unstable());
        known.owners.values_mut().for_each(|owners| owners.sort_unstable());
        for command in run.whole() {
            if let Some(call) = run.call(command) {
                known.give(command, trace.slices.start.at(call), &handles(trace, call));
            }
        }
        known
    }

    fn give(&mut self, command: &Command, at: u64, handles: &[u64]) {
        let mut buffers: FxHashMap<u64, Option<Vec<Region>>> = FxHashMap::default();
        for handle in handles.iter().map(|handle| (command.process, *handle)) {
            let Some(owner) = self.owners.get(&handle).and_then(|owners| last(owners, at)) else { continue };
            let part = self.parts.get(&handle).and_then(|parts| last(parts, at));
            let parts = buffers.entry(owner).or_insert_with(|| Some(Vec::new()));
            match (parts.as_mut(), part) {
                (Some(parts), Some(part)) => parts.push(part),
                _ => *parts = None,
            }
        }
        for (address, mut parts) in buffers {
            if let Some(parts) = &mut parts {
                parts.sort_unstable();
                join(parts);
            }
            self.given.insert((command.node, address), parts);
        }
    }

    /// True if two commands use disjoint parts of the buffer at an address. `false` if unknown.
    pub(super) fn are_apart(&self, address: u64, first: u32, second: u32) -> bool {
        let (Some(first), Some(second)) = (self.parts(address, first), self.parts(address, second)) else {
            return false;
        };
        // One command may use thousands of parts, and be compared with thousands of commands.
        let (few, many) = if first.len() < second.len() { (first, second) } else { (second, first) };
        few.iter().all(|one| {
            let next = many.partition_point(|other| other.1 <= one.0);
            many.get(next).is_none_or(|other| one.1 <= other.0)
        })
    }

    /// Returns the target and source of consecutive commands that use the same parts of a buffer, by target. Commands
    /// that overlapped don't count.
    pub(super) fn on_same_parts(&self, run: &Run<'_>) -> Vec<(u32, u32)> {
        let mut given: Vec<(u32, u64, &[Region])> = Vec::with_capacity(self.given.len());
        for ((node, address), parts) in &self.given {
            given.push((*node, *address, parts.as_deref().unwrap_or(&[(0, u64::MAX)])));
        }
        given.sort_unstable();
        let mut last: FxHashMap<(u32, u64), LastUses> = FxHashMap::default();
        let mut found = Vec::new();
        for command in run.whole() {
            let Some(execution) = command.execution else { continue };
            let first = given.partition_point(|(node, ..)| *node < command.node);
            for (_, address, parts) in given[first..].iter().take_while(|(node, ..)| *node == command.node) {
                for part in *parts {
                    let before = last
                        .entry((command.process, *address))
                        .or_default()
                        .replace(*part, (command.node, execution.end));
                    let sources = before.into_iter().filter(|(_, end)| *end <= execution.start);
                    found.extend(sources.map(|(source, _)| (command.node, source)));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the parts of a buffer that a command uses; `None` if it may use the whole buffer.
    fn parts(&self, address: u64, node: u32) -> Option<&[Region]> {
        self.given.get(&(node, address))?.as_deref()
    }
}

/// By start of a part of a buffer: its end, and the node of the last command that used it with that command's end.
#[derive(Default)]
struct LastUses(BTreeMap<u64, (u64, (u32, u64))>);

impl LastUses {
    /// Marks a part as used by a command; returns the earlier users of any byte of the part.
    fn replace(&mut self, (from, to): Region, user: (u32, u64)) -> Vec<(u32, u64)> {
        let mut found = Vec::new();
        if from >= to {
            return found;
        }
        while let Some((begin, (end, other))) =
            self.0.range(..to).next_back().map(|(begin, use_)| (*begin, *use_))
            && end > from
        {
            self.0.remove(&begin);
            found.push(other);
            if end > to {
                self.0.insert(to, (end, other));
            }
            if begin < from {
                self.0.insert(begin, (from, other));
            }
        }
        self.0.insert(from, (to, user));
        found
    }
}

/// Merges overlapping parts, which are sorted.
fn join(parts: &mut Vec<Region>) {
    parts.dedup_by(|next, before| {
        let is_one = next.0 < before.1;
        before.1 = if is_one { before.1.max(next.1) } else { before.1 };
        is_one
    });
}

/// Returns the last of some values, sorted by time, until a moment.
fn last<T: Copy>(known: &[(u64, T)], at: u64) -> Option<T> {
    let before = known.partition_point(|(made, _)| *made <= at);
    Some(known.get(before.checked_sub(1)?)?.1)
}

fn part(trace: &Trace, call: usize) -> Option<(u64, Region)> {
    let handle = number(trace, call, "phMem").or_else(|| number(trace, call, "phMem[0]"))?;
    let (from, size) = (number(trace, call, "pRegion.origin")?, number(trace, call, "pRegion.size")?);
    Some((handle, (from, from.saturating_add(size))))
}

fn handles(trace: &Trace, call: usize) -> Vec<u64> {
    let args = trace.slices.args.at(call);
    let mut found = Vec::new();
    let mut is_object = false;
    for (key, value) in trace.args.get(args, &trace.strings) {
        match value {
            // `pArgs[0].type` precedes `pArgs[0].value`.
            Value::Str(text) if key.starts_with("pArgs[") && key.ends_with("].type") => {
                is_object = text.contains("MEM_OBJ");
            }
            Value::Uint(handle) | Value::Pointer(handle) => {
                let is_argument = key.starts_with("pArgs[") && key.ends_with("].value") && is_object;
                if is_argument || matches!(key, "hBuffer" | "hBufferSrc" | "hBufferDst") {
                    found.push(handle);
                }
            }
            _ => {}
        }
    }
    found
}
