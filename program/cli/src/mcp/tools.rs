//! Tools for an assistant, each with its parameters.

use std::collections::HashSet;
use std::sync::Arc;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use syclscope_engine::compare::{Comparing, Group, Sample, median_run};
use syclscope_engine::store::Trace;
use syclscope_language::api::Comparison;
use syclscope_language::question::Question;

use super::folders::Folders;
use super::traces::Traces;
use crate::summary;
use syclscope_report::comparison;
use syclscope_report::overview;

/// Most characters of an answer: an assistant reads all of it.
const CHARACTERS: usize = 200_000;
/// Rows of each list of a comparison.
const ROWS: usize = 100;

/// Result of a tool.
pub(super) enum Content {
    Text(String),
    Picture { name: String, svg: String },
}

/// Why a tool gives nothing.
pub(super) enum Refusal {
    NoTool,
    Because(String),
}

impl<T: std::fmt::Display> From<T> for Refusal {
    fn from(error: T) -> Self {
        Self::Because(error.to_string())
    }
}

/// The tools, with the folders that they read in.
pub(super) struct Tools {
    folders: Folders,
    traces: Traces,
}

impl Tools {
    pub(super) fn new(folders: Folders) -> Self {
        Self { folders, traces: Traces::default() }
    }

    /// The tools as `tools/list` gives them.
    pub(super) fn list() -> Value {
        let text = |words: &str| json!({"type": "string", "description": words});
        let number = |words: &str| json!({"type": "integer", "minimum": 0, "description": words});
        let traces = |words: &str| json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "description": words});
        let trace = text("A recording, as list_traces names it");
        let tool = |name: &str, description: &str, properties: Value, required: &[&str]| {
            json!({
                "name": name,
                "description": description,
                "inputSchema": {
                    "type": "object", "properties": properties, "required": required, "additionalProperties": false,
                },
                "annotations": {"readOnlyHint": true, "openWorldHint": false},
            })
        };
        json!([
            tool(
                "list_traces",
                "Recordings that can be read, the newest first, with size and age",
                json!({}),
                &[]
            ),
            tool(
                "summary",
                "What a recording holds: kernels, copies, host waits, memory, the critical path, queues, problems",
                json!({"trace": trace}),
                &["trace"],
            ),
            tool(
                "findings",
                "What is wrong in a recorded program, with the lines of source, the evidence, the remedy and what it would gain",
                json!({"trace": trace}),
                &["trace"],
            ),
            tool(
                "select",
                "Slices that match a filter, summed up by name: counts, durations with percentiles, the longest. \
                 Filters are words such as name:gemm kind:kernel duration>1ms queue=2 category:wait file:solver.cpp",
                json!({
                    "trace": trace,
                    "where": text("The filter; without it everything"),
                    "from_ns": number("Only what lies after this"),
                    "to_ns": number("Only what lies before this"),
                    "sort": {"enum": ["total", "clipped", "self", "count", "mean", "max", "name"]},
                    "groups": number("So many groups (default 20)"),
                }),
                &["trace"],
            ),
            tool(
                "neighbourhood",
                "The part of the task graph around a command: what it waited for and what waited for it, with the reasons",
                json!({
                    "trace": trace,
                    "slice": number("The command, by the number of its slice"),
                    "hops": number("How far (default 1)"),
                }),
                &["trace", "slice"],
            ),
            tool(
                "ask",
                "The answer to any question of docs/QUERIES.md, as JSON, such as report, calls, gaps?limit=10 (why a device was idle), \
                 iterations?limit=10 (rounds of the main loop, and what is slow in them), critical_path?from=NS&to=NS&limit=20, start_up, \
                 builds?limit=20, slices?where=kind:kernel&sort=-duration&limit=20, memory_use, leaks, serialised?limit=10, \
                 kernel?name=NAME, files, lines?path=FILE, what_if?kernel=NAME&faster=2. Percent-encode parameters",
                json!({"trace": trace, "question": text("The question")}),
                &["trace", "question"],
            ),
            tool(
                "compare",
                "What changed between two runs, or two groups of runs, why, and whether it is real (five runs a side show that)",
                json!({"a": traces("Runs before"), "b": traces("Runs now")}),
                &["a", "b"],
            ),
            tool(
                "picture",
                "A picture (SVG): of one recording (trace), or of what changed between runs (a and b)",
                json!({"trace": trace, "a": traces("Runs before"), "b": traces("Runs now")}),
                &[],
            ),
        ])
    }

    /// Runs a tool.
    pub(super) fn call(&mut self, name: &str, arguments: &Value) -> Result<Content, Refusal> {
        let given = Given(arguments);
        let text = match name {
            "list_traces" => self.listed(),
            "summary" => {
                let (name, trace) = self.trace(&given)?;
                summary::whole(&name, &trace)
            }
            "findings" => {
                let (_, trace) = self.trace(&given)?;
                serde_json::to_string(&trace.report().findings)?
            }
            "select" => self.answer(&given, &given.selection()?)?,
            "neighbourhood" => {
                let (slice, hops) = (given.number("slice")?, given.number("hops")?.unwrap_or(1));
                let slice = slice.ok_or("which slice? Give its number")?;
                self.answer(&given, &format!("dependences?slice={slice}&hops={hops}"))?
            }
            "ask" => {
                let question = given.text("question").ok_or("which question? docs/QUERIES.md lists them")?;
                self.answer(&given, question)?
            }
            "compare" => comparison::markdown(&self.compared(&given)?, None),
            "picture" => return self.picture(&given),
            _ => return Err(Refusal::NoTool),
        };
        let characters = text.chars().count();
        if characters > CHARACTERS {
            return Err(Refusal::Because(format!(
                "the answer has {characters} characters, more than {CHARACTERS}: ask for less, by limit, from, to or where"
            )));
        }
        Ok(Content::Text(text))
    }

    fn listed(&self) -> String {
        let (recordings, has_more) = self.folders.recordings();
        if recordings.is_empty() {
            return format!(
                "There is no recording in {}. `syclscope record -o run.pftrace -- PROGRAM` makes one.",
                self.folders.names()
            );
        }
        let traces: Vec<Value> = recordings
            .iter()
            .map(|listed| {
                let name = self.folders.name(&listed.path);
                json!({"trace": name, "bytes": listed.bytes, "modified_s": listed.modified_s})
            })
            .collect();
        json!({"traces": traces, "has_more": has_more}).to_string()
    }

    /// The trace that is meant, with its name.
    fn trace(&mut self, given: &Given<'_>) -> Result<(String, Arc<Trace>), Refusal> {
        let name = given.text("trace").ok_or("which trace? list_traces names them")?;
        self.open(name)
    }

    fn open(&mut self, name: &str) -> Result<(String, Arc<Trace>), Refusal> {
        let path = self.folders.file(name)?;
        Ok((self.folders.name(&path), self.traces.open(&path)?))
    }

    fn answer(&mut self, given: &Given<'_>, question: &str) -> Result<String, Refusal> {
        let (_, trace) = self.trace(given)?;
        let question: Question = question.parse()?;
        Ok(trace.answer(&question)?)
    }

    fn compared(&mut self, given: &Given<'_>) -> Result<Comparison, Refusal> {
        let (a, b) = (self.group(given, "a")?, self.group(given, "b")?);
        Ok(Comparing::new(a, b).overview(ROWS))
    }

    /// The runs of a side, of which only the shown one stays in memory.
    fn group(&mut self, given: &Given<'_>, side: &str) -> Result<Group<Arc<Trace>>, Refusal> {
        let names = given.texts(side)?;
        let mut runs = Vec::with_capacity(names.len());
        let mut seen = HashSet::new();
        for name in &names {
            // One run that counts as several would make anything certain.
            if !seen.insert(self.folders.file(name)?) {
                return Err(Refusal::Because(format!("{name} is given twice as a run of {side}")));
            }
            let (name, trace) = self.open(name)?;
            runs.push(Sample::new(&name, &trace));
        }
        let shown = median_run(&runs);
        let (name, trace) = self.open(names[shown])?;
        let name = if names.len() == 1 { name } else { format!("{name} and {} more", names.len() - 1) };
        Ok(Group { name, trace, runs, shown })
    }

    fn picture(&mut self, given: &Given<'_>) -> Result<Content, Refusal> {
        if given.text("trace").is_some() {
            let (name, trace) = self.trace(given)?;
            let svg = overview::picture(&name, &trace)?;
            return Ok(Content::Picture { name, svg });
        }
        let svg = comparison::picture(&self.compared(given)?, None);
        Ok(Content::Picture { name: "comparison".to_owned(), svg })
    }
}

/// Arguments of a tool.
struct Given<'a>(&'a Value);

impl Given<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    fn number(&self, name: &str) -> Result<Option<u64>, String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value.as_u64().map(Some).ok_or_else(|| format!("{name} is a number from 0")),
        }
    }

    fn texts(&self, name: &str) -> Result<Vec<&str>, String> {
        let given = self.0.get(name);
        let texts: Option<Vec<&str>> = match given {
            Some(Value::String(text)) => Some(vec![text]),
            Some(Value::Array(items)) => items.iter().map(Value::as_str).collect(),
            _ => None,
        };
        texts
            .filter(|texts| !texts.is_empty())
            .ok_or_else(|| format!("which runs? Give {name} as a list of traces that list_traces names"))
    }

    /// The question of a selection.
    fn selection(&self) -> Result<String, String> {
        let groups = self.number("groups")?.unwrap_or(20);
        let mut question = format!("select?groups={groups}");
        for (parameter, value) in [("from", self.number("from_ns")?), ("to", self.number("to_ns")?)] {
            question.extend(value.map(|value| format!("&{parameter}={value}")));
        }
        for parameter in ["where", "sort"] {
            let encode = |text| utf8_percent_encode(text, NON_ALPHANUMERIC);
            question.extend(self.text(parameter).map(|text| format!("&{parameter}={}", encode(text))));
        }
        Ok(question)
    }
}
