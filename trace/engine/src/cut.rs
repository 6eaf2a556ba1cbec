//! A copy of a part of a trace's time: what was there in that time, and nothing else.
//!
//! A recording is read twice. The first time tells what touches the range ([`Look`]); the second time passes that on
//! ([`Cutting`]), with times that count from the range's start. What reaches over an end of the range is cut there. What has no
//! time stays where something in the range refers to it: tracks, queues, source files; facts of the machine and of a process
//! stay where anything of that process is in the range. So do no sums: whatever counts over the whole run is left out.

mod cutter;
mod survey;

use std::io;

use syclscope_language::formats::Format;
use syclscope_language::time::Timestamp;

use self::cutter::Cutter;
use self::survey::{PartContents, Survey};
use crate::budget::Budget;
use crate::convert::{Out, Writer};
use crate::import::{ImportError, ImportReport, Importer};
use crate::replay::replay;
use crate::store::Trace;

/// A part of a trace's time, in ns from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    start: u64,
    end: u64,
}

impl Part {
    /// From a time to another, which is not part of it; `None` where that is nothing.
    pub fn new(start_ns: u64, end_ns: u64) -> Option<Self> {
        (start_ns < end_ns).then_some(Self { start: start_ns, end: end_ns })
    }

    /// How long it is, in ns.
    pub fn duration_ns(self) -> u64 {
        self.end - self.start
    }

    fn holds(self, at: Timestamp) -> bool {
        (self.start..self.end).contains(&at.0)
    }

    /// True if something that lasts reaches into it. An end at its begin does not.
    fn meets(self, start: Timestamp, end: Timestamp) -> bool {
        self.holds(start) || start.0 < self.start && end.0 > self.start
    }

    /// A time as one from its start, where what is before counts as its start and what is behind as its end.
    fn clipped(self, at: Timestamp) -> Timestamp {
        Timestamp(at.0.clamp(self.start, self.end) - self.start)
    }
}

/// What a part of a recording holds.
pub struct Plan {
    part: Part,
    touched: PartContents,
}

/// The first look at a recording of ours, a piece at a time.
pub struct Look {
    importer: Importer<'static, Survey>,
}

impl Look {
    /// A look that has seen nothing, and keeps what `budget` allows.
    pub fn new(part: Part, budget: Budget) -> Self {
        Self { importer: Importer::within(Survey::new(part), budget) }
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
    /// When the bytes were no trace.
    pub fn finish(self) -> Result<Plan, ImportError> {
        let (survey, _) = self.importer.finish()?;
        Ok(survey.plan())
    }
}

/// A recording of ours on its way into the copy of its part, a piece at a time.
pub struct Cutting<'o> {
    importer: Importer<'o, Cutter<'o, Writer<'o>>>,
}

impl<'o> Cutting<'o> {
    /// A recording of which a part goes to `out` as JSON or, in any other case, as Perfetto's. What is kept on the way is
    /// within `budget`.
    pub fn new(plan: &'o Plan, format: Format, out: Out<'o>, budget: Budget) -> Self {
        Self { importer: Importer::within(Cutter::new(plan, false, Writer::new(format, out)), budget) }
    }

    /// Passes on what the next bytes of the file hold.
    ///
    /// # Errors
    /// When the bytes are no trace.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.importer.feed(bytes)
    }

    /// Passes on the rest; tells what was found in the file, or the first error of `out`.
    ///
    /// # Errors
    /// When the bytes were no trace.
    pub fn finish(self) -> Result<io::Result<ImportReport>, ImportError> {
        let (cutter, report) = self.importer.finish()?;
        Ok(cutter.into_sink().finish().map(|()| report))
    }
}

/// Writes a part of a trace of another tool, as the store has it.
///
/// # Errors
/// When `out` takes no more.
pub fn write(trace: &Trace, part: Part, format: Format, out: Out<'_>) -> io::Result<()> {
    let mut survey = Survey::new(part);
    replay(trace, &mut survey);
    let plan = survey.plan();
    let mut cutter = Cutter::new(&plan, true, Writer::new(format, out));
    replay(trace, &mut cutter);
    cutter.into_sink().finish()
}
