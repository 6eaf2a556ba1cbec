//! Readers: bytes of a file in, a [`Trace`] out.
//!
//! The content determines the format, never the name; compressed files are decompressed meanwhile. Content that a
//! reader can't use becomes a counted diagnostic of the trace; an [`ImportError`] means that the bytes are not a trace
//! at all. Bytes may arrive in chunks of any size ([`Importer`]); a file is never in memory as a whole.

mod async_slices;
mod chrome_json;
mod chunk_buffer;
mod compressed;
mod error;
mod importer;
mod limits;
mod owned_args;
mod pairing;
mod perfetto;
mod producers;
mod sniff;

pub use error::ImportError;
pub use importer::{Importer, TraceImporter};

use syclscope_language::event::{EventSink, Value};

use crate::budget::Budget;
use crate::diagnostics::Diagnostics;
use crate::store::Trace;

/// A reader's report about a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Problems found.
    pub diagnostics: Diagnostics,
    /// True if the file was written by syclscope: its times count from the start of the trace. Other files have an
    /// origin of their own.
    pub own_convention: bool,
}

/// A reader of one format that accepts bytes as they arrive.
trait Parser<S> {
    /// Reads the complete elements at the start of `bytes`, and returns their length. The remaining bytes are passed
    /// again, followed by more; `is_last` is true for the last bytes.
    fn read(&mut self, bytes: &[u8], is_last: bool) -> usize;

    /// Returns the sink, and the report about the file, after the last bytes.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a trace.
    fn finish(self: Box<Self>) -> Result<(S, ImportReport), ImportError>;
}

/// Reads a Perfetto or Chrome JSON trace, compressed or not.
///
/// # Errors
/// Returns an error if the bytes are not a trace.
pub fn open(bytes: &[u8]) -> Result<Trace, ImportError> {
    open_within(bytes, Budget::unlimited())
}

/// Reads a trace like [`open`], within a budget.
///
/// # Errors
/// Returns an error if the bytes are not a trace, or the budget is exceeded.
pub fn open_within(bytes: &[u8], budget: Budget) -> Result<Trace, ImportError> {
    let mut importer = TraceImporter::within(budget);
    importer.feed(bytes)?;
    importer.finish()
}

/// Passes the events of a Perfetto or Chrome JSON trace, compressed or not, to `sink`, in the order of the file.
///
/// # Errors
/// Returns an error if the bytes are not a trace.
pub fn read(bytes: &[u8], sink: &mut (impl EventSink + Send)) -> Result<ImportReport, ImportError> {
    let mut importer = Importer::new(sink);
    importer.feed(bytes)?;
    importer.finish().map(|(_, report)| report)
}

/// Empties a list and returns it for items with another lifetime, keeping its allocation.
fn reuse<'b>(mut args: Vec<(&str, Value<'_>)>) -> Vec<(&'b str, Value<'b>)> {
    args.clear();
    args.into_iter().map(|_| ("", Value::Bool(false))).collect()
}
