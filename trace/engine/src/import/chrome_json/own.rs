//! Records of our own convention: `docs/FORMAT.md`.

use syclscope_language::event::{Event, EventSink, Execution, NodeKind, SourceLocation, Track, TrackKind};
use syclscope_language::time::{Duration, Timestamp};

use super::Reader;
use super::record::Record;
use crate::convention::{
    EXECUTION_KEYS, EXECUTION_PREFIX, FORMAT_VERSION, Keys, RecordHead, event_of_record, is_record,
    split_facts,
};
use crate::diagnostics::DiagnosticKind;

impl<S: EventSink> Reader<S> {
    pub(super) fn recording(&mut self, record: &Record<'_>) {
        let head = head(record, record.resolve(record.category), Timestamp::ZERO);
        let sink = &mut self.sink;
        let format = event_of_record(head, &mut record.args(), |event, facts| {
            sink.event(event);
            facts.number("format").unwrap_or_default()
        });
        let first = !std::mem::replace(&mut self.own, true);
        if first && format.unwrap_or_default() > FORMAT_VERSION {
            self.count(DiagnosticKind::NewerFormat);
        }
    }

    pub(super) fn own_track(&mut self, record: &Record<'_>) {
        let mut args = record.args();
        let (facts, _) =
            split_facts(&mut args, const { Keys::new(&["track", "kind", "name", "tid", "parent"]) });
        let Some(track) = facts.number("track") else { return self.count(DiagnosticKind::MalformedRecord) };
        self.tracks.insert((record.pid, record.tid), track);
        self.names.last = None;
        let kind = facts.text("kind");
        if !kind.is_empty() {
            self.sink.event(&Event::Track(Track {
                track,
                parent: facts.number("parent"),
                kind: TrackKind::from_text(kind),
                name: facts.text("name"),
                tid: facts.small("tid"),
            }));
        }
    }

    pub(super) fn own_record(&mut self, phase: u8, category: &str, record: &Record<'_>) {
        let at = self.time(record.time);
        if phase == b'X' && category.starts_with(EXECUTION_PREFIX) {
            return self.execution(at, record);
        }
        let sink = &mut self.sink;
        let head = head(record, category, at);
        if event_of_record(head, &mut record.args(), |event, _| sink.event(event)).is_none() {
            let known = is_record(category);
            self.count(if known { DiagnosticKind::MalformedRecord } else { DiagnosticKind::UnknownEvent });
        }
    }

    fn execution(&mut self, start: Timestamp, record: &Record<'_>) {
        let duration = self.time(record.duration.or(Some(0)));
        let mut args = record.args();
        let (facts, args) = split_facts(&mut args, EXECUTION_KEYS);
        let (Some(node), Some(queue)) = (facts.number("node"), facts.number("queue")) else {
            return self.count(DiagnosticKind::MalformedRecord);
        };
        self.sink.event(&Event::Execution(Execution {
            node,
            queue,
            kind: NodeKind::from_text(facts.text("kind")),
            name: record.resolve(record.name),
            queued: facts.number("queued_ns").map(Timestamp),
            submitted: facts.number("submitted_ns").map(Timestamp),
            start,
            end: start.after(Duration(duration.0)),
            args,
        }));
    }
}

fn head<'s>(record: &'s Record<'_>, category: &'s str, at: Timestamp) -> RecordHead<'s> {
    RecordHead { category, name: record.resolve(record.name), at, location: SourceLocation::default() }
}
