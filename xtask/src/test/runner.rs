//! Test runners: cargo, node and pytest run tests, each once; here they are called and what they count is added up.

use std::process::Command;
use std::time::Duration;

use super::tally::Tally;
use crate::failure::{Failure, Result};
use crate::process;
use crate::workspace::Workspace;

/// Longer than any step takes on two cores with nothing built.
pub(super) const LIMIT: Duration = Duration::from_secs(40 * 60);

/// How a step ended, if it did not fail.
pub(crate) enum Done {
    Passed(String),
    Skipped(String),
}

/// Who runs tests.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Runner {
    Cargo,
    Node,
    Pytest,
}

impl Runner {
    /// Runs `command` and adds what it counted to `tally`.
    pub(crate) fn run(
        self,
        workspace: &Workspace,
        name: &str,
        command: &mut Command,
        tally: &mut Tally,
    ) -> Result<Done> {
        let log = workspace.log(name);
        let status = process::logged_status(command, &log, LIMIT)?;
        let printed = process::read_log(&log);
        let counted = self.count(&printed);
        let has_passed = status.success() && counted.failed == 0 && counted.passed > 0;
        *tally += counted;
        if has_passed {
            return Ok(Done::Passed(tally.to_string()));
        }
        let program = command.get_program().to_string_lossy();
        let what = if status.success() && counted.failed == 0 {
            format!("{} ran no test", process::described(command))
        } else {
            format!("{program} ended with {status} ({counted})")
        };
        Err(Failure::new(what).with_output(printed).with_log(log))
    }

    fn count(self, printed: &str) -> Tally {
        match self {
            Runner::Cargo => Tally::from_cargo(printed),
            Runner::Node => Tally::from_node(printed),
            Runner::Pytest => Tally::from_pytest(printed),
        }
    }
}

/// Runs a command that prints no count of its own.
pub(super) fn check(workspace: &Workspace, name: &str, command: &mut Command) -> Result<Done> {
    let log = workspace.log(name);
    let status = process::logged_status(command, &log, LIMIT)?;
    if status.success() {
        return Ok(Done::Passed(String::new()));
    }
    let failure = Failure::new(format!("{} ended with {status}", process::described(command)));
    Err(failure.with_output(process::read_log(&log)).with_log(log))
}
