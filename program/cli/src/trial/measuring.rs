//! Measurements of recorded runs: samples for the comparison, and findings.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use syclscope_language::api::{Finding, TraceInfo, has_name};

use super::ledger_folder::LedgerFolder;
use super::rounds::Recorder;
use crate::CliError;
use crate::compare::runs::Runs;
use syclscope_report::trial::{Measurement, findings_of_runs};

pub(super) fn measurement(
    folder: &LedgerFolder,
    name: &str,
    recorder: &Recorder,
) -> Result<Measurement, CliError> {
    let runs = Runs::of_folder(&folder.path().join(name), recorder.quiet)?;
    let mut findings: Vec<Vec<Finding>> = Vec::new();
    let mut platforms = BTreeSet::new();
    let mut command = None;
    for trace in runs.traces() {
        let trace = trace?;
        findings.push(trace.report().findings);
        let info = trace.info();
        platforms.extend(platform_names(&info));
        command = command.or_else(|| recorded_command(&info));
    }
    let program = base_name(&recorder.options.program);
    Ok(Measurement {
        command: command.unwrap_or_else(|| program.clone()),
        program,
        unix_s: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        commit: commit(),
        folder: name.to_owned(),
        platforms: platforms.into_iter().collect(),
        findings: findings_of_runs(findings.iter().map(Vec::as_slice)),
        runs: runs.samples,
    })
}

pub(super) fn base_name(program: &OsStr) -> String {
    Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned()
}

/// Returns the recorded command line, without secrets; `None` if it was not recorded.
fn recorded_command(info: &TraceInfo) -> Option<String> {
    let process = info.processes.first()?;
    Some(process.command_line.clone()).filter(|command| !command.is_empty())
}

fn platform_names(info: &TraceInfo) -> impl Iterator<Item = String> {
    let is_used = move |name: &str| info.queues.iter().any(|queue| has_name(&queue.device, name));
    info.devices.iter().filter(move |device| is_used(&device.name)).map(|device| device.platform.clone())
}

/// Returns the commit of the working folder, marked if there are uncommitted changes; empty without git.
fn commit() -> String {
    let words = ["describe", "--always", "--dirty", "--abbrev=9", "--exclude=*"];
    let output = Command::new("git").args(words).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let text = output.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    text.map_or_else(String::new, |text| String::from_utf8_lossy(&text).trim().to_owned())
}
