//! `syclscope record`: options reach the recorder, and senseless ones are refused.

use std::process::Command;

use crate::support::{Scratch, record, stderr, stdout, syclscope};

fn variables(scratch: &Scratch, options: &[&str]) -> Vec<String> {
    let script = "env | grep ^SYCLSCOPE_ | grep -v -e OUT -e STATUS_DIR | sort; exit 0";
    let output =
        record(scratch).args(options).args(["--", "sh", "-c", script]).output().expect("syclscope runs");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output).lines().map(|line| line.trim_start_matches("SYCLSCOPE_").to_owned()).collect()
}

#[test]
fn every_setting_reaches_the_recorder() {
    let scratch = Scratch::new();
    assert_eq!(variables(&scratch, &[]), ["FORMAT=perfetto"]);
    let options = [
        "--buffer-size=64M",
        "--on-full=wait",
        "--streams",
        "-images,-my.stream",
        "--detail=high",
        "--kernels",
        "-*warmup*,gemm*",
        "--graphs=whole",
        "--start-after=1.5s",
        "--duration=1m",
        "--max-size=512M",
        "--paused",
        "--no-sources",
        "--no-environment",
        "--no-python-lines",
        "--stacks=all",
        "--sample=99",
        "--no-counters",
        "--format=json",
    ];
    let want = [
        "BUFFER_SIZE=64M",
        "COUNTERS=0",
        "DETAIL=high",
        "DURATION=60000ms",
        "ENVIRONMENT=0",
        "FORMAT=json",
        "GRAPHS=whole",
        "KERNELS=-*warmup*,gemm*",
        "MAX_SIZE=512M",
        "ON_FULL=wait",
        "PAUSED=1",
        "PYTHON_LINES=0",
        "SAMPLE=99Hz",
        "SOURCES=0",
        "STACKS=all",
        "START_AFTER=1500ms",
        "STREAMS=-images,-my.stream",
    ];
    assert_eq!(variables(&scratch, &options), want);
}

#[test]
fn what_the_user_set_by_hand_stays() {
    let scratch = Scratch::new();
    let mut command: Command = record(&scratch);
    command.env("SYCLSCOPE_DETAIL", "low").env("SYCLSCOPE_BUFFER_SIZE", "1M");
    command.args(["--detail=high", "--", "sh", "-c", "echo $SYCLSCOPE_DETAIL $SYCLSCOPE_BUFFER_SIZE"]);
    assert_eq!(stdout(&command.output().expect("syclscope runs")), "high 1M\n");
}

#[test]
fn senseless_settings_are_refused_with_the_remedy() {
    let scratch = Scratch::new();
    for (option, remedy) in [
        ("--buffer-size=8X", "like 8M"),
        ("--max-size=0", "must be greater than 0"),
        ("--start-after=5", "like 500ms or 2s"),
        ("--duration=-1s", "like 500ms or 2s"),
        ("--sample=0", "from 1 to 1000, like 99Hz"),
        ("--sample=99kHz", "from 1 to 1000, like 99Hz"),
        ("--streams=call", "did you mean calls?"),
        ("--streams=bogus", "the groups are sycl, calls, memory, buffers, images, native, ranges, user, all"),
        ("--streams=sycl,-bogus", "unknown group -bogus"),
        ("--streams=sycl,,calls", "empty name"),
        ("--kernels=", "empty pattern"),
        ("--detail=all", "low, normal, high"),
        ("--on-full=block", "spill, drop, wait"),
    ] {
        let output =
            syclscope(&scratch).args(["record", option, "--", "true"]).output().expect("syclscope runs");
        assert_eq!(output.status.code(), Some(2), "{option}");
        assert!(stderr(&output).contains(remedy), "{option}: {}", stderr(&output));
    }
}

#[test]
fn no_program_runs_bare_if_its_recording_has_no_place() {
    let scratch = Scratch::new();
    std::fs::write(scratch.path("mine.pftrace"), "mine").expect("a file");
    let mut command = record(&scratch);
    command.args(["--bare-first", "-o", "mine.pftrace", "--", "sh", "-c", "echo ran"]);
    let output = command.output().expect("syclscope runs");
    assert_eq!((output.status.success(), &*stdout(&output)), (false, ""));
    assert!(stderr(&output).contains("mine.pftrace"), "{}", stderr(&output));
    assert_eq!(std::fs::read(scratch.path("mine.pftrace")).unwrap(), b"mine");
}

#[test]
fn a_bare_run_precedes_each_recorded_one_and_the_difference_is_printed() {
    let scratch = Scratch::new();
    let of_run = |script: &str| {
        let mut command = record(&scratch);
        command.args(["--bare-first", "--repeat=2", "--", "sh", "-c", script]);
        command.output().expect("syclscope runs")
    };
    let output = of_run("echo ${SYCLSCOPE_OUT:+recorded} ${XPTI_TRACE_ENABLE:-bare}");
    assert_eq!(stdout(&output), "bare\nrecorded 1\nbare\nrecorded 1\n");
    let said = stderr(&output);
    assert!(said.contains(" without recording: ×") && said.contains(" (medians of 2 runs each; "), "{said}");
    let output = of_run("exit 3");
    assert_eq!(output.status.code(), Some(3));
    assert!(
        stderr(&output).contains("ended with exit code 3 in the run without recording"),
        "{}",
        stderr(&output)
    );
}
