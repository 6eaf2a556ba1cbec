use std::io::Write as _;
use std::process::Stdio;

use syclscope_language::api::{Report, Selected};

use crate::recording;
use crate::support::{Scratch, stderr, stdout, syclscope};

fn ask(question: &str) -> (Option<i32>, String, String) {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let output = syclscope(&scratch).args(["ask", "run.pftrace", question]).output().expect("syclscope runs");
    (output.status.code(), stdout(&output), stderr(&output))
}

#[test]
fn questions_are_answered_as_a_server_does() {
    let (code, text, _) = ask("report");
    let report: Report = serde_json::from_str(&text).expect("JSON");
    assert_eq!((code, report.commands[0].count), (Some(0), 3));

    let (code, text, _) = ask("select?where=category:kernel");
    let selected: Selected = serde_json::from_str(&text).expect("JSON");
    assert_eq!((code, selected.total.count), (Some(0), 3));
}

#[test]
fn what_is_no_question_is_a_wrong_command_line_and_what_is_not_there_says_so() {
    let (code, _, error) = ask("repotr");
    assert_eq!(code, Some(2));
    assert!(error.contains("no query `repotr`"), "{error}");
    let (code, _, error) = ask("gaps?from=1&region=solve");
    assert_eq!(code, Some(2), "{error}");
    let (code, _, error) = ask("gaps?region=solve");
    assert_eq!(code, Some(1));
    assert!(error.contains("no region of the trace is named 'solve'"), "{error}");
    let (code, text, error) = ask("slices/100000");
    assert_eq!((code, text.as_str()), (Some(1), ""));
    assert!(error.contains("100000"), "{error}");
}

#[test]
fn many_questions_are_answered_by_one_process_with_the_same_bytes() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let questions =
        ["", "report", "repotr", "slices/100000", "select?where=category:kernel", "select?bogus=1"];
    let mut child = syclscope(&scratch)
        .args(["ask", "run.pftrace", "--lines"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("syclscope runs");
    let mut lines = questions.join("\n").into_bytes();
    // Not UTF-8, and a last line without its end.
    lines.splice(0..0, *b"\xff\n");
    child.stdin.take().expect("a pipe").write_all(&lines).expect("it reads");
    let output = child.wait_with_output().expect("it ends with its input");
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    let mut answers = text.lines();
    assert_eq!(answers.next(), Some(r#"{"error":"the query is not valid UTF-8","code":2}"#));
    for question in questions {
        let answer = answers.next().expect("a line for each question");
        let (code, text, error) = ask(question);
        if code == Some(0) {
            assert_eq!(answer, format!("{{\"answer\":{}}}", text.trim_end_matches('\n')), "{question}");
        } else {
            let refused: serde_json::Value = serde_json::from_str(answer).expect("JSON");
            let words = refused["error"].as_str().expect("a text");
            assert!(error.contains(words), "{question}: {words:?} is not in {error:?}");
            assert_eq!(refused["code"].as_i64(), code.map(i64::from), "{question}");
        }
    }
    assert_eq!(answers.next(), None);
}

#[test]
fn tables_are_written_by_the_process_that_answers() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let lines = "\ttables\tnodes,facts\tsome\nreport\n\ttables\tnode\tother\n\ttables\tnodes\n\ttables\tnodes\tno/such/folder\n";
    let mut child = syclscope(&scratch)
        .args(["ask", "run.pftrace", "--lines"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("syclscope runs");
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("it reads");
    let text = stdout(&child.wait_with_output().expect("it ends with its input"));
    let answers: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(answers[0]["answer"].as_str().expect("a text").starts_with("2 tables, "), "{text}");
    assert!(answers[1]["answer"]["commands"].is_array(), "{text}");
    assert!(
        answers[2]["error"].as_str().expect("a text").starts_with("no table `node`; the tables are tracks, ")
    );
    assert_eq!((answers[2]["code"].as_i64(), answers[3]["code"].as_i64()), (Some(2), Some(2)));
    assert_eq!(answers.len(), 5);
    let output = syclscope(&scratch)
        .args(["convert", "run.pftrace", "--to", "parquet", "--tables", "nodes,facts", "-o", "same"])
        .output()
        .expect("syclscope runs");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for name in ["nodes", "facts"] {
        let read = |folder: &str| {
            std::fs::read(scratch.path(&format!("{folder}/{name}.parquet"))).expect("the written file")
        };
        assert_eq!(read("some"), read("same"), "{name}");
    }
    assert!(!scratch.path("other").exists());
}

#[test]
fn questions_by_line_take_standard_input_for_themselves() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    for (arguments, code, part) in [
        (&["-", "--lines"][..], 1, "name the trace's file"),
        (&["run.pftrace"], 2, "<QUESTION>"),
        (&["run.pftrace", "report", "--lines"], 2, "cannot be used with"),
    ] {
        let output = syclscope(&scratch).arg("ask").args(arguments).output().expect("syclscope runs");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(stderr(&output).contains(part), "{arguments:?}: {}", stderr(&output));
    }
}
