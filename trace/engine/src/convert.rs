//! A trace in another format: what the command line, the server and the page's exporter have in common.
//!
//! A recording of ours goes from file to file event by event, which loses nothing and holds nothing in memory
//! ([`Passing`]). Everything else goes through the store, which sorts it ([`write()`]).

use std::io::{self, Write};

use syclscope_language::event::{Event, EventSink, Process};
use syclscope_language::formats::Format;

use crate::budget::Budget;
use crate::export::{Streamed, chrome_json, perfetto};
use crate::import::{ImportError, ImportReport, Importer};
use crate::replay::replay;
use crate::store::Trace;

/// Bytes of a file that tell whether it is a recording of ours.
pub const START_BYTES: usize = 1 << 20;

/// Where the bytes of a file go.
pub type Out<'o> = Box<dyn Write + Send + 'o>;

/// How times are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// As they were recorded.
    #[default]
    Recorded,
    /// From the start of the trace, as questions and answers have them.
    FromZero,
}

/// Whether a file is a recording of ours, by its first [`START_BYTES`], or all of it where it is shorter.
///
/// # Errors
/// When it is no trace.
pub fn is_own(start: &[u8]) -> Result<bool, ImportError> {
    let mut importer = Importer::new(Discard);
    importer.feed(start)?;
    importer.finish().map(|(_, report)| report.own_convention)
}

/// Whether a trace can go from file to file event by event.
pub fn is_direct(format: Format, is_own: bool) -> bool {
    is_own && matches!(format, Format::Perfetto | Format::Json)
}

struct Discard;

impl EventSink for Discard {
    fn event(&mut self, _event: &Event<'_>) {}
}

/// A recording on its way into another file, a piece at a time.
pub struct Passing<'o> {
    importer: Importer<'o, Encoded<'o>>,
}

/// A writer of one of the two formats that hold everything.
pub(crate) enum Writer<'o> {
    Perfetto(Box<Streamed<perfetto::Writer, Out<'o>>>),
    Json(Box<Streamed<chrome_json::Writer, Out<'o>>>),
}

struct Encoded<'o> {
    writer: Writer<'o>,
    times: Times,
}

impl<'o> Passing<'o> {
    /// A recording that goes to `out` as JSON or, in any other case, as Perfetto's. What its reader keeps is within `budget`.
    pub fn new(format: Format, times: Times, out: Out<'o>, budget: Budget) -> Self {
        Self { importer: Importer::within(Encoded { writer: Writer::new(format, out), times }, budget) }
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
        let (encoded, report) = self.importer.finish()?;
        Ok(encoded.writer.finish().map(|()| report))
    }
}

impl<'o> Writer<'o> {
    pub(crate) fn new(format: Format, out: Out<'o>) -> Self {
        match format {
            Format::Json => Self::Json(Box::new(Streamed::new(chrome_json::Writer::new(), out))),
            _ => Self::Perfetto(Box::new(Streamed::new(perfetto::Writer::new(), out))),
        }
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::Perfetto(writer) => writer.finish().map(drop),
            Self::Json(writer) => writer.finish().map(drop),
        }
    }
}

impl EventSink for Writer<'_> {
    fn event(&mut self, event: &Event<'_>) {
        match self {
            Self::Perfetto(writer) => writer.event(event),
            Self::Json(writer) => writer.event(event),
        }
    }
}

impl EventSink for Encoded<'_> {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Process(process) if self.times == Times::FromZero => {
                self.writer.event(&Event::Process(Process { start_monotonic_ns: 0, ..*process }));
            }
            event => self.writer.event(event),
        }
    }
}

/// Writes a trace as the store has it, its times from its start.
///
/// # Errors
/// When `out` takes no more, or this engine was built without the format.
pub fn write(trace: &Trace, format: Format, out: Out<'_>) -> io::Result<()> {
    match format {
        Format::Perfetto | Format::Json => {
            let mut writer = Writer::new(format, out);
            replay(trace, &mut writer);
            writer.finish()
        }
        #[cfg(feature = "fxprof")]
        Format::Fxprof => {
            let mut out = io::BufWriter::with_capacity(1 << 20, out);
            crate::fxprof::write(trace, &mut out).and_then(|()| out.flush())
        }
        #[cfg(feature = "tables")]
        Format::Parquet => crate::tables::archive::write(trace, out),
        #[cfg(not(all(feature = "fxprof", feature = "tables")))]
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}
