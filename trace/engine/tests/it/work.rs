//! Limits of a query's cost, and its cancellation.

use syclscope_engine::budget::Budget;
use syclscope_engine::cancel::{self, Stopped, Work};
use syclscope_engine::import;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;

fn trace() -> Trace {
    let events: Vec<String> = (0..60_000)
        .map(|at| format!(r#"{{"ph":"X","ts":{},"dur":1,"tid":1,"name":"f{}"}}"#, at * 2, at % 7))
        .collect();
    let trace = import::open(format!("[{}]", events.join(",")).as_bytes()).expect("a trace");
    assert_eq!(trace.info().tracks.last().map(|track| track.id), Some(TRACK));
    trace
}

/// The track with the slices, below the process's track.
const TRACK: u32 = 1;

const QUESTIONS: [&str; 13] = [
    "select?where=f1",
    "select",
    "slices?limit=10",
    "slices?where=not%20f1&sort=-duration&limit=10",
    "search?where=f1",
    "tiles/timeline/1/20/0?where=f1",
    "tiles/density/1/20/0?where=f1",
    "calls",
    "calltree",
    "sandwich?name=f1",
    "find?text=f1",
    "slices/0/alike",
    "report?where=f1",
];

fn ask(trace: &Trace, question: &str, work: &Work) -> Result<String, QueryError> {
    let question = question.split_once("report").map_or(question, |_| "report").parse().expect("a question");
    cancel::within(work, Budget::unlimited(), || trace.answer(&question))?
}

#[test]
fn limits_that_are_not_reached_change_nothing() {
    let trace = trace();
    for question in QUESTIONS {
        let free = trace.answer(&question.replace("report?where=f1", "report").parse().expect("a question"));
        assert_eq!(ask(&trace, question, &Work::default()), free, "{question}");
    }
}

#[test]
fn questions_about_many_slices_end_when_they_cost_too_much() {
    let trace = trace();
    for question in QUESTIONS.iter().filter(|question| !question.starts_with("report")) {
        let dear = ask(&trace, question, &Work::with_steps(20_000));
        assert_eq!(dear, Err(QueryError::Stopped(Stopped::TooLong)), "{question}");
    }
    // The next query computes the unfinished results again.
    assert!(ask(&trace, "select", &Work::default()).is_ok());
}

#[test]
fn each_condition_counts() {
    let trace = trace();
    let many = vec!["duration%3E1ms"; 100].join("%20or%20");
    let question = format!("select?where={many}");
    assert_eq!(
        ask(&trace, &question, &Work::with_steps(1_000_000)),
        Err(QueryError::Stopped(Stopped::TooLong))
    );
    assert!(ask(&trace, &question, &Work::with_steps(10_000_000)).is_ok());
}

#[test]
fn what_is_called_off_is_not_answered() {
    let trace = trace();
    let work = Work::default();
    work.call_off();
    for question in QUESTIONS {
        assert_eq!(ask(&trace, question, &work), Err(QueryError::Stopped(Stopped::CalledOff)), "{question}");
    }
}
