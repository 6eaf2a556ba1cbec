//! Runs in a folder, processed one at a time and grouped like those of `compare`.

use std::path::{Path, PathBuf};

use syclscope_engine::store::Trace;
use syclscope_launcher as launcher;
use syclscope_launcher::Format;
use syclscope_text as text;

use super::compare::baseline_file;
use super::compare::files::{self, RunFiles};
use super::scratch::Scratch;
use super::{CliError, reading};

/// Returns the recordings of a folder, by name; if it has none of its own, those of its direct subfolders. Baselines
/// are skipped with a note.
pub(super) fn recordings(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let (baselines, recordings): (Vec<_>, Vec<_>) =
        files::of_path(folder)?.into_iter().partition(|path| baseline_file::is_one(path));
    for baseline in baselines {
        eprintln!("syclscope: skipped {}: it is a baseline", text::path(&baseline));
    }
    if recordings.is_empty() { Err(CliError::NoRuns { path: folder.to_owned() }) } else { Ok(recordings) }
}

#[derive(Debug)]
pub(super) struct FolderRuns(Vec<RunFiles>);

impl FolderRuns {
    /// Finds the runs. Reads their main files only if some runs have further ones.
    pub(super) fn find(folder: &Path) -> Result<Self, CliError> {
        let mut runs = files::runs(recordings(folder)?);
        if runs.iter().any(|run| !run.pieces.is_empty()) {
            let mut processes = Vec::new();
            for run in &runs {
                // An unreadable file is reported in its turn, and the other runs get a summary.
                if let Ok(trace) = reading::trace(&run.whole, false) {
                    processes.push((run.whole.clone(), files::pids(&trace)));
                }
            }
            for run in &mut runs {
                files::retain_missing(run, &processes);
            }
        }
        Ok(Self(runs))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the paths of the recordings; for a merged run, the path of its first process.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(|run| run.whole.as_path())
    }

    pub(super) fn traces(&self) -> impl Iterator<Item = Result<(&Path, Trace), CliError>> {
        self.0.iter().map(|run| Ok((run.whole.as_path(), trace(run)?)))
    }
}

/// Reads the trace of a run, merging files of its processes.
fn trace(run: &RunFiles) -> Result<Trace, CliError> {
    if run.pieces.is_empty() {
        return reading::trace(&run.whole, false);
    }
    let (inputs, of) = run.to_merge();
    let others = text::counted(run.pieces.len() as u64, "file");
    eprintln!("syclscope: {} is merged with {others} of {of}", text::path(&run.whole));
    let scratch = Scratch::new()?;
    let merged = scratch.path().join("merged.pftrace");
    launcher::merge_into(&inputs, &merged, Some(Format::Perfetto), true)?;
    reading::trace(&merged, false)
}
