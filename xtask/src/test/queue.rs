//! Order of the steps: each starts after those that it needs.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::steps::Step;
use super::{Performed, Report};

/// Steps that have not ended. Several threads take steps from it and report their results.
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: Vec<&'static Step>,
    running: Vec<&'static Step>,
    report: Report,
}

impl Queue {
    pub(super) fn new(steps: &[&'static Step]) -> Self {
        let state = State { waiting: steps.to_vec(), running: Vec::new(), report: Report::default() };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits for a step that can start, and returns it; `None` if no step is left.
    pub(super) fn next(&self) -> Option<&'static Step> {
        let mut state = self.lock();
        loop {
            if let Some(step) = state.take() {
                return Some(step);
            }
            if state.waiting.is_empty() {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn finish(&self, performed: Performed) {
        let mut state = self.lock();
        state.running.retain(|step| step.name != performed.name);
        state.report.add(performed);
        self.changed.notify_all();
    }

    pub(super) fn into_report(self) -> Report {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).report
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes the first step that can start now.
    fn take(&mut self) -> Option<&'static Step> {
        self.leave_out();
        let is_locked = self.running.iter().any(|step| !step.is_parallel);
        let can_start = |step: &&'static Step| {
            let mut open = self.waiting.iter().chain(&self.running);
            !open.any(|other| step.needs.contains(&other.name)) && (step.is_parallel || !is_locked)
        };
        let place = self.waiting.iter().position(can_start)?;
        let step = self.waiting.remove(place);
        self.running.push(step);
        Some(step)
    }

    /// Removes steps that need a failed one, and reports them.
    fn leave_out(&mut self) {
        let mut place = 0;
        while let Some(&step) = self.waiting.get(place) {
            match step.needs.iter().find(|name| self.report.failed.contains(name)) {
                Some(needed) => {
                    self.waiting.remove(place);
                    self.report.leave_out(step, needed);
                }
                None => place += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::runner::{Done, Tally};
    use super::*;
    use crate::prelude::*;

    fn nothing(_: &Workspace, _: &mut Tally) -> Result<Done> {
        Ok(Done::Passed(String::new()))
    }

    const fn step(name: &'static str, needs: &'static [&'static str], is_parallel: bool) -> Step {
        Step { name, about: "", needs, is_apart: false, is_parallel, run: nothing }
    }

    static STEPS: [Step; 6] = [
        step("set-up", &[], true),
        step("compile", &[], false),
        step("format", &[], false),
        step("test", &["compile", "set-up"], false),
        step("page", &["set-up"], true),
        step("browser", &["page"], true),
    ];

    fn queue() -> Queue {
        Queue::new(&STEPS.iter().collect::<Vec<_>>())
    }

    fn next(queue: &Queue) -> Option<&'static str> {
        queue.lock().take().map(|step| step.name)
    }

    fn finish(queue: &Queue, name: &'static str) {
        queue.finish(Performed::by(name, |_| Ok(Done::Passed(String::new()))));
    }

    #[test]
    fn a_step_starts_after_its_needs_and_cargo_s_one_after_another() {
        let queue = queue();
        assert_eq!([next(&queue), next(&queue), next(&queue)], [Some("set-up"), Some("compile"), None]);
        finish(&queue, "set-up");
        assert_eq!([next(&queue), next(&queue)], [Some("page"), None]);
        finish(&queue, "compile");
        assert_eq!([next(&queue), next(&queue)], [Some("format"), None]);
        finish(&queue, "format");
        finish(&queue, "page");
        assert_eq!([next(&queue), next(&queue)], [Some("test"), Some("browser")]);
        finish(&queue, "test");
        finish(&queue, "browser");
        assert!(queue.next().is_none());
        assert_eq!(queue.into_report().lines.len(), STEPS.len());
    }

    #[test]
    fn steps_that_need_a_failed_one_are_left_out() {
        let queue = queue();
        assert_eq!(next(&queue), Some("set-up"));
        queue.finish(Performed::by("set-up", |_| Err(Failure::new("no network"))));
        assert_eq!([next(&queue), next(&queue)], [Some("compile"), None]);
        finish(&queue, "compile");
        assert_eq!(next(&queue), Some("format"));
        finish(&queue, "format");
        assert!(queue.next().is_none());
        assert_eq!(queue.into_report().failed, ["set-up", "test", "page", "browser"]);
    }

    #[test]
    fn a_step_that_panics_has_failed() {
        let queue = queue();
        assert_eq!(next(&queue), Some("set-up"));
        queue.finish(Performed::by("set-up", |_| panic!("a fault of xtask")));
        assert_eq!(queue.into_report().failed, ["set-up"]);
    }
}
