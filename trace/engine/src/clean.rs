//! Copies of a trace without what its owner does not want to share.
//!
//! A recording is read twice. The first time tells what it holds ([`Look`]); the second time passes every event on with
//! pseudonyms in place of what is to go, reads again what is written, and refuses where something is left
//! ([`Cleaning`]). What is not a text stays as it is: times, dependences, memory, counters. `docs/CLEANING.md` says what is
//! replaced by what.

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
use crate::import::{ImportError, ImportReport, Importer};
use crate::replay::replay;
use crate::store::Trace;

/// What goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// A bit for each kind.
    kinds: u32,
    keep_file_names: bool,
}

impl Choice {
    /// Some kinds of things.
    pub fn of(kinds: impl IntoIterator<Item = ContentKind>) -> Self {
        let kinds = kinds.into_iter().fold(0, |kinds, kind| kinds | 1 << kind as u32);
        Self { kinds, keep_file_names: false }
    }

    /// Of paths only the folders go: names of files and numbers of lines stay.
    pub fn keeping_file_names(self) -> Self {
        Self { keep_file_names: true, ..self }
    }

    /// Whether a kind goes.
    pub fn has(&self, kind: ContentKind) -> bool {
        self.kinds & (1 << kind as u32) != 0
    }

    /// The kinds that go.
    pub fn kinds(self) -> impl Iterator<Item = ContentKind> {
        ContentKind::ALL.iter().copied().filter(move |kind| self.has(*kind))
    }
}

/// Why there is no cleaned copy.
#[derive(Debug, thiserror::Error)]
pub enum CleanError {
    /// Some private contents are left. Their kinds.
    #[error("the cleaned copy still has removed contents ({}) and was discarded: remove that kind alone, or report this", titles(.0))]
    Left(Vec<ContentKind>),
    /// The search or the copy takes more memory than its budget.
    #[error("{0}: clean a shorter part of the run, or fewer kinds")]
    Memory(#[from] Spent),
    /// What was written is no trace.
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

/// What a recording was found to hold, and what of it goes.
pub struct Plan(Secrets);

impl Plan {
    fn new(survey: Survey, choice: Choice, key: Key, budget: &Budget) -> Result<Self, CleanError> {
        Secrets::new(survey, choice, Pseudonyms::new(key), budget).map(Self)
    }

    /// What is in the recording that goes, with counts.
    pub fn contents(&self) -> Contents {
        let mut contents = self.0.found.summary();
        contents.kinds.retain(|kind| self.0.choice.has(kind.kind));
        contents
    }
}

/// The first look at a recording of ours, a piece at a time.
pub struct Look {
    importer: Importer<'static, Survey>,
    budget: Budget,
}

impl Look {
    /// A look that has seen nothing. What it keeps and the plan are within `budget`; give the [`Cleaning`] a clone of it.
    pub fn new(budget: Budget) -> Self {
        Self { importer: Importer::within(Survey::default(), budget.clone()), budget }
    }

    /// Looks at the next bytes of the file.
    ///
    /// # Errors
    /// When the bytes are no trace.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.importer.feed(bytes)
    }

    /// What to do with it.
    ///
    /// # Errors
    /// When the bytes were no trace; in it, when it holds more than can be cleaned.
    pub fn finish(self, choice: Choice, key: Key) -> Result<Result<Plan, CleanError>, ImportError> {
        let (survey, _) = self.importer.finish()?;
        Ok(Plan::new(survey, choice, key, &self.budget))
    }
}

/// A recording of ours on its way into its cleaned copy, a piece at a time.
pub struct Cleaning<'o> {
    importer: Importer<'o, Cleaner<'o, Writer<'o>>>,
}

impl<'o> Cleaning<'o> {
    /// A recording that goes to `out` as JSON or, in any other case, as Perfetto's. Nothing of `out` is to be used unless
    /// [`Cleaning::finish`] says so. What is kept on the way, and what is read again, is within `budget`.
    pub fn new(plan: &'o Plan, format: Format, out: Out<'o>, budget: Budget) -> Self {
        let writer = Writer::new(format, Box::new(Checked::new(&plan.0, out, budget.clone())));
        Self { importer: Importer::within(Cleaner::new(&plan.0, writer), budget) }
    }

    /// Passes on what the next bytes of the file hold.
    ///
    /// # Errors
    /// When the bytes are no trace.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.importer.feed(bytes)
    }

    /// Passes on the rest; tells what was found in the file.
    ///
    /// # Errors
    /// When the bytes were no trace; in it, when something is left or can't be written.
    pub fn finish(self) -> Result<Result<ImportReport, CleanError>, ImportError> {
        let (cleaner, report) = self.importer.finish()?;
        Ok(cleaner.sink.finish().map(|()| report).map_err(CleanError::of_writing))
    }
}

/// Writes a cleaned copy of a trace of another tool, as the store has it, within `budget` and the limits of the work that
/// this is a part of. Tells what went; nothing of `out` is to be used after an error.
///
/// # Errors
/// When something is left, takes more than it may, or can't be written.
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
    cancel::within_memory(budget, || replay(trace, &mut survey)).map_err(within)?;
    let plan = Plan::new(survey, choice, key, budget)?;
    let checked = Checked::new(&plan.0, out, budget.clone());
    let mut cleaner = Cleaner::new(&plan.0, Writer::new(format, Box::new(checked)));
    cancel::within_memory(budget, || replay(trace, &mut cleaner)).map_err(within)?;
    cleaner.sink.finish().map_err(CleanError::of_writing)?;
    Ok(plan.contents())
}
