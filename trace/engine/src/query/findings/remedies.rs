//! Remedies of findings, depending on the program and its environment in the recording.

use rustc_hash::FxHashMap;
use syclscope_language::event::{FactKind, SourceState};

use crate::id::LocationId;
use crate::query::location;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Environment variable that makes the runtime cache built programs for the next run.
const CACHE: &str = "SYCL_CACHE_PERSISTENT";
/// Versions of the runtime that crash with this cache (intel/llvm #22853).
const CRASH: [&str; 1] = ["2025.3.3"];

pub(crate) fn of_builds(trace: &Trace, process: u32) -> String {
    let fact = |kind, name: &str| {
        let mut facts = trace.machine.facts.iter().filter(|row| row.process == process && row.kind == kind);
        let found = facts.find(|row| trace.strings.get(row.name) == name)?;
        Some(trace.strings.get(found.value).to_owned())
    };
    let is_cached =
        fact(FactKind::Environment, CACHE).is_some_and(|value| !["", "0"].contains(&value.as_str()));
    let crashes =
        fact(FactKind::Version, "intel-sycl-rt").is_some_and(|version| CRASH.contains(&version.as_str()));
    let is_python = is_python(trace, process);
    let (loaded, compiled) = created(trace, process);
    let is_loaded = is_all_loaded(loaded, compiled);
    let before = if is_python {
        "Run each kernel once before the part that counts"
    } else if is_loaded {
        "Build before the run (kernel bundles)"
    } else if is_cached || crashes {
        "Build before the run (kernel bundles) or ahead of time (-fsycl-targets)"
    } else {
        "Build before the run (kernel bundles), ahead of time (-fsycl-targets)"
    };
    if is_loaded {
        return format!(
            "{before}. All programs were loaded as binaries, compiled ahead of time or kept by the cache: this is the driver's \
             own time for them."
        );
    }
    if is_cached {
        let lacked = match compiled {
            0 => String::new(),
            _ => format!(", and {compiled} of {} programs were not in the cache", loaded + compiled),
        };
        return format!("{before}. {CACHE} is set{lacked}: see that SYCL_CACHE_DIR outlives the run.");
    }
    if crashes {
        return format!("{before}.");
    }
    let comma = if is_python { "" } else { "," };
    format!("{before}{comma} or cache the builds ({CACHE}=1).")
}

/// True if a process created all its programs from binaries.
pub(super) fn are_loaded(trace: &Trace, process: u32) -> bool {
    let (loaded, compiled) = created(trace, process);
    is_all_loaded(loaded, compiled)
}

fn is_all_loaded(loaded: u64, compiled: u64) -> bool {
    loaded > 0 && compiled == 0
}

/// Returns the number of programs that a process created from binaries, and from code that the driver has to compile.
fn created(trace: &Trace, process: u32) -> (u64, u64) {
    let mut names: FxHashMap<u32, Option<bool>> = FxHashMap::default();
    let (mut loaded, mut compiled) = (0, 0);
    // Executions are not calls.
    for row in trace.executions.len()..trace.slices.len() {
        let name = trace.slices.name.at(row);
        let is_loaded = *names.entry(name.0).or_insert_with(|| match trace.strings.get(name) {
            "urProgramCreateWithBinary" | "piProgramCreateWithBinary" => Some(true),
            "urProgramCreateWithIL" | "piProgramCreate" => Some(false),
            _ => None,
        });
        let of_process = || trace.process_of_slice(row) == process;
        if let Some(is_loaded) = is_loaded.filter(|_| of_process()) {
            *if is_loaded { &mut loaded } else { &mut compiled } += 1;
        }
    }
    (loaded, compiled)
}

/// Returns the remedy for memory that is repeatedly allocated at a source location: a user of a library can't add a
/// pool to it.
pub(super) fn of_allocations(trace: &Trace, process: u32, place: LocationId) -> &'static str {
    if is_python(trace, process) {
        "Write results into arrays that are there (`out=`), or do the same with fewer intermediate arrays."
    } else if is_of_a_library(trace, place) {
        "A library makes them: see whether it accepts existing memory, or can keep its own between calls."
    } else {
        "Allocate once before the loop, or use a pool."
    }
}

/// Returns the remedy for buffers whose destructors block the host. Users of a library can't reach its buffers.
pub(super) fn of_destructors(trace: &Trace, process: u32, place: LocationId) -> &'static str {
    if is_python(trace, process) || is_of_a_library(trace, place) {
        "A library makes them: let it keep its buffers between calls, if it can, or call it less often with more work."
    } else {
        "Keep the buffer alive beyond the loop, or disable the write-back with set_final_data(nullptr)."
    }
}

/// Returns the remedy for kernels that are too short; `at_once` describes how to submit several commands together.
pub(super) fn of_short_kernels(trace: &Trace, process: u32, at_once: &str) -> String {
    if trace.producer().is_none() && is_python(trace, process) {
        return "Work on larger arrays at once, or do the same in fewer operations.".to_owned();
    }
    format!("Give each launch more work: fewer and larger ranges, several steps in one kernel, or {at_once}.")
}

/// True if a process runs a Python interpreter: its kernels and allocations belong to packages.
fn is_python(trace: &Trace, process: u32) -> bool {
    let name = trace.processes.get(process as usize).map_or("", |process| process.name.as_str());
    name.rsplit('/').next().is_some_and(|name| name.starts_with("python"))
}

/// True if a source location is in installed code, or in code built elsewhere: its text was searched for and is not on
/// the machine.
fn is_of_a_library(trace: &Trace, place: LocationId) -> bool {
    const INSTALLED: [&str; 4] = ["/usr/", "/opt/", "/site-packages/", "/dist-packages/"];
    let Some(place) = location(trace, place) else { return false };
    let is_installed = |part: &&str| match part.strip_suffix('/') {
        Some("/usr" | "/opt") => place.file.starts_with(*part),
        _ => place.file.contains(*part),
    };
    let is_it = |path| trace.strings.get(path) == place.file;
    let mut sources = trace.machine.sources.iter();
    INSTALLED.iter().any(is_installed)
        || sources.any(|row| row.state == SourceState::Unreadable && is_it(row.path))
}
