//! `syclscope ask`.

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
    let (code, text, error) = ask("slices/100000");
    assert_eq!((code, text.as_str()), (Some(1), ""));
    assert!(error.contains("100000"), "{error}");
}
