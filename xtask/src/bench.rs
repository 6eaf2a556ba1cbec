//! `cargo xtask bench`: metrics with their baselines, and facts about the machine.

mod figure;
mod recorder;
mod traces;

use serde_json::{Value, json};

use crate::prelude::*;
use figure::Figure;

type Benchmark = fn(&Workspace) -> Result<Vec<Figure>>;

/// Benchmark of `tiles --large`. It is not part of `all`, because few machines have the memory.
pub(crate) const LARGE: &str = "large";

const BENCHMARKS: &[(&str, Benchmark)] = &[
    ("import", traces::import),
    ("tiles", traces::tiles),
    (LARGE, traces::large_tiles),
    ("memory", traces::memory),
    ("served", traces::served),
    ("graph", traces::graph),
    ("compare", traces::compare),
    ("recorder", recorder::run),
    ("page", traces::page),
    ("viewers", traces::viewers),
];

/// Runs the benchmarks in `names`, separated by commas, or `all`; `json` is a file for the same results as JSON lines.
/// A failure does not stop the others.
pub(crate) fn run(workspace: &Workspace, names: &str, json: Option<&Path>) -> Result<()> {
    let wanted: Vec<&str> = names.split(',').collect();
    if let Some(unknown) =
        wanted.iter().find(|name| **name != "all" && BENCHMARKS.iter().all(|(known, _)| known != *name))
    {
        let known: Vec<&str> = BENCHMARKS.iter().map(|(name, _)| *name).collect();
        return Err(Failure::new(format!("there is no benchmark {unknown}"))
            .with_remedy(format!("choose one of {}, or all", known.join(", "))));
    }
    let is_wanted = |known: &str| wanted.contains(&known) || (wanted.contains(&"all") && known != LARGE);
    let facts = facts();
    let (mut figures, mut failed) = (Vec::new(), None);
    for (name, benchmark) in BENCHMARKS.iter().filter(|(known, _)| is_wanted(known)) {
        match benchmark(workspace) {
            Ok(measured) => figures.extend(measured),
            Err(failure) => {
                say::begins("failed", name, "its figures are missing below");
                failed = failed.or(Some(failure));
            }
        }
    }
    say::heading("\nmachine");
    for (fact, value) in &facts {
        println!("  {fact:<10} {value}");
    }
    println!("\n{}", figure::table(&figures));
    if let Some(path) = json {
        let facts = json!({ "machine": facts.into_iter().collect::<Value>() });
        let lines = std::iter::once(facts).chain(figures.iter().map(Figure::to_json));
        files::write(path, lines.map(|line| format!("{line}\n")).collect::<String>())?;
    }
    failed.map_or(Ok(()), Err)
}

/// Returns facts about the machine, without which no metric is comparable.
fn facts() -> Vec<(&'static str, String)> {
    let answer =
        |program: &str, arguments: &[&str]| process::answer(Command::new(program).args(arguments)).ok();
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    // The value after `name :`.
    let field = |path: &str, name: &str| {
        let text = read(path);
        let line = text.lines().find(|line| line.starts_with(name))?;
        line.split_once(':').map(|(_, value)| value.trim().to_owned())
    };
    let kibibytes = field("/proc/meminfo", "MemTotal");
    let kibibytes = kibibytes.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    let facts = [
        ("cpu", field("/proc/cpuinfo", "model name")),
        ("cores", std::thread::available_parallelism().ok().map(|cores| cores.to_string())),
        ("memory", kibibytes.map(|size| format!("{:.1} GiB", size / 1024.0 / 1024.0))),
        ("kernel", answer("uname", &["-sr"])),
        ("rustc", answer("rustc", &["--version"])),
        ("load", Some(read("/proc/loadavg").split(' ').take(3).collect::<Vec<_>>().join(" "))),
        ("commit", answer("git", &["describe", "--always", "--dirty"])),
        ("date", answer("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"])),
    ];
    facts.map(|(name, value)| (name, value.unwrap_or_else(|| "not known".to_owned()))).into()
}
