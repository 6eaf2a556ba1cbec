//! Conversion to another format: common code of the command line, the server and the page's exporter.
//!
//! A recording of ours is converted event by event, without loss and without a copy in memory ([`Passing`]). Everything
//! else is converted from the store, which sorts it ([`write()`]).

use std::io::{self, Write};

use syclscope_language::event::{Event, EventSink, Process};
use syclscope_language::formats::Format;

use crate::budget::Budget;
use crate::emit::emit;
use crate::export::{Streamed, chrome_json, perfetto};
use crate::import::{ImportError, ImportReport, Importer};
use crate::store::Trace;

/// Bytes at the start of a file that show whether it is a recording of ours.
pub const START_BYTES: usize = 1 << 20;

/// Destination of a file's bytes.
pub type Out<'o> = Box<dyn Write + Send + 'o>;

/// Origin of the written times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// As recorded.
    #[default]
    Recorded,
    /// From the start of the trace, as in queries and answers.
    FromZero,
}

/// True if a file is a recording of ours, judged by its first [`START_BYTES`], or all of a shorter one.
///
/// # Errors
/// Returns an error if the file is not a trace.
pub fn is_own(start: &[u8]) -> Result<bool, ImportError> {
    let mut importer = Importer::new(Discard);
    importer.feed(start)?;
    importer.finish().map(|(_, report)| report.own_convention)
}

/// True if a trace can be converted event by event.
pub fn is_direct(format: Format, is_own: bool) -> bool {
    is_own && matches!(format, Format::Perfetto | Format::Json)
}

struct Discard;

impl EventSink for Discard {
    fn event(&mut self, _event: &Event<'_>) {}
}

/// A conversion of a recording to another file, fed in chunks of any size.
pub struct Passing<'o> {
    importer: Importer<'o, Encoded<'o>>,
}

/// A writer of one of the two formats that can express every event.
pub(crate) enum Writer<'o> {
    Perfetto(Box<Streamed<perfetto::Writer, Out<'o>>>),
    Json(Box<Streamed<chrome_json::Writer, Out<'o>>>),
}

struct Encoded<'o> {
    writer: Writer<'o>,
    times: Times,
}

impl<'o> Passing<'o> {
    /// Converts to `out` as JSON, or as Perfetto for any other format. The reader's memory is within `budget`.
    pub fn new(format: Format, times: Times, out: Out<'o>, budget: Budget) -> Self {
        Self { importer: Importer::within(Encoded { writer: Writer::new(format, out), times }, budget) }
    }

    /// Converts the next bytes of the file.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a trace.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.importer.feed(bytes)
    }

    /// Converts the rest and returns the report about the file, or the first error of `out`.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a trace.
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

/// Writes a trace from the store, with times from its start.
///
/// # Errors
/// Returns an error if writing to `out` fails, or the engine was built without the format.
pub fn write(trace: &Trace, format: Format, out: Out<'_>) -> io::Result<()> {
    match format {
        Format::Perfetto | Format::Json => {
            let mut writer = Writer::new(format, out);
            emit(trace, &mut writer);
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
