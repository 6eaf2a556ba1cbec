//! `syclscope record`, with programs that use no SYCL: the program's life must be its own. Recordings of real
//! SYCL programs are tested in `e2e/recording`.

use std::io::{BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output, Stdio};

use crate::support::{Scratch, in_no_environment, record, stderr, stdout, syclscope};

fn record_script(scratch: &Scratch, options: &[&str], script: &str) -> Output {
    record(scratch).args(options).args(["--", "sh", "-c", script]).output().expect("syclscope runs")
}

#[test]
fn the_programs_streams_and_exit_code_are_its_own() {
    let scratch = Scratch::new();
    let mut child = record(&scratch)
        .args(["--quiet", "--", "sh", "-c", "cat; echo problem >&2; exit 42"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("syclscope runs");
    child.stdin.take().expect("a pipe").write_all(b"from standard input").expect("input is taken");
    let output = child.wait_with_output().expect("syclscope ends");
    assert_eq!(output.status.code(), Some(42));
    assert_eq!(stdout(&output), "from standard input");
    assert!(stderr(&output).starts_with("problem\n"), "{}", stderr(&output));
}

#[test]
fn a_program_needs_no_dashes_before_it_and_keeps_its_own_options() {
    let scratch = Scratch::new();
    let output = record(&scratch)
        .args(["--quiet", "sh", "-c", "exit $1", "--", "7"])
        .output()
        .expect("syclscope runs");
    assert_eq!(output.status.code(), Some(7), "{}", stderr(&output));
    let output = record(&scratch).args(["--quiett", "sh"]).output().expect("syclscope runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("'--quiet'"), "{}", stderr(&output));
}

#[test]
fn a_program_without_sycl_gets_a_warning_and_no_file() {
    let scratch = Scratch::new();
    let output = record_script(&scratch, &[], "exit 0");
    assert_eq!(output.status.code(), Some(0));
    let text = stderr(&output);
    assert!(text.contains("warning: nothing was recorded"), "{text}");
    assert!(text.contains("does not use SYCL") && text.contains("libxptifw.so"), "{text}");
    assert_eq!(scratch.names(), ["libxptifw.so", "subscriber.so"]);
}

#[test]
fn the_environment_switches_recording_on_and_keeps_what_was_there() {
    let scratch = Scratch::new();
    let script =
        "env | grep -E '^(XPTI_|UR_ENABLE|SYCLSCOPE_)' | sort; ls -ld \"$SYCLSCOPE_STATUS_DIR\" | cut -c1-10";
    let output = record(&scratch)
        .env("XPTI_SUBSCRIBERS", "/mine.so")
        .env("UR_ENABLE_LAYERS", "UR_LAYER_FULL_VALIDATION")
        .env("XPTI_TRACE_ENABLE", "0")
        .args(["-o", "out.json", "--", "sh", "-c", script])
        .output()
        .expect("syclscope runs");
    let text = stdout(&output);
    let folder = scratch.folder().display();
    for want in [
        format!("SYCLSCOPE_OUT={folder}/out.json"),
        "SYCLSCOPE_FORMAT=json".to_owned(),
        "UR_ENABLE_LAYERS=UR_LAYER_FULL_VALIDATION,UR_LAYER_TRACING".to_owned(),
        format!("XPTI_FRAMEWORK_DISPATCHER={folder}/libxptifw.so"),
        format!("XPTI_SUBSCRIBERS=/mine.so,{folder}/subscriber.so"),
        "XPTI_TRACE_ENABLE=1".to_owned(),
        "drwx------".to_owned(),
    ] {
        assert!(text.lines().any(|line| line == want), "{want} is not in:\n{text}");
    }
}

#[test]
fn an_empty_variable_for_the_temporary_folder_is_none() {
    let scratch = Scratch::new();
    let mut command = record(&scratch);
    let output =
        command.env("TMPDIR", "").args(["--", "sh", "-c", "echo \"$SYCLSCOPE_STATUS_DIR\""]).output();
    let output = output.expect("syclscope runs");
    assert!(stdout(&output).starts_with("/tmp/syclscope-"), "{}", stdout(&output));
}

#[test]
fn programs_that_cannot_run_end_as_in_a_shell() {
    let scratch = Scratch::new();
    let closed = scratch.file("closed", "#!/bin/sh\n");
    let orphan = scratch.file("orphan", "#!/no/such/interpreter\n");
    std::fs::set_permissions(&orphan, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    for (program, code, message) in [
        ("no-such-program-anywhere", 127, "no program no-such-program-anywhere in any folder of PATH"),
        ("./missing", 127, "no program ./missing"),
        (closed.to_str().expect("text"), 126, "is not executable (chmod +x)"),
        ("/", 126, "it is a folder"),
        (orphan.to_str().expect("text"), 126, "interpreter or loader"),
    ] {
        let output = record(&scratch).args(["--", program]).output().expect("syclscope runs");
        assert_eq!(output.status.code(), Some(code), "{program}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{program}: {}", stderr(&output));
    }
    assert_eq!(scratch.names(), ["closed", "libxptifw.so", "orphan", "subscriber.so"]);
}

#[test]
fn wrong_command_lines_end_with_2() {
    let scratch = Scratch::new();
    for arguments in [&["record"][..], &["record", "--format", "text", "--", "true"], &["capture"], &[]] {
        let output = syclscope(&scratch).args(arguments).output().expect("syclscope runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
    let help = syclscope(&scratch).args(["record", "--help"]).output().expect("syclscope runs");
    assert_eq!(help.status.code(), Some(0));
    assert!(stdout(&help).contains("Examples:"));
}

#[test]
fn a_missing_framework_is_reported_before_the_program_runs() {
    let scratch = Scratch::new();
    let output = syclscope(&scratch)
        .args(["record", "--", "sh", "-c", "touch ran"])
        .env("LD_LIBRARY_PATH", scratch.path("nowhere"))
        .output()
        .expect("syclscope runs");
    // A machine may have a SYCL runtime in a usual place: then the message is about the missing recorder.
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains("nothing ran"), "{}", stderr(&output));
    let explicit =
        syclscope(&scratch).args(["record", "--xptifw", "/nowhere", "--", "touch", "ran"]).output();
    let explicit = explicit.expect("syclscope runs");
    assert_eq!(explicit.status.code(), Some(1));
    assert!(stderr(&explicit).contains("--xptifw /nowhere"), "{}", stderr(&explicit));
    assert_eq!(scratch.names(), [] as [&str; 0]);
}

#[test]
fn outputs_that_exist_or_cannot_be_written_are_refused_before_the_program_runs() {
    let scratch = Scratch::new();
    let older = scratch.file("older.pftrace", "older");
    for (output, message) in
        [("older.pftrace", "add --force"), ("no/such/folder/x", "can't write"), ("%p.json", "-o FOLDER/")]
    {
        let done = record_script(&scratch, &["-o", output], "touch ran");
        assert_eq!(done.status.code(), Some(1), "{}", stderr(&done));
        assert!(stderr(&done).contains(message), "{}", stderr(&done));
    }
    // With --force, the older file is removed only once there is a newer one.
    let done = record_script(&scratch, &["-o", "older.pftrace", "--force"], "exit 0");
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    assert_eq!(std::fs::read(&older).expect("the older file"), b"older");
    assert_eq!(scratch.names(), ["libxptifw.so", "older.pftrace", "subscriber.so"]);
}

#[test]
fn what_a_subscriber_reports_is_printed() {
    let scratch = Scratch::new();
    let script = r#"
        printf recording > "$SYCLSCOPE_OUT"
        printf '{"pid":%s,"output":"%s","events":1200,"dropped":3,"device_times":5,"device_times_missing":2,
            "bytes":9,"error":null,"finished":false}' $$ "$SYCLSCOPE_OUT" > "$SYCLSCOPE_STATUS_DIR/$$.json"
        printf '{"pid":999999999,"output":"/other.pftrace","events":1,"error":"No space left","finished":false}' \
            > "$SYCLSCOPE_STATUS_DIR/999999999.json"
        exit 3"#;
    let output = record_script(&scratch, &[], script);
    assert_eq!(output.status.code(), Some(3));
    let text = stderr(&output);
    for want in
        ["3 events lost", "2 of 7 commands", "is cut short", "No space left", "/other.pftrace", "exit code 3"]
    {
        assert!(text.contains(want), "{want} is not in:\n{text}");
    }
    assert!(scratch.path("run.pftrace").exists());
}

#[test]
fn a_named_stream_that_was_not_announced_is_named() {
    let scratch = Scratch::new();
    let script = r#"
        printf recording > "$SYCLSCOPE_OUT"
        printf '{"pid":%s,"output":"%s","streams":["sycl","ur.call","ranges.itt"],"events":3,"finished":true}' \
            $$ "$SYCLSCOPE_OUT" > "$SYCLSCOPE_STATUS_DIR/$$.json""#;
    let streams = "sycl,ur.call.debug,ranges.itt.tbb,sycl.pi.debug,my.own";
    let output = record_script(&scratch, &["--streams", streams], script);
    let text = stderr(&output);
    let missing = |stream: &str| text.contains(&format!("announced no stream {stream},"));
    assert!(missing("sycl.pi.debug") && missing("my.own"), "{text}");
    assert!(!missing("ur.call.debug") && !missing("ranges.itt.tbb"), "{text}");
}

#[test]
fn a_process_that_may_record_later_is_named_with_its_file() {
    let scratch = Scratch::new();
    // The process has the name of the last program, not of the shell that became it.
    let script =
        "sleep 600 > /dev/null 2>&1 & until grep -q sleep /proc/$!/comm; do :; done; echo $!; exit 0";
    let output = record_script(&scratch, &[], script);
    let pid = stdout(&output).trim().to_owned();
    send("KILL", pid.parse().unwrap());
    let text = stderr(&output);
    let place = format!("beside {}, with its process id in the name", scratch.path("run.pftrace").display());
    for want in ["nothing is recorded yet", &format!("process {pid} (sleep)"), &place] {
        assert!(text.contains(want), "{want} is not in:\n{text}");
    }
    assert!(!text.contains("nothing was recorded"), "{text}");
}

#[test]
fn what_was_deleted_has_no_size() {
    let scratch = Scratch::new();
    let script = r#"
        printf '{"pid":%s,"output":"%s","events":7,"bytes":4823449,"error":"%s was deleted","finished":true}' \
            $$ "$SYCLSCOPE_OUT" "$SYCLSCOPE_OUT" > "$SYCLSCOPE_STATUS_DIR/$$.json"
        rm -f "$SYCLSCOPE_OUT""#;
    let output = record_script(&scratch, &[], script);
    let text = stderr(&output);
    assert!(text.contains("was deleted") && text.contains(": 0 B, "), "{text}");
    assert!(!text.contains("MiB"), "{text}");
}

#[test]
fn a_recording_without_events_replaces_nothing() {
    let scratch = Scratch::new();
    std::fs::write(scratch.path("run.pftrace"), "older").unwrap();
    let script = r#"
        printf 'head and end' > "$SYCLSCOPE_OUT"
        printf '{"pid":%s,"output":"%s","events":0,"bytes":12,"error":null,"finished":true}' \
            $$ "$SYCLSCOPE_OUT" > "$SYCLSCOPE_STATUS_DIR/$$.json""#;
    let output = record_script(&scratch, &["--force", "-o", "run.pftrace"], script);
    assert!(stderr(&output).contains("nothing was recorded"), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(scratch.path("run.pftrace")).unwrap(), "older");
    assert_eq!(scratch.names(), ["libxptifw.so", "run.pftrace", "subscriber.so"]);
}

#[test]
fn files_without_events_of_other_processes_are_removed() {
    let scratch = Scratch::new();
    let script = r#"
        status='{"pid":%s,"output":"%s","events":%s,"bytes":12,"error":null,"finished":true}'
        printf recording > "$SYCLSCOPE_OUT"
        printf "$status" $$ "$SYCLSCOPE_OUT" 3 > "$SYCLSCOPE_STATUS_DIR/$$.json"
        other="${SYCLSCOPE_OUT%.pftrace}.999999999.pftrace"
        printf 'head and end' > "$other"
        printf "$status" 999999999 "$other" 0 > "$SYCLSCOPE_STATUS_DIR/999999999.json""#;
    let output = record_script(&scratch, &[], script);
    let text = stderr(&output);
    assert!(text.contains("999999999") && !text.contains("to merge all processes"), "{text}");
    assert_eq!(scratch.names(), ["libxptifw.so", "run.pftrace", "subscriber.so"]);
}

#[test]
fn a_recording_without_a_word_from_the_recorder_is_kept_and_doubted() {
    let scratch = Scratch::new();
    let output = record_script(&scratch, &[], "printf recording > \"$SYCLSCOPE_OUT\"");
    let text = stderr(&output);
    assert!(text.contains("run.pftrace may be incomplete") && text.contains("TMPDIR"), "{text}");
    assert!(!text.contains("nothing was recorded"), "{text}");
    assert_eq!(scratch.names(), ["libxptifw.so", "run.pftrace", "subscriber.so"]);
}

#[test]
fn a_program_that_dies_by_a_signal_is_followed() {
    let scratch = Scratch::new();
    for signal in [6, 9, 11, 15] {
        let output = record_script(&scratch, &[], &format!("kill -{signal} $$"));
        assert_eq!(output.status.signal(), Some(signal), "{}", stderr(&output));
        assert!(!output.status.core_dumped());
    }
}

fn start(
    scratch: &Scratch,
    options: &[&str],
    script: &str,
) -> (std::process::Child, BufReader<std::process::ChildStdout>) {
    let mut child = record(scratch)
        .args(options)
        .args(["--quiet", "--", "sh", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("syclscope runs");
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    assert_eq!(line(&mut reader), "ready");
    (child, reader)
}

fn line(reader: &mut impl std::io::BufRead) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).expect("a line");
    line.trim_end().to_owned()
}

fn send(signal: &str, pid: u32) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {pid}")]).status().expect("sh runs");
    assert!(sent.success());
}

#[test]
fn signals_sent_to_the_launcher_reach_the_program() {
    let scratch = Scratch::new();
    let script = "trap 'echo hup' HUP; trap 'echo usr1' USR1; trap 'echo term; exit 5' TERM; echo ready
        while :; do read -r _ <&3 || sleep 0.01; done 3< /dev/null";
    let (mut child, mut reader) = start(&scratch, &["--pass-usr-signals"], script);
    for signal in ["HUP", "USR1", "TERM"] {
        send(signal, child.id());
        assert_eq!(line(&mut reader), signal.to_ascii_lowercase());
    }
    assert_eq!(child.wait().expect("syclscope ends").code(), Some(5));
}

#[test]
fn a_signal_that_ends_the_program_ends_the_launcher_too() {
    let scratch = Scratch::new();
    let (mut child, _reader) = start(&scratch, &[], "echo ready; exec sleep 600");
    send("INT", child.id());
    assert_eq!(child.wait().expect("syclscope ends").signal(), Some(2));
}

#[test]
fn a_stopped_program_is_continued() {
    let scratch = Scratch::new();
    let (mut child, mut reader) = start(&scratch, &[], "echo ready; kill -STOP $$; echo again; exit 7");
    // Repeated, because a signal before the program stops has no effect.
    let pid = child.id();
    let again = std::thread::spawn(move || line(&mut reader));
    while !again.is_finished() {
        send("CONT", pid);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(again.join().expect("no panic"), "again");
    assert_eq!(child.wait().expect("syclscope ends").code(), Some(7));
}

#[test]
fn ignored_signals_stay_ignored() {
    let scratch = Scratch::new();
    let program = env!("CARGO_BIN_EXE_syclscope");
    record(&scratch); // makes the files
    let script = format!(
        "trap '' HUP; {program} record --xptifw libxptifw.so --subscriber subscriber.so -q -- \
         sh -c 'kill -HUP $PPID; kill -HUP $$; echo alive'"
    );
    let mut command = Command::new("sh");
    in_no_environment(&mut command, &scratch);
    let output = command.args(["-c", &script]).output().expect("sh runs");
    assert_eq!(stdout(&output), "alive\n", "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn signals_that_the_launcher_itself_does_not_ignore_stay_ignored() {
    let scratch = Scratch::new();
    record(&scratch); // makes the files
    let mut command = Command::new("env");
    in_no_environment(&mut command, &scratch);
    command.args(["--ignore-signal=PIPE,CHLD", env!("CARGO_BIN_EXE_syclscope"), "record", "-q"]);
    command.args(["--xptifw", "libxptifw.so", "--subscriber", "subscriber.so"]);
    let output = command.args(["--", "grep", "SigIgn", "/proc/self/status"]).output().expect("env runs");
    let mask = stdout(&output).split_whitespace().nth(1).and_then(|mask| u64::from_str_radix(mask, 16).ok());
    let both = [13, 17].map(|signal| 1_u64 << (signal - 1)).iter().sum::<u64>();
    assert_eq!(mask.map(|mask| mask & both), Some(both), "{}", stderr(&output));
}
