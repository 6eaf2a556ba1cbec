//! Remedies of findings, by the program and its environment in the recording.

use syclscope_language::event::FactKind;

use crate::store::Trace;
use crate::store::table::Table as _;

/// Keeps what the runtime built for the next run.
const CACHE: &str = "SYCL_CACHE_PERSISTENT";
/// Runtimes that crash with it (intel/llvm #22853).
const CRASH: [&str; 1] = ["2025.3.3"];

/// The remedy for run-time compilation in a process.
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
    let name = trace.processes.get(process as usize).map_or("", |process| process.name.as_str());
    let is_python = name.rsplit('/').next().is_some_and(|name| name.starts_with("python"));
    let before = if is_python {
        "Run each kernel once before the part that counts"
    } else if is_cached || crashes {
        "Build before the run (kernel bundles) or ahead of time (-fsycl-targets)"
    } else {
        "Build before the run (kernel bundles), ahead of time (-fsycl-targets)"
    };
    if is_cached {
        return format!(
            "{before}. {CACHE} is set, and the cache did not have them: see that SYCL_CACHE_DIR outlives the run."
        );
    }
    if crashes {
        return format!("{before}.");
    }
    let comma = if is_python { "" } else { "," };
    format!("{before}{comma} or cache the builds ({CACHE}=1).")
}
