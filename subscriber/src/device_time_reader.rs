//! The recorder in a program whose buffers another process empties: it reads device times, which only the program
//! itself can read, and sends them to that process.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use syclscope_language::event::{Cost, Event, EventSink, Fact, FactKind, Notified};
use syclscope_language::time::Timestamp;

use crate::buffer::{Channel, Files, Kind, Place, ThreadBuffer, ThreadBuffers};
use crate::clock::{self, Pair};
use crate::control::Reason;
use crate::device_time::messages;
use crate::device_time::{Outstanding, Reading};
use crate::os::process::{Process, namespace, wait_for_change, wake};
use crate::os::{self, memory};
use crate::record::device::DeviceTimes;
use crate::shared_page::{self, Field};
use crate::target_process::TargetProcess;
use crate::writer::Drain;

/// Version of the layout of the shared page and the buffers.
pub(crate) const LAYOUT: u64 = 3;
/// File in a run's folder with the namespace of its process ids.
pub(crate) const NAMESPACE: &str = "namespace";

/// Maximum time that an exiting program waits for a process that stops emptying its buffers.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum time if that process writes to a slow disk.
const PATIENCE_WITH_DISK: Duration = Duration::from_secs(30);

/// Requests at the end, in the lower bits of [`Field::REQUEST`].
pub(crate) const EXIT: u64 = 1;
pub(crate) const FINISH: u64 = 2;

pub(crate) struct DeviceTimeReader {
    start_ns: u64,
    outstanding: Outstanding,
    channel: Channel,
    /// Messages that have not fitted into the channel yet.
    waiting: VecDeque<Vec<u8>>,
    /// Times of commands that have not fitted into the buffer yet.
    answers: VecDeque<DeviceTimes>,
    /// Buffer for the times; `None` if there is no memory for it.
    buffer: Option<&'static ThreadBuffer>,
    is_exiting: bool,
    is_finished: bool,
    requests: u64,
}

impl DeviceTimeReader {
    /// Announces this process in a run's folder under the prefix of its files' names. `None` if it must empty its
    /// buffers itself: without a writable folder, or if no other process could detect its exit.
    pub(crate) fn begin(folder: &Path, start: Pair, is_forked: bool) -> Option<(Self, Place)> {
        let is_seen = std::fs::read_to_string(folder.join(NAMESPACE)).ok()? == namespace();
        if !is_seen || os::process::has_file_size_limit() {
            return None;
        }
        let pid = std::process::id();
        let names = (0..100).map(|number| folder.join(format!("{pid}-{number}.")));
        let begin = names.into_iter().find(|begin| !beside(begin, "link").exists())?;
        let place = Place::beside(begin.clone());
        let reader = Self {
            start_ns: start.ns,
            outstanding: Outstanding::begin(start),
            channel: Channel::make(&place, "told")?,
            waiting: VecDeque::new(),
            answers: VecDeque::new(),
            buffer: None,
            is_exiting: false,
            is_finished: false,
            requests: 0,
        };
        os::files::write(&beside(&begin, "process"), &TargetProcess::own().to_bytes()).ok()?;
        let memory = memory::create(&beside(&begin, "new"), shared_page::WORDS).ok()?;
        shared_page::move_to(memory).then_some(())?;
        Field::LAYOUT.set(LAYOUT);
        Field::PID.set(pid.into());
        Field::IS_FORKED.set(is_forked.into());
        Field::START_NS.set(start.ns);
        Field::START_TICKS.set(start.ticks);
        Field::USES_COUNTER.set(crate::clock::uses_counter().into());
        Some((reader, place))
    }

    /// Opens the buffer for the times of commands early: memory may be short later.
    pub(crate) fn open_buffer(&mut self, buffers: &ThreadBuffers) {
        self.buffer = buffers.open();
    }

    /// Publishes the shared page to the other process, once it is complete.
    pub(crate) fn announce(place: &Place, pause: Option<Reason>) -> bool {
        Field::BEGAN_PAUSED.set(pause.map_or(0, |reason| reason as u64 + 1));
        let Place::Files(Files { begin, .. }) = place else { return false };
        std::fs::rename(beside(begin, "new"), beside(begin, "link")).is_ok()
    }

    /// One step: reads and sends the times of finished commands.
    pub(crate) fn step(&mut self, buffers: &ThreadBuffers) {
        match (self.is_finished, self.is_exiting) {
            // Commands submitted after the end are no longer read.
            (true, _) => self.give_up(buffers),
            (false, true) => {}
            (false, false) => self.read(Reading::Front, buffers),
        }
        self.tell();
    }

    /// Waits at the end of the recording or the process until the other process has taken everything, while that
    /// process makes progress.
    pub(crate) fn end(&mut self, drain: Drain, buffers: &ThreadBuffers) {
        self.is_exiting = true;
        let occasion = match drain {
            Drain::Finish => {
                self.read(Reading::AllAtExit, buffers);
                self.give_up(buffers);
                if !std::mem::replace(&mut self.is_finished, true) {
                    let at = self.now();
                    let Self { outstanding, waiting, .. } = self;
                    outstanding.announce_clocks(at, &mut Telling(waiting));
                }
                FINISH
            }
            _ => {
                self.read(Reading::All, buffers);
                EXIT
            }
        };
        self.while_drained(|reader| {
            let is_told = reader.tell();
            if !is_told {
                std::thread::sleep(Duration::from_micros(100));
            }
            is_told
        });
        self.requests += 1;
        let request = self.requests << 8 | occasion;
        Field::REQUEST.set(request);
        wake(Field::REQUEST.word());
        self.while_drained(|_| {
            let done = Field::DONE.get();
            if done < request {
                wait_for_change(Field::DONE.word(), done, Duration::from_millis(2));
            }
            done >= request
        });
    }

    pub(crate) fn say(&mut self, text: &str, is_failure: bool) {
        self.waiting.push_back(messages::encode_text(text, is_failure));
        self.send();
    }

    pub(crate) fn state_cost(&mut self, notified: Notified, cost: Cost) {
        let (at, name, value) = (self.now(), notified.as_str(), cost.to_string());
        let fact = Fact { at, kind: FactKind::Cost, name, value: &value };
        self.waiting.extend(messages::encode_event(&Event::Fact(fact)));
        self.send();
    }

    /// Repeats a step until it returns true. Returns false if the buffers are no longer emptied.
    fn while_drained(&mut self, mut is_done: impl FnMut(&mut Self) -> bool) -> bool {
        let (mut beats, mut since) = (Field::BEAT.get(), Instant::now());
        let mut drainer: Option<Process> = None;
        while !is_done(self) {
            let emptied_by = Field::EMPTIED_BY.get() as u32;
            if emptied_by != 0 && !drainer.get_or_insert_with(|| Process::new(emptied_by)).is_alive() {
                return false;
            }
            let seen = std::mem::replace(&mut beats, Field::BEAT.get());
            if seen != beats {
                since = Instant::now();
            }
            let patience = if Field::IS_AT_DISK.get() != 0 { PATIENCE_WITH_DISK } else { PATIENCE };
            if since.elapsed() > patience && !crate::fault::is_patient() {
                return false;
            }
        }
        true
    }

    fn read(&mut self, reading: Reading, buffers: &ThreadBuffers) {
        let Self { outstanding, waiting, answers, .. } = self;
        outstanding.read(reading, buffers, &mut Telling(waiting));
        waiting.extend(outstanding.take_device_answers().iter().map(messages::encode_device_answers));
        answers.extend(outstanding.take_answers());
    }

    fn give_up(&mut self, buffers: &ThreadBuffers) {
        self.outstanding.give_up(buffers);
        self.answers.extend(self.outstanding.take_answers());
    }

    fn now(&self) -> Timestamp {
        Timestamp(os::monotonic_ns().saturating_sub(self.start_ns))
    }

    /// Sends waiting messages. Returns false if some did not fit.
    fn tell(&mut self) -> bool {
        self.send() && self.write_answers()
    }

    fn send(&mut self) -> bool {
        while let Some(message) = self.waiting.front() {
            if !self.channel.send(message) {
                return false;
            }
            self.waiting.pop_front();
        }
        true
    }

    /// Writes times to a buffer among the program's records, so that they never precede their command.
    fn write_answers(&mut self) -> bool {
        let Some(buffer) = self.buffer else {
            // The other process reports their commands as unread.
            self.answers.clear();
            return true;
        };
        while let Some(answer) = self.answers.front() {
            let at = clock::ticks();
            if !buffer.rings.write(Kind::DeviceTimes, answer.detail(), at, |entry| answer.write(entry)) {
                return false;
            }
            self.answers.pop_front();
        }
        true
    }
}

pub(crate) fn beside(begin: &Path, name: &str) -> PathBuf {
    let mut path = begin.as_os_str().to_owned();
    path.push(name);
    PathBuf::from(path)
}

struct Telling<'a>(&'a mut VecDeque<Vec<u8>>);

impl EventSink for Telling<'_> {
    fn event(&mut self, event: &Event<'_>) {
        self.0.extend(messages::encode_event(event));
    }
}
