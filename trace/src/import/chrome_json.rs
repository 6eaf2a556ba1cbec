//! Reads the Chrome trace event format: our own files without loss, anybody's slices (`X`, `B`, `E`), instants
//! (`i`), counters (`C`) and names (`M`). The format is described at
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.
//!
//! The array may be open at its end, as a killed program leaves it, and may be in an object.

mod foreign;
mod number;
mod own;
mod record;
mod scanner;

use self::foreign::Names;
use self::record::Record;
use self::scanner::{Flaw, Scanner};
use super::{ImportError, ImportReport};
use crate::convention::{RECORD_PREFIX, RECORDING, TRACK_RECORD};
use crate::diagnostics::{DiagnosticKind, Diagnostics};
use crate::event::EventSink;
use crate::hash::FastMap;
use crate::time::Timestamp;

/// Hands the events of a Chrome JSON trace to `sink`, in the order of the file.
///
/// # Errors
/// When the text holds no events: JSON of another kind.
pub fn read(bytes: &[u8], sink: &mut impl EventSink) -> Result<ImportReport, ImportError> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let skipped = (bytes.len() - text.len()) as u64;
    let mut reader = Reader::new(sink, skipped);
    let mut scanner = Scanner::new(text);
    let found_array = if scanner.peek() == Some(b'[') {
        reader.array(&mut scanner);
        true
    } else {
        reader.object(&mut scanner)
    };
    let Reader { diagnostics, own, events, elements, .. } = reader;
    if !found_array {
        return Err(not_a_trace("a JSON object without traceEvents"));
    }
    if events == 0 && elements > 0 {
        return Err(not_a_trace("a JSON list of something else than trace events"));
    }
    Ok(ImportReport { diagnostics, own_convention: own })
}

fn not_a_trace(found: &str) -> ImportError {
    ImportError::NotATrace { found: found.to_owned() }
}

/// The state of an import.
struct Reader<'s, S> {
    sink: &'s mut S,
    diagnostics: Diagnostics,
    /// Bytes before the JSON text.
    skipped: u64,
    /// Offset of the current event.
    offset: u64,
    /// The file starts with our recording record.
    own: bool,
    /// Which track a process and thread stand for.
    tracks: FastMap<(u64, u64), u64>,
    names: Names,
    /// Elements of the list, and those of them that are events.
    elements: u64,
    events: u64,
}

impl<'s, S: EventSink> Reader<'s, S> {
    fn new(sink: &'s mut S, skipped: u64) -> Self {
        Self {
            sink,
            diagnostics: Diagnostics::default(),
            skipped,
            offset: skipped,
            own: false,
            tracks: FastMap::default(),
            names: Names::default(),
            elements: 0,
            events: 0,
        }
    }

    fn count(&mut self, kind: DiagnosticKind) {
        self.diagnostics.count_at(kind, self.offset);
    }

    /// Reads an object with a list of events; `false` if it has none.
    fn object(&mut self, scanner: &mut Scanner<'_>) -> bool {
        let mut found = false;
        let read = scanner.object(|scanner, key| {
            if key.bytes == b"traceEvents" && scanner.peek() == Some(b'[') {
                found = true;
                // A list that ends early leaves nothing to read after it.
                return if self.array(scanner) { Ok(()) } else { Err(Flaw::Cut) };
            }
            scanner.value().map(|_| ())
        });
        if read == Err(Flaw::Malformed) && found {
            self.count(DiagnosticKind::MalformedPacket);
        }
        found
    }

    /// Reads a list of events; `false` if it is not closed.
    fn array(&mut self, scanner: &mut Scanner<'_>) -> bool {
        let mut record = Record::default();
        // The caller has seen the bracket.
        scanner.take_if(b'[');
        loop {
            while scanner.take_if(b',') {}
            self.offset = self.skipped + scanner.offset() as u64;
            match scanner.peek() {
                None => return false,
                Some(b']') => {
                    scanner.take_if(b']');
                    return true;
                }
                Some(_) => self.elements += 1,
            }
            match record.read(scanner) {
                Ok(()) => self.record(&record),
                Err(Flaw::Cut) => {
                    self.count(DiagnosticKind::TruncatedFile);
                    self.elements -= 1;
                    return false;
                }
                Err(Flaw::Malformed) => {
                    self.count(DiagnosticKind::MalformedPacket);
                    if !scanner.next_line() {
                        return false;
                    }
                }
            }
        }
    }

    fn record(&mut self, record: &Record<'_>) {
        if record.invalid_text {
            self.count(DiagnosticKind::InvalidText);
        }
        let Some(phase) = record.phase else { return self.count(DiagnosticKind::UnknownEvent) };
        self.events += 1;
        let category = record.resolve(record.category);
        if category == RECORDING {
            self.recording(record);
        } else if self.own && phase == b'M' {
            if record.resolve(record.name) == TRACK_RECORD {
                self.own_track(record);
            }
        } else if self.own && category.starts_with(RECORD_PREFIX) {
            self.own_record(phase, category, record);
        } else {
            self.event(phase, category, record);
        }
    }

    /// The moment of an event, as the trace counts.
    fn time(&mut self, time: Option<i128>) -> Timestamp {
        let time = time.unwrap_or_else(|| {
            self.count(DiagnosticKind::MalformedRecord);
            0
        });
        Timestamp(u64::try_from(time).unwrap_or_else(|_| {
            self.count(DiagnosticKind::TimeOutOfRange);
            if time < 0 { 0 } else { u64::MAX }
        }))
    }
}
