//! `cargo xtask test`: every check and every test, including the real runtime and the real browser.
//!
//! Cheap steps come first, and two run at a time. A failed step stops only the steps that depend on it, so that one run
//! reports every problem.

mod again;
mod changed;
pub(crate) mod end_to_end;
mod queue;
mod release;
mod runner;
mod steps;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::prelude::*;
use queue::Queue;
use runner::{Done, Tally};
use steps::{STEPS, Step};

/// The steps of `cargo xtask lint`, which run no product code.
const LINT: [&str; 7] = ["format", "architecture", "licences", "advisories", "clippy", "clippy-wasm", "docs"];

pub(crate) fn lint(workspace: &Workspace) -> Result<()> {
    run_steps(workspace, &select(&LINT.map(str::to_owned))?)
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let only = &options.only;
    if let Some(revision) = &options.changed {
        return changed::run(workspace, revision);
    }
    if only.iter().any(|name| name == "list") {
        for step in STEPS {
            println!("{:<16} {}", step.name, step.about);
        }
        return Ok(());
    }
    run_steps(workspace, &select(only)?)
}

/// Number of steps that run in parallel. A download, a linker or a test that waits leaves a core unused.
const AT_A_TIME: usize = 2;

/// Runs `steps`; prints a table and a closing line.
fn run_steps(workspace: &Workspace, steps: &[&'static Step]) -> Result<()> {
    let begun = Instant::now();
    let queue = Queue::new(steps);
    let work = || {
        while let Some(step) = queue.next() {
            say::heading(&format!("\n{}: {}", step.name, step.about));
            queue.finish(Performed::by(step.name, |tally| (step.run)(workspace, tally)));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(work);
        }
    });
    let report = queue.into_report();
    say::heading("\nsummary");
    for (state, text, took) in &report.lines {
        println!("  {:>8}  {state:<8} {text}", say::seconds(*took));
    }
    println!("  {:>8}  in all\n", say::seconds(begun.elapsed()));
    println!("{}", report.tally);
    report.result()
}

struct Performed {
    name: &'static str,
    done: Result<Done>,
    tally: Tally,
    took: Duration,
}

impl Performed {
    fn by(name: &'static str, run: impl FnOnce(&mut Tally) -> Result<Done>) -> Self {
        let begun = Instant::now();
        let mut tally = Tally::default();
        // Other steps may wait for the end of this one, also if it panics.
        let done = catch_unwind(AssertUnwindSafe(|| run(&mut tally)));
        let done = done.unwrap_or_else(|_| Err(Failure::new(format!("{name} panicked"))));
        Self { name, done, tally, took: begun.elapsed() }
    }
}

/// Returns the steps in `only`, with their dependencies; by default all except for those with a separate CI job.
pub(crate) fn select(only: &[String]) -> Result<Vec<&'static Step>> {
    let mut wanted: Vec<&str> = only.iter().map(String::as_str).collect();
    if wanted.is_empty() {
        return Ok(STEPS.iter().filter(|step| !step.is_apart).collect());
    }
    if let Some(unknown) = wanted.iter().find(|name| !STEPS.iter().any(|step| step.name == **name)) {
        return Err(Failure::new(format!("there is no step {unknown}"))
            .with_remedy("list the steps with `cargo xtask test --only list`"));
    }
    // A step depends only on earlier steps, so one walk from the last to the first finds all.
    for step in STEPS.iter().rev() {
        if wanted.contains(&step.name) {
            wanted.extend(step.needs);
        }
    }
    Ok(STEPS.iter().filter(|step| wanted.contains(&step.name)).collect())
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options {
    /// Names of steps; empty for all.
    pub(crate) only: Vec<String>,
    /// Only checks and tests that a file differing from this revision can break.
    pub(crate) changed: Option<String>,
}

#[derive(Default)]
struct Report {
    lines: Vec<(&'static str, String, Duration)>,
    tally: Tally,
    failed: Vec<&'static str>,
}

impl Report {
    fn leave_out(&mut self, step: &'static Step, needed: &str) {
        self.failed.push(step.name);
        self.tally.failed += 1;
        self.note("not run", step.name, &format!("needs {needed}"), Duration::ZERO);
    }

    fn add(&mut self, Performed { name, done, mut tally, took }: Performed) {
        match done {
            Ok(Done::Passed(note)) => {
                if tally.is_empty() {
                    tally.passed = 1;
                }
                let state = if tally.again.is_empty() { "passed" } else { "FLAKY" };
                self.note(state, name, &note, took);
            }
            Ok(Done::Skipped(note)) => {
                tally.skipped += 1;
                self.note("skipped", name, &note, took);
            }
            Err(failure) => {
                tally.failed = tally.failed.max(1);
                say::failure(&failure);
                self.failed.push(name);
                self.note("FAILED", name, failure.headline(), took);
            }
        }
        self.tally += tally;
    }

    fn note(&mut self, state: &'static str, name: &str, note: &str, took: Duration) {
        say::step(state, name, note, took);
        self.lines.push((state, format!("{name:<16} {note}"), took));
    }

    fn result(self) -> Result<()> {
        if self.failed.is_empty() {
            return Ok(());
        }
        Err(Failure::new(format!("failed: {}", self.failed.join(", "))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(only: &[&str]) -> Vec<&'static str> {
        let only: Vec<String> = only.iter().map(|name| name.to_string()).collect();
        select(&only).unwrap().iter().map(|step| step.name).collect()
    }

    #[test]
    fn a_step_brings_what_it_needs_and_no_more() {
        assert_eq!(names(&["format"]), ["compilers", "format"]);
        // Crates are taken from the cache only if the cache is set up before cargo begins.
        assert_eq!(names(&["compile"]), ["compilers", "compile"]);
        let for_browser = names(&["end-to-end"]);
        assert!(for_browser.contains(&"build") && for_browser.contains(&"test-driver"), "{for_browser:?}");
        assert!(!for_browser.contains(&"clippy"), "{for_browser:?}");
        assert_eq!(names(&[]).len(), STEPS.iter().filter(|step| !step.is_apart).count());
        assert!(!names(&[]).contains(&"release") && names(&["release"]).contains(&"build"));
    }

    #[test]
    fn needs_stand_above_the_step_that_has_them() {
        for (place, step) in STEPS.iter().enumerate() {
            for needed in step.needs {
                assert!(
                    STEPS[..place].iter().any(|above| above.name == *needed),
                    "{} needs {needed}",
                    step.name
                );
            }
        }
    }

    #[test]
    fn lint_sets_nothing_up() {
        assert!(!names(&LINT).contains(&steps::SET_UP), "{:?}", names(&LINT));
    }

    #[test]
    fn an_unknown_step_is_refused() {
        assert!(select(&["flight".to_owned()]).is_err());
    }
}
