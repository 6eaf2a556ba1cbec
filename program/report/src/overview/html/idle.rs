//! Breakdown of the run's time, and idle time of devices by cause.

use std::fmt::Write as _;

use syclscope_language::api::{Gaps, Report};

use super::super::percent;
use super::elements::{Column, bar, section, swatch, table, words};
use syclscope_text::{count, counted, duration};

pub(super) fn run_time(out: &mut String, report: &Report) {
    let split = report.split;
    if split.run_ns == 0 || report.commands.is_empty() {
        return;
    }
    let classes = ["kernel", "copy", "build", "submission", "wait", "other", "unknown"];
    let parts = classes.into_iter().zip(split.parts());
    let mut shapes = String::new();
    let mut key = String::new();
    let mut x = 0.0;
    for (class, (what, ns)) in parts.filter(|(_, (_, ns))| *ns > 0) {
        let width = ns as f64 / split.run_ns as f64 * 1000.0;
        // Infallible, here and below: writes to a String don't fail.
        let _ = write!(shapes, "<rect class=\"{class}\" x=\"{x:.2}\" width=\"{width:.2}\" height=\"10\"/>");
        x += width;
        let _ = writeln!(
            key,
            "<li>{}<span>{what}</span> <span class=\"number\">{} <b>{}</b></span></li>",
            swatch(class),
            duration(ns),
            percent(ns, split.run_ns)
        );
    }
    let mut body = format!(
        "<svg class=\"parts\" viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{shapes}</svg>\n\
         <ul class=\"key\">\n{key}</ul>\n"
    );
    let idle_ns = split.wait_ns + split.host_ns;
    if idle_ns > 0 {
        let _ = writeln!(
            body,
            "<p>While all devices were idle, threads of the host waited for {} ({}), and none waited for {} ({}).</p>",
            duration(split.wait_ns),
            percent(split.wait_ns, split.run_ns),
            duration(split.host_ns),
            percent(split.host_ns, split.run_ns)
        );
    }
    let concurrency = report.concurrency;
    if concurrency.max_kernels > 1 {
        let kernels = counted(concurrency.max_kernels, "kernel");
        let _ =
            writeln!(body, "<p>Up to {kernels} ran at once, {:.2} on average.</p>", concurrency.mean_kernels);
    }
    for line in &report.unseen {
        let _ = writeln!(body, "<p class=\"quiet\">{}</p>", words(line));
    }
    if let Some(cost) = report.recording.as_ref().and_then(|recording| recording.words(count)) {
        let _ = writeln!(body, "<p class=\"quiet\">{}.</p>", words(&cost));
    }
    section(out, "Run time", &format!("measured, {}", duration(split.run_ns)), &body);
}

/// Lists idle time by cause, and describes the longest gaps.
pub(super) fn idle_time(out: &mut String, gaps: &Gaps) {
    if gaps.idle_ns == 0 {
        return;
    }
    let mut body = String::new();
    let rows: Vec<[String; 5]> = gaps
        .classes
        .iter()
        .map(|class| {
            [
                words(class.class.as_words()),
                count(class.count),
                duration(class.total_ns),
                percent(class.total_ns, gaps.idle_ns),
                bar("wait", class.total_ns as f64 / gaps.idle_ns as f64),
            ]
        })
        .collect();
    let columns = [
        Column::Words("Cause"),
        Column::Number("In gaps"),
        Column::Number("Time"),
        Column::Number("Share"),
        Column::Bar,
    ];
    table(&mut body, columns, &rows);
    if !gaps.gaps.is_empty() {
        body += "<h3>Longest gaps</h3>\n<ol class=\"stretches\">\n";
        for gap in gaps.gaps.iter().take(super::MAX_STRETCHES as usize) {
            let _ = writeln!(
                body,
                "<li><span class=\"quiet\">from {}:</span> {}</li>",
                duration(gap.from_ns),
                words(&gap.message)
            );
        }
        body += "</ol>\n";
    }
    let note =
        format!("measured, {} in {}; causes derived", duration(gaps.idle_ns), counted(gaps.count, "gap"));
    section(out, "Idle time of devices", &note, &body);
}
