//! Running tests and counting them.

use std::process::Command;
use std::time::Duration;

use super::done::Done;
use super::runner::{FEW, Runner};
use super::tally::Tally;
use crate::failure::{Failure, Result};
use crate::process;
use crate::workspace::Workspace;

/// Longer than any step takes on two cores with nothing built.
pub(super) const LIMIT: Duration = Duration::from_secs(30 * 60);

/// Runs a test runner and adds what it counted to `tally`. Where few tests fail, they run once more.
pub(super) fn counted(
    workspace: &Workspace,
    name: &str,
    command: &mut Command,
    runner: Runner,
    tally: &mut Tally,
) -> Result<Done> {
    let (mut counted, failure) = run_once(workspace, name, command, runner)?;
    if let Some(failure) = failure {
        let printed = process::read_log(&workspace.log(name));
        let has_passed = counted.failed <= FEW
            && has_passed_again(workspace, name, command, runner, &printed, counted.failed)?;
        if !has_passed {
            *tally += counted;
            return Err(failure);
        }
        println!("{failure}\n");
        counted.again = runner.failures(&printed);
        counted.passed += std::mem::take(&mut counted.failed);
    }
    if counted.passed == 0 {
        let failure = Failure::new(format!("{} ran no test", process::described(command)));
        return Err(failure.with_log(workspace.log(name)));
    }
    *tally += counted;
    Ok(Done::Passed(tally.to_string()))
}

/// Runs a test runner; how it ended is a failure unless all has passed.
fn run_once(
    workspace: &Workspace,
    name: &str,
    command: &mut Command,
    runner: Runner,
) -> Result<(Tally, Option<Failure>)> {
    let log = workspace.log(name);
    let status = process::logged_status(command, &log, LIMIT)?;
    let printed = process::read_log(&log);
    let tally = runner.count(&printed);
    if status.success() && tally.failed == 0 {
        return Ok((tally, None));
    }
    let program = command.get_program().to_string_lossy();
    let failure = Failure::new(format!("{program} ended with {status} ({tally})"));
    Ok((tally, Some(failure.with_output(printed).with_log(log))))
}

/// Whether all that failed passes when it alone runs again. Where it fails again, that is printed, too.
fn has_passed_again(
    workspace: &Workspace,
    name: &str,
    command: &Command,
    runner: Runner,
    printed: &str,
    failed: u64,
) -> Result<bool> {
    let mut calls = runner.again(command, printed);
    let mut passed = 0;
    for (place, call) in calls.iter_mut().enumerate() {
        let (tally, failure) = run_once(workspace, &format!("{name}-again-{place}"), call, runner)?;
        if let Some(failure) = failure {
            println!("{failure}\n");
            return Ok(false);
        }
        passed += tally.passed;
    }
    Ok(passed >= failed)
}
