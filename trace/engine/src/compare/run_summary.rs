//! Summary of a further run of a side, whose trace memory has no room for.

use syclscope_language::api::{FileCost, FileLines, LineCost};
use syclscope_language::question::{LinesOf, Question};

use super::json;
use super::part::RunPart;
use super::sample::Sample;
use crate::query::QueryError;
use crate::store::Trace;

/// A run without its trace: its figures, and what its source lines caused.
#[derive(Clone, Debug)]
pub struct KeptRun {
    /// Sample of the run.
    pub sample: Sample,
    files: Vec<FileLines>,
}

impl KeptRun {
    /// Summary of a trace, with the sample of a part of it or of all of it. The cost is that of a few walks over every
    /// slice.
    pub fn new(name: &str, trace: &Trace, part: Option<&RunPart>) -> Self {
        Self { sample: Sample::of(name, trace, part), files: trace.lines_of_files() }
    }

    /// The answer to a question as the trace would give it, as JSON; `None` to one that what is kept can't answer.
    ///
    /// # Errors
    /// When the answer can't be written.
    pub fn answer(&self, question: &Question) -> Result<Option<String>, QueryError> {
        let Question::Lines(LinesOf::Path(path)) = question else { return Ok(None) };
        let known = self.files.iter().find(|lines| lines.file.path == *path);
        // A path that a trace doesn't know has no lines.
        let unknown = || {
            let file = FileCost { path: path.clone(), source: None, state: None, cost: LineCost::default() };
            FileLines { file, lines: Vec::new() }
        };
        known.map_or_else(|| json(&unknown()), json).map(Some)
    }
}
