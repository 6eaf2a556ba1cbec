//! The recording of this process: one at a time, started by the first announced stream.
//!
//! A forked child starts a new one at its first notification, with a file of its own. It never touches the parent's
//! buffers, nor locks that another thread may have held at the fork.

mod work;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{LockResult, Mutex, MutexGuard, Once, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use syclscope_language::event::{Cost, Notified};

use crate::buffer::{Place, ThreadBuffers, forget_buffer, forget_defined, without_notifications};
use crate::clock;
use crate::config::{Config, OnFull};
use crate::control::{self, Reason, Schedule, State};
use crate::cost;
use crate::device_time_reader::DeviceTimeReader;
use crate::fault;
use crate::os::python::{self, Search};
use crate::os::{self, Published};
use crate::sampler::Sampler;
use crate::shared_page::{self, Field};
use crate::vendor;
use crate::writer::{Drain, Writer};
use work::{Work, after_fork, before_fork};

static CURRENT: Published<Recorder> = Published::empty();
static PROGRESS: AtomicU8 = AtomicU8::new(NOT_STARTED);
const NOT_STARTED: u8 = 0;
const STARTING: u8 = 1;
/// The recording has started, or failed to.
const STARTED: u8 = 2;

/// Number of forks between the first recorded process and this one.
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// Maximum time that an exiting program waits for a busy writer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum time that a sample waits for a busy writer.
const SAMPLE_PATIENCE: Duration = Duration::from_millis(2);
/// True if a stream of XPTI was announced; forked children inherit it.
static HAS_STREAMS: AtomicBool = AtomicBool::new(false);

/// True if a stream of the runtime was announced; forked children inherit it.
static HAS_RUNTIME: AtomicBool = AtomicBool::new(false);

pub(crate) fn runtime_announced() {
    HAS_RUNTIME.store(true, Ordering::Relaxed);
}

pub(crate) fn has_runtime() -> bool {
    HAS_RUNTIME.load(Ordering::Relaxed)
}

pub(crate) struct Recorder {
    pub(crate) config: &'static Config,
    buffers: ThreadBuffers,
    work: Mutex<Task>,
    /// True once the cost of recording has been measured.
    is_cost_known: AtomicBool,
}

struct Task {
    upkeep: Upkeep,
    side: Side,
}

enum Side {
    /// This process empties its buffers itself.
    Writer(Box<Writer>),
    /// Another process empties them.
    Reader(Box<DeviceTimeReader>),
}

impl Side {
    /// Shows a note to the user once.
    fn note(&mut self, note: &str) {
        match self {
            Self::Writer(writer) => writer.add_note(note),
            Self::Reader(reader) => reader.say(note, false),
        }
    }

    fn state_cost(&mut self, notified: Notified, cost: Cost) {
        match self {
            Self::Writer(writer) => writer.state_cost(notified, cost),
            Self::Reader(reader) => reader.state_cost(notified, cost),
        }
    }

    /// Reports why nothing more is recorded.
    fn fail(&mut self, why: &str) {
        match self {
            Self::Writer(writer) => writer.fail(why),
            Self::Reader(reader) => reader.say(why, true),
        }
    }
}

struct Upkeep {
    schedule: Schedule,
    followed_ns: u64,
    /// True if a Python interpreter may still start.
    awaits_python: bool,
}

/// Interval of checking for other subscribers of the `.debug` streams, which may appear at any time.
const FOLLOW_EVERY_NS: u64 = 100_000_000;
/// Interval of reading device times when another process empties the buffers.
const READER_STEP: Duration = Duration::from_millis(4);

impl Upkeep {
    /// Performs the due tasks; returns a note for the user, if any.
    fn step(&mut self, config: &Config) -> Option<String> {
        let now = os::monotonic_ns();
        self.schedule.step(now);
        if now >= self.followed_ns + FOLLOW_EVERY_NS {
            self.followed_ns = now;
            crate::xpti::follow_debug_streams(|name| config.streams.wants(name));
            return self.search_python();
        }
        None
    }

    /// Searches for a Python interpreter; returns a note if its lines can't be read.
    fn search_python(&mut self) -> Option<String> {
        let search = if self.awaits_python { python::search() } else { Search::Found };
        self.awaits_python = matches!(search, Search::Absent);
        match search {
            Search::Unknown(why) => Some(format!("lines of Python are not recorded: {why}")),
            _ => None,
        }
    }
}

/// Stops recording for good, and writes the reason to the status file.
#[cold]
pub(crate) fn switch_off(why: &str) {
    if !control::switch_off() {
        return;
    }
    let why = fault::with_panic(why);
    if let Some(recorder) = Recorder::if_started() {
        recorder.fail(&why);
    }
}

/// Runs the end of a recording, if one has started, on a thread of the program, which can't be cancelled meanwhile. A
/// panic of the recorder stops the recording, never the program.
pub(crate) fn at_end(work: impl FnOnce(&Recorder)) {
    let Some(recorder) = Recorder::if_started() else { return };
    let ended = catch_unwind(AssertUnwindSafe(|| os::without_cancellation(|| work(recorder))));
    if ended.is_err() {
        switch_off("an internal error at the end of the recording");
    }
}

impl Recorder {
    /// Returns the recording, starting it if necessary; `None` if that fails.
    pub(crate) fn current() -> Option<&'static Self> {
        CURRENT.get().or_else(Self::begin)
    }

    pub(crate) fn buffers() -> Option<&'static ThreadBuffers> {
        Some(&Self::current()?.buffers)
    }

    pub(crate) fn if_started() -> Option<&'static Self> {
        CURRENT.get()
    }

    #[cold]
    fn begin() -> Option<&'static Self> {
        /// Lets waiting threads continue, even if the start panics.
        struct Started;
        impl Drop for Started {
            fn drop(&mut self) {
                PROGRESS.store(STARTED, Ordering::Release);
            }
        }
        match PROGRESS.compare_exchange(NOT_STARTED, STARTING, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => {
                let _started = Started;
                let recorder = os::without_cancellation(Self::start);
                if recorder.is_none() {
                    control::switch_off();
                }
                recorder
            }
            Err(STARTING) => {
                let begin = Instant::now();
                while PROGRESS.load(Ordering::Acquire) == STARTING
                    && (begin.elapsed() < PATIENCE || fault::is_patient())
                {
                    std::thread::yield_now();
                }
                CURRENT.get()
            }
            Err(_) => CURRENT.get(),
        }
    }

    fn start() -> Option<&'static Self> {
        static PREPARE: Once = Once::new();
        PREPARE.call_once(|| {
            os::pin_library();
            os::at_fork(before_fork, after_fork, forget_parent);
            fault::store_panic_messages();
        });
        let is_forked = FORKS.load(Ordering::Relaxed) > 0;
        let mut config = Config::without_output();
        clock::choose(config.may_use_counter);
        let start = clock::now();
        let folder = std::env::var_os("SYCLSCOPE_RINGS").filter(|folder| !folder.is_empty());
        let reader = folder.and_then(|folder| DeviceTimeReader::begin(folder.as_ref(), start, is_forked));
        if reader.is_none() {
            config.choose_output(&|name| std::env::var_os(name), is_forked);
        }
        config.publish();
        if let Some(signal) = config.pause_signal
            && !os::on_signal(signal, toggle_pause)
        {
            config.notes.push(format!(
                "SYCLSCOPE_PAUSE_SIGNAL is ignored: the program handles signal {signal} itself"
            ));
        }
        let config: &'static Config = Box::leak(Box::new(config));
        let (schedule, pause) = Schedule::begin(config, start.ns);
        let pause = pause.or_else(|| control::is_paused_by_program().then_some(Reason::Program));
        control::begin(pause.is_some(), config.on_full == OnFull::Wait);
        let (place, side) = match reader {
            None => (Place::Private, Side::Writer(Box::new(Writer::new(config, start, pause, None)))),
            Some((reader, place)) => {
                if !DeviceTimeReader::announce(&place, pause) {
                    return None;
                }
                let spills = config.on_full == OnFull::Spill;
                (if spills { place } else { place.in_memory() }, Side::Reader(Box::new(reader)))
            }
        };
        let upkeep = Upkeep {
            schedule,
            followed_ns: start.ns,
            awaits_python: config.has_python_lines
                || config.stacks.has_python()
                || config.samples_per_second.is_some(),
        };
        let mut work = Task { upkeep, side };
        // An interpreter usually runs by now. Searching at once records its first lines.
        if let Some(note) = work.upkeep.search_python() {
            work.side.note(&note);
        }
        if let Side::Reader(reader) = &mut work.side {
            // The other process reads the settings as well, and reports their errors once.
            config.notes.iter().for_each(|note| reader.say(note, false));
        }
        let buffers = ThreadBuffers::new(config.buffer_bytes, place, Field::BUFFERS.word());
        if let Side::Reader(reader) = &mut work.side {
            reader.open_buffer(&buffers);
        }
        let recorder: &'static Self = Box::leak(Box::new(Self {
            config,
            buffers,
            work: Mutex::new(work),
            is_cost_known: AtomicBool::new(false),
        }));
        // Before the recording is published, because threads that got their buffer earlier are not sampled.
        let sampler = config.samples_per_second.map(|rate| Sampler::new(rate, &recorder.buffers));
        CURRENT.set(recorder);
        match sampler {
            Some(Ok(sampler)) => sampler.begin(at_work, not_sampled),
            Some(Err(reason)) => not_sampled(&reason),
            None => {}
        }
        let thread = std::thread::Builder::new().name("syclscope".to_owned()).stack_size(1 << 20);
        if let Err(error) = thread.spawn(move || run(recorder)) {
            recorder.fail(&format!("the writer's thread can't be started: {error}"));
            CURRENT.clear();
            return None;
        }
        Some(recorder)
    }

    /// Notes that a stream was announced and subscribed to. (A forked child inherits its parent's streams.)
    pub(crate) fn stream_announced(&self) {
        HAS_STREAMS.store(true, Ordering::Relaxed);
        if let Some(Task { side: Side::Writer(writer), .. }) = self.lock().as_deref_mut() {
            writer.write_status();
        }
    }

    /// True if a stream of XPTI was announced; its end shows that the process is about to exit.
    pub(crate) fn has_streams() -> bool {
        HAS_STREAMS.load(Ordering::Relaxed)
    }

    pub(crate) fn note(&self, note: &str) {
        if let Some(mut work) = self.lock() {
            work.side.note(note);
        }
    }

    /// Notes for the user, once, which requested data could not be recorded.
    pub(crate) fn note_what_is_lacking(&self) {
        static IS_DONE: AtomicBool = AtomicBool::new(false);
        if let Some(lacking) = vendor::lacks().filter(|_| !IS_DONE.swap(true, Ordering::Relaxed)) {
            self.note(&lacking);
        }
    }

    /// Writes everything to the file when a stream ends, shortly before the process exits. May be called several times,
    /// and notifications may follow.
    pub(crate) fn stream_finished(&self) {
        self.drain(Drain::Finish);
    }

    /// Handles process exit: the last moment at which the runtime is still intact.
    pub(crate) fn exit_begins(&self) {
        self.drain(Drain::Exit);
    }

    fn drain(&self, drain: Drain) {
        fault::at("end");
        control::set_ending();
        without_notifications(|| {
            let _work = Work::begin(PATIENCE);
            self.find_cost(true);
            match self.lock().as_deref_mut() {
                Some(Task { side: Side::Writer(writer), .. }) => {
                    writer.pump(&self.buffers, drain);
                }
                Some(Task { side: Side::Reader(reader), .. }) => reader.end(drain, &self.buffers),
                None => {}
            }
        });
    }

    /// Measures the cost of recording once, after the program's first call, which serves as a model, or at the end.
    /// Does nothing during a pause, when a notification costs less.
    fn find_cost(&self, is_end: bool) {
        if self.is_cost_known.load(Ordering::Relaxed) || control::state() != State::Recording {
            return;
        }
        if !is_end && Field::GENERATION.get() == 0 && Field::PLUGIN.get() == 0 {
            return;
        }
        self.is_cost_known.store(true, Ordering::Relaxed);
        // Without the lock, because an error in a handler takes it as well.
        let costs = cost::measure();
        if let Some(mut work) = self.lock() {
            costs.into_iter().for_each(|(notified, cost)| work.side.state_cost(notified, cost));
        }
    }

    pub(crate) fn step(&self) -> Duration {
        if control::is_off() {
            // The process that empties the buffers has failed, and has reported the reason.
            control::switch_off();
        }
        // During a fork the writer waits. The child has no writer yet.
        let Some(_work) = Work::begin(Duration::ZERO) else { return Duration::from_millis(1) };
        self.find_cost(false);
        let Ok(mut work) = self.work.lock() else { return Duration::MAX };
        if let Some(note) = work.upkeep.step(self.config) {
            work.side.note(&note);
        }
        match &mut work.side {
            Side::Writer(writer) => writer.pump(&self.buffers, Drain::HoldBack),
            Side::Reader(reader) => {
                reader.step(&self.buffers);
                READER_STEP
            }
        }
    }

    /// Writes to the status file why nothing more is recorded, even if the writer panicked.
    fn fail(&self, why: &str) {
        if let Some(work) = self.wait() {
            work.unwrap_or_else(PoisonError::into_inner).side.fail(why);
        }
    }

    /// Locks the task. Returns `None` after a panic of its owner, or if it stays locked for [`PATIENCE`].
    fn lock(&self) -> Option<MutexGuard<'_, Task>> {
        self.wait()?.ok()
    }

    fn wait(&self) -> Option<LockResult<MutexGuard<'_, Task>>> {
        let begin = Instant::now();
        loop {
            match self.work.try_lock() {
                Ok(work) => return Some(Ok(work)),
                Err(TryLockError::Poisoned(work)) => return Some(Err(work)),
                Err(TryLockError::WouldBlock) if begin.elapsed() > PATIENCE && !fault::is_patient() => {
                    return None;
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_micros(200)),
            }
        }
    }
}

fn run(recorder: &'static Recorder) {
    os::block_signals();
    without_notifications(|| {
        loop {
            let step = catch_unwind(|| recorder.step());
            let Ok(pause) = step else {
                switch_off("an internal error in the writer");
                return;
            };
            if pause == Duration::MAX || crate::fault::is_at("writer_ends") {
                return;
            }
            std::thread::sleep(pause);
        }
    });
}

/// Runs a step of sampling unless the writer is working or the process is being forked; false if it was not run.
fn at_work(step: &mut dyn FnMut()) -> bool {
    let work = Work::begin(SAMPLE_PATIENCE);
    if work.is_some() {
        step();
    }
    work.is_some()
}

fn not_sampled(reason: &str) {
    if let Some(recorder) = Recorder::if_started() {
        recorder.note(&format!("threads of the host are not sampled: {reason}"));
    }
}

/// Discards the inherited state in a forked child: it belongs to the parent.
extern "C" fn forget_parent() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    work::forget();
    CURRENT.clear();
    PROGRESS.store(NOT_STARTED, Ordering::Relaxed);
    shared_page::forget();
    control::begin(false, false);
    forget_buffer();
    forget_defined();
    if control::is_alone() {
        PROGRESS.store(STARTED, Ordering::Relaxed);
        control::switch_off();
    }
}

/// Toggles the pause on the signal `SYCLSCOPE_PAUSE_SIGNAL`.
extern "C" fn toggle_pause(_signal: i32) {
    control::toggle(Reason::Signal);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_that_panicked_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::for_test(folder.path().join("run.pftrace"));
        config.status_folder = Some(folder.path().to_owned());
        let config: &'static Config = Box::leak(Box::new(config));
        let (schedule, pause) = Schedule::begin(config, 0);
        let side = Side::Writer(Box::new(Writer::new(config, clock::now(), pause, None)));
        let work =
            Mutex::new(Task { upkeep: Upkeep { schedule, followed_ns: 0, awaits_python: false }, side });
        let buffers = ThreadBuffers::new(4096, Place::Private, Field::BUFFERS.word());
        let recorder = Recorder { config, buffers, work, is_cost_known: AtomicBool::new(true) };
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _writer = recorder.lock().unwrap();
            panic!("this is the test's own panic");
        }));
        assert!(panicked.is_err());
        assert!(recorder.lock().is_none(), "nothing more is written");
        recorder.fail("an internal error in the writer");
        let status = folder.path().join(format!("{}.json", std::process::id()));
        let status: serde_json::Value = serde_json::from_slice(&std::fs::read(status).unwrap()).unwrap();
        assert_eq!(status["error"], "an internal error in the writer");
    }
}
