//! `syclscope compare` and `check` of a part of the runs, iterations side by side, and folders with files that can't be
//! read.

use std::process::Output;

use syclscope_language::api::{Comparison, History, Verdict};

use crate::recording;
use crate::support::{Scratch, stderr, stdout, syclscope};

fn loops() -> Scratch {
    let scratch = Scratch::new();
    scratch.file("a.pftrace", recording::of_kernels(1, 12));
    scratch.file("b.pftrace", recording::of_kernels(1, 14));
    scratch
}

fn run(scratch: &Scratch, words: &str) -> Output {
    syclscope(scratch).args(words.split(' ')).output().expect("syclscope runs")
}

fn json(scratch: &Scratch, words: &str) -> Comparison {
    let output = run(scratch, &format!("{words} --format json"));
    serde_json::from_str(&stdout(&output)).unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)))
}

#[test]
fn a_part_of_the_runs_is_compared_and_named() {
    let scratch = loops();
    let whole = json(&scratch, "compare a.pftrace b.pftrace");
    assert_eq!((whole.part.as_str(), whole.a.commands + 2), ("", whole.b.commands));
    let part = json(&scratch, "compare --iterations 3-5 a.pftrace b.pftrace");
    assert_eq!((part.part.as_str(), part.a.commands, part.matched), ("iterations 3-5", 3, 3));
    assert!(part.duration.a_ns < whole.duration.a_ns && part.iterations.is_none());
    let sum: i64 = part.waterfall.iter().map(|part| part.a_ns).sum();
    assert_eq!(u64::try_from(sum).ok(), part.duration.a_ns);
    let text = stdout(&run(&scratch, "compare --iterations 3-5 a.pftrace b.pftrace"));
    assert!(text.contains("Compared: iterations 3-5\n"), "{text}");
    let markdown = stdout(&run(&scratch, "compare --to 10us a.pftrace b.pftrace --format markdown"));
    assert!(markdown.contains("**Compared**: `up to 10.00 µs`\n"), "{markdown}");
}

#[test]
fn a_run_without_the_part_is_refused_by_name() {
    let scratch = loops();
    for (options, said) in [
        ("--iterations 15", "pftrace: no such iteration: the run has 1"),
        ("--region solve", "pftrace: no region of the trace is named 'solve'"),
        ("--from 5s", "pftrace: the run ends at "),
        ("--from 5us --to 2us", "--from must be before --to"),
    ] {
        for (command, code) in
            [("compare a.pftrace b.pftrace", 1), ("check b.pftrace --baseline a.pftrace", 3)]
        {
            let refused = run(&scratch, &format!("{command} {options}"));
            assert_eq!(refused.status.code(), Some(code), "{command} {options}");
            assert!(stderr(&refused).contains(said), "{command} {options}: {}", stderr(&refused));
        }
    }
    let lacks = run(&scratch, "compare --iterations 13-14 a.pftrace b.pftrace");
    assert!(stderr(&lacks).contains("a.pftrace: no such iteration: the run has 12"), "{}", stderr(&lacks));
    let conflict = run(&scratch, "compare a.pftrace b.pftrace --from 1us --iterations 3");
    assert!(stderr(&conflict).contains("cannot be used with"), "{}", stderr(&conflict));
}

#[test]
fn a_gate_judges_a_part_by_a_baseline_of_the_same_part() {
    let scratch = loops();
    let failed = run(&scratch, "check b.pftrace --baseline a.pftrace");
    assert_eq!(failed.status.code(), Some(1), "two more commands: {}", stdout(&failed));
    let part = run(&scratch, "check b.pftrace --baseline a.pftrace --iterations 3-5");
    assert_eq!(part.status.code(), Some(2), "one run each decides no time: {}", stdout(&part));
    run(&scratch, "check a.pftrace --iterations 3-5 --write-baseline base.json");
    let judged = json(&scratch, "check b.pftrace --baseline base.json --iterations 3-5");
    assert_eq!(judged.part, "iterations 3-5");
    for (options, said) in [
        ("", "base.json covers iterations 3-5, but the whole run is to be compared"),
        (" --iterations 3-6", "base.json covers iterations 3-5, but iterations 3-6 is to be compared"),
    ] {
        let refused = run(&scratch, &format!("check b.pftrace --baseline base.json{options}"));
        assert_eq!(refused.status.code(), Some(3));
        assert!(stderr(&refused).contains(said), "{}", stderr(&refused));
    }
}

#[test]
fn iterations_stand_beside_each_other() {
    let scratch = loops();
    let found = json(&scratch, "compare a.pftrace b.pftrace").iterations.expect("iterations");
    assert_eq!((found.a.count, found.b.count, found.steady.verdict), (12, 14, Verdict::Same));
    let text = stdout(&run(&scratch, "compare a.pftrace b.pftrace"));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Iterations of the main loop",
        "median steady iteration",
        "before the first iteration",
        "this holds for these two runs only.",
    ] {
        assert!(words.contains(part), "{part} is not in\n{text}");
    }
    let markdown = stdout(&run(&scratch, "compare a.pftrace b.pftrace --format markdown"));
    assert!(markdown.contains("\n| iterations | A | B | change | verdict |\n"), "{markdown}");
}

#[test]
fn files_of_a_folder_that_cannot_be_read_are_named_and_left_out() {
    let scratch = Scratch::new();
    for (folder, files) in [("runs", 3), ("bad", 0)] {
        std::fs::create_dir(scratch.path(folder)).unwrap();
        for number in 1..=files {
            std::fs::write(scratch.path(&format!("{folder}/{number}.pftrace")), recording::as_perfetto())
                .unwrap();
        }
        std::fs::write(scratch.path(&format!("{folder}/2-broken.json")), "no trace").unwrap();
    }
    let output = run(&scratch, "history runs --format json");
    let history: History = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((output.status.code(), history.runs.len()), (Some(0), 3));
    let warning = stderr(&output);
    assert!(warning.contains("skipped") && warning.contains("runs/2-broken.json: "), "{warning}");
    let compared = json(&scratch, "compare runs runs/1.pftrace");
    assert_eq!((compared.a.runs, compared.b.runs), (3, 1));
    // An unreadable file may be the run that fails.
    for (words, code) in
        [("check runs --baseline runs/1.pftrace", 2), ("check runs/1.pftrace --baseline runs", 2)]
    {
        let open = run(&scratch, words);
        assert_eq!(open.status.code(), Some(code), "{words}: {}", stdout(&open));
        assert!(stdout(&open).contains("undecided: can't read runs/2-broken.json"), "{}", stdout(&open));
        for format in ["json", "junit", "markdown"] {
            let text = stdout(&run(&scratch, &format!("{words} --format {format}")));
            assert!(text.contains("broken.json"), "{format}: {text}");
        }
    }
    assert!(compared.notes.iter().any(|note| note.kind == "left_out"), "{:?}", compared.notes);
    // No readable file is left, or the user named the unreadable one.
    for (words, code) in [
        ("history bad", 1),
        ("compare runs bad", 1),
        ("check bad --baseline runs", 3),
        ("history runs/2-broken.json runs/1.pftrace", 1),
    ] {
        let failed = run(&scratch, words);
        assert_eq!(failed.status.code(), Some(code), "{words}: {}", stderr(&failed));
        assert!(stderr(&failed).contains("2-broken.json"), "{words}: {}", stderr(&failed));
    }
}

#[test]
fn a_run_of_a_folder_counts_without_the_processes_that_cannot_be_read() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("runs")).unwrap();
    scratch.file("runs/run-1.pftrace", recording::of_process(42));
    scratch.file("runs/run-1.43.pftrace", "no trace");
    scratch.file("b.pftrace", recording::of_process(42));
    for (others, commands) in [(0, 3), (1, 6)] {
        if others > 0 {
            scratch.file("runs/run-1.44.pftrace", recording::of_process(44));
        }
        let compared = json(&scratch, "compare runs b.pftrace");
        assert_eq!((compared.a.runs, compared.a.commands), (1, commands));
        let note = compared.notes.iter().find(|note| note.kind == "left_out").expect("a note");
        assert!(note.message.starts_with("can't read runs/run-1.43.pftrace,"), "{}", note.message);
    }
    // The user named the unreadable file.
    let failed = run(&scratch, "compare --a runs/run-1.pftrace runs/run-1.43.pftrace --b b.pftrace");
    assert_eq!(failed.status.code(), Some(1), "{}", stderr(&failed));
}

/// `record --max-size` keeps the newest file and the one before it.
#[test]
fn the_older_half_of_a_recording_is_compared_with_it() {
    let scratch = Scratch::new();
    scratch.file("newer.pftrace", recording::of_nodes(42, 4..=8));
    for (half, file) in [
        ("run.older.pftrace", "run.pftrace"),
        ("heat.node.rank0.42.older.pftrace", "heat.node.rank0.42.pftrace"),
    ] {
        scratch.file(half, recording::of_nodes(42, 1..=3));
        scratch.file(file, recording::of_nodes(42, 4..=8));
        let output = run(&scratch, &format!("compare --format json --a {half} {file} --b newer.pftrace"));
        let said = stderr(&output);
        let compared: Comparison =
            serde_json::from_str(&stdout(&output)).unwrap_or_else(|error| panic!("{error}: {said}"));
        assert_eq!((compared.a.runs, compared.a.commands, compared.b.commands), (1, 8, 5), "{said}");
        assert!(said.contains(" is merged with 1 file of its run"), "{said}");
    }
}

#[test]
fn a_window_of_time_says_nothing_of_the_duration() {
    let scratch = loops();
    let found = json(&scratch, "compare --to 50us a.pftrace b.pftrace");
    assert_eq!((found.duration.verdict, found.duration.ratio), (Verdict::Incomparable, None));
    assert_eq!(found.duration.a_ns, Some(50_000));
    let text = stdout(&run(&scratch, "compare --to 50us a.pftrace b.pftrace"));
    assert!(text.contains("- The chosen range has the same length in every run"), "{text}");
    assert!(text.contains("Duration: 50.00 µs → 50.00 µs: can't be compared\n"), "{text}");
    let checked = stdout(&run(&scratch, "check a.pftrace --baseline b.pftrace --to 50us"));
    assert!(checked.contains("Rules for the duration and for changes of metrics do not apply"), "{checked}");
    assert!(!checked.contains("duration: "), "{checked}");
}

#[test]
fn a_baseline_of_nearly_the_same_time_is_another_part() {
    let scratch = loops();
    run(&scratch, "check a.pftrace --from 20001ns --to 60004ns --write-baseline base.json");
    let same = run(&scratch, "check a.pftrace --baseline base.json --from 20001ns --to 60004ns");
    assert!(!stderr(&same).contains("base.json holds"), "{}", stderr(&same));
    let other = run(&scratch, "check a.pftrace --baseline base.json --from 20001ns --to 60003ns");
    assert_eq!(other.status.code(), Some(3));
    let said = "base.json covers from 20001 to 60004 ns, but from 20001 to 60003 ns is to be compared";
    assert!(stderr(&other).contains(said), "{}", stderr(&other));
}

#[test]
fn from_0_on_is_the_whole_run() {
    let scratch = loops();
    let (whole, from_0) = (
        json(&scratch, "compare a.pftrace b.pftrace"),
        json(&scratch, "compare --from 0 a.pftrace b.pftrace"),
    );
    assert_eq!(from_0, whole);
    run(&scratch, "check a.pftrace --write-baseline base.json");
    let judged = run(&scratch, "check a.pftrace --baseline base.json --from 0");
    assert_ne!(judged.status.code(), Some(3), "{}", stderr(&judged));
}
