//! `syclscope record` under a terminal: keys that make signals.

use std::process::Command;

use crate::support::{Scratch, stderr};

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
    let output = Command::new("python3").arg(script).arg(record).current_dir(scratch.folder()).output();
    let output = output.expect("python3 runs: this test needs it for a terminal");
    assert!(output.status.success(), "{}", stderr(&output));
}
