//! Output formats: `--json` as a short form, and digits that programs can read.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::Value;

use crate::host::Running;
use crate::recording;
use crate::support::{Scratch, in_no_environment, stderr, stdout, syclscope};

#[test]
fn json_has_a_short_form_in_every_command_that_prints_it() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    scratch.file("again.pftrace", recording::as_perfetto());
    for command in [
        "summary run.pftrace",
        "compare run.pftrace again.pftrace",
        "check run.pftrace --baseline again.pftrace",
        "history run.pftrace",
        "doctor",
    ] {
        let run = |more: &str| {
            let words = command.split(' ').chain(more.split(' '));
            stdout(&syclscope(&scratch).args(words).output().expect("syclscope runs"))
        };
        let (short, long) = (run("--json"), run("--format json"));
        assert!(serde_json::from_str::<Value>(&short).is_ok(), "{command}: {short}");
        if command != "doctor" {
            assert_eq!(short, long, "{command}");
        }
        let both = syclscope(&scratch).args(command.split(' ')).args(["--json", "--format", "text"]).output();
        assert!(stderr(&both.expect("syclscope runs")).contains("cannot be used with"), "{command}");
    }
}

fn many_slices() -> String {
    let mut json = String::from("{\"traceEvents\":[");
    for number in 0..1200 {
        let comma = if number == 0 { "" } else { "," };
        let ts = number * 10;
        write!(json, "{comma}{{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":{ts},\"dur\":5,\"name\":\"step\"}}")
            .expect("memory");
    }
    json + "]}"
}

#[test]
fn digits_are_grouped_on_a_terminal_and_plain_elsewhere() {
    let scratch = Scratch::new();
    scratch.file("many.json", many_slices());
    let piped = syclscope(&scratch).args(["summary", "many.json"]).output().expect("syclscope runs");
    let text = stdout(&piped);
    assert!(text.contains("1200 slices"), "{text}");
    // Markdown is for pages, wherever it goes.
    let markdown = ["summary", "--format", "markdown", "many.json"];
    let page = stdout(&syclscope(&scratch).args(markdown).output().expect("syclscope runs"));
    assert!(page.contains("1,200 slices"), "{page}");

    let mut command = Command::new("python3");
    in_no_environment(&mut command, &scratch);
    let code = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))";
    let output = command.args(["-c", code, env!("CARGO_BIN_EXE_syclscope"), "summary", "many.json"]).output();
    let output = output.expect("python3 runs: this test needs it for a terminal");
    assert!(stdout(&output).contains("1,200 slices"), "{}", stdout(&output));

    // The pages of a server are for people, and its log is not.
    let (_, log) = Running::start(syclscope(&scratch).args(["open", "many.json"])).stop();
    assert!(log.contains("1200 slices"), "{log}");
}
