//! Import of a file in chunks, and answers to queries; with a second file also about both, each with further runs.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use syclscope_engine::compare::{Comparing, Group, KeptRun, RunPart, Sample};
use syclscope_engine::import::TraceImporter;
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::question::{CompareQuestion, PartOfRun, Question};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

use crate::page::{Failure, budget, listen, not_a_trace, pieces, sentence, tell, tell_end};

#[derive(Clone)]
struct OpenTrace {
    name: String,
    trace: Rc<Trace>,
}

/// The last comparison: its part of the runs, and true if the page's own file was its candidate.
type Compared = (PartOfRun, bool, Comparing<Rc<Trace>>);

thread_local! {
    static OWN: RefCell<Option<OpenTrace>> = const { RefCell::new(None) };
    static OTHER: RefCell<Option<OpenTrace>> = const { RefCell::new(None) };
    /// Summaries of the runs that were added to each side, each with its part: first the own file's side, then the
    /// other file's.
    static RUNS: RefCell<[Vec<(PartOfRun, KeptRun)>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
    /// Number of the latest second file. Earlier ones and their runs are dropped.
    static LAST_OTHER: Cell<u32> = const { Cell::new(0) };
    static COMPARED: RefCell<Option<Compared>> = const { RefCell::new(None) };
}

pub(crate) fn start() {
    listen(|message| {
        let number = message.get(1);
        let text = || message.get(2).as_string().unwrap_or_default();
        match message.get(0).as_string().as_deref() {
            Some("open") => spawn_local(open(message.get(1).unchecked_into())),
            Some("ask") => finish(&number, answer(&text(), message.get(3).is_truthy())),
            Some("beside") => spawn_local(put_beside(number, message.get(2).unchecked_into())),
            Some("run") => {
                let part = message.get(4).as_string().unwrap_or_default();
                spawn_local(add_run(
                    number,
                    message.get(2).unchecked_into(),
                    message.get(3).is_truthy(),
                    part,
                ));
            }
            Some("runs") => finish(&number, answer_of_runs(&text(), message.get(3).is_truthy())),
            Some("compare") => finish(&number, compare(&text(), message.get(3).is_truthy())),
            _ => {}
        }
    });
}

async fn open(file: File) {
    tell_end("opened", import(&file).await.map(|trace| OWN.set(Some(trace))));
}

/// Loads a second file, which replaces an earlier one and clears the further runs.
async fn put_beside(number: JsValue, file: File) {
    let own = LAST_OTHER.get() + 1;
    LAST_OTHER.set(own);
    COMPARED.set(None);
    RUNS.take();
    OTHER.set(None);
    let end = import(&file).await.and_then(|trace| still_last(own).map(|()| OTHER.set(Some(trace))));
    finish(&number, end.map(|()| String::new()));
}

/// Loads a part of a further run of either side: only its metrics and lines, because there is no memory for many
/// traces.
async fn add_run(number: JsValue, file: File, is_of_other: bool, part: String) {
    let own = LAST_OTHER.get();
    COMPARED.set(None);
    let end = import(&file).await.and_then(|trace| {
        still_last(own)?;
        let part: PartOfRun = part.parse().map_err(|error| bad_question(&error))?;
        let run = KeptRun::new(&trace.name, &trace.trace, part_of(&trace, &part)?.as_ref());
        RUNS.with_borrow_mut(|runs| runs[usize::from(is_of_other)].push((part, run)));
        Ok(String::new())
    });
    finish(&number, end);
}

fn still_last(number: u32) -> Result<(), Failure> {
    let is_last = LAST_OTHER.get() == number;
    is_last.then_some(()).ok_or_else(|| ("replaced", "Another file was chosen meanwhile.".to_owned()))
}

fn part_of(trace: &OpenTrace, part: &PartOfRun) -> Result<Option<RunPart>, Failure> {
    trace
        .trace
        .compared_part(part)
        .map_err(|error| ("not_found", format!("{}: {}", trace.name, sentence(&error))))
}

/// Returns a side of a comparison: a part of the shown file with its further runs.
fn side(
    trace: OpenTrace,
    more: &[(PartOfRun, KeptRun)],
    part: &PartOfRun,
) -> Result<Group<Rc<Trace>>, Failure> {
    let part = part_of(&trace, part)?;
    let mut group = Group::single(&trace.name, trace.trace);
    if !more.is_empty() {
        group.runs = vec![Sample::with_part(&trace.name, &group.trace, part.as_ref())];
        group.runs.extend(more.iter().map(|(_, run)| run.sample.clone()));
    }
    group.part = part;
    Ok(group)
}

async fn import(file: &File) -> Result<OpenTrace, Failure> {
    let mut importer = TraceImporter::within(budget());
    pieces(file, |piece| importer.feed(piece)).await?;
    let trace = Rc::new(importer.finish().map_err(not_a_trace)?);
    Ok(OpenTrace { name: file.name(), trace })
}

fn answer(question: &str, is_of_other: bool) -> Result<String, Failure> {
    let question: Question = question.parse().map_err(|error| bad_question(&error))?;
    let trace = if is_of_other { OTHER.with_borrow(Clone::clone) } else { OWN.with_borrow(Clone::clone) };
    let trace = trace.ok_or_else(not_open)?;
    trace.trace.answer(&question).map_err(|error| not_found(&error))
}

/// Returns the answers of a side's further runs, as a list with `null` for a run without an answer.
fn answer_of_runs(question: &str, is_of_other: bool) -> Result<String, Failure> {
    let question: Question = question.parse().map_err(|error| bad_question(&error))?;
    let answer = |run: &KeptRun| run.answer(&question).map(|answer| answer.unwrap_or_else(|| "null".into()));
    let answers: Result<Vec<String>, QueryError> =
        RUNS.with_borrow(|runs| runs[usize::from(is_of_other)].iter().map(|(_, run)| answer(run)).collect());
    Ok(format!("[{}]", answers.map_err(|error| not_found(&error))?.join(",")))
}

fn compare(question: &str, is_swapped: bool) -> Result<String, Failure> {
    let (part, question) = PartOfRun::split(question).map_err(|error| bad_question(&error))?;
    let question: CompareQuestion = question.parse().map_err(|error| bad_question(&error))?;
    let (own, other) =
        OWN.with_borrow(Clone::clone).zip(OTHER.with_borrow(Clone::clone)).ok_or_else(not_open)?;
    COMPARED.with_borrow_mut(|compared| {
        let is_same = |(other, was_swapped, _): &Compared| *other == part && *was_swapped == is_swapped;
        if !compared.as_ref().is_some_and(is_same) {
            // Two comparisons at the same time may exceed the memory.
            *compared = None;
            if RUNS.with_borrow(|runs| runs.iter().flatten().any(|(of, _)| *of != part)) {
                return Err(not_open());
            }
            let [own, other] = RUNS
                .with_borrow(|[of_own, of_other]| [side(own, of_own, &part), side(other, of_other, &part)]);
            let (own, other) = (own?, other?);
            let (a, b) = if is_swapped { (other, own) } else { (own, other) };
            *compared = Some((part, is_swapped, Comparing::new(a, b)));
        }
        let answer = compared.as_ref().map(|(.., comparing)| comparing.answer(&question));
        answer.ok_or_else(not_open)?.map_err(|error| not_found(&error))
    })
}

fn finish(number: &JsValue, answer: Result<String, Failure>) {
    match answer {
        Ok(json) => tell(["answer".into(), number.clone(), json.into()]),
        Err((code, message)) => tell(["refused".into(), number.clone(), code.into(), message.into()]),
    }
}

fn bad_question(error: &impl std::fmt::Display) -> Failure {
    ("bad_question", sentence(error))
}

fn not_found(error: &QueryError) -> Failure {
    ("not_found", sentence(error))
}

fn not_open() -> Failure {
    ("not_open", "The file is still being read.".to_owned())
}
