//! The heading: the program, its machine and devices, and a short summary of the run.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use syclscope_language::api::{CommandReport, ProcessInfo, Report, StartUp, TraceInfo, gain_bound, saving};
use syclscope_language::share::share;

use super::elements::{code, section, words};
use super::{HtmlPart, title};
use syclscope_text::{count, counted, date, duration, short_names};

/// Maximum number of listed devices, processes and start-up steps.
const MAX_DEVICES: usize = 6;
const MAX_STEPS: usize = 3;
const NAME_COLUMNS: usize = 60;

const SECOND_NS: u64 = 1_000_000_000;

pub(super) fn heading(out: &mut String, name: &str, info: &TraceInfo, part: Option<&HtmlPart>) {
    let process = &info.process;
    let is_one = info.processes.len() <= 1;
    *out += "<header>\n<p class=\"kind\">Report of a run</p>\n";
    // Infallible, here and below: writes to a String don't fail.
    let _ = writeln!(out, "<h1>{}</h1>", words(&title(name, info)));
    if is_one && !process.command_line.is_empty() && process.command_line != title(name, info) {
        let _ = writeln!(out, "<p class=\"command\">{}</p>", code(&process.command_line));
    }
    let mut facts: Vec<(&str, String)> = vec![("Duration", duration(info.duration_ns))];
    if let Some(part) = part.filter(|part| !part.words.is_empty()) {
        facts.push(("Part of the run", words(&part.words)));
    }
    if process.start_unix_ns > 0 {
        facts.push(("Recorded", moment(process.start_unix_ns)));
    }
    if let Some(machines) = machines(info) {
        facts.push(("Machine", machines));
    }
    if let Some((number, devices)) = devices(info) {
        facts.push((if number == 1 { "Device" } else { "Devices" }, devices));
    }
    if !is_one {
        facts.push(("Processes", count(info.processes.len() as u64)));
    }
    facts.push(("Content", content(info)));
    facts.push(("Recording", code(name)));
    *out += "<dl class=\"facts\">\n";
    for (term, fact) in facts {
        let _ = writeln!(out, "<div><dt>{term}</dt><dd>{fact}</dd></div>");
    }
    *out += "</dl>\n";
    if !info.complete && !process.recorder.is_empty() && info.producer().is_none() {
        *out += "<p class=\"warning\"><b>Cut short</b>: the program did not end normally.</p>\n";
    }
    if info.counts.dropped > 0 {
        let dropped = counted(info.counts.dropped, "event");
        let _ = writeln!(out, "<p class=\"warning\"><b>Incomplete</b>: {dropped} could not be recorded.</p>");
    }
    *out += "</header>\n";
}

fn moment(unix_ns: u64) -> String {
    let seconds = unix_ns / SECOND_NS % 86_400;
    format!("{} {:02}:{:02} UTC", date(unix_ns), seconds / 3_600, seconds / 60 % 60)
}

fn machines(info: &TraceInfo) -> Option<String> {
    let mut hosts: Vec<&str> = Vec::new();
    let all = info.processes.iter().chain(info.processes.is_empty().then_some(&info.process));
    for ProcessInfo { host, .. } in all {
        if !host.is_empty() && !hosts.contains(&host.as_str()) {
            hosts.push(host);
        }
    }
    let more = hosts.len().saturating_sub(MAX_DEVICES);
    let listed = hosts.iter().take(MAX_DEVICES).map(|host| words(host)).collect::<Vec<_>>().join(", ");
    (!hosts.is_empty()).then(|| and_more(listed, more))
}

/// Returns the number of devices, and a line for each name, type and driver. If devices have no properties,
/// their names are those in the queues. Processes may share devices, so for each line the largest number in
/// one process counts.
fn devices(info: &TraceInfo) -> Option<(usize, String)> {
    let mut lines: Vec<(String, BTreeMap<u32, usize>)> = Vec::new();
    if info.devices.is_empty() {
        for queue in info.queues.iter().filter(|queue| !queue.device.is_empty()) {
            let line = device(&queue.device, [&queue.device_type, "", ""]);
            if !lines.iter().any(|(own, _)| *own == line) {
                lines.push((line, BTreeMap::from([(0, 1)])));
            }
        }
    }
    for of in &info.devices {
        let line = device(&of.name, [&of.device_type, &of.platform, &of.driver]);
        match lines.iter_mut().find(|(own, _)| *own == line) {
            Some((_, numbers)) => *numbers.entry(of.process).or_default() += 1,
            None => lines.push((line, BTreeMap::from([(of.process, 1)]))),
        }
    }
    let more = lines.len().saturating_sub(MAX_DEVICES);
    let most = |numbers: &BTreeMap<u32, usize>| numbers.values().copied().max().unwrap_or(1);
    let line = |(line, numbers): &(String, BTreeMap<u32, usize>)| {
        let times = match most(numbers) {
            1 => String::new(),
            number => format!("{number} × "),
        };
        let processes = match numbers.len() {
            1 => String::new(),
            processes => format!(", seen by {}", counted(processes as u64, "process")),
        };
        format!("{times}{line}{processes}")
    };
    let listed = lines.iter().take(MAX_DEVICES).map(line).collect::<Vec<_>>().join("<br>");
    let number = lines.iter().map(|(_, numbers)| most(numbers)).sum();
    (!lines.is_empty()).then(|| (number, and_more(listed, more)))
}

fn device(name: &str, [kind, platform, driver]: [&str; 3]) -> String {
    let mut facts: Vec<String> =
        [kind, platform].into_iter().filter(|fact| !fact.is_empty()).map(words).collect();
    if !driver.is_empty() {
        facts.push(format!("driver {}", words(driver)));
    }
    let about = match facts.is_empty() {
        true => String::new(),
        false => format!(" <span class=\"quiet\">{}</span>", facts.join(", ")),
    };
    format!("{}{about}", words(name))
}

fn and_more(listed: String, more: usize) -> String {
    if more == 0 { listed } else { format!("{listed} and {} more", count(more as u64)) }
}

fn content(info: &TraceInfo) -> String {
    let counts = &info.counts;
    let parts = [
        (counts.commands, "command"),
        (counts.calls + counts.native_calls, "call"),
        (counts.allocations, "allocation"),
    ];
    let mut parts: Vec<String> = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, thing)| counted(*number, thing))
        .collect();
    if parts.is_empty() {
        parts.push(counted(counts.slices, "slice"));
    }
    parts.join(", ")
}

/// Lists the remedy of the main finding, the largest gain, the busiest command, idle time of the devices, and
/// the start-up.
pub(super) fn in_short(out: &mut String, info: &TraceInfo, report: &Report, start_up: Option<&StartUp>) {
    let Some(CommandReport { name, count: runs, total_ns, .. }) = report.commands.first() else { return };
    let mut lines: Vec<(&str, String)> = Vec::new();
    // Few rules apply to other tools' traces, so the absence of findings means nothing there.
    if !info.is_foreign() || !report.findings.is_empty() {
        let (remedy, cause) = report.advice();
        let remedy = if remedy.is_empty() { String::new() } else { format!("<b>{}</b> ", words(remedy)) };
        lines.push((report.advice_title(), format!("{remedy}{}", words(cause))));
        if let Some((finding, gain_ns)) = report.largest_gain() {
            let remedy = words(&finding.remedy);
            lines.push((
                "Largest gain",
                format!(
                    "<b>{remedy}</b> Could save {}.",
                    saving(gain_bound(&finding.kind), &duration(gain_ns))
                ),
            ));
        }
    }
    let whole_ns: u64 = report.commands.iter().map(|command| command.total_ns).fold(0, u64::saturating_add);
    let short = short_names(report.commands.iter().map(|command| command.name.as_str()));
    let of_all = words(&share(*total_ns, whole_ns, 0));
    lines.push((
        "Busiest",
        format!(
            "{}: {}, {} summed, which is {of_all} of the summed time of all commands.",
            code(&short.fit(name, NAME_COLUMNS)),
            counted(*runs, "execution"),
            duration(*total_ns)
        ),
    ));
    let split = report.split;
    let idle_ns = split.idle.ns();
    if idle_ns > 0 {
        let parts = split.idle.parts().map(|(ns, what)| format!("{} {what}", duration(ns)));
        let of_run = words(&share(idle_ns, split.run_ns, 0));
        let parts = parts.collect::<Vec<_>>().join(", ");
        lines.push(("Devices idle", format!("{} ({of_run} of the run): {parts}.", duration(idle_ns))));
    }
    if let Some(start) = start_up.filter(|_| split.idle.start_ns > split.run_ns / 20) {
        let names = short_names(start.steps.iter().map(|step| step.name.as_str()));
        let steps = start.steps.iter().take(MAX_STEPS);
        let steps = steps.map(|step| {
            format!("{} {}", duration(step.total_ns), words(&names.fit(&step.name, NAME_COLUMNS)))
        });
        let steps = steps.collect::<Vec<_>>().join(", ");
        if !steps.is_empty() {
            lines.push(("Start-up", format!("First command after {}: {steps}.", duration(start.to_ns))));
        }
    }
    let mut body = "<dl class=\"in-short\">\n".to_owned();
    for (term, line) in lines {
        let _ = writeln!(body, "<div><dt>{term}</dt><dd>{line}</dd></div>");
    }
    body += "</dl>\n";
    section(out, "In short", "", &body);
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::DeviceInfo;

    use super::*;

    #[test]
    fn devices_of_several_processes_are_not_added_up() {
        let told = |all: &[(u32, &str)]| {
            let device = |(process, name): &(u32, &str)| DeviceInfo {
                process: *process,
                name: (*name).to_owned(),
                ..DeviceInfo::default()
            };
            devices(&TraceInfo { devices: all.iter().map(device).collect(), ..TraceInfo::default() })
        };
        let two = [(0, "GPU"), (0, "GPU"), (0, "CPU")];
        assert_eq!(told(&two), Some((3, "2 × GPU<br>CPU".to_owned())));
        let ranks = [(0, "GPU"), (1, "GPU"), (1, "CPU")];
        assert_eq!(told(&ranks), Some((2, "GPU, seen by 2 processes<br>CPU".to_owned())));
        assert_eq!(told(&[]), None);
    }
}
