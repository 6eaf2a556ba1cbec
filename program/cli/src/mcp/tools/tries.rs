//! Tries for an assistant: the ledger of `syclscope try`, and new tries of the program that the user named.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use syclscope_report::trial::{LEDGER_FILE, LEDGER_FOLDER, Ledger, LedgerView};

use super::{Arguments, Refusal};
use crate::mcp::folders::Folders;
use crate::record::Libraries;

/// Exit code of a try without a result.
const FAILED: i32 = 3;
/// Maximum number of characters of a try's messages; longer ones lose their beginning.
const MAX_MESSAGES: usize = 1_500;
const MAX_FINDINGS: usize = 10;
const MAX_RUNS: u64 = 100;

#[derive(Debug)]
pub(in crate::mcp) struct Program {
    /// The program and its arguments, after options of `syclscope try`.
    words: Vec<OsString>,
    ledger: PathBuf,
}

impl Program {
    /// Returns the program of the command line; `None` if there is none. Its ledger is in a readable folder.
    pub(in crate::mcp) fn new(
        program: Vec<OsString>,
        libraries: &Libraries,
        folders: &Folders,
    ) -> Option<Self> {
        if program.is_empty() {
            return None;
        }
        let options = [("--xptifw", &libraries.xptifw), ("--subscriber", &libraries.subscriber)];
        let options =
            options.into_iter().filter_map(|(name, path)| Some([name.into(), path.clone()?.into()]));
        let words = options.flatten().chain(std::iter::once("--".into())).chain(program).collect();
        Some(Self { words, ledger: folders.first()?.join(LEDGER_FOLDER) })
    }

    /// Runs `syclscope try` as the user would. Returns the tries, or the findings if there are none, with the
    /// messages.
    pub(super) fn run(&self, arguments: &Arguments<'_>) -> Result<String, Refusal> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("try").arg("--ledger").arg(&self.ledger).args(["--format", "json"]);
        if let Some(runs) = arguments.number("repeat")? {
            command.args(["--repeat", &runs.clamp(1, MAX_RUNS).to_string()]);
        }
        for option in ["finding", "remedy"] {
            if let Some(text) = arguments.word(option)? {
                command.arg(format!("--{option}={text}"));
            }
        }
        let output = command.args(&self.words).stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        let messages = last(said.trim_end());
        let code = output.status.code().unwrap_or(FAILED);
        match serde_json::from_slice::<Value>(&output.stdout) {
            Ok(ledger) if code != FAILED => {
                Ok(json!({"exit_code": code, "tried": last_tries(&ledger), "findings": findings(&ledger), "messages": messages})
                    .to_string())
            }
            _ => Err(messages.into()),
        }
    }
}

/// Reads a ledger in the folders: the named one, else the first in the default locations of `syclscope try`.
pub(super) fn ledger(folders: &Folders, arguments: &Arguments<'_>) -> Result<String, Refusal> {
    let path = match arguments.text("ledger") {
        Some(name) => {
            let inside = Path::new(name).join(LEDGER_FILE);
            folders.file(&inside.to_string_lossy()).or_else(|_| folders.file(name))?
        }
        None => [LEDGER_FILE.to_owned(), format!("{LEDGER_FOLDER}/{LEDGER_FILE}")]
            .iter()
            .find_map(|name| folders.file(name).ok())
            .ok_or("no ledger found: `syclscope try -- ./program` creates one in syclscope-try")?,
    };
    let text = String::from_utf8_lossy(&std::fs::read(&path)?).into_owned();
    let ledger = Ledger::read(&text).map_err(|error| format!("{}: {error}", folders.name(&path)))?;
    Ok(serde_json::to_string(&LedgerView::new(&ledger))?)
}

/// Returns the tries whose recordings are in the last folder, since several remedies are tried together.
fn last_tries(ledger: &Value) -> Vec<&Value> {
    let attempts = ledger["attempts"].as_array().map(Vec::as_slice).unwrap_or_default();
    let runs = |attempt: &Value| {
        attempt["folder"].as_str().and_then(|name| name.split('/').next()).map(str::to_owned)
    };
    let Some(last) = attempts.last().map(runs) else { return Vec::new() };
    attempts.iter().filter(|attempt| runs(attempt) == last).collect()
}

/// Returns the first findings of the baseline if nothing was tried yet.
fn findings(ledger: &Value) -> Vec<&Value> {
    let is_first = ledger["attempts"].as_array().is_none_or(Vec::is_empty);
    let all = ledger["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    all.iter().take(if is_first { MAX_FINDINGS } else { 0 }).collect()
}

fn last(text: &str) -> String {
    let begin = text.char_indices().rev().nth(MAX_MESSAGES - 1).map_or(0, |(at, _)| at);
    text[begin..].to_owned()
}
