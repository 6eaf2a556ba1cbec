//! `syclscope record -o FOLDER`: each process has a file of its own, and nobody fights over names.

use std::process::Stdio;

use crate::support::{Scratch, record, stderr, stdout};

/// Does what the recorder does in a folder, for the shell's own process: a file named after the process, and a status.
const RECORDER: &str = r#"
    folder="$(printf "$SYCLSCOPE_OUT")" # two percent signs stand for one
    file="$folder$NAME.here.$$.pftrace"
    printf recording > "$file"
    printf '{"pid":%s,"output":"%s","events":%s,"bytes":9,"device_times":0,"error":null,"finished":true}' \
        $$ "$file" "${EVENTS:-3}" > "$SYCLSCOPE_STATUS_DIR/$$.json""#;

#[test]
fn every_process_has_a_file_of_its_own() {
    let scratch = Scratch::new();
    scratch.file("recorder.sh", RECORDER);
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
}

#[test]
fn the_recorder_gets_the_folder_with_percent_signs_told_from_place_holders() {
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
    let scratch = Scratch::new();
    scratch.file("recorder.sh", RECORDER);
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
    }
    let mut starts: Vec<String> = names_in(&scratch, "runs")
        .iter()
        .filter_map(|name| Some(name.split_once('.')?.0.to_owned()))
        .collect();
    starts.sort();
    assert_eq!(starts, ["rank0", "rank1", "rank2", "rank3"]);
}

fn names_in(scratch: &Scratch, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(scratch.path(folder)).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
