//! Encoder of events in the chosen format.

use syclscope_engine::export::{Exporter as _, chrome_json, perfetto};
use syclscope_language::event::{Dropped, Event, EventSink};
use syclscope_language::time::Timestamp;

use super::output::{Batch, Cut, Output};
use crate::config::Format;

pub(crate) struct Encoder {
    exporter: Exporter,
    count: u64,
    /// The batch that is being written; its memory is reused.
    batch: Batch,
    cuts: Vec<Cut>,
    /// A position with enough space after it for the statement of loss: a disk may be full right after a complete
    /// packet.
    earlier: Place,
    /// A later position, which replaces `earlier` when it has enough space after it, too.
    later: Place,
    /// Number of events that could not be written, and the number already stated in the file.
    pub(crate) lost: u64,
    lost_said: u64,
}

/// Name in the file of events that did not fit on its disk.
const NOT_WRITTEN: &str = "not_written";
/// Positions tried for the statement of loss.
const TRIES: usize = 4;
/// Bytes that suffice for the statement in either format.
const ROOM_TO_SAY: u64 = 512;

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    length: u64,
    /// Number of events in the file after this position.
    events: u64,
}

/// Approximate distance of the cuts of a batch.
const CUT_BYTES: usize = 4096;

enum Exporter {
    Perfetto(Box<perfetto::Writer>),
    Json(Box<chrome_json::Writer>),
}

/// End of a finished JSON file. Notifications may follow, so that the exporter can't close the array: the next batch
/// overwrites it.
const JSON_TAIL: &[u8] = b"\n]\n";

impl Encoder {
    pub(crate) fn new(format: Format) -> Self {
        let exporter = match format {
            Format::Perfetto => Exporter::Perfetto(Box::new(perfetto::Writer::new())),
            Format::Json => Exporter::Json(Box::new(chrome_json::Writer::new())),
        };
        Self {
            exporter,
            count: 0,
            batch: Batch::default(),
            cuts: Vec::new(),
            earlier: Place::default(),
            later: Place::default(),
            lost: 0,
            lost_said: 0,
        }
    }

    /// Appends the encoded events to the file, with the loss as of `at`. Returns the change of the number of events in
    /// the file, which is negative if some were removed for the statement of loss.
    pub(crate) fn write_to(&mut self, output: &mut Output, at: Timestamp, is_finished: bool) -> i64 {
        let count = std::mem::take(&mut self.count);
        let begin = output.length();
        if count == 0 {
            self.batch.cuts.clear();
            let is_all_said = !is_finished || self.lost == self.lost_said;
            return if is_all_said { 0 } else { self.lose(output, (begin, 0), 0, at, true) };
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
        if result.is_ok() {
            self.remember_room(begin, count);
            return written.cast_signed();
        }
        self.lose(output, (begin, count), written, at, is_finished)
    }

    /// Counts the loss in a batch of `count` events that starts at `begin` and of which `written` are in the file, and
    /// writes the statement of loss when it is due. Returns the change of the number of events in the file.
    fn lose(
        &mut self,
        output: &mut Output,
        (begin, count): (u64, u64),
        written: u64,
        at: Timestamp,
        is_finished: bool,
    ) -> i64 {
        if !output.is_full() {
            self.lost += count - written;
            return written.cast_signed();
        }
        // Without space after the last complete packet, earlier packets are removed. Each place is a length, and the
        // change of the number of events.
        let cuts = self.batch.cuts.iter().rev().copied().chain([Cut::default()]);
        let mut places: Vec<(u64, i64)> = cuts
            .skip_while(|cut| cut.events > written)
            .map(|cut| (begin + cut.bytes as u64, cut.events.cast_signed()))
            .take(TRIES)
            .collect();
        places.push((self.earlier.length, -self.earlier.events.cast_signed()));
        let lost_before = self.lost;
        let mut event_count = 0;
        for (length, more) in places {
            event_count = more;
            self.lost = lost_before + count.strict_sub_signed(more);
            let is_due = is_finished || self.lost >= 2 * self.lost_said;
            if !is_due || self.write_lost_count(output, length, at) {
                break;
            }
        }
        self.earlier.events = self.earlier.events.strict_add_signed(event_count);
        event_count
    }

    /// Notes the last position with enough space after it, once a batch of `count` events that starts at `begin` was
    /// written.
    fn remember_room(&mut self, begin: u64, count: u64) {
        let end = Place { length: begin + self.batch.bytes.len() as u64, events: 0 };
        let has_room = |place: &Place| place.length + ROOM_TO_SAY <= end.length;
        let cuts = self.batch.cuts.iter().rev();
        let place = |cut: &Cut| Place { length: begin + cut.bytes as u64, events: count - cut.events };
        self.earlier.events += count;
        self.later.events += count;
        let found = cuts.map(place).chain([self.later]).find(has_room);
        if let Some(found) = found {
            (self.earlier, self.later) = (found, end);
        }
    }

    /// Writes the number of missing events to a full file; true on success.
    fn write_lost_count(&mut self, output: &mut Output, length: u64, at: Timestamp) -> bool {
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

#[cfg(test)]
mod tests {
    use std::process::Command;

    use syclscope_engine::import;
    use syclscope_language::event::{Category, Instant, Process, SourceLocation, Track, TrackKind};

    use super::*;

    const MARKS: u64 = 80;

    #[derive(Default)]
    struct Read {
        marks: u64,
        not_written: u64,
    }

    impl EventSink for Read {
        fn event(&mut self, event: &Event<'_>) {
            match event {
                Event::Instant(_) => self.marks += 1,
                Event::Dropped(dropped) if dropped.kind == NOT_WRITTEN => self.not_written = dropped.count,
                _ => {}
            }
        }
    }

    fn write(format: Format, output: &mut Output) -> (i64, u64) {
        let mut encoder = Encoder::new(format);
        let at = Timestamp(5);
        encoder.event(&Event::Process(Process { pid: 7, ..Process::default() }));
        let kind = TrackKind::Thread;
        encoder.event(&Event::Track(Track { track: 1, parent: None, kind, name: "main", tid: 7 }));
        let mut kept = encoder.write_to(output, at, false);
        for mark in 0..MARKS {
            let name = &"a mark of some length"[..mark as usize % 20];
            let location = SourceLocation::default();
            let (category, args) = (Category::Wait, &[]);
            encoder.event(&Event::Instant(Instant {
                track: 1,
                at,
                category,
                name,
                node: None,
                location,
                args,
            }));
            if mark % 3 != 1 {
                kept += encoder.write_to(output, at, false);
            }
        }
        kept += encoder.write_to(output, at, true);
        (kept, encoder.lost)
    }

    /// Runs in its own process, because the limit applies to all of a process's files.
    #[test]
    fn a_file_says_what_it_lacks_wherever_its_disk_is_full() {
        const IN_ITS_PROCESS: &str = "SYCLSCOPE_TEST_FULL_DISK";
        if std::env::var_os(IN_ITS_PROCESS).is_none() {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args([
                "--exact",
                "writer::encoder::tests::a_file_says_what_it_lacks_wherever_its_disk_is_full",
            ]);
            let output = command.env(IN_ITS_PROCESS, "1").output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && said.contains("1 passed"), "{said}");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        for format in [Format::Perfetto, Format::Json] {
            for limit in 1_400..2_100 {
                let path = folder.path().join("run");
                crate::os::limit_file_size(limit);
                let mut output = Output::create(&path, true);
                let (kept, lost) = write(format, &mut output);
                assert!(output.is_full() && lost > 0, "{limit} bytes are too many");
                let mut read = Read::default();
                let report = import::read(&std::fs::read(&path).unwrap(), &mut read).unwrap();
                assert_eq!(report.diagnostics.infos().count(), 0, "{limit} bytes: {:?}", report.diagnostics);
                assert_eq!((read.not_written, read.marks), (lost, MARKS - lost), "{format:?}, {limit} bytes");
                assert_eq!(kept.cast_unsigned(), 2 + MARKS - lost);
            }
        }
    }
}
