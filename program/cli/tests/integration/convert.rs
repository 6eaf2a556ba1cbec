use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Output;

use crate::recording;
use crate::support::{Scratch, stderr, stdout, syclscope};

fn convert(scratch: &Scratch, arguments: &[&str]) -> Output {
    syclscope(scratch).arg("convert").args(arguments).output().expect("syclscope runs")
}

fn read(scratch: &Scratch, name: &str) -> Vec<u8> {
    std::fs::read(scratch.path(name)).expect("the written file")
}

#[test]
fn a_recording_goes_between_formats_without_loss() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    for (from, to) in [("run.pftrace", "out.json"), ("out.json", "back.pftrace")] {
        let output = convert(&scratch, &[from, "-o", to]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stderr(&output).contains(to), "{}", stderr(&output));
    }
    assert_eq!(read(&scratch, "out.json"), recording::as_json());
    assert_eq!(read(&scratch, "back.pftrace"), recording::as_perfetto());
    assert_eq!(scratch.names(), ["back.pftrace", "out.json", "run.pftrace"], "nothing half written is left");
}

#[test]
fn standard_input_is_a_recording_too() {
    let scratch = Scratch::new();
    let path = scratch.file("run.pftrace", recording::as_perfetto());
    for (words, wanted) in [("- -o piped.json", 0), ("- --to parquet -o piped.tables", 0), ("- -o piped", 1)]
    {
        let input = std::fs::File::open(&path).expect("the recording");
        let mut command = syclscope(&scratch);
        let output =
            command.arg("convert").args(words.split(' ')).stdin(input).output().expect("syclscope runs");
        assert_eq!(output.status.code(), Some(wanted), "{words}: {}", stderr(&output));
    }
    assert!(convert(&scratch, &["run.pftrace", "-o", "run.json"]).status.success());
    assert_eq!(read(&scratch, "piped.json"), read(&scratch, "run.json"));
    assert_eq!(mode_of(&scratch, "piped.json"), 0o600);
}

#[test]
fn what_is_written_is_as_private_as_its_original() {
    let scratch = Scratch::new();
    let original = scratch.file("run.pftrace", recording::as_perfetto());
    for (mode, file_mode, folder_mode) in [(0o600, 0o600, 0o700), (0o640, 0o640, 0o750)] {
        std::fs::set_permissions(&original, Permissions::from_mode(mode)).expect("its own file");
        for (arguments, output) in [
            (&["--to", "json", "-o", "out.json"][..], "out.json"),
            (&["--to", "parquet", "-o", "out.tables"], "out.tables/slices.parquet"),
        ] {
            let converted = convert(&scratch, &[&["run.pftrace", "--force"], arguments].concat());
            assert_eq!(converted.status.code(), Some(0), "{}", stderr(&converted));
            assert_eq!(mode_of(&scratch, output), file_mode, "{output}");
        }
        assert_eq!(mode_of(&scratch, "out.tables"), folder_mode);
        std::fs::remove_dir_all(scratch.path("out.tables")).expect("its own folder");
    }
}

fn mode_of(scratch: &Scratch, name: &str) -> u32 {
    std::fs::metadata(scratch.path(name)).expect("it was written").permissions().mode() & 0o777
}

fn counts(scratch: &Scratch, name: &str) -> serde_json::Value {
    let output = syclscope(scratch).args(["summary", "--json", name]).output().expect("syclscope runs");
    let info: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    info["counts"].clone()
}

#[test]
fn whatever_is_read_is_written_in_every_format() {
    let scratch = Scratch::new();
    let perfetto = recording::as_perfetto();
    // Gzip with stored blocks, which needs no compressor.
    scratch.file("run.pftrace.gz", stored_gzip(&perfetto));
    scratch.file("run.pftrace", perfetto);
    scratch.file("run.json", recording::as_json());
    scratch
        .file("other.json", r#"{"traceEvents":[{"ph":"X","pid":1,"tid":2,"ts":"1.5","dur":2,"name":"a"},"#);
    for input in ["run.pftrace", "run.pftrace.gz", "run.json", "other.json"] {
        let expected = counts(&scratch, input);
        for (format, output) in [("perfetto", "out.pftrace"), ("json", "out.json")] {
            let converted = convert(&scratch, &[input, "--to", format, "-o", output, "--force", "--quiet"]);
            assert_eq!(converted.status.code(), Some(0), "{input} to {format}: {}", stderr(&converted));
            assert_eq!(counts(&scratch, output), expected, "{input} to {format}");
        }
        let profile = convert(&scratch, &[input, "-o", "out.profile.json", "--force"]);
        assert_eq!(profile.status.code(), Some(0), "{input}: {}", stderr(&profile));
        assert!(stderr(&profile).contains("left out"), "{input}: {}", stderr(&profile));
        let tables = convert(&scratch, &[input, "--to", "parquet", "-o", "out.tables", "--force"]);
        assert_eq!(tables.status.code(), Some(0), "{input}: {}", stderr(&tables));
    }
    // A format that is written but not read is refused as such.
    for input in ["out.profile.json", "out.tables", "out.tables/slices.parquet"] {
        for command in [&["convert", input, "-o", "back.json"][..], &["summary", input]] {
            let refused = syclscope(&scratch).args(command).output().expect("syclscope runs");
            assert_eq!(refused.status.code(), Some(1), "{command:?}");
            let said = stderr(&refused);
            assert!(said.contains("writes but does not read"), "{command:?}: {said}");
        }
    }
}

fn stored_gzip(bytes: &[u8]) -> Vec<u8> {
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let length = u16::try_from(bytes.len()).expect("one block");
    file.push(1);
    file.extend(length.to_le_bytes());
    file.extend((!length).to_le_bytes());
    file.extend(bytes);
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
    });
    file.extend((!crc).to_le_bytes());
    file.extend(u32::from(length).to_le_bytes());
    file
}

#[test]
fn a_profile_for_the_firefox_profiler_is_written() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let output = convert(&scratch, &["run.pftrace", "-o", "run.profile.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let profile: serde_json::Value =
        serde_json::from_slice(&read(&scratch, "run.profile.json")).expect("JSON");
    assert!(profile["threads"].as_array().is_some_and(|threads| !threads.is_empty()));
    assert!(profile["meta"]["preprocessedProfileVersion"].is_number());
}

#[test]
fn tables_are_written_into_a_folder() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let to_tables = |more: &[&str]| {
        convert(&scratch, &[&["run.pftrace", "--to", "parquet", "-o", "run.tables"], more].concat())
    };
    let output = to_tables(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("tables"), "{}", stderr(&output));
    for name in ["slices", "nodes", "edges", "executions", "allocations", "calls", "tracks"] {
        let bytes = read(&scratch, &format!("run.tables/{name}.parquet"));
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{name}");
    }
    let again = to_tables(&[]);
    assert_eq!(again.status.code(), Some(1));
    assert!(stderr(&again).contains("--force"), "{}", stderr(&again));
    assert_eq!(to_tables(&["--force", "--quiet"]).status.code(), Some(0));
    let into_file = convert(&scratch, &["run.pftrace", "--to", "parquet", "-o", "run.pftrace"]);
    assert_eq!(into_file.status.code(), Some(1));
    assert_eq!(read(&scratch, "run.pftrace"), recording::as_perfetto());
}

#[test]
fn some_tables_are_written_alone() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let to_tables =
        |more: &[&str]| convert(&scratch, &[&["run.pftrace", "--to", "parquet", "--quiet"], more].concat());
    let written = |folder: &str| {
        let entries = std::fs::read_dir(scratch.path(folder)).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(to_tables(&["-o", "all"]).status.code(), Some(0));
    let some = to_tables(&["--tables", "nodes,executions", "--tables", "facts", "-o", "some"]);
    assert_eq!(some.status.code(), Some(0), "{}", stderr(&some));
    assert_eq!(written("some"), ["executions.parquet", "facts.parquet", "nodes.parquet"]);
    for name in written("some") {
        assert_eq!(read(&scratch, &format!("some/{name}")), read(&scratch, &format!("all/{name}")), "{name}");
    }
    // Further tables are added to the same folder.
    assert_eq!(to_tables(&["--tables", "slices", "-o", "some", "--force"]).status.code(), Some(0));
    assert_eq!(written("some"), ["executions.parquet", "facts.parquet", "nodes.parquet", "slices.parquet"]);
    assert_eq!(to_tables(&["--tables", "facts", "-o", "facts"]).status.code(), Some(0));
    let read_back = syclscope(&scratch).args(["summary", "facts"]).output().expect("syclscope runs");
    assert!(stderr(&read_back).contains("writes but does not read"), "{}", stderr(&read_back));

    let unknown = to_tables(&["--tables", "executoins", "-o", "none"]);
    assert_eq!(unknown.status.code(), Some(2));
    let said = stderr(&unknown);
    assert!(said.contains("executoins") && said.contains("'executions'"), "{said}");
    for name in written("all") {
        assert!(said.contains(name.trim_end_matches(".parquet")), "{name}: {said}");
    }
    let other = convert(&scratch, &["run.pftrace", "-o", "run.json", "--tables", "nodes"]);
    assert_eq!(other.status.code(), Some(1));
    assert!(stderr(&other).contains("--to parquet"), "{}", stderr(&other));
    assert!(!scratch.path("none").exists() && !scratch.path("run.json").exists());
}

#[test]
fn other_programs_files_come_out_with_slices_that_nest() {
    let scratch = Scratch::new();
    let events = r#"[{"ph":"X","pid":1,"tid":2,"ts":10,"dur":20,"name":"a","cat":"x"},
        {"ph":"X","pid":1,"tid":2,"ts":15,"dur":30,"name":"b"},
        {"ph":"s","pid":1,"tid":2,"ts":11,"id":7,"name":"f"},{"ph":"f","pid":1,"tid":2,"ts":40,"id":7,"name":"f","bp":"e"}]"#;
    scratch.file("other.json", events);
    let output = convert(&scratch, &["other.json", "-o", "other.pftrace", "--quiet"]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let output =
        syclscope(&scratch).args(["summary", "--json", "other.pftrace"]).output().expect("syclscope runs");
    let info: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(info["counts"]["slices"], 2, "{info}");
    assert_eq!(info["counts"]["flows"], 1, "{info}");
    let names: Vec<&str> = info["tracks"]
        .as_array()
        .expect("tracks")
        .iter()
        .filter_map(|track| track["name"].as_str())
        .collect();
    assert_eq!(names, ["process 1", "thread 2", "thread 2 · lane 2"]);
}

#[test]
fn what_cannot_be_converted_is_refused_with_the_remedy() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    scratch.file("there.json", "mine");
    scratch.file("text.json", "hello");
    for (arguments, part) in [
        (&["run.pftrace", "-o", "out.bin"][..], "--to perfetto, json, fxprof or parquet"),
        (&["run.pftrace", "-o", "run.pftrace"], "both input and output"),
        (&["run.pftrace", "-o", "there.json"], "--force"),
        (&["run.pftrace", "-o", "."], "can't tell the format from the name"),
        (&["run.pftrace", "--to", "json", "-o", "."], "is a folder"),
        (&["text.json", "-o", "out.json"], "a text that starts with"),
        (&["missing", "-o", "out.json"], "can't read missing"),
        (&["run.pftrace", "-o", "no/such/out.json"], "can't write no/such/out.json"),
    ] {
        let output = convert(&scratch, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains(part), "{arguments:?}: {}", stderr(&output));
    }
    assert_eq!(read(&scratch, "there.json"), b"mine");
    let output = convert(&scratch, &["run.pftrace", "-o", "there.json", "--force"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(scratch.names(), ["run.pftrace", "text.json", "there.json"]);
}

#[test]
fn every_recording_of_a_folder_is_converted() {
    let scratch = Scratch::new();
    scratch.file("runs/a.pftrace", recording::as_perfetto());
    scratch.file("runs/b.2.pftrace", recording::of_process(7));
    let output = convert(&scratch, &["runs", "--to", "json", "-o", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for (input, written) in [("runs/a.pftrace", "out/a.json"), ("runs/b.2.pftrace", "out/b.2.json")] {
        assert_eq!(convert(&scratch, &[input, "-o", "alone.json", "--force"]).status.code(), Some(0));
        assert_eq!(read(&scratch, written), read(&scratch, "alone.json"), "{written}");
    }
    let output = convert(&scratch, &["runs", "--to", "parquet", "--tables", "queues", "-o", "tables"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(scratch.path("tables/a.tables/queues.parquet").exists());

    // The others are converted.
    scratch.file("runs/aa.json", "hello");
    let output = convert(&scratch, &["runs", "--to", "perfetto", "-o", "more"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("runs/aa.json: "), "{}", stderr(&output));
    assert!(scratch.path("more/b.2.pftrace").exists());
    scratch.file("runs/a.json", recording::as_json());
    for (arguments, part) in [
        (&["runs", "-o", "out"][..], "with --to"),
        (&["runs", "--to", "json", "-o", "alone.json"], "is converted into a folder"),
        (&["runs", "--to", "json", "-o", "out", "--force"], "would both be written to out/a.json"),
        (&["tables/a.tables", "--to", "json", "-o", "out"], "does not read"),
    ] {
        let output = convert(&scratch, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains(part), "{arguments:?}: {}", stderr(&output));
    }
}
