//! From events to the bytes of the chosen format.

use syclscope_engine::export::{Exporter as _, chrome_json, perfetto};
use syclscope_language::event::{Event, EventSink};

use super::output::{Batch, Cut, Output};
use crate::config::Format;

/// Encodes events in batches.
pub(crate) struct Encoder {
    exporter: Exporter,
    /// Events of the batch that is being encoded.
    count: u64,
    /// The batch that is being written; its room is used again for every one.
    batch: Batch,
    /// Places of the batch that is being encoded at which it may be cut.
    cuts: Vec<Cut>,
}

/// A batch can be cut about every so many bytes.
const CUT_BYTES: usize = 4096;

enum Exporter {
    Perfetto(Box<perfetto::Writer>),
    Json(Box<chrome_json::Writer>),
}

/// What closes a finished JSON file. Notifications may come after the end, so that it is not for the exporter to close
/// the array: the next batch is written over this.
const JSON_TAIL: &[u8] = b"\n]\n";

impl Encoder {
    pub(crate) fn new(format: Format) -> Self {
        let exporter = match format {
            Format::Perfetto => Exporter::Perfetto(Box::new(perfetto::Writer::new())),
            Format::Json => Exporter::Json(Box::new(chrome_json::Writer::new())),
        };
        Self { exporter, count: 0, batch: Batch::default(), cuts: Vec::new() }
    }

    /// Appends what was encoded to the file. Gives how many events are in it, and how many are not and why.
    pub(crate) fn write_to(
        &mut self,
        output: &mut Output,
        is_finished: bool,
    ) -> (u64, Result<(), (u64, String)>) {
        let count = std::mem::take(&mut self.count);
        if count == 0 {
            return (0, Ok(()));
        }
        self.batch.bytes.clear();
        match &mut self.exporter {
            Exporter::Perfetto(writer) => writer.drain_into(&mut self.batch.bytes),
            Exporter::Json(writer) => writer.drain_into(&mut self.batch.bytes),
        }
        self.cuts.push(Cut { bytes: self.batch.bytes.len(), events: count });
        std::mem::swap(&mut self.batch.cuts, &mut self.cuts);
        self.cuts.clear();
        let is_json = matches!(self.exporter, Exporter::Json(_));
        let (written, result) =
            output.append(&self.batch, if is_json && is_finished { JSON_TAIL } else { b"" });
        (written, result.map_err(|error| (count - written, error)))
    }

    /// Bytes that were encoded and not yet written.
    pub(crate) fn buffered_bytes(&self) -> usize {
        match &self.exporter {
            Exporter::Perfetto(writer) => writer.buffered_bytes(),
            Exporter::Json(writer) => writer.buffered_bytes(),
        }
    }
}

impl EventSink for Encoder {
    fn event(&mut self, event: &Event<'_>) {
        self.count += 1;
        match &mut self.exporter {
            Exporter::Perfetto(writer) => writer.event(event),
            Exporter::Json(writer) => writer.event(event),
        }
        let bytes = self.buffered_bytes();
        if bytes >= self.cuts.last().map_or(0, |cut| cut.bytes) + CUT_BYTES {
            self.cuts.push(Cut { bytes, events: self.count });
        }
    }
}
