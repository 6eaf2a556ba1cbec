//! From events to the bytes of the chosen format.

use syclscope_trace::event::{Event, EventSink};
use syclscope_trace::export::{Exporter as _, chrome_json, perfetto};

use super::output::Output;
use crate::config::Format;

/// Counts and encodes events.
pub(crate) struct Encoder {
    exporter: Exporter,
    count: u64,
    /// Room that is used again for every batch.
    batch: Vec<u8>,
}

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
        Self { exporter, count: 0, batch: Vec::new() }
    }

    /// How many bytes wait to be written.
    pub(crate) fn len(&self) -> usize {
        match &self.exporter {
            Exporter::Perfetto(writer) => writer.buffered_bytes(),
            Exporter::Json(writer) => writer.buffered_bytes(),
        }
    }

    /// Events since the last call.
    pub(crate) fn take_count(&mut self) -> u64 {
        std::mem::take(&mut self.count)
    }

    /// Appends what was encoded to the file.
    pub(crate) fn write_to(&mut self, output: &mut Output, is_finished: bool) -> Result<(), String> {
        self.batch.clear();
        match &mut self.exporter {
            Exporter::Perfetto(writer) => writer.drain_into(&mut self.batch),
            Exporter::Json(writer) => writer.drain_into(&mut self.batch),
        }
        let is_json = matches!(self.exporter, Exporter::Json(_));
        output.append(&self.batch, if is_json && is_finished { JSON_TAIL } else { b"" })
    }
}

impl EventSink for Encoder {
    fn event(&mut self, event: &Event<'_>) {
        self.count += 1;
        match &mut self.exporter {
            Exporter::Perfetto(writer) => writer.event(event),
            Exporter::Json(writer) => writer.event(event),
        }
    }
}
