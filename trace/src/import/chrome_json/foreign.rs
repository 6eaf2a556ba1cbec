//! Slices, instants, counters and names, of our own and of other programs' files.

use super::Reader;
use super::record::Record;
use crate::convention::{DERIVED, Facts, SLICE_KEYS, location_of, split_facts};
use crate::diagnostics::DiagnosticKind;
use crate::event::{
    Args, Category, CounterSample, Event, EventSink, Instant, SliceBegin, SliceEnd, SourceLocation, Track,
    TrackKind, Value,
};
use crate::hash::FastMap;
use crate::time::Duration;

/// Tracks that were made up for the processes, threads and counters of another program.
#[derive(Debug, Default)]
pub(super) struct Names {
    next: u64,
    processes: FastMap<u64, u64>,
    threads: FastMap<(u64, u64), u64>,
    counters: FastMap<(u64, String), u64>,
}

impl Names {
    fn make_up(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

impl<S: EventSink> Reader<'_, S> {
    pub(super) fn event(&mut self, phase: u8, category: &str, record: &Record<'_>) {
        match phase {
            b'M' => self.name(record),
            b'C' | b's' | b't' | b'f' if category == DERIVED => {}
            b'C' => self.counter(record),
            b'B' => self.begin(category, record),
            b'E' => self.end(record),
            b'i' | b'I' | b'R' => self.instant(category, record),
            b'X' => {
                self.begin(category, record);
                let duration = record.duration.unwrap_or_else(|| {
                    self.count(DiagnosticKind::MalformedRecord);
                    0
                });
                let end = self.time(record.time).after(Duration(u64::try_from(duration).unwrap_or_default()));
                let track = self.track(record);
                self.sink.event(&Event::SliceEnd(SliceEnd { track, at: end, args: &[] }));
            }
            _ => self.count(DiagnosticKind::UnknownEvent),
        }
    }

    fn begin(&mut self, category: &str, record: &Record<'_>) {
        let (at, track) = (self.time(record.time), self.track(record));
        let mut args = record.args();
        let slice = self.slice_facts(category, &mut args);
        let SliceFacts { category, node, location, args } = slice;
        let name = record.resolve(record.name);
        self.sink.event(&Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }));
    }

    fn end(&mut self, record: &Record<'_>) {
        let (at, track) = (self.time(record.time), self.track(record));
        let mut args = record.args();
        let args: Args<'_> = if self.own { split_facts(&mut args, &[]).1 } else { &args };
        self.sink.event(&Event::SliceEnd(SliceEnd { track, at, args }));
    }

    fn instant(&mut self, category: &str, record: &Record<'_>) {
        let (at, track) = (self.time(record.time), self.track(record));
        let mut args = record.args();
        let SliceFacts { category, node, location, args } = self.slice_facts(category, &mut args);
        let name = record.resolve(record.name);
        self.sink.event(&Event::Instant(Instant { track, at, category, name, node, location, args }));
    }

    fn slice_facts<'b, 'a: 'b>(
        &self,
        text: &'a str,
        args: &'b mut Vec<(&'a str, Value<'a>)>,
    ) -> SliceFacts<'b> {
        let category = Category::from_text(text);
        if self.own {
            let (facts, args): (Facts<'_, '_>, _) = split_facts(args, SLICE_KEYS);
            let location = location_of(SourceLocation::default(), &facts);
            return SliceFacts { category, node: facts.number("node"), location, args };
        }
        // The category of another program stays as an argument.
        if category == Category::Other && !text.is_empty() {
            args.push(("category", Value::Str(text)));
        }
        SliceFacts { category, node: None, location: SourceLocation::default(), args }
    }

    fn counter(&mut self, record: &Record<'_>) {
        let at = self.time(record.time);
        for (key, value) in record.args() {
            let value = match value {
                Value::Float(value) => value,
                Value::Uint(value) => value as f64,
                Value::Int(value) => value as f64,
                _ => {
                    self.count(DiagnosticKind::UnknownArgument);
                    continue;
                }
            };
            let own = if self.own { self.tracks.get(&(record.pid, record.tid)).copied() } else { None };
            let track = own.unwrap_or_else(|| self.counter_track(record, key));
            self.sink.event(&Event::Counter(CounterSample { track, at, value }));
        }
    }

    fn counter_track(&mut self, record: &Record<'_>, key: &str) -> u64 {
        let name = record.resolve(record.name);
        let name = if key == "value" || key == name { name.to_owned() } else { format!("{name} {key}") };
        let parent = self.process_track(record.pid, "");
        let key = (record.pid, name);
        if let Some(track) = self.names.counters.get(&key) {
            return *track;
        }
        let track = self.names.make_up();
        self.announce(track, Some(parent), TrackKind::Counter, &key.1, 0);
        self.names.counters.insert(key, track);
        track
    }

    /// The track of an event's thread.
    fn track(&mut self, record: &Record<'_>) -> u64 {
        let key = (record.pid, record.tid);
        if self.own
            && let Some(track) = self.tracks.get(&key)
        {
            return *track;
        }
        self.thread_track(record, "")
    }

    /// The track of a thread; announced when it is new or gets a name.
    fn thread_track(&mut self, record: &Record<'_>, name: &str) -> u64 {
        let key = (record.pid, record.tid);
        let known = self.names.threads.get(&key).copied();
        if let (Some(track), "") = (known, name) {
            return track;
        }
        let parent = self.process_track(record.pid, "");
        let track = known.unwrap_or_else(|| self.names.make_up());
        self.names.threads.insert(key, track);
        let made_up = format!("thread {}", record.tid);
        let name = if name.is_empty() { &made_up } else { name };
        let tid = u32::try_from(record.tid).unwrap_or_default();
        self.announce(track, Some(parent), TrackKind::Thread, name, tid);
        track
    }

    /// The track of a process; announced when it is new or gets a name.
    fn process_track(&mut self, pid: u64, name: &str) -> u64 {
        let known = self.names.processes.get(&pid).copied();
        if let (Some(track), "") = (known, name) {
            return track;
        }
        let track = known.unwrap_or_else(|| self.names.make_up());
        self.names.processes.insert(pid, track);
        let made_up = format!("process {pid}");
        self.announce(track, None, TrackKind::Process, if name.is_empty() { &made_up } else { name }, 0);
        track
    }

    fn announce(&mut self, track: u64, parent: Option<u64>, kind: TrackKind, name: &str, tid: u32) {
        self.sink.event(&Event::Track(Track { track, parent, kind, name, tid }));
    }

    /// Names of processes and threads; other metadata tells how to show them.
    fn name(&mut self, record: &Record<'_>) {
        let args = record.args();
        let name = args.iter().find_map(|(key, value)| match (*key, value) {
            ("name", Value::Str(text)) => Some(*text),
            _ => None,
        });
        let Some(name) = name.filter(|name| !name.is_empty()) else { return };
        match record.resolve(record.name) {
            "process_name" => {
                self.process_track(record.pid, name);
            }
            "thread_name" => {
                self.thread_track(record, name);
            }
            _ => {}
        }
    }
}

struct SliceFacts<'b> {
    category: Category,
    node: Option<u64>,
    location: SourceLocation<'b>,
    args: Args<'b>,
}
