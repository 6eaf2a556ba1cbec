//! The report of a run as one HTML file.

use std::path::Path;

use syclscope_engine::export::{Exporter as _, chrome_json};
use syclscope_language::event::{
    Allocation, AllocationKind, Event, EventSink as _, Execution, Node, NodeKind, Process, Queue, QueueOrder,
    SourceLocation, Track, TrackKind,
};
use syclscope_language::time::Timestamp;

use crate::recording;
use crate::support::{Scratch, stderr, stdout, syclscope};

const VOID: [&str; 4] = ["meta", "br", "wbr", "rect"];

const HOSTILE: &str =
    "</style><script>alert(1)</script><img src=x onerror=alert(1)>&\"'{@import url(http://evil.example)}";

fn report(scratch: &Scratch, options: &[&str]) -> String {
    let mut command = syclscope(scratch);
    let output =
        command.args(["summary", "--format", "html"]).args(options).output().expect("syclscope runs");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output)
}

/// Checks that each element ends where it must, and returns the names of all attributes.
#[track_caller]
fn well_formed(html: &str) -> Vec<String> {
    let (before, rest) = html.split_once("<style>").expect("a style");
    let (_, after) = rest.split_once("</style>").expect("the end of the style");
    let text = format!("{before}{after}");
    let mut open: Vec<String> = Vec::new();
    let mut attributes = Vec::new();
    for tag in text.strip_prefix("<!doctype html>").expect("a type").split('<').skip(1) {
        let (tag, behind) = tag.split_once('>').unwrap_or_else(|| panic!("<{tag} has no end"));
        assert!(!behind.contains('>'), "{behind}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "in {tag}");
            continue;
        }
        let is_closed = tag.ends_with('/');
        let mut parts = tag.trim_end_matches('/').splitn(2, ' ');
        let name = parts.next().unwrap_or_default().to_owned();
        // All values of attributes are in quotes; names are between them.
        let names = parts.next().unwrap_or_default().split('"').step_by(2);
        attributes.extend(names.map(|name| name.trim().trim_end_matches('=').to_owned()));
        if !is_closed && !VOID.contains(&name.as_str()) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} are open");
    attributes
}

#[test]
fn the_report_of_a_small_recording() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let html = report(&scratch, &["run.pftrace"]);
    well_formed(&html);
    // The style and the version change for reasons of their own.
    let (head, rest) = html.split_once("<style>").expect("a style");
    let (_, body) = rest.split_once("</style>").expect("the end of the style");
    let text = format!("{head}<style></style>{body}").replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/report.html");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).expect("the file is written");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = golden.lines().zip(text.lines()).position(|(a, b)| a != b);
    assert!(
        golden == text,
        "tests/data/report.html differs from line {differs:?}; run with UPDATE_GOLDEN=1 and look at the change:\n{text}"
    );
}

#[test]
fn names_of_a_trace_are_only_text() {
    let mut writer = chrome_json::Writer::new();
    let location = SourceLocation { function: HOSTILE, file: HOSTILE, line: 1, column: 1 };
    writer.event(&Event::Process(Process {
        pid: 1,
        name: HOSTILE,
        command_line: HOSTILE,
        host: HOSTILE,
        ..Process::default()
    }));
    let thread = Track { track: 1, parent: None, kind: TrackKind::Thread, name: HOSTILE, tid: 1 };
    writer.event(&Event::Track(thread));
    writer.event(&Event::Queue(Queue {
        queue: 1,
        at: Timestamp(1),
        runtime_id: 1,
        handle: 1,
        order: QueueOrder::InOrder,
        device: HOSTILE,
        device_type: HOSTILE,
        device_handle: 2,
        context: 3,
    }));
    writer.event(&Event::Node(Node {
        node: 1,
        at: Timestamp(10),
        kind: NodeKind::Kernel,
        name: HOSTILE,
        queue: Some(1),
        tid: 1,
        location,
        args: &[],
    }));
    let (start, end) = (Timestamp(20), Timestamp(90));
    let (queued, submitted) = (None, None);
    writer.event(&Event::Execution(Execution {
        node: 1,
        queue: 1,
        kind: NodeKind::Kernel,
        name: HOSTILE,
        queued,
        submitted,
        start,
        end,
        args: &[],
    }));
    writer.event(&Event::Finish { at: Timestamp(100) });
    writer.finish();
    let scratch = Scratch::new();
    let name = "a'b <script>.json";
    scratch.file(name, writer.take_bytes());
    let html = report(&scratch, &[name]);
    let attributes = well_formed(&html);
    let allowed = [
        "",
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "class",
        "viewBox",
        "preserveAspectRatio",
        "aria-hidden",
        "width",
        "height",
        "x",
        "d",
        "scope",
        "data-label",
    ];
    for attribute in attributes {
        assert!(allowed.contains(&attribute.as_str()), "{attribute}");
    }
    assert_eq!(html.matches("</style>").count(), 1);
    for part in ["<script", "<img", "<link", " href="] {
        assert!(!html.contains(part), "{part}");
    }
    assert!(html.contains("&lt;script&gt;"), "{html}");
}

#[test]
fn places_of_memory_that_are_not_listed_are_counted() {
    let mut writer = chrome_json::Writer::new();
    writer.event(&Event::Process(Process { pid: 1, name: "app", ..Process::default() }));
    for line in 1..=7 {
        writer.event(&Event::Allocation(Allocation {
            at: Timestamp(u64::from(line)),
            pointer: u64::from(line) << 20,
            size_bytes: 64,
            kind: AllocationKind::Device,
            guard_bytes: 0,
            device: "",
            tid: 1,
            location: SourceLocation { file: "app.cpp", line, ..SourceLocation::default() },
        }));
    }
    writer.event(&Event::Finish { at: Timestamp(100) });
    writer.finish();
    let scratch = Scratch::new();
    scratch.file("run.json", writer.take_bytes());
    let html = report(&scratch, &["run.json"]);
    well_formed(&html);
    let (_, left) = html.split_once("<h3>Never released</h3>").expect("memory that is left");
    assert!(left.contains("</table>\n<p class=\"quiet\">and 2 more</p>"), "{left}");
}

#[test]
fn a_part_of_the_run_is_named_and_has_its_own_times() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let whole = report(&scratch, &["run.pftrace"]);
    let part = report(&scratch, &["--from", "15us", "--to", "25us", "run.pftrace"]);
    well_formed(&part);
    assert!(part.contains("<dt>Part of the run</dt><dd>from 15.00\u{a0}µs to 25.00\u{a0}µs</dd>"), "{part}");
    let in_short = "<h2>In short";
    assert!(whole.contains(in_short) && !part.contains(in_short), "{part}");
    let times = |text: &str| {
        let (_, text) = text.split_once("<h2>Run time").expect("the times");
        text.split_once("</div>").expect("a heading").0.to_owned()
    };
    assert!(times(&whole).contains("measured, 50.00 µs"), "{whole}");
    assert!(times(&part).contains("measured, 10.00 µs"), "{part}");
    assert!(part.contains("<span>15.00 µs</span>") && part.contains("<span>25.00 µs</span>"), "{part}");
    let filtered = report(&scratch, &["--where", "name:heat", "run.pftrace"]);
    assert!(filtered.contains("slices that match heat"), "{filtered}");
    assert!(!filtered.contains("Queues over time"), "a picture has all commands: {filtered}");
    assert!(!filtered.contains("<h2>Idle time of devices"), "{filtered}");
}

#[test]
fn the_report_is_written_to_a_file_that_is_not_overwritten_unasked() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let write = |more: &[&str]| {
        let mut command = syclscope(&scratch);
        let options = ["summary", "--format", "html", "-o", "report.html", "run.pftrace"];
        command.args(options).args(more).output().expect("syclscope runs")
    };
    let first = write(&[]);
    assert_eq!((first.status.code(), stdout(&first)), (Some(0), String::new()), "{}", stderr(&first));
    let html = std::fs::read_to_string(scratch.path("report.html")).expect("the report");
    assert_eq!(html, report(&scratch, &["run.pftrace"]));
    let second = write(&[]);
    assert_eq!(second.status.code(), Some(1));
    assert!(stderr(&second).contains("report.html exists"), "{}", stderr(&second));
    assert_eq!(write(&["--force"]).status.code(), Some(0));
    assert!(stderr(&write(&["--force", "--section", "kernels"])).contains("leave out --section"));
}
