//! Callers of a finding's location, from the recorded stacks of its evidence.

use syclscope_language::api::{Finding, LocationInfo};

use rustc_hash::FxHashMap;

use crate::query::detail::location;
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of named callers.
const MAX_CALLERS: usize = 5;

pub(super) fn add(trace: &Trace, findings: &mut [Finding]) {
    if trace.stacks.len() == 0 {
        return;
    }
    let rows: FxHashMap<u64, u32> = trace.nodes.iter().map(|node| node.number).zip(0..).collect();
    for finding in findings {
        let Some(place) = &finding.location else { continue };
        let of_slices = finding.slices.iter().chain(&finding.at);
        let of_slices = of_slices.filter_map(|slice| trace.stack_of_slice(slice.slice as usize));
        let of_nodes = finding
            .nodes
            .iter()
            .filter_map(|node| trace.stack_of_args(trace.nodes.args.at(*rows.get(node)? as usize)));
        let mut callers: Vec<(usize, LocationInfo)> = Vec::new();
        for caller in of_slices.chain(of_nodes).filter_map(|stack| caller(trace, stack, place)) {
            match callers.iter_mut().find(|(_, known)| *known == caller) {
                Some((count, _)) => *count += 1,
                None => callers.push((1, caller)),
            }
        }
        callers.arrange_by(|(a, x), (b, y)| (b, &x.file, x.line).cmp(&(a, &y.file, y.line)));
        callers.truncate(MAX_CALLERS);
        // Callers in one function are described together.
        callers.arrange_by(|(_, a), (_, b)| (&a.file, &a.function).cmp(&(&b.file, &b.function)));
        let callers: Vec<LocationInfo> = callers.into_iter().map(|(_, caller)| caller).collect();
        if !callers.is_empty() {
            let words = format!("{}:{}, {}", base_name(&place.file), place.line, words(&callers));
            finding.evidence.push(words);
        }
    }
}

/// Describes callers: `called from step() at rod.cpp:61 and 72`.
fn words(callers: &[LocationInfo]) -> String {
    let mut words = "called from ".to_owned();
    for (number, caller) in callers.iter().enumerate() {
        let before = number.checked_sub(1).and_then(|before| callers.get(before));
        if before.is_some_and(|before| (&before.function, &before.file) == (&caller.function, &caller.file)) {
            words += &format!(" and {}", caller.line);
            continue;
        }
        if number > 0 {
            words += ", ";
        }
        if !caller.function.is_empty() {
            words += &format!("{}() at ", caller.function);
        }
        words += &format!("{}:{}", base_name(&caller.file), caller.line);
    }
    words
}

/// Returns the user's source location that called the function of `place`.
fn caller(trace: &Trace, stack: u32, place: &LocationInfo) -> Option<LocationInfo> {
    let users = trace.stacks.outwards(stack).filter(|(_, frame)| frame.kind.is_users());
    let mut users = users.filter_map(|(_, frame)| location(trace, frame.location));
    users.find(|frame| frame.line == place.line && is_same_file(&frame.file, &place.file))?;
    users.next()
}

/// True if two paths may denote one file: compilers and runtimes give relative and absolute paths.
fn is_same_file(a: &str, b: &str) -> bool {
    a == b || base_name(a) == base_name(b)
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
