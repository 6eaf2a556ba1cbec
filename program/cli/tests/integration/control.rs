//! `syclscope record`: signals to the launcher pause and resume a recording.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::support::{Scratch, record};

/// Prints the word of the recorders' switch after each change, until it is `run`.
const PROGRAM: &str = r#"
    trap 'echo the program got it' USR1 USR2
    echo ready
    word=; while [ "$word" != run ]; do
        new=$(cat "$SYCLSCOPE_STATUS_DIR/control" 2> /dev/null)
        [ "$new" != "$word" ] && echo "$new" && word=$new
        sleep 0.01
    done"#;

#[test]
fn signals_to_the_launcher_pause_and_resume() {
    let scratch = Scratch::new();
    let mut child = record(&scratch)
        .args(["--", "sh", "-c", PROGRAM])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("syclscope runs");
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    };
    assert_eq!(line(), "ready");
    for (signal, word) in [("USR1", "pause"), ("USR2", "run")] {
        let kill = format!("kill -{signal} {}", child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("sh runs").success());
        assert_eq!(line(), word, "and nothing reaches the program");
    }
    let output = child.wait_with_output().expect("syclscope ends");
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("recording was paused for "), "{text}");
}
