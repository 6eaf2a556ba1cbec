//! Tools for an assistant.

mod arguments;
mod gaps;
mod list;
mod tries;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use serde_json::{Value, json};
use syclscope_engine::compare::{Comparing, Group, RunPart, Sample, median_run};
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::Comparison;
use syclscope_language::question::{FindingsQuestion, PartOfRun, Question};

use self::arguments::Arguments;
pub(super) use self::tries::Program;
use super::folders::Folders;
use super::traces::Traces;
use super::{defaults, documents, pages};
use crate::ask::answer;
use crate::compare::runs::on_both_sides;
use crate::summary;
use syclscope_report::comparison;
use syclscope_report::overview;

const MAX_FINDINGS: usize = 10;
const MAX_RECORDINGS: usize = 100;
const MAX_ERROR_CHARS: usize = 2_000;

pub(super) enum Content {
    /// A page and a note about the other pages.
    Text(Vec<String>),
    Picture {
        png: Vec<u8>,
        words: String,
    },
}

pub(super) enum Refusal {
    NoTool,
    Because(String),
}

impl<T: std::fmt::Display> From<T> for Refusal {
    fn from(error: T) -> Self {
        Self::Because(error.to_string().chars().take(MAX_ERROR_CHARS).collect())
    }
}

/// A complete answer, before it is split into pages.
enum Answer {
    Text(String),
    Json { text: String, note: Option<String> },
}

pub(super) struct Tools {
    folders: Folders,
    program: Option<Program>,
    traces: Traces,
    last: Last,
}

/// The last answer to a query, for its further pages.
#[derive(Default)]
struct Last {
    trace: Weak<Trace>,
    key: String,
    text: String,
}

impl Tools {
    pub(super) fn new(folders: Folders, program: Option<Program>) -> Self {
        Self { folders, program, traces: Traces::default(), last: Last::default() }
    }

    /// Returns the tools in the format of `tools/list`.
    pub(super) fn list(&self) -> Value {
        self.all().map(list::Tool::entry).collect()
    }

    /// Returns the tools; only the read-only ones if there is no program to run.
    fn all(&self) -> impl Iterator<Item = list::Tool> {
        let runs = self.program.is_some();
        list::all().into_iter().filter(move |tool| runs || !tool.runs_program)
    }

    pub(super) fn call(&mut self, name: &str, arguments: &Value) -> Result<Content, Refusal> {
        let tool = self.all().find(|tool| tool.name == name).ok_or(Refusal::NoTool)?;
        let arguments = Arguments(arguments);
        arguments.refuse_others(&tool.parameter_names())?;
        if tool.name == "picture" {
            return self.picture(&arguments);
        }
        let page = arguments.page()?;
        let (page, note) = match self.answer(tool.name, &arguments)? {
            Answer::Text(text) => (pages::of_text(&text, page, tool.smaller)?, None),
            Answer::Json { text, note } => (pages::of_json(&text, page, tool.smaller)?, note),
        };
        Ok(Content::Text([Some(page.text), page.note, note].into_iter().flatten().collect()))
    }

    fn answer(&mut self, tool: &str, arguments: &Arguments<'_>) -> Result<Answer, Refusal> {
        const RANGE: [(&str, &str); 4] =
            [("from_ns", "from"), ("to_ns", "to"), ("iterations", "iterations"), ("region", "region")];
        let query = match tool {
            "list_traces" => return Ok(self.recordings(arguments.limit()?.unwrap_or(MAX_RECORDINGS))),
            "summary" => {
                let options = arguments.options(&[
                    ("section", "section"),
                    ("from_ns", "from"),
                    ("to_ns", "to"),
                    ("iterations", "iterations"),
                    ("region", "region"),
                    ("where", "where"),
                    ("limit", "top"),
                ])?;
                let (name, trace) = self.trace(arguments)?;
                return Ok(Answer::Text(summary::text_of(&name, &trace, &options)?));
            }
            "findings" => return self.findings(arguments),
            "tries" => {
                return Ok(Answer::Json { text: tries::ledger(&self.folders, arguments)?, note: None });
            }
            "try" => {
                let program = self.program.as_ref().ok_or(Refusal::NoTool)?;
                return Ok(Answer::Json { text: program.run(arguments)?, note: None });
            }
            "compare" => {
                let rows = arguments.limit()?.unwrap_or(comparison::MAX_ROWS);
                return Ok(Answer::Text(comparison::markdown(&self.compared(arguments, rows)?, None, rows)));
            }
            "document" => {
                let name = arguments.text("name").unwrap_or_default();
                let text = documents::text(name);
                let names =
                    || format!("no document {name:?}; the documents are {}", documents::names().join(", "));
                return Ok(Answer::Text(text.ok_or_else(names)?.to_owned()));
            }
            "ask" => arguments
                .text("question")
                .ok_or("the argument question is missing; the document QUERIES.md lists the queries")?
                .to_owned(),
            "gaps" => {
                let own =
                    [("track", "track"), ("at_ns", "at"), ("shortest_ns", "shortest"), ("limit", "limit")];
                arguments.query("gaps", &[RANGE.as_slice(), &own].concat())?
            }
            "critical_path" => {
                arguments.query("critical_path", &[RANGE.as_slice(), &[("limit", "limit")]].concat())?
            }
            "iterations" => {
                let named = arguments.query("iterations", &[("region", "region"), ("command", "command")])?;
                iterations(arguments, named)?
            }
            "select" => {
                let own = [("where", "where"), ("sort", "sort"), ("groups", "groups")];
                arguments.query("select", &[RANGE.as_slice(), &own].concat())?
            }
            "neighbourhood" => {
                arguments.number("slice")?.ok_or("the argument slice is missing: the number of a slice")?;
                arguments.query("dependences", &[("slice", "slice"), ("hops", "hops"), ("limit", "limit")])?
            }
            "sql" => arguments.query("sql", &[("statement", "query"), ("limit", "limit")])?,
            _ => return Err(Refusal::NoTool),
        };
        let limited = defaults::limited(&query)?;
        let (_, trace) = self.trace(arguments)?;
        let key = format!("{tool} {query}");
        let is_last = self.last.key == key && self.last.trace.as_ptr() == Arc::as_ptr(&trace);
        if !is_last {
            let text = match tool {
                "gaps" => match trace.question(&limited.question)? {
                    Question::Gaps(question) => gaps::answer(&trace, &question)?,
                    _ => return Err(Refusal::NoTool),
                },
                _ => answer(&trace, &limited.question)?,
            };
            self.last = Last { trace: Arc::downgrade(&trace), key, text };
        }
        let text = self.last.text.clone();
        let note = limited.note(&text);
        Ok(Answer::Json { text, note })
    }

    fn findings(&mut self, arguments: &Arguments<'_>) -> Result<Answer, Refusal> {
        let limit = arguments.limit()?.unwrap_or(MAX_FINDINGS);
        let part = arguments.part()?;
        if part.from_ns.zip(part.to_ns).is_some_and(|(from, to)| from >= to) {
            return Err("the range is empty: from_ns must be less than to_ns".to_owned().into());
        }
        let (_, trace) = self.trace(arguments)?;
        let range = trace.find_part(&part)?.map(|found| found.range);
        let question = FindingsQuestion {
            from_ns: range.as_ref().map(|range| range.start),
            to_ns: range.as_ref().map(|range| range.end),
            limit: Some(u32::try_from(limit).unwrap_or(u32::MAX)),
        };
        let found = trace.findings(&question);
        let shown = found.findings.len() as u64;
        let note = (found.more > 0)
            .then(|| format!("{shown} of {} findings. Set limit for more.", shown + found.more));
        Ok(Answer::Json { text: serde_json::to_string(&found.findings)?, note })
    }

    fn recordings(&self, limit: usize) -> Answer {
        let (recordings, has_more) = self.folders.recordings();
        if recordings.is_empty() {
            return Answer::Text(format!(
                "No recordings in {}. Make one with `syclscope record -o run.pftrace -- PROGRAM`.",
                self.folders.names()
            ));
        }
        let has_more = has_more || recordings.len() > limit;
        let traces: Vec<Value> = recordings
            .iter()
            .take(limit)
            .map(|listed| {
                let name = self.folders.name(&listed.path);
                json!({"trace": name, "bytes": listed.bytes, "modified_s": listed.modified_s})
            })
            .collect();
        Answer::Json { text: json!({"traces": traces, "has_more": has_more}).to_string(), note: None }
    }

    fn trace(&mut self, arguments: &Arguments<'_>) -> Result<(String, Arc<Trace>), Refusal> {
        let name = arguments
            .text("trace")
            .ok_or("the argument trace is missing; list_traces names the recordings")?;
        self.open(name)
    }

    fn open(&mut self, name: &str) -> Result<(String, Arc<Trace>), Refusal> {
        let path = self.folders.file(name)?;
        Ok((self.folders.name(&path), self.traces.open(&path)?))
    }

    fn compared(&mut self, arguments: &Arguments<'_>, rows: usize) -> Result<Comparison, Refusal> {
        let part = arguments.part()?;
        let (a, b) = (self.group(arguments, "a", &part)?, self.group(arguments, "b", &part)?);
        let mut comparison = Comparing::new(a, b).overview(rows);
        let shared = self.files(arguments, "a")?.intersection(&self.files(arguments, "b")?).count();
        comparison.notes.extend((shared > 0).then(|| on_both_sides(shared)));
        Ok(comparison)
    }

    fn files(&self, arguments: &Arguments<'_>, side: &str) -> Result<HashSet<PathBuf>, Refusal> {
        let names = arguments.texts(side)?;
        Ok(names.into_iter().map(|name| self.folders.file(name)).collect::<Result<_, _>>()?)
    }

    /// Reads the runs of a side; only the displayed one stays in memory.
    fn group(
        &mut self,
        arguments: &Arguments<'_>,
        side: &str,
        selection: &PartOfRun,
    ) -> Result<Group<Arc<Trace>>, Refusal> {
        let names = arguments.texts(side)?;
        let mut runs = Vec::with_capacity(names.len());
        let mut seen = HashSet::new();
        for name in &names {
            // A run that counts twice would make any difference significant.
            if !seen.insert(self.folders.file(name)?) {
                return Err(Refusal::Because(format!("{name} is given twice as a run of {side}")));
            }
            let (name, trace) = self.open(name)?;
            runs.push(Sample::with_part(&name, &trace, part_of(&name, &trace, selection)?.as_ref()));
        }
        let shown = median_run(&runs);
        let (name, trace) = self.open(names[shown])?;
        let part = part_of(&name, &trace, selection)?;
        let name = if names.len() == 1 { name } else { format!("{name} and {} more", names.len() - 1) };
        Ok(Group { name, trace, runs, shown, part })
    }

    fn picture(&mut self, arguments: &Arguments<'_>) -> Result<Content, Refusal> {
        let picture = match arguments.text("trace") {
            Some(_) => {
                let (name, trace) = self.trace(arguments)?;
                overview::picture(&name, &trace)?
            }
            None => comparison::picture(&self.compared(arguments, comparison::MAX_ROWS)?, None),
        };
        Ok(Content::Picture { png: picture.png(), words: picture.title().to_owned() })
    }
}

fn part_of(name: &str, trace: &Trace, selection: &PartOfRun) -> Result<Option<RunPart>, QueryError> {
    let in_run = |error| QueryError::InRun { run: name.to_owned(), error: Box::new(error) };
    trace.compared_part(selection).map_err(in_run)
}

fn iterations(arguments: &Arguments<'_>, mut query: String) -> Result<String, Refusal> {
    let first = arguments.number("first")?.unwrap_or(1).max(1);
    let last = arguments.number("last")?.map(|last| last.saturating_sub(first - 1));
    let limit = match (arguments.number("limit")?, last) {
        (Some(limit), Some(last)) => Some(limit.min(last)),
        (limit, last) => limit.or(last),
    };
    let pairs = [("offset", Some(first - 1)), ("limit", limit)];
    for (name, value) in pairs.into_iter().filter_map(|(name, value)| value.map(|value| (name, value))) {
        query.push(if query.contains('?') { '&' } else { '?' });
        query.extend([name, "=", value.to_string().as_str()]);
    }
    Ok(query)
}
