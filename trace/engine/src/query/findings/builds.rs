//! Programs that are built during the run.

use rustc_hash::FxHashMap;
use syclscope_language::event::NodeKind;

use super::remedies;
use super::run::{Command, Draft, Run};
use super::touched;
use super::words::time;
use crate::id::LocationId;
use crate::query::calls::builds;
use crate::store::Trace;
use crate::stretches::Stretches;
use syclscope_language::sorting::Sorting as _;

/// Less time is not noticeable.
const MIN_BUILD_NS: u64 = 1_000_000;

/// Returns the number of builds among calls. Another call follows a rejected one, which is quick, even if its result is
/// not recorded.
fn real(trace: &Trace, calls: &[u32]) -> usize {
    let duration = |call: &u32| trace.slices.duration.at(*call as usize);
    let longest = calls.iter().map(duration).max().unwrap_or_default();
    let is_rejected = |call: &u32| trace.is_error(trace.slices.args.at(*call as usize));
    calls.iter().filter(|call| !is_rejected(call) && duration(call) >= longest / 100).count()
}

/// Returns the number of calls, and of those among them that built nothing.
pub(super) fn counted(trace: &Trace, calls: &[u32]) -> String {
    let noun = if calls.len() == 1 { "call" } else { "calls" };
    let short = match calls.len() - real(trace, calls) {
        0 => String::new(),
        short => format!(" ({short} of them rejected or short)"),
    };
    format!("{} build {noun}{short}", calls.len())
}

/// Calls that build programs after the first command of their process was submitted.
pub(super) fn findings(run: &Run<'_>) -> Vec<Draft> {
    let trace = run.trace;
    let mut found: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for row in builds(trace) {
        let process = trace.process_of_slice(row);
        if run.has_begun(process, trace.slices.start.at(row)) {
            found.entry(process).or_default().push(row as u32);
        }
    }
    let mut findings = Vec::new();
    for (process, mut slices) in found {
        slices.arrange_by_key(|slice| trace.slices.start.at(*slice as usize));
        let duration = |slice: &u32| trace.slices.duration.at(*slice as usize);
        let span = |slice: &u32| trace.slices.interval(*slice as usize);
        let total = Stretches::new(slices.iter().map(span).collect()).ns();
        let longest = slices.iter().map(duration).max().unwrap_or_default();
        let real = real(trace, &slices);
        let touches_ns = touched::in_host_time(run, process, slices.iter().map(span).collect());
        if total < MIN_BUILD_NS || touches_ns == 0 {
            continue;
        }
        let change = run.without_calls(slices.iter().copied());
        let dearest = dearest_kernel(run, process, &slices);
        let location = dearest.map_or(LocationId(0), |(kernel, _)| kernel.location);
        let took =
            format!("{} took {}, the longest {}.", counted(trace, &slices), time(total), time(longest));
        let largest = dearest.map(|(kernel, ns)| {
            let (kernel, place) = (run.short_name(kernel), run.at_place(location));
            format!("The largest share, {}, precedes {kernel}{place}.", time(ns))
        });
        let evidence = [took].into_iter().chain(largest).collect();
        let compiler = match remedies::are_loaded(trace, process) {
            true => "",
            false => " The runtime's own compiler is not recorded and can be saved, too.",
        };
        findings.push(Draft {
            kind: "build_inside_run",
            message: format!(
                "Building device code ({real} ×) after the first command was submitted took {}.{compiler}",
                time(total)
            ),
            remedy: remedies::of_builds(trace, process),
            evidence,
            process,
            location,
            slices,
            nodes: Vec::new(),
            count: real as u64,
            touches_ns,
            change: Ok(change),
            bytes: 0,
            how: "In recorded time: the run replayed without these calls. The real saving may be larger, because the \
                  runtime's unrecorded work is omitted, too.",
            filter: "category:ur name:urProgram".to_owned(),
        });
    }
    findings
}

/// Returns the first kernel of the source location with the longest builds, and the time of these builds (ns). Each build
/// counts for the first kernel whose submission ends after the start of the build.
fn dearest_kernel<'r>(run: &'r Run<'_>, process: u32, slices: &[u32]) -> Option<(&'r Command, u64)> {
    let is_kernel = |command: &&Command| command.kind == NodeKind::Kernel && command.process == process;
    let mut kernels = run.whole().iter().filter(is_kernel).peekable();
    let mut numbers: FxHashMap<LocationId, usize> = FxHashMap::default();
    let mut places: Vec<(&Command, u64)> = Vec::new();
    for slice in slices {
        let begun = run.trace.slices.start.at(*slice as usize);
        while kernels.next_if(|kernel| kernel.submitted < begun).is_some() {}
        let Some(next) = kernels.peek().copied() else { break };
        let number = *numbers.entry(next.location).or_insert_with(|| {
            places.push((next, 0));
            places.len() - 1
        });
        places[number].1 += run.trace.slices.duration.at(*slice as usize);
    }
    places.into_iter().rev().max_by_key(|(_, ns)| *ns)
}
