//! `cargo xtask soak`: the full tests of the server and of the recorder's guarantees, which take hours, on everything
//! available.
//!
//! These are the tests of `cargo xtask test` at full size, with `SYCLSCOPE_SOAK` set: two hundred kills instead of a
//! few, gigabytes instead of megabytes.

use crate::artefacts::program::Profile;
use crate::artefacts::{examples, program};
use crate::prelude::*;
use crate::setup::{self, Scope};
use crate::test::end_to_end::{self, SERVER_TESTS};

/// Soaked tests of the recorder: killed programs, and the accuracy of times of devices with different clocks.
const RECORDER: [&str; 2] = ["endings", "devices"];

/// Soaked tests of recordings: killed programs, the order of commands that host tasks hold back, dpnp's own tests.
const RECORDINGS: [&str; 3] = ["killed.test.mjs", "held_back.test.mjs", "dpnp_suite.test.mjs"];

/// Builds the program and runs each test file whose name contains one of `only`, or all; each prints its work.
pub(crate) fn run(workspace: &Workspace, only: &[String]) -> Result<()> {
    let is_wanted = |name: &str| only.is_empty() || only.iter().any(|only| name.contains(only.as_str()));
    let recorders: Vec<&str> = RECORDER.into_iter().filter(|name| is_wanted(name)).collect();
    if !recorders.is_empty() {
        let log = "soak-recorder";
        // Builds the programs of its tests.
        let mut build = workspace.cargo();
        build.args(["build", "-p", "syclscope-subscriber", "--lib", "--examples"]);
        process::logged_status(&mut build, &workspace.log(log), process::PATIENCE)?;
        let mut tests = workspace.cargo();
        tests.args(["test", "-p", "syclscope-subscriber"]);
        tests.args(recorders.iter().flat_map(|name| ["--test", *name])).args(["--", "--nocapture"]);
        if !pass(workspace, log, &mut tests)? {
            return Err(Failure::new(format!("failed: the recorder's {}", recorders.join(", "))));
        }
        if !only.is_empty() {
            return Ok(());
        }
    }
    let mut specs = end_to_end::specs(&workspace.root.join(SERVER_TESTS))?;
    specs.extend(RECORDINGS.map(|name| workspace.root.join("e2e/recording").join(name)));
    let specs = select(specs, only)?;
    setup::run(workspace, Scope::Soak)?;
    program::build(workspace)?;
    examples::build(workspace)?;
    let mut failed = Vec::new();
    for spec in specs {
        let name = files::stem(&spec);
        let mut command = end_to_end::node_tests(workspace, Profile::Release)?;
        if !pass(workspace, &format!("soak-{name}"), command.arg(&spec))? {
            failed.push(name);
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure::new(format!("failed: {}", failed.join(", ")))) }
}

/// Runs tests at full size, and prints their output; true if they pass.
fn pass(workspace: &Workspace, name: &str, command: &mut Command) -> Result<bool> {
    let log = workspace.log(name);
    let status = process::logged_status(command.env("SYCLSCOPE_SOAK", "1"), &log, process::PATIENCE)?;
    println!("{}", process::read_log(&log));
    Ok(status.success())
}

fn select(specs: Vec<PathBuf>, only: &[String]) -> Result<Vec<PathBuf>> {
    let is_chosen =
        |spec: &PathBuf| only.is_empty() || only.iter().any(|only| files::name(spec).contains(only));
    let names = specs.iter().map(|spec| files::name(spec)).collect::<Vec<_>>().join(", ");
    let chosen: Vec<_> = specs.into_iter().filter(is_chosen).collect();
    if chosen.is_empty() {
        return Err(
            Failure::new("no file of tests has such a name").with_remedy(format!("choose one of {names}"))
        );
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_chosen_by_a_part_of_their_name() {
        let specs = || vec![PathBuf::from("a/copies.test.mjs"), PathBuf::from("a/killed.test.mjs")];
        assert_eq!(select(specs(), &[]).unwrap(), specs());
        assert_eq!(select(specs(), &["kill".into()]).unwrap(), [PathBuf::from("a/killed.test.mjs")]);
        let failure = select(specs(), &["nothing".into()]).unwrap_err();
        assert!(failure.to_string().contains("copies.test.mjs"), "{failure}");
    }
}
