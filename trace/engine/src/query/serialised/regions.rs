//! Which part of a buffer a command was given.
//!
//! The runtime makes a memory object of its own for each sub-buffer (`urMemBufferPartition`); the arguments of the call
//! that submits a command name it.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, Value};

use crate::query::findings::run::Run;
use crate::query::report::copies::number;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Bytes of a memory object: where they begin and end.
pub(super) type Region = (u64, u64);

/// The parts of buffers that have a handle of their own, and the handles that each command was given.
pub(super) struct Regions {
    /// By handle: when it was made, and its part, by time.
    parts: FxHashMap<u64, Vec<(u64, Region)>>,
    /// By handle: when an object got it, and the object's address, by time.
    owners: FxHashMap<u64, Vec<(u64, u64)>>,
    /// By node: when the call that submitted it began, and the handles of memory objects among its arguments.
    given: FxHashMap<u32, (u64, Vec<u64>)>,
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
                known.parts.entry(handle).or_default().push((trace.slices.start.at(row), region));
            }
        }
        if known.parts.is_empty() {
            return known;
        }
        for binding in trace.objects.bindings.iter() {
            if let (Some(at), Some(object)) = (binding.bound, trace.objects.rows.get(binding.object)) {
                known.owners.entry(binding.handle).or_default().push((at, object.address));
            }
        }
        known.parts.values_mut().for_each(|parts| parts.sort_unstable());
        known.owners.values_mut().for_each(|owners| owners.sort_unstable());
        for command in &run.commands {
            if let Some(call) = run.call(command) {
                known.given.insert(command.node, (trace.slices.start.at(call), handles(trace, call)));
            }
        }
        known
    }

    /// Whether two commands that use the buffer at an address were given different parts of it: all that one was given is
    /// apart from all that the other was. `false` where that is not known.
    pub(super) fn are_apart(&self, address: u64, first: u32, second: u32) -> bool {
        let (Some(first), Some(second)) = (self.of(address, first), self.of(address, second)) else {
            return false;
        };
        first.iter().all(|one| second.iter().all(|other| one.1 <= other.0 || other.1 <= one.0))
    }

    /// The parts of a buffer that a command was given; `None` if it may have been given all of it.
    fn of(&self, address: u64, node: u32) -> Option<Vec<Region>> {
        let (at, handles) = self.given.get(&node)?;
        let is_of_buffer = |handle: &&u64| {
            self.owners
                .get(*handle)
                .and_then(|owners| last(owners, *at))
                .is_some_and(|owner| owner == address)
        };
        let parts: Option<Vec<Region>> =
            handles.iter().filter(is_of_buffer).map(|handle| last(self.parts.get(handle)?, *at)).collect();
        parts.filter(|parts| !parts.is_empty())
    }
}

/// The last of some values by time until a moment.
fn last<T: Copy>(known: &[(u64, T)], at: u64) -> Option<T> {
    let before = known.partition_point(|(made, _)| *made <= at);
    Some(known.get(before.checked_sub(1)?)?.1)
}

fn part(trace: &Trace, call: usize) -> Option<(u64, Region)> {
    let handle = number(trace, call, "phMem").or_else(|| number(trace, call, "phMem[0]"))?;
    let (from, size) = (number(trace, call, "pRegion.origin")?, number(trace, call, "pRegion.size")?);
    Some((handle, (from, from.saturating_add(size))))
}

/// The memory objects among a call's arguments.
fn handles(trace: &Trace, call: usize) -> Vec<u64> {
    let args = trace.slices.args.at(call);
    let mut found = Vec::new();
    let mut is_object = false;
    for (key, value) in trace.args.get(args, &trace.strings) {
        match value {
            // `pArgs[0].type` comes before `pArgs[0].value`.
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
