//! Runs that mostly start up: the host's work before it submits the first command.

use syclscope_language::api::{CriticalStep, StepKind};
use syclscope_language::event::{FactKind, NodeKind};

use super::builds::counted;
use super::run::{Command, Draft, Run};
use super::words::time;
use super::{processor_use, remedies};
use crate::query::calls::{builds, builds_code};
use crate::query::graph::path::{BEFORE_ALL, UNKNOWN};
use crate::query::iterations::message::step_words;
use crate::query::step_sums::StepSums;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::stretches::Stretches;
use syclscope_language::sorting::Sorting as _;

/// Loading a runtime, its adapters and drivers takes less time, even on a busy machine.
const MIN_START_UP_NS: u64 = 3_000_000_000;
/// Minimum share of the start-up in the run for a finding: 1 / this.
const PART: u64 = 2;
/// Maximum number of parts of the start-up in the message.
const MAX_NAMED_STEPS: usize = 3;
/// Environment variable that selects the devices, and thus the adapters, that the runtime loads.
const SELECTOR: &str = "ONEAPI_DEVICE_SELECTOR";

/// Classes of the time before the first command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Build,
    Devices,
    /// Other recorded calls.
    Calls,
    Other,
}

/// Returns a start-up that takes most of the run.
pub(super) fn finding(run: &Run<'_>) -> Option<Draft> {
    let trace = run.trace;
    let first = run.whole().iter().find(|command| may_have_run(trace, command))?;
    let begin_ns = first.begun;
    if begin_ns < MIN_START_UP_NS || begin_ns < trace.duration_ns / PART {
        return None;
    }
    let mut steps = trace.steps_until(begin_ns);
    // The time before a recording that starts late is unknown, and does not count.
    let nothing = steps.extract_if(.., |step| step.name == BEFORE_ALL).map(|step| step.duration_ns);
    let nothing_ns: u64 = nothing.sum();
    let (start_ns, run_ns) =
        (begin_ns.saturating_sub(nothing_ns), trace.duration_ns.saturating_sub(nothing_ns));
    // In a pause of the recording, earlier commands may have run.
    let mut pauses = trace.machine.pauses.iter();
    let was_paused = pauses.any(|pause| pause.process == first.process && pause.start < begin_ns);
    // A part of a run lacks the start, or the rest, without which the share of the start is unknown.
    let is_part = !trace.has_since(first.process, 0) || trace.goes_on(first.process);
    if start_ns < MIN_START_UP_NS || start_ns < run_ns / PART || was_paused || is_part {
        return None;
    }
    let dearest = dearest(&steps);
    let mut builds: Vec<u32> = builds(trace)
        .filter(|row| trace.slices.start.at(*row) <= begin_ns)
        .filter(|row| trace.process_of_slice(*row) == first.process)
        .map(|row| row as u32)
        .collect();
    builds.arrange_by_key(|row| trace.slices.start.at(*row as usize));
    let mut longest: Vec<&CriticalStep> = steps.iter().filter(|step| step.at.is_some()).collect();
    longest.arrange_by_key(|step| (std::cmp::Reverse(step.duration_ns), step.start_ns));
    let mut slices: Vec<u32> =
        longest.iter().take(MAX_NAMED_STEPS).filter_map(|step| Some(step.at?.slice)).collect();
    slices.arrange_by_key(|slice| trace.slices.start.at(*slice as usize));
    slices.dedup();
    let change = match builds.is_empty() {
        false => Ok(run.without_calls(builds.iter().copied())),
        true => Err(
            "The start-up time that can be saved is unknown: the program built no device code before its first command.",
        ),
    };
    let start = Stretches::new(vec![(nothing_ns, begin_ns)]);
    let processor = processor_use::little(trace, first.process, &start).map(|little| {
        format!(
            " {little}: the machine may have been busy, or the program waited, as for a disk or the network."
        )
    });
    Some(Draft {
        kind: "slow_start",
        message: format!(
            "The first command was submitted after {}, {:.0} % of the recorded run: {}.{}",
            time(start_ns),
            start_ns as f64 * 100.0 / run_ns.max(1) as f64,
            parts(steps),
            processor.unwrap_or_default()
        ),
        remedy: remedy(trace, first.process, dearest),
        evidence: evidence(trace, &builds),
        process: first.process,
        location: first.location,
        slices,
        nodes: vec![first.node],
        count: 1,
        touches_ns: start_ns,
        change,
        bytes: 0,
        how: "In recorded time: the run replayed without the builds before its first command. The real saving may \
              be larger, because the runtime's unrecorded work is omitted, too.",
        filter: if builds.is_empty() { String::new() } else { "category:ur name:urProgram".to_owned() },
    })
}

/// True if a command ran, or may have run without a device time. A command of a graph runs with the graph.
fn may_have_run(trace: &Trace, command: &Command) -> bool {
    let is_work = command.kind.is_device_work() || command.kind == NodeKind::HostTask;
    command.execution.is_some() || (is_work && trace.command_graphs.memberships(command.node).is_empty())
}

fn class(step: &CriticalStep) -> Class {
    let is_call = step.kind == StepKind::Call;
    let finds_devices = || {
        ["AdapterGet", "PlatformGet", "DeviceGet", "ContextCreate"]
            .iter()
            .any(|part| step.name.contains(part))
    };
    if is_call && builds_code(&step.name) {
        Class::Build
    } else if is_call && finds_devices() {
        Class::Devices
    } else if is_call {
        Class::Calls
    } else {
        Class::Other
    }
}

fn dearest(steps: &[CriticalStep]) -> Class {
    let ns = |wanted: Class| -> u64 {
        steps.iter().filter(|step| class(step) == wanted).map(|step| step.duration_ns).sum()
    };
    let classes = [Class::Other, Class::Calls, Class::Devices, Class::Build];
    classes.into_iter().max_by_key(|class| ns(*class)).unwrap_or(Class::Other)
}

fn parts(steps: Vec<CriticalStep>) -> String {
    let mut sums = StepSums::default();
    steps.into_iter().for_each(|step| sums.add(step));
    let parts: Vec<String> = sums
        .into_list()
        .into_iter()
        .filter(|sum| sum.total_ns > 0)
        .take(MAX_NAMED_STEPS)
        .map(|sum| match sum.name.as_str() {
            UNKNOWN => format!("{} {UNKNOWN}", time(sum.total_ns)),
            name => format!("{} {}", time(sum.total_ns), step_words(sum.kind, name)),
        })
        .collect();
    parts.join(", ")
}

fn remedy(trace: &Trace, process: u32, dearest: Class) -> String {
    let mut facts = trace.machine.facts.iter();
    let is_selected = facts.any(|fact| {
        fact.process == process
            && fact.kind == FactKind::Environment
            && trace.strings.get(fact.name) == SELECTOR
    });
    match dearest {
        Class::Build => remedies::of_builds(trace, process),
        Class::Devices if !is_selected => {
            format!("The runtime loads the adapters of all backends and asks for all devices: {SELECTOR} leaves only those that the program uses.")
        }
        Class::Devices => "Ask for devices and make contexts once, and pass them on.".to_owned(),
        Class::Calls => {
            "These calls are in the recording. The query `start_up` has their lines.".to_owned()
        }
        Class::Other => {
            "The program's own code, the loading of libraries and the runtime's own compiler are not recorded: `record --sample 99Hz` names the functions of threads that have called the runtime. A profiler of the host names those of all.".to_owned()
        }
    }
}

fn evidence(trace: &Trace, builds: &[u32]) -> Vec<String> {
    if builds.is_empty() {
        return vec!["No device code was built before the first command.".to_owned()];
    }
    let span = |slice: &u32| trace.slices.interval(*slice as usize);
    let total_ns = Stretches::new(builds.iter().map(span).collect()).ns();
    vec![format!("{} took {} before the first command.", counted(trace, builds), time(total_ns))]
}
