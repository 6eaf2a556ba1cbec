//! Recordings of several sides, taken alternately so that changes of the machine affect all of them alike.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::TrialError;
use crate::CliError;
use crate::record::{ending, of_run};
use syclscope_launcher as launcher;
use syclscope_launcher::{Ending, Options};
use syclscope_text as text;

pub(super) struct Recorder {
    pub(super) options: Options,
    pub(super) repeat: u32,
    pub(super) quiet: bool,
    pub(super) printed: RefCell<ending::Printed>,
}

#[derive(Default)]
pub(super) struct Side {
    /// Name in messages; empty for the unchanged program.
    pub(super) name: String,
    /// Program and arguments; `None` for those of the recorder.
    pub(super) command: Option<(OsString, Vec<OsString>)>,
    pub(super) folder: PathBuf,
    pub(super) variables: Vec<(&'static str, OsString)>,
    /// True if the other sides continue when its program fails.
    pub(super) can_fail: bool,
}

impl Side {
    pub(super) fn plain(folder: PathBuf) -> Self {
        Self { folder, ..Self::default() }
    }
}

impl Recorder {
    /// Records all sides alternately. Every second round is in reverse order, so that a machine that slows
    /// down affects all sides alike. If a side that may fail does, the others continue. `failures` has the
    /// errors of failed sides.
    pub(super) fn record(
        &self,
        sides: &[Side],
        mut failures: Vec<Option<CliError>>,
    ) -> Result<Vec<Option<CliError>>, CliError> {
        for run in 1..=self.repeat {
            let mut order: Vec<usize> = (0..sides.len()).collect();
            if run % 2 == 0 {
                order.reverse();
            }
            for number in order {
                let (side, failure) = (&sides[number], &mut failures[number]);
                if failure.is_some() {
                    continue;
                }
                match self.record_one(side, &side.folder, run) {
                    Ok(ns) => self.say(run, &side.name, ns),
                    Err(error) if side.can_fail => *failure = Some(error),
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(failures)
    }

    /// Records a run that fills caches for the others; the recording is not read.
    pub(super) fn warm_up(&self, side: &Side, folder: &Path) -> Result<(), CliError> {
        let ns = self.record_one(side, folder, 1)?;
        if !self.quiet {
            eprintln!("syclscope: warm-up {}: {}", side.name, text::duration(ns));
        }
        Ok(())
    }

    /// Records one run into a folder, and returns its time in ns.
    fn record_one(&self, side: &Side, folder: &Path, run: u32) -> Result<u64, CliError> {
        let own = (&self.options.program, &self.options.arguments);
        let (program, arguments) = side.command.as_ref().map_or(own, |(program, words)| (program, words));
        let options = Options {
            program: program.clone(),
            arguments: arguments.clone(),
            output: Some(folder.join("run.pftrace")),
            variables: side.variables.clone(),
            ..self.options.clone()
        };
        let recording = launcher::record(&of_run(&options, run, false))?;
        ending::warn(&recording, self.quiet, &mut self.printed.borrow_mut());
        if recording.run.ending != Ending::Code(0) {
            return Err(TrialError::Failed { ending: recording.run.ending.describe() }.into());
        }
        if recording.output.is_none() {
            return Err(TrialError::NothingRecorded.into());
        }
        Ok(u64::try_from(recording.run.wall_time.as_nanos()).unwrap_or(u64::MAX))
    }

    fn say(&self, run: u32, side: &str, ns: u64) {
        if !self.quiet {
            let space = if side.is_empty() { "" } else { " " };
            eprintln!("syclscope: run {run} of {}{space}{side}: {}", self.repeat, text::duration(ns));
        }
    }
}
