//! The recording of this process: one at a time, begun by the first stream that is announced.
//!
//! A forked child begins one of its own when it is first notified: it has another file, and nothing of the parent's
//! recording is touched again, neither its buffers nor a lock that another thread may have held at the fork.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{LockResult, Mutex, MutexGuard, Once, OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use crate::buffer::{Lanes, keep_out};
use crate::config::Config;
use crate::writer::{self, Drain, Writer};
use crate::xpti::sys;

/// Forks of forks of forks …: each has a place of its own.
const MAX_GENERATIONS: usize = 64;

static RECORDERS: [OnceLock<Option<&'static Recorder>>; MAX_GENERATIONS] =
    [const { OnceLock::new() }; MAX_GENERATIONS];
/// How many forks lie between the first recorded process and this one.
static GENERATION: AtomicUsize = AtomicUsize::new(0);
static IS_OFF: AtomicBool = AtomicBool::new(false);

/// How long an exiting program waits at most for a writer that is busy.
const PATIENCE: Duration = Duration::from_secs(5);

/// A recording.
pub(crate) struct Recorder {
    pub(crate) config: &'static Config,
    /// Buffers of the program's threads.
    pub(crate) lanes: Lanes,
    writer: Mutex<Writer>,
}

/// Number of the process in its line of forks: what belongs to another generation is not ours.
#[inline]
pub(crate) fn generation() -> usize {
    GENERATION.load(Ordering::Relaxed)
}

/// Whether recording was given up.
#[inline]
pub(crate) fn is_off() -> bool {
    IS_OFF.load(Ordering::Relaxed)
}

/// Gives up recording, saying why in the status file.
#[cold]
pub(crate) fn switch_off(why: &str) {
    if IS_OFF.swap(true, Ordering::Relaxed) {
        return;
    }
    if let Some(recorder) = Recorder::if_started() {
        recorder.fail(why);
    }
}

impl Recorder {
    /// The recording, begun now if it wasn't; nothing if it can't be.
    pub(crate) fn current() -> Option<&'static Self> {
        *RECORDERS.get(generation())?.get_or_init(Self::start)
    }

    /// The recording, if it has begun.
    pub(crate) fn if_started() -> Option<&'static Self> {
        *RECORDERS.get(generation())?.get()?
    }

    fn start() -> Option<&'static Self> {
        static PREPARE: Once = Once::new();
        PREPARE.call_once(|| {
            sys::pin_library();
            sys::at_fork_in_child(forget_parent);
            // A panic of ours is reported in the status file; the program's terminal is not ours to write to.
            std::panic::set_hook(Box::new(|_| {}));
        });
        let config: &'static Config = Box::leak(Box::new(Config::from_environment(generation() > 0)));
        config.publish();
        let lanes = Lanes::new(config.buffer_bytes);
        let writer = Mutex::new(Writer::new(config));
        let recorder: &'static Self = Box::leak(Box::new(Self { config, lanes, writer }));
        let thread = std::thread::Builder::new().name("syclscope".to_owned()).stack_size(1 << 20);
        if let Err(error) = thread.spawn(move || writer::run(recorder)) {
            recorder.fail(&format!("the writer's thread can't be started: {error}"));
            return None;
        }
        Some(recorder)
    }

    /// A stream was announced and subscribed to. (A forked child inherits its parent's.)
    pub(crate) fn stream_announced(&self) {
        if let Some(mut writer) = self.lock() {
            writer.write_status();
        }
    }

    /// Has something shown to the user once.
    pub(crate) fn note(&self, note: &str) {
        if let Some(mut writer) = self.lock() {
            writer.add_note(note);
        }
    }

    /// A stream ended, so that the process is about to: everything goes to the file. May come several times, and
    /// notifications may come after it.
    pub(crate) fn stream_finished(&self) {
        keep_out(|| {
            if let Some(mut writer) = self.lock() {
                writer.pump(&self.lanes, Drain::Finish);
            }
        });
    }

    /// The process exits: the last moment at which the runtime is still whole.
    pub(crate) fn exit_begins(&self) {
        keep_out(|| {
            if let Some(mut writer) = self.lock() {
                writer.pump(&self.lanes, Drain::Exit);
            }
        });
    }

    /// One step of the writer's thread.
    pub(crate) fn step(&self) -> Duration {
        match self.writer.lock() {
            Ok(mut writer) => writer.pump(&self.lanes, Drain::HoldBack),
            Err(_) => Duration::MAX,
        }
    }

    /// Says in the status file why there is nothing more to come: for a writer that panicked, too.
    fn fail(&self, why: &str) {
        if let Some(writer) = self.wait() {
            writer.unwrap_or_else(PoisonError::into_inner).fail(why);
        }
    }

    /// The writer; nothing if it panicked, or stays busy for longer than a program should wait.
    fn lock(&self) -> Option<MutexGuard<'_, Writer>> {
        self.wait()?.ok()
    }

    fn wait(&self) -> Option<LockResult<MutexGuard<'_, Writer>>> {
        let begin = Instant::now();
        loop {
            match self.writer.try_lock() {
                Ok(writer) => return Some(Ok(writer)),
                Err(TryLockError::Poisoned(writer)) => return Some(Err(writer)),
                Err(TryLockError::WouldBlock) if begin.elapsed() > PATIENCE => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_micros(200)),
            }
        }
    }
}

/// In a forked child: what was inherited is the parent's.
extern "C" fn forget_parent() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    IS_OFF.store(false, Ordering::Relaxed);
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
        let writer = Mutex::new(Writer::new(config));
        let recorder = Recorder { config, lanes: Lanes::new(4096), writer };
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
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
