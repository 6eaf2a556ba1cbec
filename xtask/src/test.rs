//! `cargo xtask test`: every check and every test, the real runtime and the real browser included.
//!
//! Cheap steps come first. A failed step stops only the steps that need what it makes, so that one run tells
//! everything that is wrong.

mod counted;
mod done;
pub(crate) mod end_to_end;
mod inputs;
mod python;
mod release;
mod runner;
pub(crate) mod steps;
pub(crate) mod tally;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};
use crate::fingerprint;
use crate::say;
use crate::workspace::Workspace;
use done::Done;
use steps::{STEPS, Step};
use tally::Tally;

/// Runs the steps named in `only` and what they need, or all of them; with `is_fresh`, those that passed before, too.
pub(crate) fn run(workspace: &Workspace, only: &[String], is_fresh: bool) -> Result<()> {
    if only.iter().any(|name| name == "list") {
        for step in STEPS {
            println!("{:<16} {}", step.name, step.about);
        }
        return Ok(());
    }
    run_steps(workspace, &chosen(only)?, is_fresh)
}

/// Runs `chosen` in their order; prints a table and a closing line.
pub(crate) fn run_steps(workspace: &Workspace, chosen: &[&'static Step], is_fresh: bool) -> Result<()> {
    // A machine that checks what others send in takes nobody's word for it.
    let is_fresh = is_fresh || std::env::var_os("CI").is_some();
    let mut report = Report { is_fresh, ..Report::default() };
    for step in chosen {
        report.perform(workspace, step);
    }
    report.close()
}

/// The steps that `only` names, with everything they need before them; all of them if it names none.
pub(crate) fn chosen(only: &[String]) -> Result<Vec<&'static Step>> {
    let mut wanted: Vec<&str> = only.iter().map(String::as_str).collect();
    if wanted.is_empty() {
        return Ok(STEPS.iter().collect());
    }
    if let Some(unknown) = wanted.iter().find(|name| !STEPS.iter().any(|step| step.name == **name)) {
        return Err(Failure::new(format!("there is no step {unknown}"))
            .with_remedy("`cargo xtask test --only list` names them"));
    }
    // A step needs only steps above it, so one walk from the last to the first finds them all.
    for step in STEPS.iter().rev() {
        if wanted.contains(&step.name) {
            wanted.extend(step.needs);
        }
    }
    Ok(STEPS.iter().filter(|step| wanted.contains(&step.name)).collect())
}

#[derive(Default)]
struct Report {
    is_fresh: bool,
    lines: Vec<(&'static str, String, Duration)>,
    tally: Tally,
    failed: Vec<&'static str>,
}

impl Report {
    fn perform(&mut self, workspace: &Workspace, step: &'static Step) {
        if let Some(needed) = step.needs.iter().find(|name| self.failed.contains(name)) {
            self.failed.push(step.name);
            self.tally.failed += 1;
            self.note("not run", step, &format!("needs {needed}"), Duration::ZERO);
            return;
        }
        say::heading(&format!("\n{}: {}", step.name, step.about));
        let begun = Instant::now();
        let mut tally = Tally::default();
        let mut passed = Passed::of(workspace, step);
        if !self.is_fresh && passed.is_unchanged() {
            self.tally.skipped += 1;
            self.note("skipped", step, "unchanged since it passed (--fresh runs it)", begun.elapsed());
            return;
        }
        passed.forget();
        match (step.run)(workspace, &mut tally) {
            Ok(Done::Passed(note)) => {
                passed.note(workspace, step);
                if tally.is_empty() {
                    tally.passed = 1;
                }
                self.note("passed", step, &note, begun.elapsed());
            }
            Ok(Done::Skipped(note)) => {
                tally.skipped += 1;
                self.note("skipped", step, &note, begun.elapsed());
            }
            Err(failure) => {
                tally.failed = tally.failed.max(1);
                println!("{failure}\n");
                self.failed.push(step.name);
                self.note("FAILED", step, failure.headline(), begun.elapsed());
            }
        }
        self.tally += tally;
    }

    fn note(&mut self, state: &'static str, step: &'static Step, note: &str, took: Duration) {
        say::step(state, step.name, note, took);
        self.lines.push((state, format!("{:<16} {note}", step.name), took));
    }

    fn close(self) -> Result<()> {
        say::heading("\nsummary");
        for (state, text, took) in &self.lines {
            println!("  {:>8}  {state:<8} {text}", say::seconds(*took));
        }
        let total = self.lines.iter().map(|(_, _, took)| *took).sum();
        println!("  {:>8}  in all\n", say::seconds(total));
        println!("{}", self.tally);
        if self.failed.is_empty() {
            return Ok(());
        }
        Err(Failure::new(format!("failed: {}", self.failed.join(", "))))
    }
}

/// What a step looked at when it passed.
struct Passed {
    stamp: PathBuf,
    /// Of what it looks at now; `None` for a step that always runs.
    inputs: Option<String>,
}

impl Passed {
    fn of(workspace: &Workspace, step: &Step) -> Self {
        // What can't be read has changed.
        let inputs = step.inputs.and_then(|inputs| inputs(workspace).ok());
        Passed { stamp: workspace.stamp(&format!("passed-{}", step.name)), inputs }
    }

    fn is_unchanged(&self) -> bool {
        self.inputs.as_ref().is_some_and(|inputs| fingerprint::is_stamped(&self.stamp, inputs))
    }

    /// A step that fails this time has not passed, whatever it did before.
    fn forget(&self) {
        let _ = std::fs::remove_file(&self.stamp);
    }

    /// Notes that the step passed, unless its files changed while it ran.
    fn note(&mut self, workspace: &Workspace, step: &Step) {
        let now = Passed::of(workspace, step).inputs;
        if let Some(inputs) = self.inputs.take().filter(|inputs| now.as_ref() == Some(inputs)) {
            // Without its stamp a step runs again: nothing else is lost.
            let _ = fingerprint::write_stamp(&self.stamp, &inputs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(only: &[&str]) -> Vec<&'static str> {
        let only: Vec<String> = only.iter().map(|name| name.to_string()).collect();
        chosen(&only).unwrap().iter().map(|step| step.name).collect()
    }

    #[test]
    fn a_step_brings_what_it_needs_and_no_more() {
        assert_eq!(names(&["format"]), ["linters", "format"]);
        let for_browser = names(&["end-to-end"]);
        assert!(for_browser.contains(&"build") && for_browser.contains(&"test-page"), "{for_browser:?}");
        assert!(!for_browser.contains(&"clippy"), "{for_browser:?}");
        assert_eq!(names(&[]).len(), STEPS.len());
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
    fn an_unknown_step_is_refused() {
        assert!(chosen(&["flight".to_owned()]).is_err());
    }

    #[test]
    fn a_step_that_passed_is_skipped_until_its_files_change_or_it_fails() {
        let root = std::env::temp_dir().join(format!("syclscope-passed-{}", std::process::id()));
        std::fs::create_dir_all(root.join("files")).unwrap();
        std::fs::write(root.join("files/one"), "1").unwrap();
        let workspace = Workspace {
            root: root.clone(),
            target: root.join("target"),
            cache: root.join("cache"),
            packages: vec![],
        };
        fn inputs(workspace: &Workspace) -> Result<String> {
            Ok(fingerprint::Fingerprint::new().tree(&workspace.root.join("files"))?.finish())
        }
        fn passes(_: &Workspace, _: &mut Tally) -> Result<Done> {
            Ok(Done::Passed(String::new()))
        }
        fn fails(_: &Workspace, _: &mut Tally) -> Result<Done> {
            Err(Failure::new("broken"))
        }
        static PASSING: Step = Step { name: "one", about: "", needs: &[], inputs: Some(inputs), run: passes };
        static FAILING: Step = Step { name: "one", about: "", needs: &[], inputs: Some(inputs), run: fails };
        let counted = |step: &'static Step, is_fresh: bool| {
            let mut report = Report { is_fresh, ..Report::default() };
            report.perform(&workspace, step);
            (report.tally.passed, report.tally.failed, report.tally.skipped)
        };
        assert_eq!(counted(&PASSING, false), (1, 0, 0));
        assert_eq!(counted(&PASSING, false), (0, 0, 1));
        assert_eq!(counted(&FAILING, true), (0, 1, 0));
        assert_eq!(counted(&PASSING, false), (1, 0, 0));
        std::fs::write(root.join("files/one"), "2").unwrap();
        assert_eq!(counted(&PASSING, false), (1, 0, 0));
        std::fs::remove_dir_all(&root).unwrap();
    }
}
