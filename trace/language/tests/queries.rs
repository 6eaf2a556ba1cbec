//! Checks docs/QUERIES.md against the queries: it has each with its parameters, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use syclscope_language::question::{Question, QuestionError, WaitDirection, WaitStart};

const DOCUMENT: &str = include_str!("../../../docs/QUERIES.md");

/// At least one text for each query; several if parameters exclude each other.
const SAMPLES: &[&str] = &[
    "",
    "tiles/timeline/0/0/0",
    "memory/0/0/0/0/0",
    "slices/1",
    "sources/0",
    "files",
    "lines?source=0",
    "lines?path=a",
    "contents",
    "calls",
    "calltree",
    "sandwich?name=a",
    "kernel?name=a",
    "select",
    "slices",
    "search",
    "step?at=0",
    "step?slice=1",
    "tiles/timeline/0/0/0?where=a",
    "slices/1/overlaps",
    "slices/1/alike",
    "slices/1/waited_for",
    "slices/1/waited_by",
    "slices/1/chain",
    "nodes/1/waited_for",
    "nodes/1/waited_by",
    "nodes/1/chain",
    "report",
    "life/1",
    "dependences?slice=1",
    "kernel_lanes",
    "activity",
    "find",
    "critical_path",
    "gaps",
    "iterations",
    "findings",
    "start_up",
    "builds",
    "energy",
    "regions",
    "graph",
    "graph_members?level=kernels&group=1x2",
    "components",
    "serialised",
    "what_if",
    "memory_use",
    "memory_at?at=0",
    "allocations",
    "objects",
    "objects?path=a&line=1",
    "objects/1",
    "transfers",
    "transfers?path=a&line=1",
    "leaks",
    "sql",
];

/// Name of a query in the document's table of parameters.
fn listed_as(question: &Question) -> &'static str {
    match question {
        Question::Info => "",
        Question::Tile(_) | Question::FilteredTile(..) => "tiles/…",
        Question::Memory(_) => "memory/…",
        Question::Slice(_) => "slices/SLICE",
        Question::Source(_) => "sources/SOURCE",
        Question::Files => "files",
        Question::Lines(_) => "lines",
        Question::Contents => "contents",
        Question::Calls(_) => "calls",
        Question::CallTree(_) => "calltree",
        Question::Sandwich(_) => "sandwich",
        Question::Kernel(_) => "kernel",
        Question::Select(_) => "select",
        Question::Slices(_) => "slices",
        Question::Search(_) => "search",
        Question::Find(_) => "find",
        Question::Step(_) => "step",
        Question::Overlaps(_) => "slices/SLICE/overlaps",
        Question::Alike { .. } => "slices/SLICE/alike",
        Question::Waits(wait) => match (wait.start, wait.direction) {
            (WaitStart::Slice(_), WaitDirection::For) => "slices/SLICE/waited_for",
            (WaitStart::Slice(_), WaitDirection::By) => "slices/SLICE/waited_by",
            (WaitStart::Slice(_), WaitDirection::Chain) => "slices/SLICE/chain",
            (WaitStart::Node(_), WaitDirection::For) => "nodes/NODE/waited_for",
            (WaitStart::Node(_), WaitDirection::By) => "nodes/NODE/waited_by",
            (WaitStart::Node(_), WaitDirection::Chain) => "nodes/NODE/chain",
        },
        Question::Report(_) => "report",
        Question::Life(_) => "life/SLICE",
        Question::Dependences(_) => "dependences",
        Question::KernelLanes => "kernel_lanes",
        Question::Activity => "activity",
        Question::CriticalPath(_) => "critical_path",
        Question::Gaps(_) => "gaps",
        Question::Findings(_) => "findings",
        Question::StartUp => "start_up",
        Question::Builds(_) => "builds",
        Question::Energy(_) => "energy",
        Question::Regions(_) => "regions",
        Question::Iterations(_) => "iterations",
        Question::Graph(_) => "graph",
        Question::GraphMembers(_) => "graph_members",
        Question::Components => "components",
        Question::Serialised(_) => "serialised",
        Question::WhatIf(_) => "what_if",
        Question::MemoryUse(_) => "memory_use",
        Question::MemoryAt(_) => "memory_at",
        Question::Allocations(_) => "allocations",
        Question::Objects(_) => "objects",
        Question::Object(_) => "objects/ID",
        Question::Transfers(_) => "transfers",
        Question::Leaks(_) => "leaks",
        Question::Sql(_) => "sql",
    }
}

/// Parameters of a query, from the error message about an unknown one.
fn parameters(text: &str) -> Vec<String> {
    let with_unknown = format!("{text}{}unknown=1", if text.contains('?') { '&' } else { '?' });
    let Err(QuestionError::NoParam { known, .. }) = with_unknown.parse::<Question>() else {
        panic!("{with_unknown} is not refused for its parameter")
    };
    known.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Names in backticks of a cell.
fn names(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Rows of the document's table of parameters.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let (_, section) = DOCUMENT.split_once("\n## Parameters of each question\n").expect("the section");
    let mut rows = BTreeMap::new();
    for line in section.lines().take_while(|line| !line.starts_with("## ")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [_, questions, parameters, _] = cells[..] {
            for question in names(questions) {
                let parameters = names(parameters).map(str::to_owned).collect();
                assert!(rows.insert(question.to_owned(), parameters).is_none(), "{question} is listed twice");
            }
        }
    }
    rows
}

#[test]
fn the_document_lists_every_question_with_its_parameters() {
    let mut read: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for text in SAMPLES.iter().filter(|text| !text.is_empty()) {
        let question: Question = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        read.entry(listed_as(&question).to_owned()).or_default().extend(parameters(text));
    }
    let documented = documented();
    for (question, parameters) in &read {
        let names: Vec<String> = parameters.iter().map(|name| format!("`{name}`")).collect();
        let row = format!("| `{question}` | {} |", names.join(" "));
        assert_eq!(documented.get(question), Some(parameters), "docs/QUERIES.md must say: {row}");
    }
    let unknown: Vec<&String> = documented.keys().filter(|question| !read.contains_key(*question)).collect();
    assert!(unknown.is_empty(), "docs/QUERIES.md lists what is no question: {unknown:?}");
}

#[test]
fn the_text_of_a_question_is_read_as_the_same_question() {
    for text in SAMPLES {
        let question: Question = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(question.to_string().parse(), Ok(question), "{text}");
    }
}

#[test]
fn no_question_takes_a_range_that_ends_before_it_begins() {
    let mut with_range = 0;
    for text in SAMPLES.iter().filter(|text| !text.is_empty()) {
        let names = parameters(text);
        if !["from", "to"].iter().all(|name| names.iter().any(|known| known == name)) {
            continue;
        }
        with_range += 1;
        let separator = if text.contains('?') { '&' } else { '?' };
        let parsed = |range: &str| format!("{text}{separator}{range}").parse::<Question>();
        let reversed = parsed("from=9&to=5");
        assert_eq!(reversed, Err(QuestionError::Reversed { from: 9, to: 5 }), "{text}");
        for range in ["from=5&to=9", "from=5&to=5", "from=9", "to=5"] {
            assert!(parsed(range).is_ok(), "{text}: {range}");
        }
    }
    assert!(with_range >= 15, "{with_range}");
    let compared = "anchors?side=a&from=9&to=5".parse::<syclscope_language::question::CompareQuestion>();
    assert_eq!(compared, Err(QuestionError::Reversed { from: 9, to: 5 }));
}

#[test]
fn the_document_says_what_each_question_answers() {
    let (table, _) = DOCUMENT.split_once("\n## ").expect("a section follows the questions");
    let cells: Vec<&str> = table.lines().filter_map(|line| line.split('|').nth(1)).collect();
    let words: BTreeSet<&str> =
        cells.iter().flat_map(|cell| names(cell)).filter_map(|name| name.split(['/', '?']).next()).collect();
    let mut expected = BTreeSet::new();
    for text in SAMPLES.iter().filter(|text| !text.is_empty()) {
        expected.extend(text.split(['/', '?']).next());
    }
    let without: Vec<_> = expected.difference(&words).collect();
    assert!(without.is_empty(), "docs/QUERIES.md has no answer of {without:?}");
    let unknown: Vec<_> =
        words.difference(&expected).filter(|word| !word.is_empty() && !word.starts_with('&')).collect();
    assert!(unknown.is_empty(), "docs/QUERIES.md has questions that there are not: {unknown:?}");
}
