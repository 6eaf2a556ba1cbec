//! The writer: from the threads' buffers to the file.
//!
//! It runs on a thread of its own, every few milliseconds, and once more on the exiting thread. One step empties all
//! buffers, takes the records in the order of their time, lets the model make events of them, and appends what the
//! exporter made of the events to the file.

mod encoder;
mod file;
mod gate;
mod lookup;
mod merge;
mod output;
mod remembered;
mod status;

use std::collections::VecDeque;
use std::time::Duration;

use syclscope_language::event::{Dropped, Event, EventSink as _, Fact, FactKind, NO_DEVICE_TIME, Pause};
use syclscope_language::time::Timestamp;

use crate::buffer::{Kind, ThreadBuffers};
use crate::clock::Calibration;
use crate::config::Config;
use crate::control::{self, Change, Reason, Schedule, State};
use crate::device_time::Reading;
use crate::facts::Facts;
use crate::model::Model;
use crate::os;
use crate::sources::{Noting, Sources};
use file::TraceFile;
use gate::{Gate, Gated};
use merge::Merge;
use status::Status;

/// Records are held back this long, so that a thread that was interrupted in a handler can still put its own in order.
const HOLD_BACK_NS: u64 = 10_000_000;
const STATUS_EVERY_NS: u64 = 1_000_000_000;
/// Another subscriber may come to the `.debug` streams at any time; it is looked for this often.
const FOLLOW_EVERY_NS: u64 = 100_000_000;
/// The clock's residual is known well enough after this long; sooner if the program ends.
const CLOCK_KNOWN_AFTER_NS: u64 = 1_000_000_000;
const STEP: Duration = Duration::from_millis(4);

const GAVE_UP_WAITING: &str = "a thread waited in vain for room in its buffer (SYCLSCOPE_ON_FULL=wait): from then on, \
                               events that did not fit were dropped and counted";

/// How a step treats what is not yet due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drain {
    /// Young records are held back.
    HoldBack,
    /// Everything is taken; device times are read from now on only when asked for.
    Exit,
    /// Everything is taken, the recording ends.
    Finish,
}

/// State of the writer.
pub(crate) struct Writer {
    config: &'static Config,
    calibration: Calibration,
    schedule: Schedule,
    /// Pauses that are not yet due.
    changes: VecDeque<Change>,
    merge: Merge,
    model: Model,
    facts: Facts,
    sources: Sources,
    gate: Gate,
    file: TraceFile,
    status: Status,
    dropped: [u64; Kind::COUNT],
    nameless: u64,
    is_exiting: bool,
    is_finished: bool,
    followed_ns: u64,
    has_clock_fact: bool,
}

impl Writer {
    /// Begins the file: for the reason given, with a pause.
    pub(crate) fn new(config: &'static Config, schedule: Schedule, pause: Option<Reason>) -> Self {
        let start_ns = schedule.start_ns();
        let mut file = TraceFile::create(config);
        let status = Status::new(config, file.path());
        let mut gate = Gate::new(&config.kernels);
        let mut sink = Gated { gate: &mut gate, behind: &mut file };
        let model = Model::begin(start_ns, config, &mut sink);
        let facts = Facts::begin(config, &mut sink);
        for note in &config.notes {
            sink.event(&Event::Fact(Fact {
                at: Timestamp(0),
                kind: FactKind::Setting,
                name: "note",
                value: note,
            }));
        }
        let mut writer = Self {
            config,
            calibration: Calibration::begin(),
            schedule,
            changes: VecDeque::new(),
            merge: Merge::default(),
            model,
            facts,
            sources: Sources::new(config),
            gate,
            file,
            status,
            dropped: [0; Kind::COUNT],
            nameless: 0,
            is_exiting: false,
            is_finished: false,
            followed_ns: start_ns,
            has_clock_fact: false,
        };
        if let Some(reason) = pause {
            writer.change(Timestamp(0), true, reason);
        }
        writer.flush(start_ns);
        writer
    }

    /// Brings the status file up to date at once.
    pub(crate) fn write_status(&mut self) {
        self.status.write();
    }

    /// Notes something that the user should know.
    pub(crate) fn add_note(&mut self, note: &str) {
        self.status.note(note);
        self.status.write();
    }

    /// Notes that recording was given up.
    pub(crate) fn fail(&mut self, why: &str) {
        self.status.error(why);
        self.status.write();
    }

    /// One step; gives the time until the next.
    pub(crate) fn pump(&mut self, buffers: &ThreadBuffers, drain: Drain) -> Duration {
        let now = os::monotonic_ns();
        if drain == Drain::HoldBack {
            self.schedule.step(now);
        }
        if drain == Drain::HoldBack {
            crate::fault::at("writer");
        }
        let fill = self.merge.drain(buffers);
        self.calibration.update();
        let until =
            if drain == Drain::HoldBack { self.calibration.before_last(HOLD_BACK_NS) } else { u64::MAX };
        self.changes.extend(std::iter::from_fn(control::take_change));
        while let Some(change) = self.changes.front().copied().filter(|change| change.ticks <= until) {
            self.changes.pop_front();
            self.take_until(change.ticks);
            let at = self.model.timestamp(self.calibration.ns(change.ticks));
            self.change(at, change.is_paused, change.reason);
        }
        self.take_until(until);
        self.read_device_times(drain);
        self.look_around(now, false);
        self.note_dropped(now, buffers);
        self.merge.close_exited(buffers);
        // What was given up did not end in an orderly way.
        if drain == Drain::Finish && !self.is_finished && control::state() != State::Off {
            self.finish(now);
        }
        self.flush(now);
        if now >= self.model.start_ns() + CLOCK_KNOWN_AFTER_NS {
            self.state_clock(self.model.timestamp(now));
        }
        if now >= self.followed_ns + FOLLOW_EVERY_NS && drain == Drain::HoldBack {
            self.followed_ns = now;
            let choice = &self.config.streams;
            crate::xpti::follow_debug_streams(|name| choice.wants(name));
        }
        // A buffer that is an eighth full would be full in a few more steps.
        if fill > 1.0 / 8.0 { Duration::ZERO } else { STEP }
    }

    /// Makes events of the records up to a moment.
    fn take_until(&mut self, until: u64) {
        let Self { merge, model, sources, gate, file, calibration, .. } = self;
        let mut behind = Gated { gate, behind: file };
        let mut sink = Noting { sources, now_ns: os::monotonic_ns(), behind: &mut behind };
        merge.take_until(until, |header, ticks, origin| {
            model.record(header, calibration.ns(ticks), origin, &mut sink);
        });
        for note in self.model.take_notes() {
            self.status.note(&note);
        }
    }

    fn emit(&mut self, event: &Event<'_>) {
        self.gate.pass(event, &mut self.file);
    }

    /// Recording is paused or goes on.
    fn change(&mut self, at: Timestamp, is_paused: bool, reason: Reason) {
        let Self { model, gate, file, .. } = self;
        let mut sink = Gated { gate, behind: file };
        if is_paused {
            model.pause(at, &mut sink);
        } else {
            model.resume();
        }
        self.gate.is_paused = is_paused;
        self.status.paused = is_paused;
        self.status.written_ns = 0;
        self.emit(&Event::Pause(Pause { at, is_paused, reason: reason.as_str() }));
    }

    /// The last of what is known for certain.
    fn finish(&mut self, now: u64) {
        self.is_finished = true;
        let at = self.model.timestamp(now);
        self.state_clock(at);
        if let Some(given_up) = self.file.given_up() {
            self.status.note(&given_up);
        }
        if let Some(left_out) = self.gate.left_out() {
            let (kind, name) = (FactKind::Setting, "kernels left out");
            self.emit(&Event::Fact(Fact { at, kind, name, value: &left_out }));
            self.status.note(&left_out);
        }
        let Self { model, gate, file, .. } = self;
        model.finish(at, &mut Gated { gate, behind: file });
        self.look_around(now, true);
        self.emit(&Event::Finish { at });
    }

    /// Reads what lies around the program: source files, and which libraries are loaded.
    fn look_around(&mut self, now: u64, is_end: bool) {
        let at = self.model.timestamp(now);
        let Self { model, facts, sources, gate, file, .. } = self;
        let mut sink = Gated { gate, behind: file };
        facts.step(now, at, model.has_queue(), is_end, &mut sink);
        sources.step(now, at, is_end, &mut sink);
    }

    /// Says what the times rest on, once.
    fn state_clock(&mut self, at: Timestamp) {
        if !std::mem::replace(&mut self.has_clock_fact, true) {
            let value = self.calibration.describe();
            self.emit(&Event::Fact(Fact { at, kind: FactKind::Setting, name: "clock", value: &value }));
        }
    }

    fn read_device_times(&mut self, drain: Drain) {
        self.is_exiting |= drain != Drain::HoldBack;
        let reading = match drain {
            Drain::HoldBack if self.is_finished => {
                // What is still submitted after the end is not read any more.
                self.give_up_device_times();
                return;
            }
            Drain::HoldBack if self.is_exiting => return,
            Drain::HoldBack => Reading::Front,
            Drain::Exit => Reading::All,
            Drain::Finish => Reading::AllAtExit,
        };
        let Self { model, gate, file, .. } = self;
        model.read_device_times(reading, &mut Gated { gate, behind: file });
        if drain == Drain::Finish {
            self.give_up_device_times();
        }
    }

    /// Says of what is still outstanding that it has no times.
    fn give_up_device_times(&mut self) {
        let at = self.model.timestamp(os::monotonic_ns());
        let Self { model, gate, file, .. } = self;
        model.outstanding.give_up(at, &mut Gated { gate, behind: file });
    }

    fn note_dropped(&mut self, now: u64, buffers: &ThreadBuffers) {
        let at = self.model.timestamp(now);
        let mut total = [0_u64; Kind::COUNT];
        buffers.for_each(|buffer| {
            for kind in Kind::ALL {
                total[kind as usize] += buffer.dropped(kind);
            }
        });
        for kind in Kind::ALL {
            let count = total[kind as usize] - self.dropped[kind as usize];
            self.note(at, kind.dropped_name(), count);
        }
        self.dropped = total;
        let nameless = self.model.outstanding.nameless;
        self.note(at, NO_DEVICE_TIME, nameless - self.nameless);
        self.nameless = nameless;
    }

    fn note(&mut self, at: Timestamp, kind: &str, count: u64) {
        if count > 0 {
            self.emit(&Event::Dropped(Dropped { at, kind, count }));
        }
    }

    /// Appends what was encoded to the file, with every step, so that only a moment is lost if the process is killed;
    /// and brings the status file up to date.
    fn flush(&mut self, now: u64) {
        self.file.flush(self.is_finished);
        let had_events = self.status.events > 0;
        // A process that loads the runtime and uses none of it has none: the launcher warns then.
        let not_its_own = self.gate.own_facts + self.file.repeated;
        self.status.events = self.file.written.saturating_sub(not_its_own);
        self.status.lost = self.file.lost;
        if let Some(error) = &self.file.error {
            self.status.error(error);
        }
        self.status.bytes = self.file.length();
        self.status.files = self.file.paths();
        self.status.dropped = self.dropped.iter().sum();
        self.status.device_times = self.model.outstanding.read;
        self.status.device_times_missing = self.model.outstanding.missing;
        self.status.device_records = self.model.outstanding.records;
        self.status.impossible_times = self.model.outstanding.impossible;
        self.status.finished = self.is_finished;
        if control::has_given_up_waiting() {
            self.status.note(GAVE_UP_WAITING);
        }
        let is_first = !had_events && self.status.events > 0;
        if self.is_exiting || is_first || now >= self.status.written_ns + STATUS_EVERY_NS {
            self.status.written_ns = now;
            self.status.write();
        }
    }
}
