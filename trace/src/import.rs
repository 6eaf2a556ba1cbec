//! Readers: bytes of a file in, a [`Trace`] out.
//!
//! The format is told by content, never by name. What a reader can't use becomes a counted diagnostic of the
//! trace; an [`ImportError`] means that the bytes are no trace at all.

pub mod chrome_json;
mod error;
pub mod perfetto;
mod sniff;

pub use error::ImportError;

use crate::builder::TraceBuilder;
use crate::diagnostics::Diagnostics;
use crate::event::EventSink;
use crate::store::Trace;

/// What a reader says of a file beside its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Problems that were found.
    pub diagnostics: Diagnostics,
    /// The file was written by syclscope: its times count from the start of the trace. Else they have an origin
    /// of their own.
    pub own_convention: bool,
}

/// Reads a Perfetto or Chrome JSON trace.
///
/// # Errors
/// When the bytes are neither.
pub fn open(bytes: &[u8]) -> Result<Trace, ImportError> {
    let mut builder = TraceBuilder::new();
    let report = read(bytes, &mut builder)?;
    builder.report(&report.diagnostics);
    if !report.own_convention {
        builder.start_at_first_event();
    }
    Ok(builder.build())
}

/// Hands the events of a Perfetto or Chrome JSON trace to `sink`, in the order of the file.
///
/// # Errors
/// When the bytes are neither.
pub fn read(bytes: &[u8], sink: &mut impl EventSink) -> Result<ImportReport, ImportError> {
    match sniff::sniff(bytes)? {
        sniff::Format::Perfetto => Ok(perfetto::read(bytes, sink)),
        sniff::Format::ChromeJson => chrome_json::read(bytes, sink),
    }
}
