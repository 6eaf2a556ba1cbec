//! The importer: receives a file in chunks, detects the format, decompresses, and reads.

use std::sync::{Arc, Mutex, PoisonError};

use syclscope_language::event::{Event, EventSink};

use super::chunk_buffer::Carry;
use super::compressed::{Compression, Unpacker};
use super::sniff::{self, Format, SNIFFED_BYTES};
use super::{ImportError, ImportReport, Parser, chrome_json, perfetto};
use crate::budget::Budget;
use crate::builder::TraceBuilder;
use crate::diagnostics::{DiagnosticKind, Diagnostics};
use crate::store::Trace;

/// Maximum nesting of compressed data.
const MAX_LAYERS: usize = 2;

/// Bytes that are read between two checks of the memory used.
const LOOK_BYTES: usize = 1 << 20;

/// Reader of a trace whose bytes arrive in chunks of any size; it passes the events to a sink.
///
/// ```
/// # use syclscope_language::event::{Event, EventSink as _};
/// # use syclscope_engine::export::{Exporter as _, perfetto};
/// # let mut writer = perfetto::Writer::new();
/// # writer.event(&Event::Finish { at: Default::default() });
/// # let bytes = writer.take_bytes();
/// use syclscope_engine::import::TraceImporter;
///
/// let mut importer = TraceImporter::new();
/// for piece in bytes.chunks(7) {
///     importer.feed(piece)?;
/// }
/// let trace = importer.finish()?;
/// # Ok::<(), syclscope_engine::import::ImportError>(())
/// ```
pub struct Importer<'o, S> {
    sink: Arc<Mutex<S>>,
    feed: Feed<Shared<'o>>,
}

/// A type-erased sink: the readers are compiled once for all sinks, and a second time for the trace builder, which must
/// be fast. A copy of the readers per sink would add a megabyte to the program.
struct Shared<'o>(Arc<Mutex<dyn EventSink + Send + 'o>>);

impl EventSink for Shared<'_> {
    fn event(&mut self, event: &Event<'_>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).event(event);
    }
}

impl<'o, S: EventSink + Send + 'o> Importer<'o, S> {
    /// Returns an importer before the first byte.
    pub fn new(sink: S) -> Self {
        Self::within(sink, Budget::unlimited())
    }

    /// Like [`Self::new`], within a budget.
    pub fn within(sink: S, budget: Budget) -> Self {
        let sink = Arc::new(Mutex::new(sink));
        let feed = Feed::at_layer(Shared(Arc::clone(&sink) as _), budget, 0);
        Self { sink, feed }
    }

    /// Returns the number of bytes fed, before decompression.
    pub fn bytes_read(&self) -> u64 {
        self.feed.bytes_read
    }

    /// Reads more bytes of the file.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a trace, or exceed the budget. Bytes fed after an error are ignored.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.feed.feed(bytes)
    }

    /// Finishes the import after the last byte; returns the sink and the report about the file.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a trace, or exceed the budget.
    pub fn finish(self) -> Result<(S, ImportReport), ImportError> {
        let (shared, report) = self.feed.finish()?;
        drop(shared);
        // The reader dropped the only other reference.
        let sink = Arc::into_inner(self.sink).ok_or(ImportError::Empty)?;
        Ok((sink.into_inner().unwrap_or_else(PoisonError::into_inner), report))
    }
}

struct Feed<S> {
    stage: Stage<S>,
    /// Bytes before the format is detected.
    start: Vec<u8>,
    carry: Carry,
    layers: usize,
    bytes_read: u64,
    budget: Budget,
}

enum Stage<S> {
    /// The format is not detected yet.
    Start(S),
    Packed(Box<Unpacker>, Box<Feed<S>>),
    Perfetto(Box<perfetto::Reader<S>>),
    ChromeJson(Box<chrome_json::Reader<S>>),
    Failed,
}

impl<S: EventSink> Feed<S> {
    fn at_layer(sink: S, budget: Budget, layers: usize) -> Self {
        let (stage, carry) = (Stage::Start(sink), Carry::default());
        Self { stage, start: Vec::new(), carry, layers, bytes_read: 0, budget }
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.bytes_read += bytes.len() as u64;
        if !matches!(self.stage, Stage::Start(_)) {
            return self.go_on(bytes);
        }
        if self.start.is_empty() && bytes.len() >= SNIFFED_BYTES {
            self.begin(bytes)?;
            return self.go_on(bytes);
        }
        self.start.extend_from_slice(bytes);
        if self.start.len() < SNIFFED_BYTES {
            return Ok(());
        }
        self.begin_with_start()
    }

    fn begin_with_start(&mut self) -> Result<(), ImportError> {
        let start = std::mem::take(&mut self.start);
        self.begin(&start)?;
        self.go_on(&start)
    }

    fn begin(&mut self, start: &[u8]) -> Result<(), ImportError> {
        let Stage::Start(sink) = std::mem::replace(&mut self.stage, Stage::Failed) else { return Ok(()) };
        if let Some(compression) = Compression::detect(start) {
            if self.layers == MAX_LAYERS {
                return Err(ImportError::PackedAgain { found: compression.name() });
            }
            let inner = Self::at_layer(sink, self.budget.clone(), self.layers + 1);
            let unpacker = Unpacker::new(compression, self.budget.clone());
            self.stage = Stage::Packed(Box::new(unpacker), Box::new(inner));
            return Ok(());
        }
        self.stage = match sniff::sniff(start)? {
            Format::Perfetto => Stage::Perfetto(Box::new(perfetto::Reader::new(sink, self.budget.clone()))),
            Format::ChromeJson => {
                Stage::ChromeJson(Box::new(chrome_json::Reader::new(sink, self.budget.clone())))
            }
        };
        Ok(())
    }

    fn go_on(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        let read = bytes.chunks(LOOK_BYTES).try_for_each(|piece| self.read(piece));
        if read.is_err() {
            // Memory is freed before the caller receives the error.
            self.stage = Stage::Failed;
            self.carry = Carry::default();
        }
        read
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        match &mut self.stage {
            Stage::Start(_) | Stage::Failed => return Ok(()),
            Stage::Packed(unpacker, inner) => unpacker.feed(bytes, &mut |piece| inner.feed(piece))?,
            Stage::Perfetto(reader) => self.carry.feed(bytes, |bytes| reader.read(bytes, false)),
            Stage::ChromeJson(reader) => self.carry.feed(bytes, |bytes| reader.read(bytes, false)),
        }
        Ok(self.budget.require_for_piece(self.carry.len())?)
    }

    fn finish(mut self) -> Result<(S, ImportReport), ImportError> {
        if matches!(self.stage, Stage::Start(_)) {
            self.begin_with_start()?;
        }
        let rest = self.carry.take();
        match self.stage {
            Stage::Start(_) | Stage::Failed => Err(ImportError::Empty),
            Stage::Packed(mut unpacker, mut inner) => {
                unpacker.end(&mut |piece| inner.feed(piece))?;
                let problem = unpacker.problem.or(
                    // The compressed data is truncated.
                    (!unpacker.is_complete()).then_some(DiagnosticKind::TruncatedFile),
                );
                let at = self.bytes_read;
                let (sink, mut report) = inner.finish().map_err(|error| match (error, problem) {
                    (ImportError::Empty, Some(DiagnosticKind::DamagedCompression)) => {
                        ImportError::NotATrace { found: "damaged compressed data".to_owned() }
                    }
                    (error, _) => error,
                })?;
                if let Some(problem) = problem {
                    count_once(&mut report.diagnostics, problem, at);
                }
                Ok((sink, report))
            }
            Stage::Perfetto(reader) => end(reader, rest, &self.budget),
            Stage::ChromeJson(reader) => end(reader, rest, &self.budget),
        }
    }
}

fn end<S, R: Parser<S>>(
    mut reader: Box<R>,
    rest: Vec<u8>,
    budget: &Budget,
) -> Result<(S, ImportReport), ImportError> {
    reader.read(&rest, true);
    drop(rest);
    budget.require(0)?;
    reader.finish()
}

/// Counts a truncation once: truncated compressed data truncates its contents, too.
fn count_once(diagnostics: &mut Diagnostics, problem: DiagnosticKind, at: u64) {
    if diagnostics.get(problem) == 0 {
        diagnostics.count_at(problem, at);
    }
}

/// Builder of a [`Trace`] from a file whose bytes arrive in chunks of any size. Drop it to cancel.
pub struct TraceImporter {
    feed: Feed<TraceBuilder>,
    budget: Budget,
}

impl Default for TraceImporter {
    fn default() -> Self {
        Self::new()
    }
}

impl TraceImporter {
    /// Returns an importer before the first byte.
    pub fn new() -> Self {
        Self::within(Budget::unlimited())
    }

    /// Like [`Self::new`], within a budget.
    pub fn within(budget: Budget) -> Self {
        Self { feed: Feed::at_layer(TraceBuilder::new(), budget.clone(), 0), budget }
    }

    /// Reads more bytes of the file.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a trace, or exceed the budget.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.feed.feed(bytes)
    }

    /// Returns the trace, after the last byte.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a trace, or exceed the budget.
    pub fn finish(self) -> Result<Trace, ImportError> {
        let (mut builder, report) = self.feed.finish()?;
        builder.report(&report.diagnostics);
        if !report.own_convention {
            builder.start_at_first_event();
        }
        Ok(builder.build_within(&self.budget)?)
    }
}
