//! Sections of the summary as comma-separated values (RFC 4180), times in ns, sizes in bytes.

use syclscope_language::api::{
    Builds, CallSummary, Energy, Gaps, Iterations, LocationInfo, QueueInfo, Regions, Report, Selected,
    StartUp, TraceInfo,
};
use syclscope_language::event::QueueOrder;

use super::Summary;
use super::calls::kind;
use super::section::Section;
use super::text::problems::severity;
use syclscope_text::steers;

/// A heading, and a line for each row, whose fields have names and values.
macro_rules! csv {
    ($rows:expr, $row:pat => $($name:literal = $value:expr),+ $(,)?) => {{
        let mut text = [$($name),+].join(",") + "\n";
        for $row in $rows {
            add_line(&mut text, &[$(&$value),+]);
        }
        text
    }};
}

fn add_line(text: &mut String, values: &[&dyn ToString]) {
    let fields: Vec<String> = values.iter().map(|value| field(&value.to_string())).collect();
    *text += &fields.join(",");
    text.push('\n');
}

pub(super) fn section(section: Section, summary: &Summary) -> String {
    let Summary { info, report, slices, gaps: idle, .. } = summary;
    let (rounds, before, built) = (&summary.iterations, &summary.start_up, &summary.builds);
    match section {
        Section::Slices => groups(slices.as_ref()),
        Section::Kernels => kernels(report),
        Section::Energy => energy(summary.energy.as_ref()),
        Section::Regions => regions(summary.regions.as_ref()),
        Section::Iterations => iterations(rounds.as_ref()),
        Section::StartUp => start_up(before.as_ref()),
        Section::Builds => builds(built.as_ref()),
        Section::Copies => copies(report),
        Section::Waits => waits(report),
        Section::Memory => memory(report),
        Section::Unreleased => unreleased(report),
        Section::CriticalPath => critical_path(report),
        Section::Queues => queues(info, report),
        Section::Gaps => gaps(idle.as_ref()),
        Section::Findings => findings(report),
        Section::Problems => problems(info),
        Section::Calls => calls(&[]),
    }
}

fn groups(slices: Option<&Selected>) -> String {
    csv! { slices.iter().flat_map(|slices| &slices.groups), row =>
        "name" = row.name, "category" = row.category.as_str(),
        "kind" = row.kind.map(|kind| kind.as_str()).unwrap_or_default(), "count" = row.stats.count,
        "total_ns" = row.stats.total_ns, "clipped_ns" = row.stats.clipped_ns, "self_ns" = row.stats.self_ns,
        "min_ns" = row.stats.min_ns, "mean_ns" = row.stats.mean_ns, "p50_ns" = row.stats.p50_ns,
        "p95_ns" = row.stats.p95_ns, "p99_ns" = row.stats.p99_ns, "max_ns" = row.stats.max_ns,
    }
}

fn kernels(report: &Report) -> String {
    csv! { report.commands.iter().map(|row| (row, place(row.location.as_ref()))), (row, place) =>
        "name" = row.name, "kind" = row.kind.as_str(), "count" = row.count, "total_ns" = row.total_ns,
        "min_ns" = row.min_ns, "mean_ns" = row.mean_ns, "p50_ns" = row.p50_ns, "p95_ns" = row.p95_ns,
        "max_ns" = row.max_ns, "mean_queueing_delay_ns" = or_empty(row.mean_queueing_delay_ns),
        "function" = place.function, "file" = place.file, "line" = place.line, "column" = place.column,
        "locations" = row.locations,
    }
}

fn copies(report: &Report) -> String {
    csv! { &report.copies, row =>
        "from" = row.from, "to" = row.to, "count" = row.count, "bytes" = row.bytes, "total_ns" = row.total_ns,
        "bytes_per_ns" = row.bytes_per_ns,
    }
}

fn waits(report: &Report) -> String {
    csv! { report.waits.iter().map(|row| (row, place(row.location.as_ref()))), (row, place) =>
        "name" = row.name, "count" = row.count, "total_ns" = row.total_ns, "max_ns" = row.max_ns,
        "function" = place.function, "file" = place.file, "line" = place.line, "column" = place.column,
    }
}

fn memory(report: &Report) -> String {
    csv! { &report.memory, row =>
        "kind" = row.kind.as_str(), "peak_bytes" = row.peak_bytes, "peak_at_ns" = row.peak_at_ns,
        "count" = row.count, "total_bytes" = row.total_bytes,
    }
}

fn unreleased(report: &Report) -> String {
    csv! { report.unreleased.iter().map(|row| (row, place(row.location.as_ref()))), (row, place) =>
        "kind" = row.kind.as_str(), "count" = row.count, "bytes" = row.bytes,
        "function" = place.function, "file" = place.file, "line" = place.line, "column" = place.column,
    }
}

fn critical_path(report: &Report) -> String {
    let steps = report.critical_path.steps.iter();
    csv! { steps.map(|row| (row, place(row.location.as_ref()))), (row, place) =>
        "kind" = row.kind.as_str(), "name" = row.name, "count" = row.count, "duration_ns" = row.duration_ns,
        "node" = or_empty(row.node), "start_ns" = or_empty(row.start_ns),
        "function" = place.function, "file" = place.file, "line" = place.line, "column" = place.column,
        "after" = row.after, "until" = row.until,
    }
}

/// Returns the parts of each counter's energy: commands, idle time, and the rest by reason.
fn energy(found: Option<&Energy>) -> String {
    let rows = found.iter().flat_map(|found| &found.counters).flat_map(|counter| {
        let commands = counter.commands.iter().map(|row| {
            let figures = [row.count, row.total_ns, row.unsampled_ns].map(|figure| figure.to_string());
            ("command", row.name.as_str(), row.kind.as_str(), figures, row.joules)
        });
        let rest = counter.rest.iter().map(|rest| (rest.reason.as_str(), rest.joules));
        let parts = [("more", counter.more_joules), ("idle", counter.idle_joules)].into_iter().chain(rest);
        let others = parts.filter(|(_, joules)| *joules > 0.0);
        let others = others.map(|(part, joules)| (part, "", "", Default::default(), joules));
        commands.chain(others).map(move |row| (counter, row))
    });
    csv! { rows, (counter, (part, name, kind, [count, total_ns, unsampled_ns], joules)) =>
        "process" = counter.process, "counter" = counter.name,
        "device" = counter.device.as_deref().unwrap_or_default(), "part" = part, "name" = name, "kind" = kind,
        "count" = count, "total_ns" = total_ns, "unsampled_ns" = unsampled_ns, "joules" = joules,
    }
}

fn regions(found: Option<&Regions>) -> String {
    csv! { found.iter().flat_map(|found| &found.regions), row =>
        "region" = row.path.join("/"), "count" = row.count, "threads" = row.threads, "total_ns" = row.total_ns,
        "min_ns" = row.min_ns, "median_ns" = row.median_ns, "max_ns" = row.max_ns, "commands" = row.commands,
        "device_ns" = row.device_ns, "copy_ns" = row.copy_ns, "wait_ns" = row.wait_ns,
    }
}

fn iterations(found: Option<&Iterations>) -> String {
    csv! { found.iter().flat_map(|found| &found.iterations), row =>
        "number" = row.number, "from_ns" = row.from_ns, "duration_ns" = row.to_ns - row.from_ns,
        "device_ns" = row.device_ns, "copy_ns" = row.copy_ns, "wait_ns" = row.wait_ns,
        "host_ns" = row.host_ns, "build_ns" = row.build_ns, "commands" = row.commands,
    }
}

fn start_up(found: Option<&StartUp>) -> String {
    let steps = found.iter().flat_map(|found| &found.steps);
    csv! { steps.map(|row| (row, place(row.location.as_ref()))), (row, place) =>
        "kind" = row.kind.as_str(), "name" = row.name, "count" = row.count, "total_ns" = row.total_ns,
        "file" = place.file, "line" = place.line,
    }
}

fn builds(found: Option<&Builds>) -> String {
    let builds = found.iter().flat_map(|found| &found.builds);
    csv! { builds.map(|row| (row, place(row.location.as_ref()))), (row, place) =>
        "number" = row.number, "from_ns" = row.at.start_ns, "duration_ns" = row.at.duration_ns,
        "call" = row.name, "source" = row.source.as_str(), "bytes" = or_empty(row.bytes),
        "thread" = row.thread, "kernels" = row.kernels.join(" "), "file" = place.file, "line" = place.line,
        "again_of" = or_empty(row.again_of),
        "again" = row.again.map(|again| again.as_str()).unwrap_or_default(), "failed" = row.failed,
    }
}

fn queues(info: &TraceInfo, report: &Report) -> String {
    let order = |queue: &QueueInfo| match queue.order {
        QueueOrder::Other => "",
        order => order.as_str(),
    };
    let idle = |queue: &QueueInfo| report.queues.iter().find(|idle| idle.queue == queue.id);
    csv! { info.queues.iter().map(|queue| (queue, idle(queue))), (queue, idle) =>
        "queue" = queue.id, "order" = order(queue), "device_type" = queue.device_type,
        "device" = queue.device, "executions" = or_empty(idle.map(|idle| idle.executions)),
        "busy_ns" = or_empty(idle.map(|idle| idle.busy_ns)),
        "host_ns" = or_empty(idle.map(|idle| idle.host_ns)),
        "dependence_ns" = or_empty(idle.map(|idle| idle.dependence_ns)),
        "ready_ns" = or_empty(idle.map(|idle| idle.ready_ns)),
        "after_ns" = or_empty(idle.map(|idle| idle.after_ns)), "name" = info.queue_name(queue.id),
        "other_ns" = or_empty(idle.map(|idle| idle.other_ns)),
    }
}

fn findings(report: &Report) -> String {
    csv! { report.findings.iter().map(|row| (row, row.iterations.as_ref())), (row, part) =>
        "kind" = row.kind, "count" = row.count, "gain_ns" = or_empty(row.gain.as_ref().map(|gain| gain.ns)),
        "touches_ns" = row.touches_ns, "gain_bytes" = or_empty(row.gain.as_ref().map(|gain| gain.bytes)),
        "at_ns" = row.at_ns, "until_ns" = row.until_ns,
        "file" = row.location.as_ref().map(|place| place.file.as_str()).unwrap_or_default(),
        "line" = or_empty(row.location.as_ref().map(|place| place.line.into())),
        "filter" = row.filter, "message" = row.message,
        "iterations" = or_empty(part.map(|part| part.iterations)),
        "iteration_mean_ns" = or_empty(part.map(|part| part.mean_ns)),
        "iterations_gain_ns" = or_empty(part.and_then(|part| part.gain_ns)),
        "iterations_touches_ns" = or_empty(part.map(|part| part.touches_ns)),
    }
}

fn problems(info: &TraceInfo) -> String {
    let mut text = csv! { &info.diagnostics, row =>
        "about" = "trace", "kind" = row.kind, "severity" = severity(row.severity), "count" = row.count,
        "first_offset" = or_empty(row.first_offset), "file" = "", "line" = "", "message" = row.message,
    };
    for row in &info.findings {
        let (place, severity) = (place(row.location.as_ref()), severity(row.severity));
        add_line(
            &mut text,
            &[&"program", &row.kind, &severity, &1, &"", &place.file, &place.line, &row.message],
        );
    }
    text
}

fn gaps(gaps: Option<&Gaps>) -> String {
    let gaps = gaps.iter().flat_map(|gaps| &gaps.gaps);
    csv! { gaps.map(|gap| (gap, place(gap.location.as_ref()))), (gap, place) =>
        "device" = gap.name, "from_ns" = gap.from_ns, "duration_ns" = gap.to_ns - gap.from_ns,
        "class" = gap.class.as_str(),
        "next" = gap.next.as_ref().map(|next| next.name.as_str()).unwrap_or_default(),
        "file" = place.file, "line" = place.line, "message" = gap.message,
    }
}

pub(super) fn calls(calls: &[CallSummary]) -> String {
    csv! { calls, row =>
        "name" = row.name, "count" = row.count, "errors" = row.errors, "total_ns" = row.total_ns,
        "mean_ns" = row.mean_ns(), "min_ns" = row.min_ns, "p95_ns" = row.p95_ns, "max_ns" = row.max_ns,
        "unfinished" = row.unfinished, "kind" = kind(row),
    }
}

fn place(location: Option<&LocationInfo>) -> LocationInfo {
    location.cloned().unwrap_or_default()
}

fn or_empty(number: Option<u64>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

/// Returns a text as a field: quoted if needed, without characters that control a terminal, and not a formula
/// for spreadsheets.
pub(crate) fn field(text: &str) -> String {
    let mut field: String = text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect();
    if field.starts_with(['=', '+', '-', '@']) && field.parse::<f64>().is_err() {
        field.insert(0, '\'');
    }
    if field.contains([',', '"']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_stay_one_field() {
        assert_eq!(field("axpy<float, int>"), "\"axpy<float, int>\"");
        assert_eq!(field("say \"hi\""), "\"say \"\"hi\"\"\"");
        assert_eq!(field("plain"), "plain");
    }

    #[test]
    fn no_name_is_run_by_a_spreadsheet_or_a_terminal() {
        assert_eq!(field("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
        assert_eq!((field("@sum"), field("-x+1")), ("'@sum".to_owned(), "'-x+1".to_owned()));
        assert_eq!(
            (field("-12"), field("+1.5e3")),
            ("-12".to_owned(), "+1.5e3".to_owned()),
            "numbers stay numbers"
        );
        assert_eq!(field("a\u{1b}[31m\r\nb"), "a\u{fffd}[31m\u{fffd}\u{fffd}b");
    }
}
