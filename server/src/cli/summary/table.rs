//! The summary as aligned text; plain, because it goes into pipes and reports as often as onto a terminal.

use syclscope_trace::api::{KernelSummary, Severity, TraceInfo};
use syclscope_trace::event::{NodeKind, QueueOrder, TrackKind};

use crate::text::{Align, Table, bytes, count, duration, printable};

/// Longest name shown.
const NAME_CHARACTERS: usize = 60;

/// The summary's lines.
pub(crate) fn lines(file: &str, info: &TraceInfo) -> Vec<String> {
    let mut lines = heading(file, info);
    section(&mut lines, "Device time by kernel and command", kernels(&info.kernels, usize::MAX));
    section(&mut lines, "Queues", queues(info));
    section(&mut lines, "Memory", memory(info));
    section(&mut lines, "Problems", problems(info));
    lines
}

/// Kernels and other commands by device time, at most `most` of them; says how many more there are.
pub(crate) fn kernels(kernels: &[KernelSummary], most: usize) -> Vec<String> {
    let all_ns: u64 = kernels.iter().map(|kernel| kernel.total_ns).fold(0, u64::saturating_add);
    let mut table = Table::new([
        ("name", Align::Left),
        ("kind", Align::Left),
        ("count", Align::Right),
        ("total", Align::Right),
        ("min", Align::Right),
        ("mean", Align::Right),
        ("max", Align::Right),
        ("share", Align::Right),
    ]);
    for kernel in kernels.iter().take(most) {
        table.row([
            printable(&kernel.name, NAME_CHARACTERS),
            kind(kernel.kind),
            count(kernel.count),
            duration(kernel.total_ns),
            duration(kernel.min_ns),
            duration(kernel.total_ns.checked_div(kernel.count).unwrap_or(0)),
            duration(kernel.max_ns),
            share(kernel.total_ns, all_ns),
        ]);
    }
    if kernels.is_empty() {
        return vec!["no device times were recorded".to_owned()];
    }
    let mut lines = table.lines();
    if let Some(more) = kernels.len().checked_sub(most).filter(|more| *more > 0) {
        lines.push(format!("and {} more", count(more as u64)));
    }
    lines
}

fn heading(file: &str, info: &TraceInfo) -> Vec<String> {
    let process = &info.process;
    let name = if process.name.is_empty() { "unnamed program" } else { &process.name };
    let ending = if info.complete { "" } else { ", cut short: the program did not end in an orderly way" };
    let counts = &info.counts;
    let mut lines = vec![
        format!(
            "{file}: {} (process {}), {}{ending}",
            printable(name, NAME_CHARACTERS),
            process.pid,
            duration(info.duration_ns)
        ),
        format!(
            "{} commands ({} with device times), {} dependences, {} calls of the Unified Runtime, {} slices, {} dropped",
            count(counts.nodes),
            count(counts.executions),
            count(counts.edges),
            count(counts.calls),
            count(counts.slices),
            count(counts.dropped)
        ),
    ];
    if !process.command_line.is_empty() {
        lines.push(format!("command line: {}", printable(&process.command_line, 4 * NAME_CHARACTERS)));
    }
    lines
}

fn queues(info: &TraceInfo) -> Vec<String> {
    let mut table = Table::new([
        ("queue", Align::Right),
        ("order", Align::Left),
        ("executions", Align::Right),
        ("type", Align::Left),
        ("device", Align::Left),
    ]);
    for queue in &info.queues {
        let order = match queue.order {
            QueueOrder::InOrder => "in-order",
            QueueOrder::OutOfOrder => "out-of-order",
            QueueOrder::Other => "not known",
        };
        let executions = info.tracks.get(queue.track as usize).map_or(0, |track| track.slices);
        table.row([
            queue.id.to_string(),
            order.to_owned(),
            count(executions),
            printable(&queue.device_type, NAME_CHARACTERS),
            printable(&queue.device, NAME_CHARACTERS),
        ]);
    }
    if info.queues.is_empty() { Vec::new() } else { table.lines() }
}

fn memory(info: &TraceInfo) -> Vec<String> {
    let mut table = Table::new([("counter", Align::Left), ("peak", Align::Right)]);
    let mut has_rows = false;
    for track in info.tracks.iter().filter(|track| track.kind == TrackKind::Counter) {
        if let Some(counter) = track.counter.as_ref().filter(|counter| counter.unit == "bytes") {
            table.row([printable(&track.name, NAME_CHARACTERS), bytes(counter.max.max(0.0) as u64)]);
            has_rows = true;
        }
    }
    let mut lines = if has_rows { table.lines() } else { Vec::new() };
    if info.counts.allocations > 0 {
        lines.push(format!(
            "{} allocations, {} never released",
            count(info.counts.allocations),
            count(info.counts.unreleased)
        ));
    }
    lines
}

fn problems(info: &TraceInfo) -> Vec<String> {
    let mut table =
        Table::new([("count", Align::Right), ("severity", Align::Left), ("problem", Align::Left)]);
    for problem in &info.diagnostics {
        let severity = match problem.severity {
            Severity::Info => "info",
            Severity::DataLoss => "data loss",
            Severity::Error => "error",
        };
        table.row([count(problem.count), severity.to_owned(), printable(&problem.message, 400)]);
    }
    if info.diagnostics.is_empty() { Vec::new() } else { table.lines() }
}

fn kind(kind: NodeKind) -> String {
    kind.as_str().replace('_', " ")
}

fn share(part: u64, whole: u64) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.1} %", part as f64 * 100.0 / whole as f64) }
}

fn section(lines: &mut Vec<String>, title: &str, body: Vec<String>) {
    if !body.is_empty() {
        lines.push(String::new());
        lines.push(title.to_owned());
        lines.extend(body.into_iter().map(|line| format!("  {line}")));
    }
}

#[cfg(test)]
mod tests {
    use syclscope_trace::api::{Counts, DiagnosticInfo, ProcessInfo, QueueInfo};

    use super::*;

    fn kernel(name: &str, kind: NodeKind, count: u64, total_ns: u64) -> KernelSummary {
        KernelSummary { name: name.to_owned(), kind, count, total_ns, min_ns: 500, max_ns: 2_000 }
    }

    #[test]
    fn everything_is_told() {
        let info = TraceInfo {
            duration_ns: 1_500_000,
            process: ProcessInfo { pid: 7, name: "heat".into(), ..ProcessInfo::default() },
            kernels: vec![
                kernel("step\x1b", NodeKind::Kernel, 3, 3_000),
                kernel("memcpy", NodeKind::Copy, 1, 1_000),
            ],
            counts: Counts { allocations: 2, unreleased: 1, calls: 1_234, ..Counts::default() },
            queues: vec![QueueInfo {
                id: 1,
                track: 0,
                order: QueueOrder::InOrder,
                device: "CPU".into(),
                device_type: "CPU".into(),
                created_ns: 0,
                destroyed_ns: None,
            }],
            diagnostics: vec![DiagnosticInfo {
                severity: Severity::DataLoss,
                kind: "truncated_file".into(),
                message: "The file is cut short.".into(),
                count: 1,
                first_offset: Some(9),
            }],
            ..TraceInfo::default()
        };
        let text = lines("run.pftrace", &info).join("\n");
        for want in [
            "run.pftrace: heat (process 7), 1.500 ms, cut short",
            "1\u{202f}234 calls",
            "step\u{fffd}   kernel      3  3.000 µs  500 ns  1.000 µs  2.000 µs  75.0 %",
            "memcpy  copy        1  1.000 µs",
            "in-order",
            "2 allocations, 1 never released",
            "data loss  The file is cut short.",
        ] {
            assert!(text.contains(want), "{want} is not in:\n{text}");
        }
    }

    #[test]
    fn nothing_is_told_as_nothing() {
        let text = lines("empty.json", &TraceInfo::default()).join("\n");
        assert!(text.contains("no device times were recorded"), "{text}");
        assert!(!text.contains("Queues") && !text.contains("Problems"), "{text}");
        let few = kernels(&[kernel("a", NodeKind::Kernel, 1, 1), kernel("b", NodeKind::Kernel, 1, 1)], 1);
        assert_eq!(few.last().map(String::as_str), Some("and 1 more"));
    }
}
