//! `syclscope try`, with a program that leaves made-up recordings: verdicts don't depend on the machine.

mod assistants;
mod changes;
mod ledgers;
mod programs;
mod remedies;

use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;

use serde_json::Value as Json;
use syclscope_engine::export::{Exporter as _, perfetto};
use syclscope_language::event::{
    Category, Device, Event, EventSink as _, Execution, Node, NodeKind, Process, Queue, QueueOrder,
    SliceBegin, SliceEnd, SourceLocation, Track, TrackKind,
};
use syclscope_language::time::Timestamp;

use crate::support::{Scratch, record, stderr, stdout, syclscope};

/// Copies the recording of its environment and its `mode` to where the recorder would write, and reports to the
/// launcher.
const PROGRAM: &str = r#"#!/bin/sh
echo "output of the program"
test -e fails && exit 7
test -e "without-$SYCL_CACHE_PERSISTENT" && exit 8
mode=$(cat mode)
own="mode-$(basename "$0")"
test -e "$own" && mode=$(cat "$own")
test "$ONEAPI_DEVICE_SELECTOR" = '*:gpu' && { echo gpu >> remedied; exit 9; }
if test "$SYCL_CACHE_PERSISTENT" = 1; then
  echo "$SYCL_CACHE_DIR" >> remedied
  test -e "$SYCL_CACHE_DIR/kernel" && mode=warm
  touch "$SYCL_CACHE_DIR/kernel"
fi
number=$(cat number); echo $(( (number + 1) % $(cat numbers) )) > number
echo "$mode" >> order
cp "$mode-$number.pftrace" "$SYCLSCOPE_OUT"
printf '{"pid":%d,"output":"%s","events":3,"finished":true}' $$ "$SYCLSCOPE_OUT" > "$SYCLSCOPE_STATUS_DIR/$$.json"
"#;

#[derive(Clone, Copy)]
struct Faults {
    /// Line of a wait after each kernel; `None` for no wait.
    waits: Option<u32>,
    build: bool,
    command_line: &'static str,
    file: &'static str,
}

/// Returns the recording of a run of 40 kernels, which is a little longer with each number.
fn recording(faults: Faults, number: u64) -> Vec<u8> {
    let mut writer = perfetto::Writer::new();
    let place = |line| SourceLocation { function: "main", file: faults.file, line, column: 3 };
    let (track, tid, name) = (1, 42, "heat_step");
    writer.event(&Event::Process(Process {
        pid: 42,
        name: "heat",
        command_line: faults.command_line,
        ..Process::default()
    }));
    writer.event(&Event::Track(Track { track, parent: None, kind: TrackKind::Thread, name: "main", tid }));
    writer.event(&Event::Device(Device {
        device: 1,
        handle: 0x20,
        name: "Test device",
        device_type: "CPU",
        platform: "Test platform",
        ..Device::default()
    }));
    writer.event(&Event::Queue(Queue {
        queue: 1,
        at: Timestamp(10),
        runtime_id: 1,
        handle: 0x10,
        order: QueueOrder::InOrder,
        device: "Test device",
        device_type: "CPU",
        device_handle: 0x20,
        context: 0x30,
    }));
    let slice = |writer: &mut perfetto::Writer, category, name, (from, to), node, line| {
        let (location, args) = (place(line), &[][..]);
        let begin = SliceBegin { track, at: Timestamp(from), category, name, node, location, args };
        writer.event(&Event::SliceBegin(begin));
        writer.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(to), args }));
    };
    let (mut at, mut free) = (1_000, 0);
    for node in 1..=40 {
        let (kind, queue, location, args) = (NodeKind::Kernel, Some(1), place(12), &[][..]);
        writer.event(&Event::Node(Node { node, at: Timestamp(at), kind, name, queue, tid, location, args }));
        slice(&mut writer, Category::Submission, name, (at, at + 3_000), Some(node), 12);
        // Without a wait, a kernel begins 2 µs after the previous one ends, as the replay learns from the others.
        let start = (free + 2_000).max(at + 5_000);
        let end = start + 20_000 + number;
        let (start_at, end_at) = (Timestamp(start), Timestamp(end));
        let (queued, submitted) = (None, None);
        writer.event(&Event::Execution(Execution {
            node,
            queue: 1,
            kind,
            name,
            queued,
            submitted,
            start: start_at,
            end: end_at,
            args,
        }));
        (at, free) = (at + 3_000, end);
        if let Some(line) = faults.waits {
            slice(&mut writer, Category::Wait, "queue.wait", (at, end + 5_000), None, line);
            at = end + 10_000;
        }
        if faults.build && node == 1 {
            slice(&mut writer, Category::Call, "urProgramBuild", (at, at + 5_000_000), None, 12);
            at += 5_000_000;
        }
    }
    writer.event(&Event::Finish { at: Timestamp(at.max(free) + 1_000) });
    writer.finish();
    writer.take_bytes()
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    for (mode, waits, build, command_line) in [
        ("bad", Some(13), false, "./heat 1000"),
        ("good", None, false, "./heat 1000"),
        ("moved", Some(15), false, "./heat 1000"),
        ("cold", None, true, "./heat 1000"),
        ("warm", None, false, "./heat 1000"),
        ("shorter", None, false, "./heat 500"),
        // As the recorder leaves them: without secrets, and with --no-environment.
        ("redacted", None, false, "./heat --token [redacted]"),
        ("private", None, false, "heat"),
    ] {
        for number in 0..5 {
            let faults = Faults { waits, build, command_line, file: "heat.cpp" };
            scratch.file(&format!("{mode}-{number}.pftrace"), recording(faults, number));
        }
    }
    for name in ["heat", "heat.old"] {
        let program = scratch.file(name, PROGRAM);
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    scratch.file("number", "0");
    scratch.file("numbers", "5");
    // Writes the libraries that `PROGRAM` is recorded with.
    record(&scratch);
    scratch
}

fn attempt(scratch: &Scratch, mode: &str, words: &str) -> Output {
    scratch.file("mode", mode);
    let mut command = syclscope(scratch);
    for name in ["SYCL_CACHE_PERSISTENT", "SYCL_CACHE_DIR", "ONEAPI_DEVICE_SELECTOR"] {
        command.env_remove(name);
    }
    command.args(["try", "--xptifw", "libxptifw.so", "--subscriber", "subscriber.so"]);
    command.args(words.split(' ')).output().expect("syclscope runs")
}

#[track_caller]
fn code(output: &Output, wanted: i32) {
    assert_eq!(output.status.code(), Some(wanted), "{}{}", stdout(output), stderr(output));
}

fn ledger(scratch: &Scratch) -> Json {
    let output = attempt(scratch, "bad", "--show --json");
    code(&output, 0);
    serde_json::from_str(&stdout(&output)).expect("JSON")
}
