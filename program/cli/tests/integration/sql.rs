//! `syclscope sql`, and the same question to a server.

use std::process::Stdio;

use std::io::Write as _;

use syclscope_language::api::{SqlCell, SqlRows};

use crate::host::Running;
use crate::recording;
use crate::support::{Scratch, stderr, stdout, syclscope};

const KERNELS: &str =
    "SELECT name, count(*) AS runs, sum(duration_ns) AS total_ns FROM executions GROUP BY name";

fn sql(arguments: &[&str]) -> (Option<i32>, String, String) {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let output = syclscope(&scratch).arg("sql").args(arguments).output().expect("syclscope runs");
    (output.status.code(), stdout(&output), stderr(&output))
}

#[test]
fn rows_are_printed_in_every_format() {
    let kernel = recording::KERNEL;
    let print = |format: &str| sql(&["run.pftrace", KERNELS, "--format", format]);
    let (code, text, error) = print("text");
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines, [vec!["name", "runs", "total_ns"], vec![kernel, "3", "6000"]]);
    assert_eq!(print("csv").1, format!("name,runs,total_ns\n{kernel},3,6000\n"));
    let markdown =
        format!("| `name` | `runs` | `total_ns` |\n| --- | ---: | ---: |\n| `{kernel}` | 3 | 6000 |\n");
    assert_eq!(print("markdown").1, markdown);
    let long = sql(&["run.pftrace", "SELECT printf('%.*c', 1000, 'b') AS long", "--format", "markdown"]).1;
    assert_eq!(long.lines().last(), Some(&*format!("| `{}` |", "b".repeat(1000))));
    let rows: SqlRows = serde_json::from_str(&print("json").1).expect("JSON");
    let cells = [SqlCell::Text(kernel.to_owned()), SqlCell::Integer(3), SqlCell::Integer(6000)];
    assert_eq!((rows.rows, rows.is_cut), (vec![cells.to_vec()], false));
}

#[test]
fn without_a_statement_tables_are_listed_and_more_rows_than_the_limit_are_mentioned() {
    let (code, text, _) = sql(&["run.pftrace"]);
    assert_eq!(code, Some(0));
    let kernels = text.lines().find(|line| line.starts_with("executions ")).expect("a table");
    assert_eq!(kernels.split_whitespace().nth(1), Some("3"), "{kernels}");
    let (code, text, error) = sql(&["run.pftrace", "SELECT slice FROM executions", "--limit", "2"]);
    assert_eq!((code, text.lines().count()), (Some(0), 3));
    assert!(error.contains("only the first 2 rows") && error.contains("--limit"), "{error}");
}

#[test]
fn a_statement_comes_from_standard_input_and_a_wrong_one_ends_with_its_reason() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let mut child = syclscope(&scratch)
        .args(["sql", "run.pftrace", "-", "--format", "csv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("syclscope runs");
    child.stdin.take().expect("a pipe").write_all(KERNELS.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(stdout(&output), format!("name,runs,total_ns\n{},3,6000\n", recording::KERNEL));
    let (code, text, error) = sql(&["run.pftrace", "SELECT nmae FROM executions"]);
    assert_eq!((code, text.as_str()), (Some(1), ""));
    assert!(error.contains("no such column: nmae") && error.contains("did you mean name?"), "{error}");
    let (code, _, error) = sql(&["-", "-"]);
    assert_eq!(code, Some(1));
    assert!(error.contains("standard input is the statement"), "{error}");
}

#[test]
fn a_server_answers_as_the_program_does_and_stops_what_costs_too_much() {
    let scratch = Scratch::new();
    scratch.file("run.pftrace", recording::as_perfetto());
    let options = ["open", "run.pftrace", "--no-browser", "--question-steps", "2000000"];
    let server = Running::start(syclscope(&scratch).args(options));
    let listed = server.get("/api/v1/traces");
    let id = listed.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("an id");
    let ask = |statement: &str| {
        let bytes = statement.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
        server.get(&format!("/api/v1/traces/{id}/sql?query={bytes}"))
    };
    let answer = ask(KERNELS);
    let printed = sql(&["run.pftrace", KERNELS, "--json"]).1;
    assert!(answer.ends_with(printed.trim_end()), "{answer}");
    for (statement, status, part) in [
        ("ATTACH 'a' AS b", "400", "are allowed"),
        ("SELECT * FROM kernels", "400", "no such table: kernels"),
        (
            "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT max(x) FROM r",
            "422",
            "too_dear",
        ),
    ] {
        let answer = ask(statement);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")) && answer.contains(part), "{answer}");
    }
    assert!(ask("SELECT 1").starts_with("HTTP/1.1 200 "), "others are answered afterwards");
}
