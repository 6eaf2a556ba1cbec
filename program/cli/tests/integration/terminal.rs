//! `syclscope record` under a terminal: keys that send signals, and the live count.

use std::process::Command;

use crate::support::{Scratch, in_no_environment, stderr, stdout};

#[test]
fn the_terminals_keys_reach_the_program_once_and_job_control_works() {
    let scratch = Scratch::new();
    scratch.file("libxptifw.so", "\x7fELF");
    scratch.file("subscriber.so", "");
    let record = format!(
        "{} record --quiet --xptifw libxptifw.so --subscriber subscriber.so --",
        env!("CARGO_BIN_EXE_syclscope")
    );
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/integration/terminal.py");
    let mut command = Command::new("python3");
    in_no_environment(&mut command, &scratch);
    let output = command.arg(script).arg(record).output();
    let output = output.expect("python3 runs: this test needs it for a terminal");
    assert!(output.status.success(), "{}", stderr(&output));
}

/// Records a program under a terminal of the kind `term`; returns the form of its live count. The program reports some
/// events, prints a line, waits for a typed one and prints on.
fn live_count(term: &str, options: &str) -> String {
    let scratch = Scratch::new();
    scratch.file("libxptifw.so", "\x7fELF");
    scratch.file("subscriber.so", "");
    scratch.file(
        "program.sh",
        r#"
        printf '{"pid":%s,"output":"none","events":1200,"bytes":2048,"dropped":3,"finished":true}' $$ \
            > "$SYCLSCOPE_STATUS_DIR/$$.json"
        echo first; read -r _; printf 'second '; printf 'and '; echo third"#,
    );
    let command = format!(
        "{} record {options} --xptifw libxptifw.so --subscriber subscriber.so -- sh program.sh",
        env!("CARGO_BIN_EXE_syclscope")
    );
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/integration/progress.py");
    let mut python = Command::new("python3");
    in_no_environment(&mut python, &scratch);
    let output = python
        .args([script, term])
        .args(command.split_ascii_whitespace())
        .output()
        .expect("python3 runs: this test needs it for a terminal");
    assert!(output.status.success(), "{term} {options}: {}", stderr(&output));
    stdout(&output).trim().to_owned()
}

#[test]
fn the_live_count_is_shown_where_it_disturbs_nothing() {
    assert_eq!(live_count("xterm-256color", ""), "title");
    assert_eq!(live_count("xterm-256color", "--progress line"), "line");
}

#[test]
fn no_live_count_is_shown_to_those_who_cannot_or_will_not_see_it() {
    assert_eq!(live_count("dumb", ""), "nothing");
    assert_eq!(live_count("dumb", "--progress line"), "nothing");
}
