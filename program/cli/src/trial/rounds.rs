//! Recordings of several sides by turns: what the machine does meanwhile is on all of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::TrialError;
use crate::CliError;
use crate::record::{ending, repeating};
use syclscope_launcher as launcher;
use syclscope_launcher::{Ending, Options};
use syclscope_text as text;

/// A program to record several times.
pub(super) struct Recorder {
    pub(super) options: Options,
    pub(super) repeat: u32,
    pub(super) quiet: bool,
}

/// Runs in one environment.
pub(super) struct Side {
    /// Name of its remedy; `None` for the program as it is.
    pub(super) remedy: Option<&'static str>,
    /// Folder of its recordings.
    pub(super) folder: PathBuf,
    /// Variables to set.
    pub(super) variables: Vec<(&'static str, OsString)>,
}

impl Side {
    /// The program as it is.
    pub(super) fn plain(folder: PathBuf) -> Self {
        Self { remedy: None, folder, variables: Vec::new() }
    }
}

impl Recorder {
    /// Records all sides, a run of each by turns. A remedy with which the program fails is given up, and others go on.
    /// `failures` has the error of each such side, and of those that failed before.
    pub(super) fn record(
        &self,
        sides: &[Side],
        mut failures: Vec<Option<CliError>>,
    ) -> Result<Vec<Option<CliError>>, CliError> {
        for run in 1..=self.repeat {
            for (side, failure) in sides.iter().zip(&mut failures) {
                if failure.is_some() {
                    continue;
                }
                match (self.record_one(side, &side.folder, run), side.remedy) {
                    (Ok(ns), remedy) => self.say(run, remedy, ns),
                    (Err(error), None) => return Err(error),
                    (Err(error), Some(_)) => *failure = Some(error),
                }
            }
        }
        Ok(failures)
    }

    /// Records a run that prepares what the others use; its recording goes to the folder and is not read.
    pub(super) fn warm_up(&self, side: &Side, folder: &Path) -> Result<(), CliError> {
        let ns = self.record_one(side, folder, 1)?;
        if !self.quiet {
            eprintln!("syclscope: warm-up with {}: {}", side.remedy.unwrap_or_default(), text::duration(ns));
        }
        Ok(())
    }

    /// Records one run into a folder, and returns its time in ns.
    fn record_one(&self, side: &Side, folder: &Path, run: u32) -> Result<u64, CliError> {
        let options = Options {
            output: Some(folder.join("run.pftrace")),
            variables: side.variables.clone(),
            ..self.options.clone()
        };
        let recording = launcher::record(&repeating::of_run(&options, run, false))?;
        ending::warn(&recording, self.quiet);
        if recording.run.ending != Ending::Code(0) {
            return Err(TrialError::Failed { ending: recording.run.ending.describe() }.into());
        }
        if recording.output.is_none() {
            return Err(TrialError::NothingRecorded.into());
        }
        Ok(u64::try_from(recording.run.wall_time.as_nanos()).unwrap_or(u64::MAX))
    }

    fn say(&self, run: u32, remedy: Option<&str>, ns: u64) {
        if !self.quiet {
            let with = remedy.map_or_else(String::new, |remedy| format!(" with {remedy}"));
            eprintln!("syclscope: run {run} of {}{with}: {}", self.repeat, text::duration(ns));
        }
    }
}
