//! Retry of failed tests: a safety net for thousands of tests on a machine that may be busy.
//!
//! If few tests fail, they alone run a second time. One that passes then counts as passed, is named in the summary, and
//! its output from the first run is shown. It still needs a fix. The retry will be removed after ten full runs under
//! load that did not need it (CONTRIBUTING.md).

use std::ffi::OsString;
use std::process::Command;

use super::runner::Runner;

/// With more failures, the cause is no flakiness, and nothing runs again.
pub(super) const MAX_FAILURES: u64 = 3;

impl Runner {
    pub(super) fn failures(self, printed: &str) -> Vec<String> {
        let named = |line: &str| -> Option<String> {
            let name = match self {
                Runner::Cargo => line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?,
                Runner::Node => line.strip_prefix("test at ")?,
                Runner::Pytest => line.strip_prefix("FAILED ")?.split(" - ").next()?,
            };
            Some(name.to_owned())
        };
        printed.lines().filter_map(named).collect()
    }

    /// Returns the calls that run the failed tests of `command` again: cargo's and pytest's by name, node's by file,
    /// since tests of one file may depend on each other. Empty if something failed without a name, such as a crash.
    pub(super) fn again(self, command: &Command, printed: &str) -> Vec<Command> {
        let names = self.failures(printed);
        if names.is_empty() || matches!(self, Runner::Cargo) && has_crashed(printed) {
            return Vec::new();
        }
        let given = || command.get_args().map(OsString::from);
        let words = |words: &str| words.split(' ').map(OsString::from).collect::<Vec<_>>();
        let named = || names.iter().map(OsString::from);
        match self {
            Runner::Cargo => targets(printed)
                .map(|target| {
                    like(command, given().chain(words(target)).chain(words("-- --exact")).chain(named()))
                })
                .collect(),
            Runner::Node => {
                let files: Vec<&str> = names.iter().filter_map(|name| name.split(':').next()).collect();
                let is_wanted = |argument: &OsString| {
                    let argument = argument.to_string_lossy();
                    !argument.ends_with(".test.mjs") || files.iter().any(|file| argument.ends_with(file))
                };
                let mut again = like(command, given().filter(is_wanted));
                // The shared recording may be the fault, so each file creates its own.
                again.env_remove("RECORDINGS");
                vec![again]
            }
            Runner::Pytest => vec![like(command, given().chain(named()))],
        }
    }
}

/// True if a cargo target failed without test results, because tests that had not run yet have no name.
fn has_crashed(printed: &str) -> bool {
    let ended = printed.lines().filter(|line| line.starts_with("test result: FAILED")).count();
    let failed = printed.lines().filter(|line| line.starts_with(TO_RERUN)).count();
    ended != failed
}

/// Cargo's line for each target whose tests failed.
const TO_RERUN: &str = "error: test failed, to rerun pass";

/// Returns the targets with failed tests, in cargo's terms, without their package: the same packages must be selected
/// again, or their dependencies would be compiled with other features.
fn targets(printed: &str) -> impl Iterator<Item = &str> {
    printed.lines().filter_map(|line| {
        let quoted = line.strip_prefix(TO_RERUN)?.split('`').nth(1)?;
        quoted.strip_prefix("-p ")?.split_once(' ').map(|(_, target)| target)
    })
}

/// Returns a call of the same program in the same place with the same environment, and other arguments.
fn like(command: &Command, arguments: impl Iterator<Item = OsString>) -> Command {
    let mut alike = Command::new(command.get_program());
    alike.args(arguments);
    if let Some(folder) = command.get_current_dir() {
        alike.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => alike.env(name, value),
            None => alike.env_remove(name),
        };
    }
    alike
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(command: &Command) -> Vec<String> {
        command.get_args().map(|argument| argument.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn cargo_s_tests_run_again_by_name_in_their_targets() {
        let mut command = Command::new("cargo");
        command.args(["test", "--workspace"]).env("WITH", "1").env_remove("WITHOUT");
        let printed = "test one ... ok\ntest two::of ... FAILED\ntest result: FAILED. 1 passed; 1 failed\n\
                       error: test failed, to rerun pass `-p a-package --test it`\n";
        let [again] = &Runner::Cargo.again(&command, printed)[..] else { panic!("one target") };
        assert_eq!(arguments(again), ["test", "--workspace", "--test", "it", "--", "--exact", "two::of"]);
        assert_eq!(
            again.get_envs().map(|(name, value)| (name.to_str(), value.is_some())).collect::<Vec<_>>(),
            [(Some("WITH"), true), (Some("WITHOUT"), false)]
        );
        let printed = "test one ... FAILED\ntest result: FAILED. 0 passed; 1 failed\n\
                       error: test failed, to rerun pass `-p a-package --lib`\n\
                       test two ... FAILED\ntest result: FAILED. 0 passed; 1 failed\n\
                       error: test failed, to rerun pass `-p other --bin other`\n\
                       error: 2 targets failed:\n    `-p a-package --lib`\n    `-p other --bin other`\n";
        let again = Runner::Cargo.again(&command, printed);
        assert_eq!(again.len(), 2, "each target once");
        assert_eq!(arguments(&again[0])[2..], ["--lib", "--", "--exact", "one", "two"]);
        assert_eq!(arguments(&again[1])[2..], ["--bin", "other", "--", "--exact", "one", "two"]);
    }

    #[test]
    fn node_s_tests_run_again_by_their_file() {
        let mut command = Command::new("node");
        command
            .args(["--test", "/e2e/page/one.test.mjs", "/e2e/page/two.test.mjs"])
            .env("RECORDINGS", "/recordings");
        let printed = "✖ failing tests:\n\ntest at page/two.test.mjs:12:3\n✖ two things (3 ms)\n";
        let [again] = &Runner::Node.again(&command, printed)[..] else { panic!("one call") };
        assert_eq!(arguments(again), ["--test", "/e2e/page/two.test.mjs"]);
        assert!(
            again.get_envs().all(|(name, value)| name != "RECORDINGS" || value.is_none()),
            "a recording of its own"
        );
    }

    #[test]
    fn pytest_s_tests_run_again_by_name() {
        let mut command = Command::new("python");
        command.args(["-m", "pytest"]);
        let printed = "FAILED tests/test_a.py::test_b[1] - assert 1 == 2\n1 failed, 3 passed in 0.1s\n";
        let [again] = &Runner::Pytest.again(&command, printed)[..] else { panic!("one call") };
        assert_eq!(arguments(again), ["-m", "pytest", "tests/test_a.py::test_b[1]"]);
    }

    #[test]
    fn what_crashed_names_nothing_to_run_again() {
        let printed =
            "running 3 tests\nerror: test failed, to rerun pass `-p a --lib`\nCaused by: signal: 11\n";
        assert!(Runner::Cargo.again(&Command::new("cargo"), printed).is_empty());
        let beside = format!(
            "test one ... FAILED\ntest result: FAILED. 0 passed; 1 failed\n\
             error: test failed, to rerun pass `-p b --lib`\n{printed}"
        );
        assert!(
            Runner::Cargo.again(&Command::new("cargo"), &beside).is_empty(),
            "the other target's tests are unknown"
        );
        assert!(Runner::Node.again(&Command::new("node"), "Error: Cannot find module\n").is_empty());
    }
}
