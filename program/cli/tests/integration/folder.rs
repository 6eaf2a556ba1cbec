//! `syclscope record -o FOLDER`: each process has its own file, and no two use the same name.

use std::process::Stdio;

use syclscope_language::api::TraceInfo;

use crate::recording;
use crate::support::{Scratch, record, stderr, stdout, syclscope};

/// Acts as the recorder in a folder, for the shell's own process: writes a file named after the process, and a status.
const RECORDER: &str = r#"
    folder="$(printf "$SYCLSCOPE_OUT")" # two percent signs stand for one
    file="$folder$NAME.here.$$.pftrace"
    cp "$NAME.pftrace" "$file"
    printf '{"pid":%s,"output":"%s","events":%s,"bytes":9,"device_times":0,"error":null,"finished":true}' \
        $$ "$file" "${EVENTS:-3}" > "$SYCLSCOPE_STATUS_DIR/$$.json""#;

fn scratch_for(names: &[&str]) -> Scratch {
    let scratch = Scratch::new();
    scratch.file("recorder.sh", RECORDER);
    for (pid, name) in (1..).zip(names) {
        scratch.file(&format!("{name}.pftrace"), recording::of_process(pid));
    }
    scratch
}

/// Counts calls in a trace: each process has two.
fn calls(scratch: &Scratch, file: &str) -> u64 {
    let output = syclscope(scratch).args(["summary", "--json", file]).output().expect("syclscope runs");
    let info: TraceInfo =
        serde_json::from_str(&stdout(&output)).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    info.counts.calls
}

#[test]
fn every_process_has_a_file_of_its_own_and_a_place_in_one_trace() {
    let scratch = scratch_for(&["one", "two", "idle"]);
    let script = "NAME=one sh recorder.sh; NAME=two sh recorder.sh; NAME=idle EVENTS=0 sh recorder.sh";
    let output = record(&scratch).args(["-o", "runs/50%/", "--", "sh", "-c", script]).output();
    let output = output.expect("syclscope runs");
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let names = names_in(&scratch, "runs/50%");
    assert!(names.iter().any(|name| name.starts_with("one.here.")), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("two.here.")), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("idle")), "it holds nothing: {names:?}");
    assert!(text.contains("runs/50%/one.here.") && text.contains("runs/50%/two.here."), "{text}");
    assert!(text.contains("runs/50%/sh.pftrace: 2 recordings merged"), "{text}");
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!(calls(&scratch, "runs/50%/sh.pftrace"), 4);
}

#[test]
fn a_folder_takes_run_after_run() {
    let scratch = scratch_for(&["one"]);
    let run = |options: &[&str]| {
        let mut command = record(&scratch);
        command.env("NAME", "one").args(["-o", "runs/"]).args(options).args(["--", "sh", "recorder.sh"]);
        stderr(&command.output().expect("syclscope runs"))
    };
    assert!(run(&[]).contains("runs/sh.pftrace is a hard link to the recording of the only process"));
    assert!(run(&[]).contains("runs/sh-2.pftrace"));
    let text = run(&["--force"]);
    assert!(text.contains("runs/sh.pftrace"), "{text}");
    assert_eq!(names_in(&scratch, "runs").len(), 5, "three of processes, two merged");
}

#[test]
fn what_cannot_be_merged_is_kept_and_reported() {
    let scratch = Scratch::new();
    scratch.file("recorder.sh", RECORDER);
    scratch.file("one.pftrace", recording::of_process(1));
    scratch.file("two.pftrace", "this is no trace at all, whatever it is called");
    let script = "NAME=one sh recorder.sh; NAME=two sh recorder.sh; exit 3";
    let output = record(&scratch).args(["-q", "-o", "runs/", "--", "sh", "-c", script]).output();
    let output = output.expect("syclscope runs");
    assert_eq!(output.status.code(), Some(3), "the program's own");
    assert!(stderr(&output).contains("can't merge the recordings") && stderr(&output).contains("two.here."));
    assert_eq!(names_in(&scratch, "runs").len(), 2);
}

#[test]
fn the_recorder_can_tell_percent_signs_from_place_holders() {
    let scratch = Scratch::new();
    let output = record(&scratch)
        .env("PMI_RANK", "3")
        .env("PMI_SIZE", "4")
        .args(["-o", "50%%/rank-%r/", "--", "sh", "-c", "echo $SYCLSCOPE_OUT; ls -d 50%/rank-3"])
        .output()
        .expect("syclscope runs");
    let folder = scratch.folder().display();
    assert_eq!(stdout(&output), format!("{folder}/50%%/rank-3/\n50%/rank-3\n"), "{}", stderr(&output));
    assert_eq!(names_in(&scratch, "50%"), [] as [&str; 0], "an empty folder is given back");
}

#[test]
fn ranks_of_one_run_share_a_folder() {
    let scratch = scratch_for(&["rank0", "rank1", "rank2", "rank3"]);
    let start = |rank: &str| {
        let mut command = record(&scratch);
        command.env("PMI_RANK", rank).env("PMI_SIZE", "4").env("NAME", format!("rank{rank}"));
        command.args(["-o", "runs/", "--", "sh", "recorder.sh"]).stderr(Stdio::piped());
        command.spawn().expect("syclscope runs")
    };
    let ranks = ["0", "1", "2", "3"].map(start);
    for rank in ranks {
        let output = rank.wait_with_output().expect("syclscope ends");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stderr(&output).contains("`syclscope merge -o all.pftrace runs`"), "{}", stderr(&output));
    }
    let mut starts: Vec<String> = names_in(&scratch, "runs")
        .iter()
        .filter_map(|name| Some(name.split_once('.')?.0.to_owned()))
        .collect();
    starts.sort();
    assert_eq!(starts, ["rank0", "rank1", "rank2", "rank3"], "and nothing merged by one of them too early");

    let merge = |options: &[&str]| {
        let output = syclscope(&scratch).arg("merge").args(options).output().expect("syclscope runs");
        (output.status.code(), stderr(&output))
    };
    let (code, text) = merge(&["-o", "runs/all.pftrace", "runs/"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("runs/all.pftrace: 4 recordings"), "{text}");
    assert_eq!(calls(&scratch, "runs/all.pftrace"), 8);
    // Once more, with an existing merged file.
    assert_eq!(merge(&["-o", "runs/all.pftrace", "runs/"]).0, Some(1), "it is kept");
    let (code, text) = merge(&["-o", "all.json", "runs/"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("skipped runs/all.pftrace") && text.contains("4 recordings"), "{text}");
    assert_eq!(calls(&scratch, "all.json"), 8);
    assert_eq!(merge(&["--force", "-o", "all.json", "runs/", "runs/"]).0, Some(0));
    assert_eq!(calls(&scratch, "all.json"), 8, "twice named is once meant");
}

#[test]
fn merging_refuses_what_is_no_recording() {
    let scratch = Scratch::new();
    scratch.file("foreign.json", "[]");
    scratch.file("rubbish.pftrace", "no trace");
    std::fs::create_dir(scratch.path("empty")).expect("a folder");
    for (input, message) in [
        ("foreign.json", "foreign.json"),
        ("rubbish.pftrace", "rubbish.pftrace"),
        ("missing.pftrace", "missing.pftrace"),
        ("empty", "no recording"),
    ] {
        let output = syclscope(&scratch).args(["merge", "-o", "out.pftrace", input]).output();
        let output = output.expect("syclscope runs");
        assert_eq!(output.status.code(), Some(1), "{input}");
        assert!(stderr(&output).contains(message), "{input}: {}", stderr(&output));
    }
    assert_eq!(scratch.names(), ["empty", "foreign.json", "rubbish.pftrace"]);
}

fn names_in(scratch: &Scratch, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(scratch.path(folder)).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
