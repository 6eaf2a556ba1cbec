//! Executions by launch size: the range of a kernel, the bytes of a copy.

use rustc_hash::FxHashMap;
use syclscope_language::api::SizeExecutions;
use syclscope_language::event::Value;

use super::{Execution, most, stats};
use crate::id::{ArgsId, some};
use crate::query::detail::slice_ref;
use crate::store::Trace;
use syclscope_language::sorting::Sorting as _;

/// Argument names of a launch's range and of its group size.
const RANGE: [&str; 2] = ["global_size", "local_size"];

/// Argument names of a launch's number of groups and of its group size: of CUDA tools, and of streams whose commands
/// are unknown.
const GRIDS: [[&str; 2]; 2] = [["grid", "block"], ["blocks", "threads"]];

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
    let mut is_grid = false;
    for (key, value) in trace.args.get(args, &trace.strings) {
        let text = match value {
            Value::Str(text) => text,
            Value::Uint(bytes) if key == "bytes" => {
                size.bytes = Some(bytes);
                continue;
            }
            _ => continue,
        };
        for [global, local] in GRIDS.into_iter().chain([RANGE]) {
            if key == global {
                size.global = text.to_owned();
                is_grid = [global, local] != RANGE;
            } else if key == local {
                size.local = text.to_owned();
            }
        }
    }
    if is_grid && let Some([global, local]) = in_items(&size) {
        (size.global, size.local) = (global, local);
    }
    size
}

/// Returns range and group size in work-items, of a size whose range is a number of groups.
fn in_items(size: &Size) -> Option<[String; 2]> {
    let (groups, local) = (dimensions(&size.global)?, dimensions(&size.local)?);
    let items: Option<Vec<u64>> =
        groups.iter().zip(&local).map(|(count, items)| count.checked_mul(*items)).collect();
    let text = |items: &[u64]| items.iter().map(u64::to_string).collect::<Vec<_>>().join(" × ");
    (groups.len() == local.len() && !local.is_empty()).then_some([text(&items?), text(&local)])
}

/// Returns the numbers of `[864, 1, 1]` or `864 × 1 × 1`.
fn dimensions(text: &str) -> Option<Vec<u64>> {
    let parts = text.split(|letter: char| !letter.is_ascii_digit());
    parts.filter(|part| !part.is_empty()).map(|part| part.parse().ok()).collect()
}
