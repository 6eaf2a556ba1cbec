//! Facts about the machine, without which no metric is comparable.

use std::process::Command;

use serde_json::{Map, Value};

use crate::process;

pub(crate) fn facts() -> Vec<(&'static str, String)> {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    vec![
        ("cpu", field("/proc/cpuinfo", "model name").unwrap_or_else(|| "not known".to_owned())),
        ("cores", cores.to_string()),
        ("memory", memory()),
        ("kernel", answer("uname", &["-sr"])),
        ("rustc", answer("rustc", &["--version"])),
        ("load", read("/proc/loadavg").split(' ').take(3).collect::<Vec<_>>().join(" ")),
        ("commit", answer("git", &["describe", "--always", "--dirty"])),
        ("date", answer("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"])),
    ]
}

pub(crate) fn as_json(facts: &[(&'static str, String)]) -> Value {
    let members: Map<String, Value> =
        facts.iter().map(|(name, value)| ((*name).to_owned(), Value::from(value.as_str()))).collect();
    serde_json::json!({ "machine": members })
}

fn memory() -> String {
    let kibibytes: Option<f64> = field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.split(' ').next().and_then(|number| number.parse().ok()));
    kibibytes.map_or_else(|| "not known".to_owned(), |size| format!("{:.1} GiB", size / 1024.0 / 1024.0))
}

/// The value after `name :` in a file of /proc.
fn field(path: &str, name: &str) -> Option<String> {
    let text = read(path);
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn answer(program: &str, arguments: &[&str]) -> String {
    process::answer(Command::new(program).args(arguments)).unwrap_or_else(|_| "not known".to_owned())
}
