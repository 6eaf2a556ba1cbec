//! Sections of the summary as comma-separated values (RFC 4180), times in ns, sizes in bytes.

use syclscope_language::api::{
    Builds, CallSummary, Energy, Gaps, Iteration, Iterations, LocationInfo, Report, Selected, StartUp,
    StepKind, TraceInfo,
};
use syclscope_language::event::QueueOrder;

use super::Summary;
use super::calls::kind;
use super::section::Section;
use super::text::problems::severity;
use syclscope_text::steers;

struct Lines(String);

impl Lines {
    fn new(heading: &str) -> Self {
        Self(format!("{heading}\n"))
    }

    fn line(&mut self, fields: &[&dyn ToString]) {
        for (place, value) in fields.iter().enumerate() {
            if place > 0 {
                self.0.push(',');
            }
            self.0.push_str(&field(&value.to_string()));
        }
        self.0.push('\n');
    }
}

/// A section's heading and a line for each of its rows.
pub(super) fn section(section: Section, summary: &Summary) -> String {
    let Summary { info, report, slices, gaps: idle, .. } = summary;
    let (rounds, before, built) = (&summary.iterations, &summary.start_up, &summary.builds);
    match section {
        Section::Slices => groups(slices.as_ref()),
        Section::Kernels => kernels(report),
        Section::Energy => energy(summary.energy.as_ref()),
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
    let mut lines = Lines::new(
        "name,category,kind,count,total_ns,clipped_ns,self_ns,min_ns,mean_ns,p50_ns,p95_ns,p99_ns,max_ns",
    );
    for row in slices.iter().flat_map(|slices| &slices.groups) {
        let stats = &row.stats;
        lines.line(&[
            &row.name,
            &row.category.as_str(),
            &row.kind.map(|kind| kind.as_str()).unwrap_or_default(),
            &stats.count,
            &stats.total_ns,
            &stats.clipped_ns,
            &stats.self_ns,
            &stats.min_ns,
            &stats.mean_ns,
            &stats.p50_ns,
            &stats.p95_ns,
            &stats.p99_ns,
            &stats.max_ns,
        ]);
    }
    lines.0
}

fn kernels(report: &Report) -> String {
    let mut lines =
        Lines::new("name,kind,count,total_ns,min_ns,mean_ns,p50_ns,p95_ns,max_ns,mean_queueing_delay_ns");
    for row in &report.commands {
        lines.line(&[
            &row.name,
            &row.kind.as_str(),
            &row.count,
            &row.total_ns,
            &row.min_ns,
            &row.mean_ns,
            &row.p50_ns,
            &row.p95_ns,
            &row.max_ns,
            &or_empty(row.mean_queueing_delay_ns),
        ]);
    }
    lines.0
}

fn copies(report: &Report) -> String {
    let mut lines = Lines::new("from,to,count,bytes,total_ns,bytes_per_ns");
    for row in &report.copies {
        lines.line(&[&row.from, &row.to, &row.count, &row.bytes, &row.total_ns, &row.bytes_per_ns]);
    }
    lines.0
}

fn waits(report: &Report) -> String {
    let mut lines = Lines::new("name,count,total_ns,max_ns,function,file,line,column");
    for row in &report.waits {
        let LocationInfo { function, file, line, column } = row.location.clone().unwrap_or_default();
        lines.line(&[&row.name, &row.count, &row.total_ns, &row.max_ns, &function, &file, &line, &column]);
    }
    lines.0
}

fn memory(report: &Report) -> String {
    let mut lines = Lines::new("kind,peak_bytes,peak_at_ns,count,total_bytes");
    for row in &report.memory {
        lines.line(&[&row.kind.as_str(), &row.peak_bytes, &row.peak_at_ns, &row.count, &row.total_bytes]);
    }
    lines.0
}

fn unreleased(report: &Report) -> String {
    let mut lines = Lines::new("kind,count,bytes,function,file,line,column");
    for row in &report.unreleased {
        let LocationInfo { function, file, line, column } = row.location.clone().unwrap_or_default();
        lines.line(&[&row.kind.as_str(), &row.count, &row.bytes, &function, &file, &line, &column]);
    }
    lines.0
}

fn critical_path(report: &Report) -> String {
    let mut lines =
        Lines::new("kind,name,count,duration_ns,node,start_ns,function,file,line,column,after,until");
    for row in &report.critical_path.steps {
        let kind = step_kind(row.kind);
        let LocationInfo { function, file, line, column } = row.location.clone().unwrap_or_default();
        let start = or_empty(row.start_ns);
        let node = or_empty(row.node);
        lines.line(&[
            &kind,
            &row.name,
            &row.count,
            &row.duration_ns,
            &node,
            &start,
            &function,
            &file,
            &line,
            &column,
            &row.after,
            &row.until,
        ]);
    }
    lines.0
}

fn step_kind(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Command => "command",
        StepKind::Launch => "launch",
        StepKind::Host => "host",
        StepKind::Wait => "wait",
        StepKind::Submission => "submission",
        StepKind::Call => "call",
    }
}

/// The parts of each counter's energy: commands, idle time, and the rest by reason.
fn energy(found: Option<&Energy>) -> String {
    let mut lines = Lines::new("process,counter,device,part,name,kind,count,total_ns,unsampled_ns,joules");
    for counter in found.iter().flat_map(|found| &found.counters) {
        let device = counter.device.clone().unwrap_or_default();
        let mut line = |part: &str, of: [&dyn ToString; 6]| {
            let [name, kind, count, total_ns, unsampled_ns, joules] = of;
            let (process, counter) = (&counter.process, &counter.name);
            lines.line(&[
                process,
                counter,
                &device,
                &part,
                name,
                kind,
                count,
                total_ns,
                unsampled_ns,
                joules,
            ]);
        };
        for row in &counter.commands {
            let kind = row.kind.as_str();
            line("command", [&row.name, &kind, &row.count, &row.total_ns, &row.unsampled_ns, &row.joules]);
        }
        let rest = counter.rest.iter().map(|rest| (rest.reason.as_str(), rest.joules));
        let parts = [("more", counter.more_joules), ("idle", counter.idle_joules)].into_iter().chain(rest);
        for (part, joules) in parts.filter(|(_, joules)| *joules > 0.0) {
            line(part, [&"", &"", &"", &"", &"", &joules]);
        }
    }
    lines.0
}

fn iterations(found: Option<&Iterations>) -> String {
    let mut lines =
        Lines::new("number,from_ns,duration_ns,device_ns,copy_ns,wait_ns,host_ns,build_ns,commands");
    for row in found.iter().flat_map(|found| &found.iterations) {
        let Iteration { number, from_ns, to_ns, device_ns, copy_ns, wait_ns, host_ns, build_ns, commands } =
            row;
        let duration_ns = to_ns - from_ns;
        lines.line(&[
            number,
            from_ns,
            &duration_ns,
            device_ns,
            copy_ns,
            wait_ns,
            host_ns,
            build_ns,
            commands,
        ]);
    }
    lines.0
}

fn start_up(found: Option<&StartUp>) -> String {
    let mut lines = Lines::new("kind,name,count,total_ns,file,line");
    for row in found.iter().flat_map(|found| &found.steps) {
        let LocationInfo { file, line, .. } = row.location.clone().unwrap_or_default();
        lines.line(&[&step_kind(row.kind), &row.name, &row.count, &row.total_ns, &file, &line]);
    }
    lines.0
}

fn builds(found: Option<&Builds>) -> String {
    let mut lines = Lines::new(
        "number,from_ns,duration_ns,call,source,bytes,thread,kernels,file,line,again_of,again,failed",
    );
    for row in found.iter().flat_map(|found| &found.builds) {
        let LocationInfo { file, line, .. } = row.location.clone().unwrap_or_default();
        lines.line(&[
            &row.number,
            &row.at.start_ns,
            &row.at.duration_ns,
            &row.name,
            &row.source.as_str(),
            &or_empty(row.bytes),
            &row.thread,
            &row.kernels.join(" "),
            &file,
            &line,
            &or_empty(row.again_of),
            &row.again.map(|again| again.as_str()).unwrap_or_default(),
            &row.failed,
        ]);
    }
    lines.0
}

fn queues(info: &TraceInfo, report: &Report) -> String {
    let mut lines = Lines::new(
        "queue,order,device_type,device,executions,busy_ns,host_ns,dependence_ns,ready_ns,after_ns,name,other_ns",
    );
    for queue in &info.queues {
        let order = match queue.order {
            QueueOrder::InOrder => "in_order",
            QueueOrder::OutOfOrder => "out_of_order",
            QueueOrder::Other => "",
        };
        let executions = info.tracks.get(queue.track as usize).map_or(0, |track| track.slices);
        let idle = report.queues.iter().find(|idle| idle.queue == queue.id);
        lines.line(&[
            &queue.id,
            &order,
            &queue.device_type,
            &queue.device,
            &executions,
            &or_empty(idle.map(|idle| idle.busy_ns)),
            &or_empty(idle.map(|idle| idle.host_ns)),
            &or_empty(idle.map(|idle| idle.dependence_ns)),
            &or_empty(idle.map(|idle| idle.ready_ns)),
            &or_empty(idle.map(|idle| idle.after_ns)),
            &info.queue_name(queue.id),
            &or_empty(idle.map(|idle| idle.other_ns)),
        ]);
    }
    lines.0
}

fn findings(report: &Report) -> String {
    let mut lines = Lines::new(
        "kind,count,gain_ns,touches_ns,gain_bytes,at_ns,until_ns,file,line,filter,message,iterations,iteration_mean_ns,iterations_gain_ns,iterations_touches_ns",
    );
    for row in &report.findings {
        let part = row.iterations.as_ref();
        let place = row.location.as_ref();
        lines.line(&[
            &row.kind,
            &row.count,
            &or_empty(row.gain.as_ref().map(|gain| gain.ns)),
            &row.touches_ns.to_string(),
            &or_empty(row.gain.as_ref().map(|gain| gain.bytes)),
            &row.at_ns,
            &row.until_ns,
            &place.map(|place| place.file.as_str()).unwrap_or_default(),
            &or_empty(place.map(|place| place.line.into())),
            &row.filter,
            &row.message,
            &or_empty(part.map(|part| part.iterations)),
            &or_empty(part.map(|part| part.mean_ns)),
            &or_empty(part.and_then(|part| part.gain_ns)),
            &or_empty(part.map(|part| part.touches_ns)),
        ]);
    }
    lines.0
}

fn problems(info: &TraceInfo) -> String {
    let mut lines = Lines::new("about,kind,severity,count,first_offset,file,line,message");
    for row in &info.diagnostics {
        let offset = or_empty(row.first_offset);
        lines.line(&[
            &"trace",
            &row.kind,
            &severity(row.severity),
            &row.count,
            &offset,
            &"",
            &"",
            &row.message,
        ]);
    }
    for row in &info.findings {
        let place = row.location.clone().unwrap_or_default();
        let severity = severity(row.severity);
        lines.line(&[&"program", &row.kind, &severity, &1, &"", &place.file, &place.line, &row.message]);
    }
    lines.0
}

fn gaps(gaps: Option<&Gaps>) -> String {
    let mut lines = Lines::new("device,from_ns,duration_ns,class,next,file,line,message");
    for gap in gaps.iter().flat_map(|gaps| &gaps.gaps) {
        let LocationInfo { file, line, .. } = gap.location.clone().unwrap_or_default();
        let next = gap.next.as_ref().map(|next| next.name.clone()).unwrap_or_default();
        let duration_ns = gap.to_ns - gap.from_ns;
        let class = gap.class.as_str();
        lines.line(&[&gap.name, &gap.from_ns, &duration_ns, &class, &next, &file, &line, &gap.message]);
    }
    lines.0
}

/// A line for each function.
pub(super) fn calls(calls: &[CallSummary]) -> String {
    let mut lines = Lines::new("name,count,errors,total_ns,mean_ns,min_ns,p95_ns,max_ns,unfinished,kind");
    for row in calls {
        let CallSummary { name, count, errors, unfinished, total_ns, min_ns, p95_ns, max_ns, .. } = row;
        let (mean_ns, kind) = (row.mean_ns(), kind(row));
        lines.line(&[name, count, errors, total_ns, &mean_ns, min_ns, p95_ns, max_ns, unfinished, &kind]);
    }
    lines.0
}

fn or_empty(number: Option<u64>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

/// A text as a field: in quotation marks where it holds a character that would end the field, without what steers a
/// terminal, and so that no spreadsheet runs it as a formula.
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
