//! Executions by launch size: the range of a kernel, the bytes of a copy.

use rustc_hash::FxHashMap;
use syclscope_language::api::SizeExecutions;
use syclscope_language::event::Value;

use super::{Execution, most, stats};
use crate::id::{ArgsId, some};
use crate::query::detail::slice_ref;
use crate::store::Trace;
use syclscope_language::sorting::Sorting as _;

/// Argument names of a launch's range and of its group size: of our recorder, of CUDA tools, and of streams whose
/// commands are unknown.
const RANGES: [[&str; 2]; 3] = [["global_size", "local_size"], ["grid", "block"], ["blocks", "threads"]];

/// Size of a launch: the range of a kernel, or the bytes of a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::query) struct Size {
    global: String,
    local: String,
    pub(in crate::query) bytes: Option<u64>,
}

impl Size {
    pub(in crate::query) fn of_bytes(bytes: u64) -> Self {
        Self { bytes: Some(bytes), ..Self::default() }
    }

    pub(in crate::query) fn has_range(&self) -> bool {
        !self.global.is_empty()
    }
}

/// Returns the executions of each size, most time first, and the number of sizes beyond `limit`.
pub(super) fn by_size(trace: &Trace, executions: &[Execution], limit: usize) -> (Vec<SizeExecutions>, u64) {
    // Similar executions share their arguments.
    let mut known: FxHashMap<(ArgsId, ArgsId), usize> = FxHashMap::default();
    let mut places: FxHashMap<Size, usize> = FxHashMap::default();
    let mut groups: Vec<(Size, Vec<&Execution>)> = Vec::new();
    for one in executions {
        let own = trace.slices.args.at(one.row);
        let of_command =
            some(trace.slices.node.at(one.row)).map_or(own, |node| trace.nodes.args.at(node as usize));
        let group = *known.entry((own, of_command)).or_insert_with(|| {
            let mut size = size(trace, own);
            if size == Size::default() {
                size = self::size(trace, of_command);
            }
            *places.entry(size).or_insert_with_key(|size| {
                groups.push((size.clone(), Vec::new()));
                groups.len() - 1
            })
        });
        groups[group].1.push(one);
    }
    groups.arrange_by(|(one, _), (other, _)| one.cmp(other));
    let told = groups.into_iter().filter_map(|(Size { global, local, bytes }, executions)| {
        let longest = executions.iter().rev().max_by_key(|one| one.duration)?;
        let longest = slice_ref(trace, longest.row as u32);
        Some(SizeExecutions { global, local, bytes, longest, stats: stats(trace, executions) })
    });
    most(told.collect(), limit, |size| &size.stats)
}

pub(in crate::query) fn size(trace: &Trace, args: ArgsId) -> Size {
    let mut size = Size::default();
    for (key, value) in trace.args.get(args, &trace.strings) {
        let text = match value {
            Value::Str(text) => text,
            Value::Uint(bytes) if key == "bytes" => {
                size.bytes = Some(bytes);
                continue;
            }
            _ => continue,
        };
        for [global, local] in RANGES {
            if key == global {
                size.global = text.to_owned();
            } else if key == local {
                size.local = text.to_owned();
            }
        }
    }
    size
}
