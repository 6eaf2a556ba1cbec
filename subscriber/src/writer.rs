//! The writer: from the threads' buffers to the file.
//!
//! It runs every few milliseconds, in a separate process; or without the launcher, on a thread in the program, and once
//! more on the exiting thread. One step empties all buffers, sorts the records by time, lets the model turn them into
//! events, and appends the exporter's output to the file.

mod device_times;
mod encoder;
mod event_filter;
mod file;
mod lookup;
mod merge;
mod output;
mod rotation_state;
mod status;

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Duration;

use syclscope_language::event::{
    Cost, Dropped, Event, EventSink as _, Fact, FactKind, NO_DEVICE_TIME, Notified, Pause,
};
use syclscope_language::time::Timestamp;

use crate::buffer::{Channel, Kind, ThreadBuffers};
use crate::clock::{Calibration, Pair};
use crate::config::Config;
use crate::control::{self, Change, Reason};
use crate::counters::Batch;
use crate::facts::Facts;
use crate::model::Model;
use crate::os;
use crate::shared_page::Field;
use crate::sources::{Noting, Sources};
use device_times::Arrivals;
use event_filter::{EventFilter, Filtered};
use file::TraceFile;
use merge::Merge;
use status::Status;

/// Delay of records, so that a thread that was interrupted in a handler can still insert its own in order.
const HOLD_BACK_NS: u64 = 10_000_000;
const STATUS_EVERY_NS: u64 = 1_000_000_000;
/// Time after which the clock's residual is exact enough; earlier if the program ends.
const CALIBRATION_NS: u64 = 1_000_000_000;
/// Times of different readings of a clock differ by at least this.
const CLOSE_NS: u64 = 100_000;
const STEP: Duration = Duration::from_millis(4);

const GAVE_UP_WAITING: &str = "a thread waited in vain for room in its buffer (SYCLSCOPE_ON_FULL=wait): from then on, \
                               events that did not fit were dropped and counted";

/// Name in the file for notifications on threads without memory for a buffer.
const NO_BUFFER: &str = "no_buffer";
/// Name in the file for pauses and resumptions that did not fit into the log.
const LOST_CHANGES: &str = "full_buffer.pause";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drain {
    /// Recent records are held back.
    HoldBack,
    /// Everything is taken; from now on device times are read only on request.
    Exit,
    /// Everything is taken, and the recording ends.
    Finish,
}

pub(crate) struct Writer {
    calibration: Calibration,
    arrivals: Arrivals,
    changes: VecDeque<Change>,
    merge: Merge,
    model: Model,
    facts: Facts,
    sources: Sources,
    filter: EventFilter,
    file: TraceFile,
    status: Status,
    dropped: [u64; Kind::COUNT],
    unbuffered: u64,
    lost_changes: u64,
    nameless: u64,
    is_exiting: bool,
    is_finished: bool,
    has_clock_fact: bool,
}

impl Writer {
    /// Starts the file, paused if there is a reason; `channel` has the program's messages if the program is another
    /// process.
    pub(crate) fn new(
        config: &'static Config,
        start: Pair,
        pause: Option<Reason>,
        channel: Option<Channel>,
    ) -> Self {
        let start_ns = start.ns;
        let mut file = TraceFile::create(config);
        let status = Status::new(config, file.path());
        let mut filter = EventFilter::new(&config.kernels);
        let mut sink = Filtered { filter: &mut filter, behind: &mut file };
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
            calibration: Calibration::begin(start),
            arrivals: Arrivals::begin(start, channel),
            changes: VecDeque::new(),
            merge: Merge::default(),
            model,
            facts,
            sources: Sources::new(config),
            filter,
            file,
            status,
            dropped: [0; Kind::COUNT],
            unbuffered: 0,
            lost_changes: 0,
            nameless: 0,
            is_exiting: false,
            is_finished: false,
            has_clock_fact: false,
        };
        if let Some(reason) = pause {
            writer.change(Timestamp(0), true, reason);
        }
        writer.flush(start_ns);
        writer
    }

    pub(crate) fn write_status(&mut self) {
        self.status.write();
    }

    pub(crate) fn add_note(&mut self, note: &str) {
        self.status.note(note);
        self.status.write();
    }

    pub(crate) fn state_cost(&mut self, notified: Notified, cost: Cost) {
        let at = self.model.timestamp(os::monotonic_ns());
        let (name, value) = (notified.as_str(), cost.to_string());
        self.emit(&Event::Fact(Fact { at, kind: FactKind::Cost, name, value: &value }));
    }

    /// Records samples of process and machine, unless the recording is paused.
    pub(crate) fn take_samples(&mut self, batch: &Batch) {
        if self.is_finished {
            return;
        }
        let at = self.model.timestamp(batch.at_ns);
        for lack in &batch.lacks {
            self.emit(&Event::Fact(Fact { at, kind: FactKind::Other, name: "counters", value: lack }));
        }
        if self.filter.is_paused {
            return;
        }
        let Self { model, filter, file, .. } = self;
        // These samples are not evidence that the program used the runtime.
        filter.own_facts += batch.samples.len() as u64;
        let mut sink = Filtered { filter, behind: file };
        for (name, value) in &batch.samples {
            model.sampled(at, name, *value, &mut sink);
        }
    }

    pub(crate) fn fail(&mut self, why: &str) {
        self.status.error(why);
        self.status.write();
    }

    /// Performs one step; returns the time until the next.
    pub(crate) fn pump(&mut self, buffers: &ThreadBuffers, drain: Drain) -> Duration {
        let now = os::monotonic_ns();
        if drain == Drain::HoldBack {
            crate::fault::at("writer");
            if crate::fault::is_at("writer_is_killed") {
                os::kill_this();
            }
            if crate::fault::is_at("writer_rests") {
                return STEP;
            }
        }
        let (fill, until) = match drain {
            Drain::HoldBack => self.merge.drain_until(buffers, &mut self.calibration, HOLD_BACK_NS),
            Drain::Exit | Drain::Finish => {
                let fill = self.merge.drain(buffers);
                // A record just read may refer to one written to another buffer after that buffer was read.
                let fill = fill.max(self.merge.drain(buffers));
                self.calibration.update();
                (fill, u64::MAX)
            }
        };
        self.changes.extend(std::iter::from_fn(control::take_change));
        while let Some(change) = self.changes.front().copied().filter(|change| change.ticks <= until) {
            self.changes.pop_front();
            self.take_until(change.ticks);
            let at = self.model.timestamp(self.calibration.ns(change.ticks));
            self.change(at, change.is_paused, change.reason);
        }
        self.take_until(until);
        let until_ns = if until == u64::MAX { until } else { self.calibration.ns(until) };
        if until != u64::MAX {
            let Self { model, filter, file, .. } = self;
            model.settle_due(until_ns, &mut Filtered { filter, behind: file });
        }
        self.read_device_times(buffers, drain, until_ns.saturating_sub(CLOSE_NS));
        self.look_around(now, false);
        self.note_dropped(now, buffers);
        self.merge.close_exited(buffers);
        // A recording that was stopped early has no regular end.
        if drain == Drain::Finish && !self.is_finished && !control::is_off() {
            self.finish(now);
        }
        self.flush(now);
        if now >= self.model.start_ns() + CALIBRATION_NS {
            self.state_clock(self.model.timestamp(now));
        }
        // A buffer that is an eighth full would be full in a few more steps.
        if fill > 1.0 / 8.0 { Duration::ZERO } else { STEP }
    }

    fn take_until(&mut self, until: u64) {
        let (now_ns, is_finished) = (os::monotonic_ns(), self.is_finished);
        let Self { merge, model, sources, filter, file, calibration, status, .. } = self;
        let report = |left, all| {
            // The program may be waiting for this step.
            Field::BEAT.word().fetch_add(1, Ordering::Relaxed);
            status.report_progress(left, all);
        };
        merge.take_until(until, report, |header, ticks, origin| {
            let mut behind = Filtered { filter: &mut *filter, behind: &mut *file };
            let mut sink = Noting { sources: &mut *sources, now_ns, behind: &mut behind };
            model.record(header, calibration.ns(ticks), origin, &mut sink);
            file.flush_large(is_finished);
        });
        self.status.left_bytes = 0;
        for note in self.model.take_notes() {
            self.status.note(&note);
        }
    }

    fn emit(&mut self, event: &Event<'_>) {
        self.filter.pass(event, &mut self.file);
    }

    fn change(&mut self, at: Timestamp, is_paused: bool, reason: Reason) {
        let Self { model, filter, file, .. } = self;
        let mut sink = Filtered { filter, behind: file };
        if is_paused {
            model.pause(at, &mut sink);
        } else {
            model.resume();
        }
        self.filter.set_paused(at, is_paused);
        self.status.paused = is_paused;
        self.status.written_ns = 0;
        self.emit(&Event::Pause(Pause { at, is_paused, reason: reason.as_str() }));
    }

    /// Takes all remaining records of an ended program.
    pub(crate) fn program_is_over(&mut self, buffers: &ThreadBuffers) {
        self.pump(buffers, Drain::Exit);
        let before = self.model.commands.counts.unread;
        self.give_up_device_times();
        if !self.is_finished {
            let now = os::monotonic_ns();
            let at = self.model.timestamp(now);
            self.state_clock(at);
            let Self { model, filter, file, arrivals, .. } = self;
            let mut sink = Filtered { filter, behind: file };
            model.finish(at, true, &mut sink);
            arrivals.state_clocks(at, &mut sink);
            self.look_around(now, true);
            self.state_left_out(at);
            self.state_untimed(at, before);
        }
        self.file.flush(true);
        self.flush(os::monotonic_ns());
        self.status.is_complete = true;
        self.status.write();
    }

    /// Records how many commands have no times because the program was killed.
    fn state_untimed(&mut self, at: Timestamp, before: u64) {
        let lost = self.model.commands.counts.unread - before;
        if lost > 0 {
            let commands = if lost == 1 { "command" } else { "commands" };
            let value = format!(
                "{lost} {commands} had no device time when the program was killed, crashed or called _exit"
            );
            self.emit(&Event::Fact(Fact {
                at,
                kind: FactKind::Other,
                name: "device times lost",
                value: &value,
            }));
            self.status.note(&value);
        }
    }

    /// Writes the end of the recording at `now`, the latest time up to which all records are known.
    fn finish(&mut self, now: u64) {
        self.is_finished = true;
        let at = self.model.timestamp(now);
        self.state_clock(at);
        let Self { model, filter, file, arrivals, .. } = self;
        let mut sink = Filtered { filter, behind: file };
        model.finish(at, false, &mut sink);
        arrivals.state_clocks(at, &mut sink);
        self.look_around(now, true);
        self.state_left_out(at);
        self.emit(&Event::Finish { at });
    }

    /// Records how many kernels were left out and how many device times came after a change of files, and notes the
    /// files that were given up. After the last executions.
    fn state_left_out(&mut self, at: Timestamp) {
        self.file.state_missed(at);
        if let Some(dropped) = self.file.dropped_files() {
            self.status.note(&dropped);
        }
        if let Some(left_out) = self.filter.left_out() {
            let (kind, name) = (FactKind::Setting, "kernels left out");
            self.emit(&Event::Fact(Fact { at, kind, name, value: &left_out }));
            self.status.note(&left_out);
        }
    }

    /// Reads source files, and checks which libraries are loaded.
    fn look_around(&mut self, now: u64, is_end: bool) {
        let at = self.model.timestamp(now);
        let Self { model, facts, sources, filter, file, .. } = self;
        let mut sink = Filtered { filter, behind: file };
        facts.step(now, at, model.has_queue(), is_end, &mut sink);
        sources.step(now, at, is_end, &mut sink);
    }

    /// Records the accuracy of times, once.
    fn state_clock(&mut self, at: Timestamp) {
        if !std::mem::replace(&mut self.has_clock_fact, true) {
            let value = self.calibration.describe();
            self.emit(&Event::Fact(Fact { at, kind: FactKind::Setting, name: "clock", value: &value }));
        }
    }

    /// Reads finished device times, and handles those that were read before the time up to which records have been
    /// handled.
    fn read_device_times(&mut self, buffers: &ThreadBuffers, drain: Drain, until_ns: u64) {
        self.is_exiting |= drain != Drain::HoldBack;
        let Self { model, filter, file, status, arrivals, .. } = self;
        let mut sink = Filtered { filter, behind: file };
        arrivals.read(buffers, (drain, self.is_finished), status, &mut sink);
        arrivals.deliver(until_ns, drain, model, &mut sink);
        if self.is_finished || drain == Drain::Finish {
            self.give_up_device_times();
        }
    }

    fn give_up_device_times(&mut self) {
        let at = self.model.timestamp(os::monotonic_ns());
        let Self { model, filter, file, .. } = self;
        model.commands.give_up(at, &mut Filtered { filter, behind: file });
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
        if total[Kind::DeviceWork as usize] + total[Kind::DeviceCall as usize] > 0 {
            self.model.lose_device_records();
        }
        let mut spilled_bytes = 0;
        buffers.for_each(|buffer| spilled_bytes += buffer.rings.spilled_bytes());
        self.status.spilled_bytes = spilled_bytes;
        let unbuffered = Field::UNBUFFERED.get();
        self.note(at, NO_BUFFER, unbuffered - self.unbuffered);
        self.unbuffered = unbuffered;
        let lost_changes = control::take_lost_changes();
        self.note(at, LOST_CHANGES, lost_changes);
        self.lost_changes += lost_changes;
        let nameless = self.model.commands.counts.nameless;
        self.note(at, NO_DEVICE_TIME, nameless - self.nameless);
        self.nameless = nameless;
    }

    fn note(&mut self, at: Timestamp, kind: &str, count: u64) {
        if count > 0 {
            self.emit(&Event::Dropped(Dropped { at, kind, count }));
        }
    }

    /// Appends the encoded bytes to the file in every step, so that a kill loses only a moment, and updates the status
    /// file.
    fn flush(&mut self, now: u64) {
        self.file.at = self.model.timestamp(now);
        self.file.flush(self.is_finished);
        let had_events = self.status.events > 0;
        // A process that loads the runtime without using it has no other events: the launcher warns then.
        let not_its_own = self.filter.own_facts + self.file.repeated;
        self.status.events = self.file.written.saturating_sub(not_its_own);
        self.status.lost = self.file.lost_count();
        if let Some(error) = &self.file.error {
            self.status.error(error);
        }
        self.status.bytes = self.file.length();
        self.status.files = self.file.paths();
        self.status.dropped = self.dropped.iter().sum::<u64>() + self.unbuffered + self.lost_changes;
        let counts = self.model.commands.counts;
        if self.file.error.is_none() {
            // Times read after the disk is full are not in the file.
            self.status.device_times = counts.read;
            self.status.device_times_missing = counts.missing;
            self.status.device_records = counts.records;
            self.status.impossible_times = counts.impossible;
        }
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
