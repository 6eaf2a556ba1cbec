//! Summary of a run whose trace does not fit in memory.

use syclscope_language::api::{FileCost, FileLines, LineCost};
use syclscope_language::question::{LinesQuestion, Question};

use super::json;
use super::part::RunPart;
use super::sample::Sample;
use crate::query::QueryError;
use crate::store::Trace;

/// A run without its trace: its figures, and the effects of its source lines.
#[derive(Clone, Debug)]
pub struct KeptRun {
    /// Sample of the run.
    pub sample: Sample,
    files: Vec<FileLines>,
}

impl KeptRun {
    /// Summarises a trace, with the sample of a part or of all of it. Walks over every slice a few times.
    pub fn new(name: &str, trace: &Trace, part: Option<&RunPart>) -> Self {
        Self { sample: Sample::with_part(name, trace, part), files: trace.lines_of_files() }
    }

    /// Returns the same answer to a question as the trace's, as JSON; `None` if the summary can't answer it.
    ///
    /// # Errors
    /// Returns an error if the answer can't be written.
    pub fn answer(&self, question: &Question) -> Result<Option<String>, QueryError> {
        let Question::Lines(LinesQuestion::Path(path)) = question else { return Ok(None) };
        let known = self.files.iter().find(|lines| lines.file.path == *path);
        // A path that is not in a trace has no lines.
        let unknown = || {
            let file = FileCost { path: path.clone(), source: None, state: None, cost: LineCost::default() };
            FileLines { file, lines: Vec::new() }
        };
        known.map_or_else(|| json(&unknown()), json).map(Some)
    }
}
