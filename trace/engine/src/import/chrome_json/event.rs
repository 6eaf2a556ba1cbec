//! Slices, instants and counters, in our own and other tools' files.

use syclscope_language::event::{
    Args, Category, CounterSample, Event, EventSink, FlowStep, Instant, SliceBegin, SliceEnd, SourceLocation,
    Value,
};
use syclscope_language::time::{Duration, Timestamp};

use super::Reader;
use super::record::Record;
use crate::convention::{DERIVED, Facts, Keys, SLICE_KEYS, location_of, split_facts};
use crate::diagnostics::DiagnosticKind;
use crate::import::async_slices::{Head, identity};
use crate::import::owned_args::values;
use crate::import::producers::Place;
use crate::import::reuse;

impl<S: EventSink> Reader<S> {
    pub(super) fn event(&mut self, phase: u8, category: &str, record: &Record<'_>) {
        match phase {
            b'M' => self.metadata(record),
            // With a time of 0, the event would become the start of the trace.
            _ if record.time.is_none() => self.count(DiagnosticKind::MalformedRecord),
            b'C' | b's' | b't' | b'f' if category == DERIVED => {}
            b'C' => self.counter(record),
            b's' | b't' | b'f' => self.flow_event(phase, category, record),
            b'V' | b'v' | b'c' | b'(' | b')' => self.count(DiagnosticKind::UnknownEvent),
            b'B' | b'X' | b'E' | b'i' | b'I' | b'R' | b'P' | b'b' | b'n' | b'e' | b'S' | b'T' | b'p'
            | b'F' | b'N' | b'O' | b'D' => {
                let mut args = reuse(std::mem::take(&mut self.args));
                record.push_args(&mut args);
                let stack = record.frame.map(|frame| record.resolve(frame));
                let stack = stack.and_then(|frame| Some((frame, self.frames.stack(frame, &self.budget)?)));
                if let (Some(frame), None) = (record.frame, &stack) {
                    args.push(("stack_frame", Value::Str(record.resolve(frame))));
                }
                self.event_with_args(
                    phase,
                    category,
                    record,
                    &mut args,
                    stack.as_ref().map(|(_, text)| &**text),
                );
                self.args = reuse(args);
            }
            _ => self.count(DiagnosticKind::UnknownEvent),
        }
    }

    fn event_with_args<'s>(
        &mut self,
        phase: u8,
        category: &'s str,
        record: &'s Record<'_>,
        args: &mut Vec<(&'s str, Value<'s>)>,
        stack: Option<&'s str>,
    ) {
        if let Some(stack) = stack {
            args.push(("stack", Value::Str(stack)));
        }
        let at = self.time(record.time);
        let class = Category::from_text(category);
        if !self.own && class == Category::Other && !category.is_empty() && phase != b'E' {
            // The category of another tool stays as an argument.
            args.push(("category", Value::Str(category)));
        }
        let meaning = if self.own || !matches!(phase, b'B' | b'X') {
            None
        } else {
            // Device work has a duration; a bare start belongs to a thread, whatever its category.
            self.meaning(category, record, args)
                .filter(|meaning| phase == b'X' || meaning.place == Place::Host)
        };
        match phase {
            b'X' if meaning.is_some_and(|meaning| meaning.place != Place::Host) => {
                if let Some(meaning) = meaning {
                    self.device_slice(meaning, at, record, args);
                }
            }
            b'B' | b'X' => {
                let track = self.track(record);
                let class = meaning.map_or(class, |meaning| meaning.category);
                self.begin(track, at, class, record, args);
                if phase == b'X' {
                    let duration = record.duration.unwrap_or_else(|| {
                        self.count(DiagnosticKind::MalformedRecord);
                        0
                    });
                    let end = at.after(Duration(u64::try_from(duration).unwrap_or_default()));
                    self.sink.event(&Event::SliceEnd(SliceEnd { track, at: end, args: &[] }));
                } else if !self.own
                    && let Some((at, end_args)) = self.pairing.begin(track, at)
                {
                    self.sink.event(&Event::SliceEnd(SliceEnd { track, at, args: &values(&end_args) }));
                }
                self.flow_of_slice(track, at, record);
                if meaning.is_some() {
                    self.correlation(track, at, FlowStep::Start, args);
                }
            }
            b'E' => {
                let track = self.track(record);
                let args: Args<'_> =
                    if self.own { split_facts(args, const { Keys::new(&[]) }).1 } else { args };
                let waits =
                    !self.own && !self.pairing.end(track) && self.pairing.store(track, at, args, self.offset);
                if !waits {
                    self.sink.event(&Event::SliceEnd(SliceEnd { track, at, args }));
                }
            }
            b'i' | b'I' | b'R' | b'P' => {
                let of_process = !self.own && matches!(record.reach, Some(b'g' | b'p'));
                let track = if of_process { self.process_track(record) } else { self.track(record) };
                let SliceFacts { node, location, args } = self.slice_facts(args);
                let name = record.resolve(record.name);
                let category = class;
                self.sink.event(&Event::Instant(Instant { track, at, category, name, node, location, args }));
            }
            _ => self.asynchronous(phase, (category, class), at, record, args),
        }
    }

    fn begin<'s>(
        &mut self,
        track: u64,
        at: Timestamp,
        category: Category,
        record: &'s Record<'_>,
        args: &mut [(&'s str, Value<'s>)],
    ) {
        let SliceFacts { node, location, args } = self.slice_facts(args);
        let name = record.resolve(record.name);
        self.sink.event(&Event::SliceBegin(SliceBegin { track, at, category, name, node, location, args }));
    }

    /// Reads a slice identified by an id; also the lifetimes of objects.
    fn asynchronous(
        &mut self,
        phase: u8,
        (text, category): (&str, Category),
        at: Timestamp,
        record: &Record<'_>,
        args: Args<'_>,
    ) {
        let name = record.resolve(record.name);
        let (id, is_local) = record.id.unwrap_or_default();
        // A slice without an id belongs to its thread.
        let process = if is_local { record.pid } else { 0 };
        let thread = if record.id.is_none() { record.tid } else { 0 };
        let old = matches!(phase, b'S' | b'T' | b'p' | b'F');
        let key = identity(
            &[text, record.resolve(record.scope), if old { name } else { "" }],
            &[id, process, thread],
        );
        let parent = Some(self.process_track(record));
        let head = Head { key, parent, at, category, name, args };
        match phase {
            b'b' | b'S' | b'N' => {
                if !self.asynchronous.begin(&mut self.sink, &head) {
                    self.count(DiagnosticKind::Oversized);
                }
            }
            b'e' | b'F' | b'D' => {
                if !self.asynchronous.end(&mut self.sink, &head, self.offset) {
                    self.count(DiagnosticKind::EndWithoutBegin);
                }
            }
            _ => self.asynchronous.instant(&mut self.sink, &head),
        }
    }

    fn slice_facts<'b, 's: 'b>(&self, args: &'b mut [(&'s str, Value<'s>)]) -> SliceFacts<'b> {
        if self.own {
            let (facts, args): (Facts<'_, '_>, _) = split_facts(args, SLICE_KEYS);
            let location = location_of(SourceLocation::default(), &facts);
            return SliceFacts { node: facts.number("node"), location, args };
        }
        SliceFacts { node: None, location: SourceLocation::default(), args }
    }

    fn counter(&mut self, record: &Record<'_>) {
        let at = self.time(record.time);
        let mut args = reuse(std::mem::take(&mut self.args));
        record.push_args(&mut args);
        for (key, value) in &args {
            let value = match *value {
                Value::Float(value) => Some(value),
                Value::Uint(value) => Some(value as f64),
                Value::Int(value) => Some(value as f64),
                Value::Str(text) => text.parse().ok(),
                _ => None,
            };
            let Some(value) = value else {
                self.count(DiagnosticKind::UnknownArgument);
                continue;
            };
            let own = if self.own { self.tracks.get(&(record.pid, record.tid)).copied() } else { None };
            let track = own.unwrap_or_else(|| self.counter_track(record, key));
            self.sink.event(&Event::Counter(CounterSample { track, at, value }));
        }
        self.args = reuse(args);
    }
}

struct SliceFacts<'b> {
    node: Option<u64>,
    location: SourceLocation<'b>,
    args: Args<'b>,
}
