//! A client of `syclscope mcp`, with recordings to query.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::support::{Scratch, syclscope};

pub(crate) const CHARACTERS: usize = 20_000;

/// Returns the recordings that every checkout has: ours, and those of other tools.
pub(crate) fn recordings() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in [
        "e2e/traces",
        "trace/engine/tests/data",
        "trace/engine/tests/data/gpu",
        "trace/engine/tests/data/foreign",
    ] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the folder of recordings") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let is_recording =
                [".pftrace.gz", ".json.gz", ".json"].iter().any(|ending| name.ends_with(ending));
            if is_recording && name != "small.profile.json" {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

pub(crate) struct Client {
    server: Child,
    to: Option<ChildStdin>,
    from: Lines<BufReader<ChildStdout>>,
    requests: u64,
    pub(crate) called: RefCell<BTreeSet<String>>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) texts: Vec<String>,
    pub(crate) is_error: bool,
}

impl Client {
    pub(crate) fn new(scratch: &Scratch) -> Self {
        Self::with(scratch, &[])
    }

    pub(crate) fn with(scratch: &Scratch, arguments: &[&str]) -> Self {
        let mut command = syclscope(scratch);
        let mut server = command
            .args(["mcp", "."])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("syclscope runs");
        let to = server.stdin.take();
        let from = BufReader::new(server.stdout.take().expect("a pipe")).lines();
        let mut client = Self { server, to, from, requests: 0, called: RefCell::default() };
        let greeting = client.request("initialize", &json!({"protocolVersion": "2025-11-25"}));
        assert_eq!(greeting["result"]["protocolVersion"], "2025-11-25", "{greeting}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.to.as_mut().expect("a pipe"), "{message}").expect("it reads");
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let line = self.from.next().expect("a response").expect("a line");
        let response: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(response["id"], id, "{response}");
        response
    }

    /// Calls a tool, and checks the length of its answer.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Answer {
        self.called.borrow_mut().insert(tool.to_owned());
        let response = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        let result = &response["result"];
        let blocks = result["content"].as_array().unwrap_or_else(|| panic!("{tool} {arguments}: {response}"));
        let texts: Vec<String> =
            blocks.iter().filter_map(|block| block["text"].as_str().map(str::to_owned)).collect();
        let characters: usize = texts.iter().map(|text| text.chars().count()).sum();
        assert!(characters <= CHARACTERS, "{tool} {arguments}: {characters} characters");
        Answer { texts, is_error: result["isError"] == true }
    }

    /// Calls a tool that answers with text, and returns all pages as one.
    pub(crate) fn text(&mut self, tool: &str, arguments: &Value) -> String {
        let mut whole = String::new();
        for page in 1.. {
            let answer = self.call(tool, &with(arguments, page));
            assert!(!answer.is_error, "{tool} {arguments}: {answer:?}");
            whole += &answer.texts[0];
            match answer.texts.get(1) {
                Some(note) if !note.contains("the last one") => {
                    assert!(note.contains(&format!("page={}", page + 1)), "{note}");
                }
                _ => break,
            }
        }
        whole
    }

    /// Calls a tool that answers with JSON, and returns the answer from all of its pages, with their number.
    pub(crate) fn pages(&mut self, tool: &str, arguments: &Value) -> (Value, u64) {
        let mut whole = Value::Null;
        for page in 1.. {
            let answer = self.call(tool, &with(arguments, page));
            assert!(!answer.is_error, "{tool} {arguments}: {answer:?}");
            let part: Value = serde_json::from_str(&answer.texts[0]).expect("each page is JSON");
            let Some(pages) = part.get("pages").and_then(Value::as_u64) else { return (part, 1) };
            assert_eq!(part["page"], page, "{tool} {arguments}");
            match part.get("at").and_then(Value::as_str) {
                None => whole = part["answer"].clone(),
                Some(at) => append(whole.pointer_mut(at).expect("a place in the answer"), &part),
            }
            if page == pages {
                return (whole, pages);
            }
        }
        (whole, 0)
    }

    pub(crate) fn json(&mut self, tool: &str, arguments: &Value) -> Value {
        let (answer, pages) = self.pages(tool, arguments);
        assert_eq!(pages, 1, "{tool} {arguments}");
        answer
    }

    pub(crate) fn end(mut self) {
        drop(self.to.take());
        assert!(self.server.wait().expect("it ends").success());
    }
}

/// Appends a page to the list, text or object that it continues.
fn append(place: &mut Value, page: &Value) {
    let from = page["from"].as_u64().expect("a number") as usize;
    match (place, &page["answer"]) {
        (Value::Array(list), Value::Array(part)) => {
            assert_eq!(list.len(), from);
            list.extend(part.iter().cloned());
        }
        (Value::String(text), Value::String(part)) => {
            assert_eq!(text.chars().count(), from);
            text.push_str(part);
        }
        (Value::Object(members), Value::Object(part)) => {
            assert_eq!(members.len(), from);
            members.extend(part.clone());
        }
        other => panic!("{other:?}"),
    }
}

fn with(arguments: &Value, page: u64) -> Value {
    let mut arguments = arguments.clone();
    arguments["page"] = json!(page);
    arguments
}
