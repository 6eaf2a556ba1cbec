//! A copy of a part of a trace's time.
//!
//! A recording is read twice. The first pass finds the events that touch the range ([`Look`]); the second writes them
//! ([`Cutting`]), with times from the range's start. Events that cross an end of the range are cut there. Objects from
//! before the range stay while they are in use: memory, memory objects with their memory, accessors of commands that
//! run in the range, command graphs that run in it, native handles of the program. Objects without a time (tracks,
//! queues, source files) stay if an event in the range refers to them; facts of the machine and of a process stay if
//! the process has an event in the range. Totals over the whole run are left out, but not the counts of events that were
//! lost in the range.

mod cutter;
mod survey;

use std::io;

use syclscope_language::formats::Format;
use syclscope_language::time::Timestamp;

use self::cutter::Cutter;
use self::survey::{PartContents, Survey};
use crate::budget::Budget;
use crate::convert::{Out, Writer};
use crate::emit::emit;
use crate::import::{ImportError, ImportReport, Importer};
use crate::store::Trace;

/// A part of a trace's time, in ns from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    start: u64,
    end: u64,
}

impl Part {
    /// Returns the range from a start to an end, exclusive; `None` if it is empty.
    pub fn new(start_ns: u64, end_ns: u64) -> Option<Self> {
        (start_ns < end_ns).then_some(Self { start: start_ns, end: end_ns })
    }

    /// Returns the length in ns.
    pub fn duration_ns(self) -> u64 {
        self.end - self.start
    }

    fn holds(self, at: Timestamp) -> bool {
        (self.start..self.end).contains(&at.0)
    }

    /// True if an event with a duration overlaps the range; an event that ends at the range's start does not.
    fn meets(self, start: Timestamp, end: Timestamp) -> bool {
        self.holds(start) || start.0 < self.start && end.0 > self.start
    }

    /// Returns a time relative to the range's start, clamped to the range.
    fn clipped(self, at: Timestamp) -> Timestamp {
        Timestamp(at.0.clamp(self.start, self.end) - self.start)
    }
}

/// The contents of a part of a recording.
pub struct Plan {
    part: Part,
    touched: PartContents,
}

/// First pass over a recording of ours, fed in chunks of any size.
pub struct Look {
    importer: Importer<'static, Survey>,
}

impl Look {
    /// Returns an empty first pass, its memory within `budget`.
    pub fn new(part: Part, budget: Budget) -> Self {
        Self { importer: Importer::within(Survey::new(part), budget) }
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
    /// Returns an error if the bytes are not a trace.
    pub fn finish(self) -> Result<Plan, ImportError> {
        let (survey, _) = self.importer.finish()?;
        Ok(survey.plan())
    }
}

/// Second pass: writes a part of a recording, fed in chunks of any size.
pub struct Cutting<'o> {
    importer: Importer<'o, Cutter<'o, Writer<'o>>>,
}

impl<'o> Cutting<'o> {
    /// Writes the part to `out` as JSON, or as Perfetto for any other format. Its memory is within `budget`.
    pub fn new(plan: &'o Plan, format: Format, out: Out<'o>, budget: Budget) -> Self {
        Self { importer: Importer::within(Cutter::new(plan, false, Writer::new(format, out)), budget) }
    }

    /// Copies the next bytes of the file.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a trace.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.importer.feed(bytes)
    }

    /// Copies the rest and returns the report about the file, or the first error of `out`.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a trace.
    pub fn finish(self) -> Result<io::Result<ImportReport>, ImportError> {
        let (cutter, report) = self.importer.finish()?;
        Ok(cutter.into_sink().finish().map(|()| report))
    }
}

/// Writes a part of another tool's trace from the store.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write(trace: &Trace, part: Part, format: Format, out: Out<'_>) -> io::Result<()> {
    let mut survey = Survey::new(part);
    emit(trace, &mut survey);
    let plan = survey.plan();
    let mut cutter = Cutter::new(&plan, true, Writer::new(format, out));
    emit(trace, &mut cutter);
    cutter.into_sink().finish()
}
