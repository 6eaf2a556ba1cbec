//! The main metrics of a trace, computed once when it is stored. Lists show, search and sort traces by them.

use syclscope_engine::compare::Sample;
use syclscope_engine::store::Trace;
use syclscope_language::api::{Busiest, Figures, Severity};
use syclscope_language::event::NodeKind;

use syclscope_text::printable;

/// Maximum width of a name.
const NAME_COLUMNS: usize = 400;
/// Maximum number of kernels, which searches use, and of devices.
const MAX_KERNELS: usize = 50;
const MAX_DEVICES: usize = 16;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredMetrics {
    pub figures: Figures,
    /// Names of its kernels, the most device time first, for searches.
    pub kernels: Vec<String>,
    pub sample: Sample,
}

/// Computes the metrics from the report that `syclscope summary` prints.
pub(crate) fn compute(trace: &Trace) -> StoredMetrics {
    let (info, report) = (trace.info(), trace.report());
    let short = |name: &str| printable(name, NAME_COLUMNS);
    let is_kernel = |kind: NodeKind| kind == NodeKind::Kernel;
    let kernels = || report.commands.iter().filter(|command| is_kernel(command.kind));
    let all_ns = report.commands.iter().map(|command| command.total_ns).fold(0, u64::saturating_add);
    let busiest = kernels().next().map(|kernel| Busiest {
        name: short(&kernel.name),
        total_ns: kernel.total_ns,
        // Rounded as in the database.
        share: (kernel.total_ns as f64 / all_ns.max(1) as f64 * 1e6).round() / 1e6,
    });
    let mut devices: Vec<String> = Vec::new();
    for device in trace.device_names() {
        let device = short(device);
        if !device.is_empty() && !devices.contains(&device) && devices.len() < MAX_DEVICES {
            devices.push(device);
        }
    }
    let is_bad = |severity| severity != Severity::Info;
    let lost = info.diagnostics.iter().filter(|problem| is_bad(problem.severity)).count();
    let wrong = info.findings.iter().filter(|finding| is_bad(finding.severity)).count();
    let figures = Figures {
        program: short(&info.program),
        duration_ns: info.duration_ns,
        busy_ns: report.covered.device_ns,
        commands: info.counts.commands,
        launches: info.counts.launches,
        devices,
        busiest,
        findings: report.findings.len() as u64,
        problems: (lost + wrong) as u64,
    };
    let sample = Sample::new("", trace).for_history();
    StoredMetrics {
        figures,
        sample,
        kernels: kernels().take(MAX_KERNELS).map(|kernel| short(&kernel.name)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use syclscope_engine::budget::Budget;
    use syclscope_engine::cancel::{self, Stopped, Work};
    use syclscope_engine::import;

    use super::*;

    #[test]
    fn figures_of_a_large_trace_end_when_they_cost_too_much() {
        let event = |at: u32| {
            format!(r#"{{"ph":"X","cat":"kernel","ts":{at},"dur":1,"pid":0,"tid":7,"name":"k{}"}}"#, at % 9)
        };
        let events: Vec<String> = (0..60_000).map(event).collect();
        let trace = import::open(format!("[{}]", events.join(",")).as_bytes()).unwrap();
        let within =
            |steps| cancel::within(&Work::with_steps(steps), Budget::unlimited(), || compute(&trace));
        let stopped = within(20_000);
        assert_eq!(stopped, Err(Stopped::TooLong));
        let known = within(100_000_000).unwrap();
        assert_eq!(known.figures.duration_ns, 60_000_000);
        assert_eq!(compute(&trace), known);
    }
}
