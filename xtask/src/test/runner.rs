//! Test runners: calls cargo, node and pytest, and sums their counts.

use std::fmt;
use std::ops::AddAssign;

use super::again::MAX_FAILURES;
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
            let calls =
                if counted.failed <= MAX_FAILURES { self.again(command, &printed) } else { Vec::new() };
            if !self.pass(workspace, name, calls, counted.failed)? {
                *tally += counted;
                return Err(failure);
            }
            say::failure(&failure);
            counted.again = self.failures(&printed);
            counted.passed += std::mem::take(&mut counted.failed);
        }
        *tally += counted;
        Ok(Done::Passed(tally.to_string()))
    }

    /// Runs `command`. Returns a failure unless some test ran and all passed.
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
                say::failure(&failure);
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

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    /// Tests that failed in this run, and passed when they alone ran again.
    pub(crate) again: Vec<String>,
}

impl Tally {
    fn new(passed: u64, failed: u64, skipped: u64) -> Self {
        Tally { passed, failed, skipped, again: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Tally::default()
    }

    /// Sums the `test result:` lines of `cargo test`.
    pub(crate) fn from_cargo(printed: &str) -> Self {
        let mut tally = Tally::default();
        for line in printed.lines().filter(|line| line.starts_with("test result:")) {
            tally.passed += number_before(line, " passed;");
            tally.failed += number_before(line, " failed;");
            tally.skipped += number_before(line, " ignored;");
        }
        tally
    }

    /// Parses the closing lines of node's test runner, in either format.
    pub(crate) fn from_node(printed: &str) -> Self {
        let closing = |name: &str| -> u64 {
            let value = |line: &str| {
                let rest = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# "))?;
                rest.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok()
            };
            printed.lines().rev().find_map(value).unwrap_or(0)
        };
        Tally::new(
            closing("pass"),
            closing("fail") + closing("cancelled"),
            closing("skipped") + closing("todo"),
        )
    }

    pub(crate) fn from_pytest(printed: &str) -> Self {
        let is_closing =
            |line: &&str| line.contains(" in ") && (line.contains(" passed") || line.contains(" failed"));
        let closing = printed.lines().rev().find(is_closing).unwrap_or_default();
        Tally::new(
            number_before(closing, " passed"),
            number_before(closing, " failed") + number_before(closing, " error"),
            number_before(closing, " skipped"),
        )
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.again.extend(other.again);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(out, ", {} skipped", self.skipped)?;
        }
        if !self.again.is_empty() {
            write!(out, ", {} only the second time: {}", self.again.len(), self.again.join(", "))?;
        }
        Ok(())
    }
}

fn number_before(line: &str, word: &str) -> u64 {
    let before = line.split(word).next().filter(|before| before.len() < line.len());
    before.and_then(|before| before.rsplit(' ').next()).and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_s_lines_are_added_up() {
        let printed = "running 2 tests\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n\
                       test result: FAILED. 10 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(Tally::from_cargo(printed), Tally::new(12, 3, 1));
        assert!(Tally::from_cargo("error: could not compile").is_empty());
    }

    #[test]
    fn node_s_closing_lines_are_read() {
        let spec = "✔ pass 7 things (1ms)\nℹ tests 6\nℹ suites 0\nℹ pass 4\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\n";
        assert_eq!(Tally::from_node(spec), Tally::new(4, 1, 1));
        assert_eq!(Tally::from_node(&spec.replace("ℹ", "#")), Tally::new(4, 1, 1));
    }

    #[test]
    fn pytest_s_closing_line_is_read() {
        let printed = "..s.F [100%]\nFAILED a - assert 'passed' in x\n1 failed, 74 passed, 2 skipped, 1 error in 44.19s\n";
        assert_eq!(Tally::from_pytest(printed), Tally::new(74, 2, 2));
        assert_eq!(Tally::from_pytest("3 passed in 0.1s"), Tally::new(3, 0, 0));
        assert!(Tally::from_pytest("no tests ran in 0.01s").is_empty());
    }

    #[test]
    fn the_closing_line_is_plain() {
        assert_eq!(Tally::new(3, 0, 0).to_string(), "3 passed, 0 failed");
        assert_eq!(Tally::new(3, 1, 2).to_string(), "3 passed, 1 failed, 2 skipped");
        let again = Tally { again: vec!["one".to_owned()], ..Tally::new(3, 0, 0) };
        assert_eq!(again.to_string(), "3 passed, 0 failed, 1 only the second time: one");
    }
}
