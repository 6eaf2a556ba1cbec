//! `cargo xtask test --changed`: the checks and tests that changed files can break, in minutes.
//!
//! Changed crates, and crates that read a changed file outside of the crates, are tested. Changed crates and their
//! dependents are checked by clippy. Tests of built artefacts run if they themselves changed and the artefacts exist.

use std::collections::BTreeSet;

use super::runner::{Done, Runner, Tally, check};
use super::{Performed, Report, end_to_end, steps};
use crate::artefacts::page;
use crate::artefacts::program::Profile;
use crate::prelude::*;
use crate::setup::rustup::{self, WASM};

const FOR_BROWSERS: &[&str] =
    &["syclscope-language", "syclscope-engine", "syclscope-frontend", "syclscope-worker"];

/// Runs the checks and tests for files that differ from `revision`, including untracked ones.
pub(super) fn run(workspace: &Workspace, revision: &str) -> Result<()> {
    let files = files(workspace, revision)?;
    if files.is_empty() {
        return Err(Failure::new(format!("nothing differs from {revision}"))
            .with_remedy("name another revision (`cargo xtask test --changed REVISION`), or leave out --changed to run everything"));
    }
    let plan = Plan::new(workspace, &files);
    say::heading(&format!("{} changed: {plan}", count(files.len(), "file")));
    let mut report = Report::default();
    plan.perform(workspace, &mut report);
    println!("\n{}", report.tally);
    println!("not run: what only built artefacts show (`cargo xtask test`)");
    report.result()
}

/// Returns every file that differs from `revision`, relative to the root.
fn files(workspace: &Workspace, revision: &str) -> Result<Vec<PathBuf>> {
    let git = |arguments: &[&str]| {
        process::answer(Command::new("git").current_dir(&workspace.root).args(arguments))
    };
    let changed = git(&["diff", "--name-only", "--relative", revision])?;
    let untracked = git(&["ls-files", "--others", "--exclude-standard"])?;
    let files: BTreeSet<_> = changed.lines().chain(untracked.lines()).map(PathBuf::from).collect();
    Ok(files.into_iter().collect())
}

#[derive(Debug, Default, PartialEq)]
struct Plan {
    tested: Vec<String>,
    /// The changed crates, and all that depend on them.
    checked: Vec<String>,
    specs: Vec<PathBuf>,
    has_python: bool,
}

impl Plan {
    fn new(workspace: &Workspace, files: &[PathBuf]) -> Self {
        let mut plan = Plan::default();
        let is_for_all = |file: &PathBuf| {
            ["Cargo.toml", "Cargo.lock", ".cargo/config.toml"].iter().any(|name| file == Path::new(name))
        };
        for file in files {
            let is_spec = file.to_string_lossy().ends_with(".test.mjs");
            if is_spec && workspace.root.join(file).is_file() {
                plan.specs.push(workspace.root.join(file));
            }
            plan.has_python |= file.starts_with("python");
            let crates = match workspace.package_of(file) {
                Some(name) => vec![name.to_owned()],
                None if is_for_all(file) => workspace.packages.iter().map(|one| one.name.clone()).collect(),
                None => Vec::new(),
            };
            plan.tested.extend(crates);
        }
        plan.tested.sort();
        plan.tested.dedup();
        plan.checked = workspace.built_of(&plan.tested);
        // A changed document can break the tests that read it, but not clippy.
        let outside = files.iter().filter(|file| workspace.package_of(file).is_none());
        plan.tested.extend(outside.flat_map(|file| workspace.readers_of(file)));
        plan.tested.sort();
        plan.tested.dedup();
        plan
    }

    fn perform(&self, workspace: &Workspace, report: &mut Report) {
        let mut perform = |name, run: &mut dyn FnMut(&mut Tally) -> Result<Done>| {
            report.add(Performed::by(name, run));
        };
        let cargo = |words: &[&str], names: &[&String], rest: &[&str]| {
            let mut command = workspace.cargo();
            command.args(words).args(names.iter().flat_map(|name| ["--package", name.as_str()])).args(rest);
            command
        };
        perform("format", &mut |tally| steps::format(workspace, tally));
        perform("architecture", &mut |tally| steps::architecture(workspace, tally));
        let tested: Vec<&String> = self.tested.iter().filter(|name| *name != "xtask").collect();
        if !tested.is_empty() {
            let mut command = cargo(&["test", "--locked", "--no-fail-fast"], &tested, &[]);
            perform("tests", &mut |tally| Runner::Cargo.run(workspace, "changed-tests", &mut command, tally));
        }
        let checked: Vec<&String> = self.checked.iter().collect();
        let no_warning = ["--", "-D", "warnings"];
        if !checked.is_empty() {
            let mut command = cargo(&["clippy", "--locked", "--all-targets"], &checked, &no_warning);
            perform("clippy", &mut |_| check(workspace, "changed-clippy", &mut command));
        }
        let is_for_browsers = |name: &&String| FOR_BROWSERS.contains(&name.as_str());
        let for_browsers: Vec<&String> = self.checked.iter().filter(is_for_browsers).collect();
        if !for_browsers.is_empty() && rustup::has_std(workspace, WASM) {
            let words = ["clippy", "--locked", "--target", WASM];
            let mut command = cargo(&words, &for_browsers, &no_warning);
            perform("clippy-wasm", &mut |_| check(workspace, "changed-clippy-wasm", &mut command));
        }
        let is_built = Profile::Tested.program(workspace).is_file();
        if self.has_python && is_built {
            perform("python", &mut |tally| end_to_end::run_python(workspace, tally));
        }
        if !self.specs.is_empty() && is_built && page::testing_folder(workspace).is_dir() {
            perform("end-to-end", &mut |tally| end_to_end::run_specs(workspace, &self.specs, tally));
        }
    }
}

impl std::fmt::Display for Plan {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.tested.is_empty() {
            write!(out, "no crate")?;
        } else {
            write!(out, "{}", self.tested.join(", "))?;
        }
        if !self.specs.is_empty() {
            write!(out, "; {}", count(self.specs.len(), "end-to-end test file"))?;
        }
        Ok(())
    }
}

fn count(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::tests::workspace;

    fn plan(files: &[&str]) -> Plan {
        Plan::new(
            &workspace(&[("a", &[]), ("b", &["a"]), ("c", &["b"]), ("d", &[])]),
            &files.iter().map(PathBuf::from).collect::<Vec<_>>(),
        )
    }

    #[test]
    fn a_crate_is_tested_and_those_built_of_it_are_checked() {
        let plan = plan(&["b/src/lib.rs", "docs/a.md"]);
        assert_eq!(plan.tested, ["b"]);
        assert_eq!(plan.checked, ["b", "c"]);
        assert!(!plan.has_python && plan.specs.is_empty());
    }

    #[test]
    fn a_lock_file_is_every_crate_s() {
        assert_eq!(plan(&["Cargo.lock"]).tested, ["a", "b", "c", "d"]);
        assert_eq!(plan(&["fuzz/Cargo.lock"]).tested, Vec::<String>::new());
    }

    #[test]
    fn a_document_is_tested_by_the_crates_that_read_it() {
        let plan = Plan::new(&Workspace::locate().unwrap(), &[PathBuf::from("docs/TABLES.md")]);
        assert_eq!(plan.tested, ["syclscope-engine", "syclscope-sql"]);
        assert!(plan.checked.is_empty());
    }

    #[test]
    fn documents_are_no_crate_s() {
        let plan = plan(&["README.md", "python/syclscope/program.py"]);
        assert!(plan.tested.is_empty() && plan.checked.is_empty() && plan.has_python);
        assert_eq!(plan.to_string(), "no crate");
    }
}
