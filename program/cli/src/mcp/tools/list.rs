//! Tools with their parameters, in the format of `tools/list`.

use serde_json::{Map, Value, json};

use crate::mcp::documents;
use crate::summary;

#[derive(Default)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    description: &'static str,
    /// Parameters, required ones first.
    parameters: Vec<(&'static str, Value)>,
    required: usize,
    pub(super) runs_program: bool,
    /// Parameters that make the answer smaller, as text.
    pub(super) smaller: &'static str,
}

fn text(words: &str) -> Value {
    json!({"type": "string", "description": words})
}

fn number(words: &str) -> Value {
    json!({"type": "integer", "minimum": 0, "description": words})
}

fn traces(words: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "description": words})
}

fn choice(words: &str, of: Value) -> Value {
    json!({"type": "string", "enum": of, "description": words})
}

pub(super) fn all() -> Vec<Tool> {
    let trace = || ("trace", text("Name a recording as list_traces does."));
    let from = || ("from_ns", number("Begin at this time (ns since the start of the recording)."));
    let to = || ("to_ns", number("End at this time (ns)."));
    let iterations =
        || ("iterations", text("Choose iterations of the main loop in place of times, such as 3 or 5-120."));
    let region = || ("region", text("Choose the time of the regions of this name; NAME#3 is the third one."));
    let limit = |words: &str| ("limit", number(words));
    vec![
        Tool {
            name: "list_traces",
            description: "List the recordings that can be read, the newest first, with size (bytes) and age.",
            parameters: vec![limit("Maximum number of recordings (default 100).")],
            smaller: "limit",
            ..Tool::default()
        },
        Tool {
            name: "summary",
            description: "Sum up a recording as text: kernels, iterations, start-up, builds, copies, host waits, memory, the critical \
                          path, idle time, findings, problems.",
            parameters: vec![
                trace(),
                ("section", choice("Choose one section.", json!(summary::sections()))),
                from(),
                to(),
                iterations(),
                region(),
                ("where", text("Choose slices by a filter, such as name:gemm duration>1ms.")),
                limit("Maximum number of rows in a table (default 20)."),
            ],
            required: 1,
            smaller: "section or limit",
            ..Tool::default()
        },
        Tool {
            name: "findings",
            description: "List probable faults of the recorded program: errors first, then those of steady iterations, then others, \
                          each by gain, with lines of source, evidence, remedy and gain (ns). Start here to choose a fix.",
            parameters: vec![
                trace(),
                from(),
                to(),
                iterations(),
                region(),
                limit("Maximum number of findings (default 10)."),
            ],
            required: 1,
            smaller: "limit, or a range",
            ..Tool::default()
        },
        Tool {
            name: "gaps",
            description: "Explain why devices, a queue or a thread were idle: idle time by class of cause, and the longest \
                          gaps, each explained, with its longest parts.",
            parameters: vec![
                trace(),
                ("track", number("Choose a device, queue or thread by its track (default: all devices).")),
                from(),
                to(),
                iterations(),
                region(),
                ("at_ns", number("Choose only the gap around this time (ns).")),
                ("shortest_ns", number("Leave out shorter gaps (ns).")),
                limit("Maximum number of gaps (default 8)."),
            ],
            required: 1,
            smaller: "limit, shortest_ns, from_ns or to_ns",
            ..Tool::default()
        },
        Tool {
            name: "iterations",
            description: "Find the iterations of the main loop: warm-up, durations of steady ones, the slowest, and the steps of the \
                          critical path in them (ns).",
            parameters: vec![
                trace(),
                ("region", text("Take the regions of this name as iterations.")),
                ("command", text("Begin an iteration where a command of this name starts.")),
                ("first", number("List iterations from this number on (default 1).")),
                ("last", number("List iterations up to this number.")),
                limit("Maximum number of iterations (default 20)."),
            ],
            required: 1,
            smaller: "limit, first or last",
            ..Tool::default()
        },
        Tool {
            name: "critical_path",
            description: "Show the critical path of the run, or of a range of it: the chain of commands, submissions, calls and waits that \
                          determined its duration. The steps add up to that duration.",
            parameters: vec![
                trace(),
                from(),
                to(),
                iterations(),
                region(),
                limit("Maximum number of steps, longest first (default 20)."),
            ],
            required: 1,
            smaller: "limit, from_ns or to_ns",
            ..Tool::default()
        },
        Tool {
            name: "select",
            description: "Sum up the slices that match a filter by name: counts, durations with percentiles (ns), the longest. \
                          Filters are words such as name:gemm kind:kernel duration>1ms queue=2 category:wait file:solver.cpp.",
            parameters: vec![
                trace(),
                ("where", text("Choose slices by a filter (default: all).")),
                from(),
                to(),
                iterations(),
                region(),
                (
                    "sort",
                    choice(
                        "Order groups.",
                        json!(["total", "clipped", "self", "count", "mean", "max", "name"]),
                    ),
                ),
                ("groups", number("Maximum number of groups (default 20).")),
            ],
            required: 1,
            smaller: "groups, where, from_ns or to_ns",
            ..Tool::default()
        },
        Tool {
            name: "neighbourhood",
            description: "Show the task graph around a command: its dependences and its dependents, with the reasons.",
            parameters: vec![
                trace(),
                ("slice", number("Name the command by the number of its slice.")),
                ("hops", number("Maximum distance in dependences (default 1).")),
                limit("Maximum number of dependences (default 20)."),
            ],
            required: 2,
            smaller: "limit or hops",
            ..Tool::default()
        },
        Tool {
            name: "ask",
            description: "Answer any query of the document QUERIES.md, as JSON, such as report, calls, start_up, energy, regions, builds?limit=20, \
                          slices?where=kind:kernel&sort=-duration&limit=20, memory_use, leaks, serialised?limit=10, kernel?name=NAME, \
                          files, lines?path=FILE, what_if?kernel=NAME&faster=2. An empty query lists tracks, queues and kernels.",
            parameters: vec![
                trace(),
                ("question", text("Write the query, with percent-encoded parameters.")),
            ],
            required: 2,
            smaller: "limit, from, to or where in the query, if it has them",
            ..Tool::default()
        },
        Tool {
            name: "sql",
            description: "Select rows from the recording's tables with one statement of SQL (SQLite's): executions, slices, calls, nodes, \
                          queues, allocations and others, times in ns. Without a statement: the tables with their columns. The \
                          document SQL.md has examples.",
            parameters: vec![
                trace(),
                ("statement", text("Write a SELECT.")),
                limit("Maximum number of rows (default 100)."),
            ],
            required: 1,
            smaller: "limit, fewer columns, or a condition in the statement",
            ..Tool::default()
        },
        Tool {
            name: "compare",
            description: "Compare two runs, or two groups of runs: what changed, why, and whether it is significant (that takes five \
                          runs per side). Compares whole runs, or the same part of each.",
            parameters: vec![
                ("a", traces("The runs before.")),
                ("b", traces("The runs after.")),
                from(),
                to(),
                iterations(),
                region(),
                limit("Maximum number of rows in each table (default 12)."),
            ],
            required: 2,
            smaller: "limit",
            ..Tool::default()
        },
        Tool {
            name: "tries",
            description: "Read the ledger of `syclscope try`: findings with their predicted gains, each try with the achieved gain, its \
                          interval and verdict, and the same by rule.",
            parameters: vec![(
                "ledger",
                text("Name the ledger's folder or file (default: ledger.json or syclscope-try in a folder)."),
            )],
            ..Tool::default()
        },
        Tool {
            name: "try",
            description: "Run the user's program several times and compare with the runs before: the first call begins the ledger, each \
                          later one tries the change that was made since. Takes as long as the runs do. Tool tries has the ledger.",
            parameters: vec![
                ("finding", text("Name the finding under test by its number or id.")),
                ("remedy", text("Try a remedy of the runtime (document TRY.md) and no change.")),
                ("repeat", number("Number of runs per side (default 5).")),
            ],
            runs_program: true,
            ..Tool::default()
        },
        Tool {
            name: "picture",
            description: "Draw a recording (trace), or the change between runs (a and b).",
            parameters: vec![trace(), ("a", traces("The runs before.")), ("b", traces("The runs after."))],
            ..Tool::default()
        },
        Tool {
            name: "document",
            description: "Read a manual: SKILL.md for the steps of an investigation, QUERIES.md for queries and filters, FINDINGS.md for rules.",
            parameters: vec![("name", choice("Name the manual.", json!(documents::names())))],
            required: 1,
            ..Tool::default()
        },
    ]
}

impl Tool {
    pub(super) fn parameter_names(&self) -> Vec<&'static str> {
        self.parameters.iter().map(|(name, _)| *name).chain(self.is_paged().then_some("page")).collect()
    }

    fn is_paged(&self) -> bool {
        // Another page of a try would be another try.
        self.name != "picture" && !self.runs_program
    }

    /// Returns the tool in the format of `tools/list`.
    pub(super) fn entry(self) -> Value {
        let required: Vec<&str> = self.parameters[..self.required].iter().map(|(name, _)| *name).collect();
        let page = json!({"type": "integer", "minimum": 1, "description": "Choose a page of a long answer (default 1)."});
        let page = self.is_paged().then_some(("page", page));
        let properties: Map<String, Value> = self
            .parameters
            .iter()
            .cloned()
            .chain(page)
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        json!({
            "name": self.name,
            "description": self.description,
            "inputSchema": {
                "type": "object", "properties": properties, "required": required, "additionalProperties": false,
            },
            "annotations": {
                "readOnlyHint": !self.runs_program, "destructiveHint": false, "openWorldHint": self.runs_program,
            },
        })
    }
}
