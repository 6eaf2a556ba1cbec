//! The writer: from the threads' buffers to the file.
//!
//! It runs on a thread of its own, every few milliseconds, and once more on the exiting thread. One step empties all
//! buffers, takes the records in the order of their time, lets the model make events of them, and appends what the
//! exporter made of the events to the file.

mod encoder;
mod merge;
mod output;
mod status;

use std::time::Duration;

use syclscope_trace::event::{Dropped, Event, EventSink as _, NO_DEVICE_TIME};
use syclscope_trace::time::Timestamp;

use crate::buffer::{Lanes, keep_out};
use crate::config::Config;
use crate::device_time::Reading;
use crate::model::Model;
use crate::record::Kind;
use crate::recorder::Recorder;
use crate::xpti::sys;
use encoder::Encoder;
use merge::Merge;
pub(crate) use merge::Origin;
use output::Output;
use status::Status;

/// Records are held back this long, so that a thread that was interrupted in a handler can still put its own in order.
const HOLD_BACK_NS: u64 = 10_000_000;
/// The process and its track: what every recording begins with.
const HEAD_EVENTS: u64 = 2;
const STATUS_EVERY_NS: u64 = 1_000_000_000;
/// Another subscriber may come to the `.debug` streams at any time; it is looked for this often.
const ADOPT_EVERY_NS: u64 = 100_000_000;
const PAUSE: Duration = Duration::from_millis(4);

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
    merge: Merge,
    model: Model,
    encoder: Encoder,
    output: Output,
    status: Status,
    dropped: [u64; Kind::COUNT],
    missing: u64,
    /// Events in the file, the recording's own facts among them: its head, its end.
    written: u64,
    own_facts: u64,
    is_exiting: bool,
    is_finished: bool,
    adopted_ns: u64,
}

/// Body of the writer's thread.
pub(crate) fn run(recorder: &'static Recorder) {
    sys::block_signals();
    keep_out(|| {
        loop {
            let step = std::panic::catch_unwind(|| recorder.step());
            let Ok(pause) = step else {
                crate::recorder::switch_off("an internal error in the writer");
                return;
            };
            if pause == Duration::MAX {
                return;
            }
            std::thread::sleep(pause);
        }
    });
}

impl Writer {
    pub(crate) fn new(config: &'static Config) -> Self {
        let start_ns = sys::monotonic_ns();
        let mut encoder = Encoder::new(config.format);
        let output = Output::create(&config.output, config.is_reserved);
        let mut status = Status::new(config, output.path());
        if let Some(error) = output.error() {
            status.error(error);
        }
        let model = Model::begin(start_ns, config, &mut encoder);
        let mut writer = Self {
            merge: Merge::default(),
            model,
            encoder,
            output,
            status,
            dropped: [0; Kind::COUNT],
            missing: 0,
            written: 0,
            own_facts: HEAD_EVENTS,
            is_exiting: false,
            is_finished: false,
            adopted_ns: start_ns,
        };
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
    pub(crate) fn pump(&mut self, lanes: &Lanes, drain: Drain) -> Duration {
        let now = sys::monotonic_ns();
        let until = if drain == Drain::HoldBack { now.saturating_sub(HOLD_BACK_NS) } else { u64::MAX };
        let fill = self.merge.drain(lanes);
        let Self { merge, model, encoder, .. } = self;
        merge.take_until(until, |header, at, origin| model.record(header, at, origin, encoder));
        self.read_device_times(drain);
        self.note_dropped(now, lanes);
        self.merge.close_exited(lanes);
        if drain == Drain::Finish && !self.is_finished {
            self.is_finished = true;
            self.own_facts += 1;
            self.encoder.event(&Event::Finish { at: self.model.timestamp(now) });
        }
        self.flush(now);
        if now >= self.adopted_ns + ADOPT_EVERY_NS && drain == Drain::HoldBack {
            self.adopted_ns = now;
            crate::xpti::adopt_debug_streams();
        }
        // A buffer that is an eighth full would be full in a few more pauses.
        if fill > 1.0 / 8.0 { Duration::ZERO } else { PAUSE }
    }

    fn read_device_times(&mut self, drain: Drain) {
        self.is_exiting |= drain != Drain::HoldBack;
        let reading = match drain {
            Drain::HoldBack if self.is_exiting => return,
            Drain::HoldBack => Reading::Front,
            Drain::Exit => Reading::All,
            Drain::Finish => Reading::AllAtExit,
        };
        let start_ns = self.model.start_ns();
        self.model.outstanding.read(reading, start_ns, &mut self.encoder);
        if drain == Drain::Finish {
            self.model.outstanding.give_up();
        }
    }

    fn note_dropped(&mut self, now: u64, lanes: &Lanes) {
        let at = self.model.timestamp(now);
        let mut total = [0_u64; Kind::COUNT];
        lanes.for_each(|lane| {
            for kind in Kind::ALL {
                total[kind as usize] += lane.dropped(kind);
            }
        });
        for kind in Kind::ALL {
            let count = total[kind as usize] - self.dropped[kind as usize];
            self.note(at, kind.dropped_name(), count);
        }
        self.dropped = total;
        let missing = self.model.outstanding.missing;
        self.note(at, NO_DEVICE_TIME, missing - self.missing);
        self.missing = missing;
    }

    fn note(&mut self, at: Timestamp, kind: &str, count: u64) {
        if count > 0 {
            self.encoder.event(&Event::Dropped(Dropped { at, kind, count }));
        }
    }

    /// Appends what was encoded to the file, with every step, so that only a moment is lost if the process is killed; and brings the status file up to date.
    fn flush(&mut self, now: u64) {
        let (events, result) = self.encoder.write_to(&mut self.output, self.is_finished);
        self.written += events;
        let had_events = self.status.events > 0;
        // A process that loads the runtime and uses none of it has none: the launcher warns then.
        self.status.events = self.written.saturating_sub(self.own_facts);
        if let Err((lost, error)) = result {
            self.status.lost += lost;
            self.status.error(&error);
        }
        self.status.bytes = self.output.length();
        self.status.dropped = self.dropped.iter().sum();
        self.status.device_times = self.model.outstanding.read;
        self.status.device_times_missing = self.missing;
        self.status.finished = self.is_finished;
        let is_first = !had_events && self.status.events > 0;
        if self.is_exiting || is_first || now >= self.status.written_ns + STATUS_EVERY_NS {
            self.status.written_ns = now;
            self.status.write();
        }
    }
}
