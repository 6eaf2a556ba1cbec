//! Test runners: calls cargo, node and pytest, and sums their counts.

use super::again::FEW;
use super::tally::Tally;
use crate::prelude::*;

pub(crate) enum Done {
    Passed(String),
    Skipped(String),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Runner {
    Cargo,
    Node,
    Pytest,
}

impl Runner {
    /// Runs `command` and adds its counts to `tally`; a few failed tests run once more.
    pub(crate) fn run(
        self,
        workspace: &Workspace,
        name: &str,
        command: &mut Command,
        tally: &mut Tally,
    ) -> Result<Done> {
        let (mut counted, failure) = self.run_once(workspace, name, command)?;
        if let Some(failure) = failure {
            let printed = process::read_log(&workspace.log(name));
            let calls = if counted.failed <= FEW { self.again(command, &printed) } else { Vec::new() };
            if !self.pass(workspace, name, calls, counted.failed)? {
                *tally += counted;
                return Err(failure);
            }
            println!("{failure}\n");
            counted.again = self.failures(&printed);
            counted.passed += std::mem::take(&mut counted.failed);
        }
        *tally += counted;
        Ok(Done::Passed(tally.to_string()))
    }

    /// Runs `command`; fails unless some test ran and all passed.
    fn run_once(
        self,
        workspace: &Workspace,
        name: &str,
        command: &mut Command,
    ) -> Result<(Tally, Option<Failure>)> {
        let log = workspace.log(name);
        let status = process::logged_status(command, &log, process::PATIENCE)?;
        let printed = process::read_log(&log);
        let counted = self.count(&printed);
        let program = command.get_program().to_string_lossy();
        let what = match (status.success() && counted.failed == 0, counted.passed) {
            (true, 1..) => return Ok((counted, None)),
            (true, 0) => format!("{} ran no test", process::described(command)),
            (false, _) => format!("{program} ended with {status} ({counted})"),
        };
        Ok((counted, Some(Failure::new(what).with_output(printed).with_log(log))))
    }

    /// True if `calls` pass and run at least `failed` tests; another failure is printed.
    fn pass(self, workspace: &Workspace, name: &str, calls: Vec<Command>, failed: u64) -> Result<bool> {
        let mut passed = 0;
        for (place, mut call) in calls.into_iter().enumerate() {
            let (tally, failure) = self.run_once(workspace, &format!("{name}-again-{place}"), &mut call)?;
            if let Some(failure) = failure {
                println!("{failure}\n");
                return Ok(false);
            }
            passed += tally.passed;
        }
        Ok(passed > 0 && passed >= failed)
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
    let status = process::logged_status(command, &log, process::PATIENCE)?;
    if status.success() {
        return Ok(Done::Passed(String::new()));
    }
    Err(process::ended(command, status).with_output(process::read_log(&log)).with_log(log))
}
