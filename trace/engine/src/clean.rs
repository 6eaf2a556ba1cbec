//! Copies of a trace without its private data.
//!
//! A recording is read twice. The first pass collects its private texts ([`Look`]); the second writes every event with
//! pseudonyms in their place, searches the output, and fails if a private text is left ([`Cleaning`]). Everything that
//! is not a text stays unchanged: times, dependences, memory, counters. `docs/CLEANING.md` lists the replacements.

mod check;
mod cleaner;
mod pseudonyms;
mod secrets;
mod survey;
mod texts;

use std::io;

use syclscope_language::api::Contents;
use syclscope_language::contents::ContentKind;
use syclscope_language::formats::Format;

pub use self::pseudonyms::Key;

use self::check::Checked;
use self::cleaner::Cleaner;
use self::pseudonyms::Pseudonyms;
use self::secrets::Secrets;
use self::survey::Survey;
use crate::budget::{Budget, Spent};
use crate::cancel::{self, Stopped};
use crate::convert::{Out, Writer};
use crate::emit::emit_within;
use crate::import::{ImportError, ImportReport, Importer};
use crate::store::Trace;

/// The kinds of private data to remove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// One bit per kind.
    kinds: u32,
    keep_file_names: bool,
}

impl Choice {
    /// Returns a choice of kinds.
    pub fn new(kinds: impl IntoIterator<Item = ContentKind>) -> Self {
        let kinds = kinds.into_iter().fold(0, |kinds, kind| kinds | 1 << kind as u32);
        Self { kinds, keep_file_names: false }
    }

    /// Removes only the folders of paths: file names and line numbers stay.
    pub fn keeping_file_names(self) -> Self {
        Self { keep_file_names: true, ..self }
    }

    /// True if a kind is removed.
    pub fn has(&self, kind: ContentKind) -> bool {
        self.kinds & (1 << kind as u32) != 0
    }

    /// Returns the kinds to remove.
    pub fn kinds(self) -> impl Iterator<Item = ContentKind> {
        ContentKind::ALL.iter().copied().filter(move |kind| self.has(*kind))
    }
}

/// Error while cleaning.
#[derive(Debug, thiserror::Error)]
pub enum CleanError {
    /// Private data of these kinds is left.
    #[error("the cleaned copy still has removed contents ({}) and was discarded: remove that kind alone, or report this", titles(.0))]
    Left(Vec<ContentKind>),
    /// The search or the copy takes more memory than its budget.
    #[error("{0}: clean a shorter part of the run, or fewer kinds")]
    Memory(#[from] Spent),
    /// The copy is not a readable trace.
    #[error("the cleaned copy can't be read back: {0}")]
    Unreadable(ImportError),
    /// The copy can't be written.
    #[error("{0}")]
    Write(io::Error),
}

impl CleanError {
    fn of_writing(error: io::Error) -> Self {
        error.downcast::<Self>().unwrap_or_else(Self::Write)
    }

    fn of_reading(error: ImportError) -> Self {
        match error {
            ImportError::Memory(spent) => Self::Memory(spent),
            other => Self::Unreadable(other),
        }
    }
}

fn titles(kinds: &[ContentKind]) -> String {
    let titles: Vec<String> = kinds.iter().map(|kind| kind.title().to_lowercase()).collect();
    titles.join(", ")
}

/// The private data in a recording, and the kinds to remove.
pub struct Plan(Secrets);

impl Plan {
    fn new(survey: Survey, choice: Choice, key: Key, budget: &Budget) -> Result<Self, CleanError> {
        Secrets::new(survey, choice, Pseudonyms::new(key), budget).map(Self)
    }

    /// Returns the private data to remove, with counts.
    pub fn contents(&self) -> Contents {
        let mut contents = self.0.found.summary();
        contents.kinds.retain(|kind| self.0.choice.has(kind.kind));
        contents
    }
}

/// First pass over a recording of ours, fed in chunks of any size.
pub struct Look {
    importer: Importer<'static, Survey>,
    budget: Budget,
}

impl Look {
    /// Returns an empty first pass. Its memory and the plan's is within `budget`; give the [`Cleaning`] a clone of it.
    pub fn new(budget: Budget) -> Self {
        Self { importer: Importer::within(Survey::default(), budget.clone()), budget }
    }

    /// Reads the next bytes of the file.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a trace.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.importer.feed(bytes)
    }

    /// Returns the plan of the copy.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a trace, and an inner error if there is too much private data to clean.
    pub fn finish(self, choice: Choice, key: Key) -> Result<Result<Plan, CleanError>, ImportError> {
        let (survey, _) = self.importer.finish()?;
        Ok(Plan::new(survey, choice, key, &self.budget))
    }
}

/// Second pass: writes the cleaned copy of a recording, fed in chunks of any size.
pub struct Cleaning<'o> {
    importer: Importer<'o, Cleaner<'o, Writer<'o>>>,
}

impl<'o> Cleaning<'o> {
    /// Writes the copy to `out` as JSON, or as Perfetto for any other format. Discard `out` unless [`Cleaning::finish`]
    /// succeeds. The memory of the copy and of its check is within `budget`.
    pub fn new(plan: &'o Plan, format: Format, out: Out<'o>, budget: Budget) -> Self {
        let writer = Writer::new(format, Box::new(Checked::new(&plan.0, out, budget.clone())));
        Self { importer: Importer::within(Cleaner::new(&plan.0, writer), budget) }
    }

    /// Copies the next bytes of the file.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a trace.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.importer.feed(bytes)
    }

    /// Copies the rest and returns the report about the file.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a trace, and an inner error if private data is left or writing fails.
    pub fn finish(self) -> Result<Result<ImportReport, CleanError>, ImportError> {
        let (cleaner, report) = self.importer.finish()?;
        Ok(cleaner.sink.finish().map(|()| report).map_err(CleanError::of_writing))
    }
}

/// Writes a cleaned copy of another tool's trace from the store, within `budget` and the limits of the current query.
/// Returns the removed private data; discard `out` after an error.
///
/// # Errors
/// Returns an error if private data is left, a limit is exceeded, or the copy can't be written.
pub fn write(
    trace: &Trace,
    choice: Choice,
    key: Key,
    format: Format,
    out: Out<'_>,
    budget: &Budget,
) -> Result<Contents, CleanError> {
    let within = |stopped| match stopped {
        Stopped::TooLarge(spent) => CleanError::Memory(spent),
        stopped => CleanError::Write(io::Error::other(stopped)),
    };
    let mut survey = Survey::default();
    cancel::within_memory(budget, || emit_within(trace, &mut survey)).flatten().map_err(within)?;
    let plan = Plan::new(survey, choice, key, budget)?;
    let checked = Checked::new(&plan.0, out, budget.clone());
    let mut cleaner = Cleaner::new(&plan.0, Writer::new(format, Box::new(checked)));
    cancel::within_memory(budget, || emit_within(trace, &mut cleaner)).flatten().map_err(within)?;
    cleaner.sink.finish().map_err(CleanError::of_writing)?;
    Ok(plan.contents())
}
