//! From events to the bytes of the chosen format.

use syclscope_engine::export::{Exporter as _, chrome_json, perfetto};
use syclscope_language::event::{Dropped, Event, EventSink};
use syclscope_language::time::Timestamp;

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
    /// Events that could not be written, and how many of them the file says.
    lost: u64,
    lost_said: u64,
}

/// What a file calls events for which there was no room on its disk.
const NOT_WRITTEN: &str = "not_written";
/// So many places are tried for what it says of them.
const TRIES: usize = 4;

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
        Self { exporter, count: 0, batch: Batch::default(), cuts: Vec::new(), lost: 0, lost_said: 0 }
    }

    /// Appends what was encoded to the file. Gives how many events are in it, and how many are not and why; the file says the
    /// latter, too, as of the moment `at`.
    pub(crate) fn write_to(
        &mut self,
        output: &mut Output,
        at: Timestamp,
        is_finished: bool,
    ) -> (u64, Result<(), (u64, String)>) {
        let count = std::mem::take(&mut self.count);
        let begin = output.length();
        if count == 0 {
            if is_finished {
                self.say_lost(output, begin, at);
            }
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
        let (mut written, result) =
            output.append(&self.batch, if is_json && is_finished { JSON_TAIL } else { b"" });
        if result.is_err() {
            let lost_before = self.lost;
            // Where there is no room behind the last whole packet, those before it make some.
            let cuts: Vec<Cut> = self.batch.cuts.iter().rev().copied().chain([Cut::default()]).collect();
            let most = written;
            for cut in cuts.into_iter().skip_while(|cut| cut.events > most).take(TRIES) {
                written = cut.events;
                self.lost = lost_before + count - written;
                let is_due = is_finished || self.lost >= 2 * self.lost_said;
                if !is_due || self.say_lost(output, begin + cut.bytes as u64, at) {
                    break;
                }
            }
        }
        (written, result.map_err(|error| (count - written, error)))
    }

    /// Has a file that nothing more can be written to say how many events it lacks; true if it does.
    fn say_lost(&mut self, output: &mut Output, length: u64, at: Timestamp) -> bool {
        if self.lost == self.lost_said {
            return true;
        }
        let event = Event::Dropped(Dropped { at, kind: NOT_WRITTEN, count: self.lost });
        let mut bytes = Vec::new();
        match &mut self.exporter {
            Exporter::Perfetto(writer) => {
                writer.restart();
                writer.event(&event);
                writer.drain_into(&mut bytes);
            }
            Exporter::Json(writer) => {
                writer.event(&event);
                writer.drain_into(&mut bytes);
                bytes.extend_from_slice(JSON_TAIL);
            }
        }
        let is_said = output.end_with(length, &bytes);
        if is_said {
            self.lost_said = self.lost;
        }
        is_said
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
