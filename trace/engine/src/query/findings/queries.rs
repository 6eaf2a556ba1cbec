//! Queries of a device, kernel or allocation that are repeated for each launch.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, NodeKind};

use super::run::{Draft, Run};
use super::touched;
use super::words::{equals, time};
use crate::id::{LocationId, StringId};
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::Stretches;
use syclscope_language::sorting::Sorting as _;

/// Fewer are not a loop.
const MIN_CALLS: usize = 32;
/// Properties whose value changes during the run.
const CHANGING: [&str; 5] = ["FREE", "CLOCK", "UTILIZATION", "TEMPERATURE", "REFERENCE_COUNT"];

/// Queries with the same name and arguments, at least one per two kernel launches.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let trace = run.trace;
    let mut kernels: FxHashMap<u32, usize> = FxHashMap::default();
    for command in run.commands().iter().filter(|command| command.kind == NodeKind::Kernel) {
        *kernels.entry(command.process).or_default() += 1;
    }
    let mut names: FxHashMap<u32, bool> = FxHashMap::default();
    let mut found: FxHashMap<(u32, StringId, String), Vec<u32>> = FxHashMap::default();
    // Executions are not calls.
    for row in trace.executions.len()..trace.slices.len() {
        crate::cancel::row(row);
        let name = trace.slices.name.at(row);
        let is_query = trace.slices.category(row) == Category::Call
            && *names.entry(name.0).or_insert_with(|| is_query(trace.strings.get(name)));
        if is_query {
            let process = trace.process_of_slice(row);
            if !run.has_begun(process, trace.slices.start.at(row)) {
                continue;
            }
            let subject = subject(trace, row);
            if !CHANGING.iter().any(|part| subject.contains(part)) {
                found.entry((process, name, subject)).or_default().push(row as u32);
            }
        }
    }
    let is_repeated = |process: u32, calls: usize| {
        calls >= MIN_CALLS && kernels.get(&process).is_some_and(|kernels| calls * 2 >= *kernels)
    };
    found.retain(|(process, ..), calls| is_repeated(*process, calls.len()));
    let drafts = found.into_iter().filter_map(|((process, name, subject), mut slices)| {
        slices.arrange_by_key(|slice| (trace.slices.start.at(*slice as usize), *slice));
        let span = |slice: &u32| trace.slices.interval(*slice as usize);
        let spans: Vec<_> = slices.iter().map(span).collect();
        let total_ns = Stretches::new(spans.clone()).ns();
        let touches_ns = touched::in_host_time(run, process, spans);
        if !run.is_worth(touches_ns) {
            return None;
        }
        let (count, name) = (slices.len(), trace.strings.get(name));
        let launches = kernels.get(&process).copied().unwrap_or_default();
        Some(Draft {
            kind: "repeated_query",
            message: format!(
                "`{name}` was called {count} times{}, {:.1} times for each launch of a kernel, and took the host {}.",
                if subject.is_empty() { "" } else { " with the same arguments" },
                count as f64 / launches.max(1) as f64,
                time(total_ns)
            ),
            remedy: "Reuse an answer that does not change.".to_owned(),
            evidence: vec!["The runtime may make these calls itself; the call tree shows their callers.".to_owned()],
            process,
            location: LocationId(0),
            change: Ok(run.without_calls(slices.iter().copied())),
            slices,
            nodes: Vec::new(),
            count: count as u64,
            touches_ns,
            bytes: 0,
            how: "At most: the run replayed without these calls.",
            filter: equals("name", name),
        })
    });
    drafts.collect()
}

/// True if calls with this name are queries of a lasting object.
fn is_query(name: &str) -> bool {
    const OF: [&str; 6] = ["Device", "Platform", "Context", "Kernel", "Program", "USM"];
    let of_object = name.strip_prefix("ur").or_else(|| name.strip_prefix("pi")).unwrap_or("");
    name.ends_with("Info") && OF.iter().any(|object| of_object.starts_with(object))
}

/// Returns the queried object and property, as far as they are recorded.
fn subject(trace: &Trace, row: usize) -> String {
    let mut subject = String::new();
    for (key, value) in trace.args.get(trace.slices.args.at(row), &trace.strings) {
        if key == "propName"
            || key == "pMem"
            || key == "ptr"
            || key.strip_prefix('h').is_some_and(|rest| rest.starts_with(char::is_uppercase))
        {
            subject += &format!("{key}={value:?} ");
        }
    }
    subject
}
