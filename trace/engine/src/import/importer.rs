//! Takes the bytes of a file in pieces: tells the format, unpacks, and reads.

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

/// Bytes that are read between two looks at the memory that is taken by then.
const LOOK_BYTES: usize = 1 << 20;

/// Reads a trace whose bytes come in pieces of any size, and hands its events to a sink.
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

/// A sink whose type readers do not know: they are compiled once for all of them, and a second time for the builder of a trace, which
/// is to be fast. One copy of the readers for each sink made a megabyte of the program.
struct Shared<'o>(Arc<Mutex<dyn EventSink + Send + 'o>>);

impl EventSink for Shared<'_> {
    fn event(&mut self, event: &Event<'_>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).event(event);
    }
}

impl<'o, S: EventSink + Send + 'o> Importer<'o, S> {
    /// A reader that has seen no byte.
    pub fn new(sink: S) -> Self {
        Self::within(sink, Budget::unlimited())
    }

    /// The same, within a budget.
    pub fn within(sink: S, budget: Budget) -> Self {
        let sink = Arc::new(Mutex::new(sink));
        let feed = Feed::at_layer(Shared(Arc::clone(&sink) as _), budget, 0);
        Self { sink, feed }
    }

    /// Returns the number of bytes fed, before unpacking.
    pub fn bytes_read(&self) -> u64 {
        self.feed.bytes_read
    }

    /// Reads more bytes of the file.
    ///
    /// # Errors
    /// When the bytes are no trace, or take more than they may. What is fed after an error is not looked at.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.feed.feed(bytes)
    }

    /// Reads what is left when the file has no more bytes: the sink, and what is to be said of the file.
    ///
    /// # Errors
    /// When the bytes are no trace, or take more than they may.
    pub fn finish(self) -> Result<(S, ImportReport), ImportError> {
        let (shared, report) = self.feed.finish()?;
        drop(shared);
        // The reader gave back the only other owner.
        let sink = Arc::into_inner(self.sink).ok_or(ImportError::Empty)?;
        Ok((sink.into_inner().unwrap_or_else(PoisonError::into_inner), report))
    }
}

struct Feed<S> {
    stage: Stage<S>,
    /// Bytes whose format is not told yet.
    start: Vec<u8>,
    carry: Carry,
    layers: usize,
    bytes_read: u64,
    budget: Budget,
}

enum Stage<S> {
    /// The format is not told yet.
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
        if let Some(compression) = Compression::of(start) {
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
            Format::ChromeJson => Stage::ChromeJson(Box::new(chrome_json::Reader::new(sink))),
        };
        Ok(())
    }

    fn go_on(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        let read = bytes.chunks(LOOK_BYTES).try_for_each(|piece| self.read(piece));
        if read.is_err() {
            // What was taken is free again before anybody looks at the error.
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
                    // What was packed ends in the middle of it.
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

/// A cut in the packed data is one in the data as well.
fn count_once(diagnostics: &mut Diagnostics, problem: DiagnosticKind, at: u64) {
    if diagnostics.get(problem) == 0 {
        diagnostics.count_at(problem, at);
    }
}

/// Makes a [`Trace`] of a file whose bytes come in pieces of any size. To break off, drop it.
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
    /// An importer that has seen no byte.
    pub fn new() -> Self {
        Self::within(Budget::unlimited())
    }

    /// The same, within a budget.
    pub fn within(budget: Budget) -> Self {
        Self { feed: Feed::at_layer(TraceBuilder::new(), budget.clone(), 0), budget }
    }

    /// Returns the number of bytes fed, before unpacking.
    pub fn bytes_read(&self) -> u64 {
        self.feed.bytes_read
    }

    /// Reads more bytes of the file.
    ///
    /// # Errors
    /// When the bytes are no trace.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ImportError> {
        self.feed.feed(bytes)
    }

    /// The trace, when the file has no more bytes.
    ///
    /// # Errors
    /// When the bytes are no trace, or take more than they may.
    pub fn finish(self) -> Result<Trace, ImportError> {
        let (mut builder, report) = self.feed.finish()?;
        builder.report(&report.diagnostics);
        if !report.own_convention {
            builder.start_at_first_event();
        }
        Ok(builder.build_within(&self.budget)?)
    }
}
