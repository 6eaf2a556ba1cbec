//! Reader of the Chrome trace event format: our own files without loss, other tools' slices (`X`, `B`, `E`,
//! asynchronous ones), instants, counters, flows and names. The format is described at
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.
//!
//! The list of events may be open at its end, as a killed program leaves it, and may be in an object. The text is read
//! event by event; only names and open slices stay in memory.

mod damage;
mod device;
mod event;
mod flow;
mod foreign;
mod metadata;
mod number;
mod own;
mod record;
mod scanner;
mod skip;
mod stack_frames;

use rustc_hash::FxHashMap;
use syclscope_language::event::{EventSink, Value};
use syclscope_language::producer::Producer;
use syclscope_language::time::Timestamp;

use self::device::DeviceNames;
use self::foreign::Names;
use self::record::Record;
use self::scanner::{Flaw, Raw, Scanner};
use self::skip::{Resync, Skip};
use self::stack_frames::StackFrames;
use super::async_slices::AsyncSlices;
use super::limits::MAX_RECORD_BYTES;
use super::pairing::Pairing;
use super::{ImportError, ImportReport, Parser};
use crate::budget::Budget;
use crate::convention::{RECORD_PREFIX, RECORDING, TRACK_RECORD};
use crate::diagnostics::{DiagnosticKind, Diagnostics};

/// Position of the reader in the text.
#[derive(Clone, Copy, Debug)]
enum State {
    Start,
    /// Between the members of the outermost object.
    Members,
    /// Between the events of the list.
    Events,
    /// Between the stack frames.
    Frames,
    /// Within a skipped value.
    Skip(Skip, After),
    Resync(Resync),
    Over,
}

/// The state after a skipped value.
#[derive(Clone, Copy, Debug)]
enum After {
    Members,
    Events,
    Frames,
}

pub(super) struct Reader<S> {
    sink: S,
    budget: Budget,
    diagnostics: Diagnostics,
    state: State,
    /// Offset of the next bytes.
    read_bytes: u64,
    offset: u64,
    /// True if the file starts with our recording record.
    own: bool,
    tracks: FxHashMap<(u64, u64), u64>,
    names: Names,
    producer: Option<Producer>,
    devices: DeviceNames,
    /// True if an event of a device named the call that launched it.
    correlates: bool,
    first: Timestamp,
    frames: StackFrames,
    asynchronous: AsyncSlices,
    pairing: Pairing,
    /// True if the array of events was found.
    has_list: bool,
    is_in_object: bool,
    /// True if an event of the list was damaged.
    is_damaged: bool,
    /// Number of elements of the array. `events` counts the events among them.
    elements: u64,
    events: u64,
    /// Memory reused for each event.
    args: Vec<(&'static str, Value<'static>)>,
    /// Like `args`, followed by the known facts.
    facts: Vec<(&'static str, Value<'static>)>,
}

impl<S: EventSink> Parser<S> for Reader<S> {
    fn read(&mut self, bytes: &[u8], is_last: bool) -> usize {
        let mut scanner = Scanner::new(bytes);
        let mut record = Record::default();
        // Bytes consumed up to the last position where reading can resume.
        let mut done = 0;
        while self.step(&mut scanner, &mut record, done) {
            done = scanner.offset();
        }
        if is_last {
            if self.is_cut(&scanner, done) {
                self.offset = self.read_bytes + done as u64;
                self.count(DiagnosticKind::TruncatedFile);
                self.lines_of_cut(&mut scanner, &mut record, done);
            }
            done = bytes.len();
        }
        self.read_bytes += done as u64;
        done
    }

    fn finish(mut self: Box<Self>) -> Result<(S, ImportReport), ImportError> {
        if !self.has_list {
            return Err(not_a_trace("a JSON object without traceEvents"));
        }
        if self.events == 0 && self.elements > 0 {
            return Err(not_a_trace("a JSON list without trace events"));
        }
        self.asynchronous.finish(&mut self.sink, &mut self.diagnostics);
        self.tell_machine();
        self.pairing.finish(&mut self.diagnostics);
        Ok((self.sink, ImportReport { diagnostics: self.diagnostics, own_convention: self.own }))
    }
}

fn not_a_trace(found: &str) -> ImportError {
    ImportError::NotATrace { found: found.to_owned() }
}

impl<S: EventSink> Reader<S> {
    pub(super) fn new(sink: S, budget: Budget) -> Self {
        Self {
            sink,
            budget,
            diagnostics: Diagnostics::default(),
            state: State::Start,
            read_bytes: 0,
            offset: 0,
            own: false,
            tracks: FxHashMap::default(),
            names: Names::default(),
            producer: None,
            devices: DeviceNames::default(),
            correlates: false,
            first: Timestamp(u64::MAX),
            frames: StackFrames::default(),
            asynchronous: AsyncSlices::default(),
            pairing: Pairing::default(),
            has_list: false,
            is_in_object: false,
            is_damaged: false,
            elements: 0,
            events: 0,
            args: Vec::new(),
            facts: Vec::new(),
        }
    }

    fn count(&mut self, kind: DiagnosticKind) {
        self.diagnostics.count_at(kind, self.offset);
    }

    /// Reads the next element; `false` if it is incomplete, or reading is finished. `begin` is its start.
    fn step<'a>(&mut self, scanner: &mut Scanner<'a>, record: &mut Record<'a>, begin: usize) -> bool {
        self.offset = self.read_bytes + begin as u64;
        let read = match self.state {
            State::Start => self.start(scanner),
            State::Members => self.member(scanner),
            State::Events => self.element(scanner, record),
            State::Frames => self.frame(scanner),
            State::Skip(mut skip, after) => {
                let is_over = skip.over(scanner);
                self.state = match after {
                    _ if !is_over => State::Skip(skip, after),
                    After::Members => State::Members,
                    After::Events => State::Events,
                    After::Frames => State::Frames,
                };
                return scanner.offset() > begin;
            }
            State::Resync(mut resync) => {
                let is_over = resync.over(scanner);
                self.state = if is_over { State::Events } else { State::Resync(resync) };
                return scanner.offset() > begin || is_over;
            }
            State::Over => return self.goes_on(scanner, begin),
        };
        match read {
            Ok(()) => true,
            Err(flaw) => self.flawed(scanner, flaw, begin),
        }
    }

    fn start(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Flaw> {
        scanner.take_byte_order_mark();
        match scanner.peek() {
            None => return Err(Flaw::Cut),
            Some(b'[') => {
                self.has_list = true;
                self.state = State::Events;
            }
            Some(b'{') => {
                self.is_in_object = true;
                self.state = State::Members;
            }
            Some(_) => return Err(Flaw::Malformed),
        }
        scanner.take();
        Ok(())
    }

    fn member(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Flaw> {
        while scanner.take_if(b',') {}
        match scanner.peek() {
            None => return Err(Flaw::Cut),
            Some(b'}') => {
                self.state = State::Over;
                return Ok(());
            }
            Some(_) => {}
        }
        let key = scanner.string()?;
        scanner.expect(b':')?;
        let value = scanner.peek().ok_or(Flaw::Cut)?;
        self.state = match (key.bytes, value) {
            (b"traceEvents", b'[') => {
                self.has_list = true;
                scanner.take();
                State::Events
            }
            (b"stackFrames", b'{') => {
                scanner.take();
                State::Frames
            }
            (b"deviceProperties", b'[') if scanner.length() - scanner.offset() < MAX_RECORD_BYTES => {
                if let Raw::Nested(list) = scanner.value()? {
                    self.devices.read(list);
                }
                State::Members
            }
            _ => State::Skip(Skip::default(), After::Members),
        };
        Ok(())
    }

    fn element<'a>(&mut self, scanner: &mut Scanner<'a>, record: &mut Record<'a>) -> Result<(), Flaw> {
        while scanner.take_if(b',') {}
        match scanner.peek() {
            None => return Err(Flaw::Cut),
            Some(b']') => {
                scanner.take();
                self.state = if self.is_in_object { State::Members } else { State::Over };
                return Ok(());
            }
            Some(_) => {}
        }
        self.offset = self.read_bytes + scanner.offset() as u64;
        let read = record.read(scanner);
        // An incomplete element is read again, and counted then.
        self.elements += u64::from(read != Err(Flaw::Cut));
        read.map(|()| self.record(record))
    }

    fn frame(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Flaw> {
        while scanner.take_if(b',') {}
        if scanner.peek() == Some(b'}') {
            scanner.take();
            self.state = State::Members;
            return Ok(());
        }
        if !self.frames.read(scanner)? {
            self.count(DiagnosticKind::Oversized);
        }
        Ok(())
    }

    fn record(&mut self, record: &Record<'_>) {
        if record.invalid_text {
            self.count(DiagnosticKind::InvalidText);
        }
        let Some(phase) = record.phase else {
            // Some writers end their array with an empty object.
            if !record.is_empty {
                self.count(DiagnosticKind::UnknownEvent);
            }
            return;
        };
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

    /// Returns the time of an event, relative to the trace's origin.
    fn time(&mut self, time: Option<i128>) -> Timestamp {
        let time = time.unwrap_or_else(|| {
            self.count(DiagnosticKind::MalformedRecord);
            0
        });
        let time = Timestamp(u64::try_from(time).unwrap_or_else(|_| {
            self.count(DiagnosticKind::TimeOutOfRange);
            if time < 0 { 0 } else { u64::MAX }
        }));
        self.first = self.first.min(time);
        time
    }
}
