//! Facts of a recording from its events, as `syclscope convert --to json` writes them, to compare answers with.

use std::collections::HashMap;

use serde_json::Value;

use crate::support::{Scratch, stderr, syclscope};

pub(super) struct Exported {
    events: Vec<Value>,
}

pub(super) struct Execution {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    pub(super) bytes: u64,
}

impl Exported {
    pub(super) fn read(scratch: &Scratch, name: &str) -> Self {
        let json = format!("{name}.exported");
        let output = syclscope(scratch)
            .args(["convert", name, "--to", "json", "--force", "-o", &json])
            .output()
            .expect("syclscope runs");
        assert!(output.status.success(), "{}", stderr(&output));
        let text = std::fs::read_to_string(scratch.path(&json)).expect("the export");
        let mut whole: Value = serde_json::from_str(&text).expect("JSON");
        let events = match &mut whole {
            Value::Object(members) => members.remove("traceEvents").expect("events"),
            list => list.take(),
        };
        Self { events: serde_json::from_value(events).expect("a list") }
    }

    fn of_category<'a>(&'a self, category: &'a str) -> impl Iterator<Item = &'a Value> {
        self.events.iter().filter(move |event| {
            event["cat"].as_str().is_some_and(|names| names.split(',').any(|name| name == category))
        })
    }

    pub(super) fn end_ns(&self) -> u64 {
        ns(&self.of_category("sycl.finish").next().expect("an end")["ts"])
    }

    /// Returns the executions, ordered by start.
    pub(super) fn executions(&self) -> Vec<Execution> {
        let read = |event: &Value| {
            let start_ns = ns(&event["ts"]);
            Execution {
                name: event["name"].as_str().unwrap_or_default().to_owned(),
                kind: event["args"]["kind"].as_str().unwrap_or_default().to_owned(),
                start_ns,
                end_ns: start_ns + ns(&event["dur"]),
                bytes: event["args"]["bytes"].as_u64().unwrap_or_default(),
            }
        };
        let mut executions: Vec<Execution> = self.of_category("sycl.execution").map(read).collect();
        executions.sort_by_key(|execution| execution.start_ns);
        executions
    }

    pub(super) fn idle(&self, from_ns: u64, to_ns: u64) -> Vec<(u64, u64)> {
        let (mut idle, mut busy_until) = (Vec::new(), from_ns);
        for Execution { start_ns, end_ns, .. } in self.executions() {
            if start_ns.min(to_ns) > busy_until {
                idle.push((busy_until, start_ns.min(to_ns)));
            }
            busy_until = busy_until.max(end_ns);
        }
        if to_ns > busy_until {
            idle.push((busy_until, to_ns));
        }
        idle
    }

    pub(super) fn unreleased(&self) -> (u64, u64) {
        let mut live: HashMap<&str, u64> = HashMap::new();
        for event in &self.events {
            let pointer = event["args"]["pointer"].as_str().unwrap_or_default();
            match event["cat"].as_str() {
                Some("sycl.allocation") => {
                    live.insert(pointer, event["args"]["size_bytes"].as_u64().expect("a size"));
                }
                Some("sycl.release") => {
                    live.remove(pointer);
                }
                _ => {}
            }
        }
        (live.len() as u64, live.values().sum())
    }
}

/// Returns a time of an event, which is in microseconds, in ns.
fn ns(time: &Value) -> u64 {
    (time.as_f64().expect("a time") * 1_000.0).round() as u64
}

pub(super) fn length(stretches: &[(u64, u64)]) -> u64 {
    stretches.iter().map(|(from, to)| to - from).sum()
}

/// Returns the median by nearest rank.
pub(super) fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values[values.len().div_ceil(2) - 1]
}
