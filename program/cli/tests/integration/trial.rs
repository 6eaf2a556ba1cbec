//! `syclscope try`, with a program that leaves made-up recordings: verdicts don't depend on the machine.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Output;

use serde_json::Value as Json;
use syclscope_engine::export::{Exporter as _, perfetto};
use syclscope_language::event::{
    Category, Device, Event, EventSink as _, Execution, Node, NodeKind, Process, Queue, QueueOrder,
    SliceBegin, SliceEnd, SourceLocation, Track, TrackKind,
};
use syclscope_language::time::Timestamp;

use crate::support::{Scratch, record, stderr, stdout, syclscope};

/// Copies the recording of its environment and its `mode` to where the recorder would write, and reports to the launcher.
const PROGRAM: &str = r#"#!/bin/sh
echo "output of the program"
test -e fails && exit 7
test -e "without-$SYCL_CACHE_PERSISTENT" && exit 8
mode=$(cat mode)
test "$ONEAPI_DEVICE_SELECTOR" = '*:gpu' && { echo gpu >> remedied; exit 9; }
if test "$SYCL_CACHE_PERSISTENT" = 1; then
  echo "$SYCL_CACHE_DIR" >> remedied
  test -e "$SYCL_CACHE_DIR/kernel" && mode=warm
  touch "$SYCL_CACHE_DIR/kernel"
fi
number=$(cat number); echo $(( (number + 1) % 5 )) > number
echo "$mode" >> order
cp "$mode-$number.pftrace" "$SYCLSCOPE_OUT"
printf '{"pid":%d,"output":"%s","events":3,"finished":true}' $$ "$SYCLSCOPE_OUT" > "$SYCLSCOPE_STATUS_DIR/$$.json"
"#;

/// Faults of a made-up run.
#[derive(Clone, Copy)]
struct Faults {
    /// Line of a wait after each kernel.
    waits: Option<u32>,
    /// A build behind the first command.
    build: bool,
    /// Command line.
    command_line: &'static str,
}

/// A run of 40 kernels; its number makes it a little longer than others.
fn recording(faults: Faults, number: u64) -> Vec<u8> {
    let mut writer = perfetto::Writer::new();
    let place = |line| SourceLocation { function: "main", file: "heat.cpp", line, column: 3 };
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
        // Kernels without a wait behind them begin this long after each other, as the replay takes it from the others.
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

/// A folder with the program and its recordings.
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
            let faults = Faults { waits, build, command_line };
            scratch.file(&format!("{mode}-{number}.pftrace"), recording(faults, number));
        }
    }
    let program = scratch.file("heat", PROGRAM);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    scratch.file("number", "0");
    // Writes the libraries that it names.
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

#[test]
fn a_finding_is_predicted_and_its_remedy_proved() {
    let scratch = scratch();
    let first = attempt(&scratch, "bad", "-- ./heat 1000");
    code(&first, 0);
    let text = stdout(&first);
    assert!(text.starts_with("./heat 1000: baseline of 5 runs on "), "{text}");
    assert!(text.contains("\n1  wait_after_kernel@heat.cpp:13: at most "), "{text}");
    assert!(!text.contains("output of the program") && stderr(&first).contains("output of the program"));

    let chosen = attempt(&scratch, "bad", "--finding 1");
    code(&chosen, 0);
    assert!(stdout(&chosen).contains(", under test\n"), "{}", stdout(&chosen));

    let tried = attempt(&scratch, "good", "-- ./heat 1000");
    code(&tried, 0);
    let text = stdout(&tried);
    assert!(
        text.starts_with("wait_after_kernel@heat.cpp:13\n  finding    gone\n  predicted  at most "),
        "{text}"
    );
    assert!(text.contains("\n  verdict    faster (5 runs before, 5 runs now, p = 0.008)\n"), "{text}");

    let json = ledger(&scratch);
    assert_eq!(json["findings"][0]["number"], 1);
    let attempt_json = &json["attempts"][0];
    assert_eq!((&attempt_json["verdict"], &attempt_json["state"]), (&"faster".into(), &"gone".into()));
    let ns = |name: &str| attempt_json[name].as_i64().unwrap_or_else(|| panic!("{name}: {attempt_json}"));
    let (predicted, achieved) = (ns("predicted_ns"), ns("achieved_ns"));
    // Waits are all that differs, so the replay is right but for a launch.
    assert!(achieved * 10 > predicted * 9 && achieved * 10 < predicted * 11, "{achieved} of {predicted}");
    assert!(text.contains(" %) [") && !text.contains("µs to "), "{text}");

    let shown = stdout(&attempt(&scratch, "good", "--show"));
    let row = shown.lines().last().expect("a row");
    assert!(
        row.starts_with("wait after kernel  heat.cpp:13  ≤ ") && row.contains("  faster, gone  20"),
        "{shown}"
    );
    let markdown = stdout(&attempt(&scratch, "good", "--show --format markdown"));
    assert!(markdown.contains("\n| wait after kernel | `heat.cpp:13` | ≤ "), "{markdown}");
}

#[test]
fn ledgers_have_the_recorded_command_line_only() {
    for (mode, command) in [("redacted", "./heat --token [redacted]"), ("private", "heat")] {
        let scratch = scratch();
        let first = attempt(&scratch, mode, "-- ./heat --token hunter2");
        code(&first, 0);
        code(&attempt(&scratch, mode, "-q -- ./heat --token hunter2"), 0);
        let shown = stdout(&attempt(&scratch, mode, "--show"));
        let markdown = stdout(&attempt(&scratch, mode, "--show --format markdown"));
        let file = std::fs::read_to_string(scratch.path("syclscope-try/ledger.json")).expect("a ledger");
        assert!(shown.starts_with(&format!("{command}: baseline of 5 runs")), "{shown}");
        for text in [stdout(&first), shown, markdown, file] {
            assert!(!text.contains("hunter2") && (mode == "redacted" || !text.contains("token")), "{text}");
        }
    }
}

#[test]
fn runs_of_other_arguments_decide_nothing() {
    let scratch = scratch();
    code(&attempt(&scratch, "bad", "-q -- ./heat"), 0);
    let other = attempt(&scratch, "shorter", "-q -- ./heat");
    code(&other, 2);
    assert!(stdout(&other).contains("1000 → 500"), "{}", stdout(&other));
}

#[test]
fn a_ledger_has_one_try_at_a_time() {
    let scratch = scratch();
    code(&attempt(&scratch, "bad", "-q -- ./heat"), 0);
    let lock = std::fs::File::options().write(true).open(scratch.path("syclscope-try/lock")).expect("a lock");
    lock.lock().expect("it is free");
    for words in ["-q -- ./heat", "--finding 1"] {
        let refused = attempt(&scratch, "bad", words);
        code(&refused, 3);
        assert_eq!(
            stderr(&refused).lines().last(),
            Some("syclscope: another `syclscope try` is running in syclscope-try")
        );
    }
    code(&attempt(&scratch, "bad", "--show"), 0);
    drop(lock);
    code(&attempt(&scratch, "bad", "--finding 1"), 0);
}

#[test]
fn what_did_not_help_says_so_by_its_exit_code() {
    let scratch = scratch();
    code(&attempt(&scratch, "good", "-q --repeat 5 -- ./heat"), 0);
    let slower = attempt(&scratch, "bad", "-q -- ./heat");
    code(&slower, 1);
    assert!(stdout(&slower).starts_with("the program's change\n"), "{}", stdout(&slower));
    assert!(stdout(&slower).contains("new        wait_after_kernel@heat.cpp:13\n"), "{}", stdout(&slower));
    code(&attempt(&scratch, "good", "-q -- ./heat"), 0);
    code(&attempt(&scratch, "bad", "-q --repeat 2 -- ./heat"), 2);
    let verdicts: Vec<Json> = ledger(&scratch)["attempts"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["verdict"].clone())
        .collect();
    assert_eq!(verdicts, ["slower", "same", "undecided"]);
    // An edit above it moved its line, and it is the same finding.
    let scratch = self::scratch();
    code(&attempt(&scratch, "bad", "-q --finding wait_after_kernel@heat.cpp:13 -- ./heat"), 0);
    let moved = attempt(&scratch, "moved", "-q -- ./heat");
    code(&moved, 0);
    assert!(
        stdout(&moved).contains("still there (wait_after_kernel@heat.cpp:15, at most "),
        "{}",
        stdout(&moved)
    );
}

#[test]
fn an_accepted_change_is_the_next_baseline() {
    let scratch = scratch();
    let refused = attempt(&scratch, "bad", "--accept");
    code(&refused, 3);
    assert!(stderr(&refused).contains("no ledger in syclscope-try: `syclscope try -- ./program` begins one"));
    code(&attempt(&scratch, "bad", "-q -- ./heat"), 0);
    assert!(stderr(&attempt(&scratch, "bad", "--accept")).contains("nothing to accept"));
    code(&attempt(&scratch, "good", "-q -- ./heat"), 0);
    let accepted = attempt(&scratch, "good", "--accept");
    code(&accepted, 0);
    assert!(stdout(&accepted).ends_with("\nno findings\n"), "{}", stdout(&accepted));
    let same = attempt(&scratch, "good", "-q -- ./heat");
    assert!(stdout(&same).contains("verdict    same"), "{}", stdout(&same));
    let json = ledger(&scratch);
    assert_eq!(
        (&json["baseline"]["folder"], json["attempts"].as_array().map(Vec::len)),
        (&"runs-2".into(), Some(2))
    );
}

#[test]
fn remedies_are_tried_by_turns_in_a_cache_of_their_own() {
    let scratch = scratch();
    let tried = attempt(&scratch, "cold", "--remedies -- ./heat");
    code(&tried, 0);
    let text = stdout(&tried);
    assert!(
        text.contains("\npersistent-cache for build_inside_run@heat.cpp:12: SYCL_CACHE_PERSISTENT=1\n"),
        "{text}"
    );
    assert!(text.contains("builds 1 → 0\n") && text.contains("finding    gone"), "{text}");
    // The baseline, a warm-up, and then by turns.
    let order = std::fs::read_to_string(scratch.path("order")).expect("the order");
    assert_eq!(order, "cold\n".repeat(5) + "cold\n" + &"cold\nwarm\n".repeat(5));
    let caches = std::fs::read_to_string(scratch.path("remedied")).expect("caches");
    let first = caches.lines().next().expect("a cache");
    assert!(caches.lines().count() == 6 && caches.lines().all(|cache| cache == first), "{caches}");
    assert!(!Path::new(first).exists(), "{first} stays");
    let json = ledger(&scratch);
    assert_eq!(json["attempts"][0]["remedy"]["name"], "persistent-cache");
    assert_eq!(
        (&json["attempts"][0]["verdict"], json["attempts"].as_array().map(Vec::len)),
        (&"faster".into(), Some(1))
    );

    // One document, with a new ledger too.
    let json = attempt(&scratch, "cold", "-q --json --ledger new --remedies -- ./heat");
    code(&json, 0);
    let json: Json = serde_json::from_str(&stdout(&json)).expect("JSON");
    assert_eq!(
        (json["findings"][0]["number"].as_u64(), json["attempts"].as_array().map(Vec::len)),
        (Some(1), Some(1))
    );

    let none = attempt(&scratch, "good", "--ledger other --remedies -- ./heat");
    code(&none, 0);
    assert!(stdout(&none).ends_with("no remedy of the runtime fits the findings\n"), "{}", stdout(&none));
}

#[test]
fn remedies_that_cannot_work_are_refused() {
    let scratch = scratch();
    code(&attempt(&scratch, "cold", "-q --repeat 1 -- ./heat"), 0);
    let before = std::fs::read(scratch.path("syclscope-try/ledger.json")).expect("a ledger");
    let refused = attempt(&scratch, "cold", "-q --remedy all-copy-engines -- ./heat");
    code(&refused, 3);
    let message = "all-copy-engines works on Level Zero only, and the program runs on Test platform\n";
    assert!(stderr(&refused).ends_with(message), "{}", stderr(&refused));
    // The program fails with this one, which ends no other.
    let failed = attempt(&scratch, "cold", "-q --repeat 1 --remedy gpu -- ./heat");
    code(&failed, 3);
    assert!(
        stderr(&failed).contains("warning: gpu is left out: the program ended with exit code 9"),
        "{}",
        stderr(&failed)
    );
    assert_eq!(std::fs::read(scratch.path("syclscope-try/ledger.json")).expect("a ledger"), before);
    let both = "-q --repeat 1 --remedy gpu --remedy persistent-cache --remedy persistent-cache --remedy host-task-threads -- ./heat";
    let tried = attempt(&scratch, "cold", both);
    code(&tried, 2);
    assert!(stdout(&tried).starts_with("persistent-cache for "), "{}", stdout(&tried));
    assert!(!scratch.path("syclscope-try/runs-3/gpu").exists());
    assert!(scratch.path("syclscope-try/runs-3/persistent-cache").exists());
    // So does its warm-up.
    scratch.file("without-1", "");
    let tried = attempt(&scratch, "cold", both);
    code(&tried, 2);
    assert!(stdout(&tried).starts_with("host-task-threads: "), "{}", stdout(&tried));
    assert!(
        stderr(&tried).contains("warning: persistent-cache is left out: the program ended with exit code 8"),
        "{}",
        stderr(&tried)
    );
    assert!(!scratch.path("syclscope-try/runs-4/persistent-cache").exists());
    std::fs::remove_file(scratch.path("without-1")).expect("it is there");
    let set = syclscope(&scratch)
        .args(["try", "--remedy", "persistent-cache", "--", "./heat"])
        .env("SYCL_CACHE_PERSISTENT", "1")
        .output()
        .expect("syclscope runs");
    code(&set, 3);
    assert!(
        stderr(&set).contains("persistent-cache is set already: SYCL_CACHE_PERSISTENT=1"),
        "{}",
        stderr(&set)
    );
}

#[test]
fn a_program_that_fails_leaves_the_ledger_as_it_was() {
    let scratch = scratch();
    scratch.file("fails", "");
    let failed = attempt(&scratch, "bad", "-q -- ./heat");
    code(&failed, 3);
    assert!(
        stderr(&failed).ends_with("syclscope: the program ended with exit code 7; the ledger is unchanged\n")
    );
    assert!(!scratch.path("syclscope-try").exists(), "nothing was recorded");
    std::fs::remove_file(scratch.path("fails")).expect("it is there");
    code(&attempt(&scratch, "bad", "-q -- ./heat"), 0);
    let before = std::fs::read(scratch.path("syclscope-try/ledger.json")).expect("a ledger");
    scratch.file("fails", "");
    code(&attempt(&scratch, "good", "-q -- ./heat"), 3);
    assert_eq!(std::fs::read(scratch.path("syclscope-try/ledger.json")).expect("a ledger"), before);
    let silent = attempt(&scratch, "bad", "-q --ledger none -- true");
    code(&silent, 3);
    assert!(stderr(&silent).contains("the program was not recorded"), "{}", stderr(&silent));
}

#[test]
fn wrong_ledgers_and_command_lines_are_refused() {
    let scratch = scratch();
    code(&attempt(&scratch, "bad", "-q --repeat 1 -- ./heat"), 0);
    let file = scratch.path("syclscope-try/ledger.json");
    let whole = std::fs::read_to_string(&file).expect("a ledger");
    for (text, message) in [
        (whole[..whole.len() / 2].to_owned(), "the ledger is damaged ("),
        ("{}".to_owned(), "not a ledger of `syclscope try`: choose another folder with --ledger"),
        (whole.replacen("ledger 1", "ledger 2", 1), "the ledger is of another version of syclscope"),
    ] {
        std::fs::write(&file, &text).expect("it is written");
        for words in ["--show", "-q -- ./heat"] {
            let refused = attempt(&scratch, "bad", words);
            code(&refused, 3);
            let said = stderr(&refused);
            assert!(said.starts_with(&format!("syclscope: syclscope-try/ledger.json: {message}")), "{said}");
        }
        assert_eq!(std::fs::read_to_string(&file).expect("a ledger"), text, "it is unharmed");
    }
    std::fs::write(&file, whole).expect("it is written");
    let other = attempt(&scratch, "bad", "-- ./other");
    code(&other, 3);
    assert!(
        stderr(&other).contains("ledger.json is of the program heat: choose another folder"),
        "{}",
        stderr(&other)
    );
    let none = attempt(&scratch, "bad", "--finding 9");
    assert!(stderr(&none).contains("no finding 9: the baseline has 1; `syclscope try --show` lists them"));
    for words in ["-q", "--remedies", "--remedy magic -- ./heat", "--accept -- ./heat", "--show --finding 1"]
    {
        code(&attempt(&scratch, "bad", words), 3);
    }
}
