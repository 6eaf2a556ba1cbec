//! Readings of device clocks, on a separate thread: a driver may block it for seconds, behind queued work.

#[cfg(test)]
pub(super) mod driven;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use super::fit::Pair;
use crate::buffer::without_notifications;
use crate::os;
use crate::xpti::UrApi;

/// Readings per pair; the fastest counts.
const READINGS: usize = 3;
/// Duration from which a reading is not repeated.
const LONG_NS: u64 = 1_000_000;
/// Maximum time that the program's end waits for a running reading.
const PATIENCE: Duration = Duration::from_millis(200);
const STEP: Duration = Duration::from_micros(50);
/// Maximum time that a fork waits for a running reading.
const FORK_PATIENCE: Duration = Duration::from_secs(1);

/// True while a reading runs: it may hold locks of the runtime.
static IS_READING: AtomicBool = AtomicBool::new(false);
static IS_HELD: AtomicBool = AtomicBool::new(false);

#[derive(Default)]
pub(super) struct Readings {
    shared: Option<Arc<Shared>>,
    /// Readings without a thread, at times that a test controls.
    #[cfg(test)]
    driven: Option<driven::Readings>,
}

impl std::fmt::Debug for Readings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Readings")
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    request: Option<(UrApi, u64)>,
    is_busy: bool,
    is_over: bool,
    answers: Vec<(u64, Option<Pair>)>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Readings {
    /// Requests a reading of a device's clock with the host's; false if another one is running.
    pub(super) fn ask(&mut self, api: UrApi, device: u64) -> bool {
        #[cfg(test)]
        if let Some(driven) = &mut self.driven {
            return driven.ask(&api, device);
        }
        let Some(shared) = self.shared.clone().or_else(begin) else { return false };
        self.shared = Some(Arc::clone(&shared));
        let mut state = shared.lock();
        if state.is_busy || state.request.is_some() || state.is_over {
            return false;
        }
        state.request = Some((api, device));
        shared.changed.notify_all();
        true
    }

    /// Requests a reading and waits briefly for it, and for one that is already running.
    pub(super) fn ask_and_wait(&mut self, api: UrApi, device: u64) -> Option<Pair> {
        #[cfg(test)]
        if let Some(driven) = &mut self.driven {
            return driven.ask_and_wait(&api, device);
        }
        let end = Instant::now() + PATIENCE;
        let is_asked = loop {
            let is_asked = self.ask(api, device);
            if is_asked || Instant::now() > end {
                break is_asked;
            }
            std::thread::sleep(STEP);
        };
        while is_asked && Instant::now() < end {
            let mut state = self.shared.as_ref()?.lock();
            if let Some(place) = state.answers.iter().position(|(answered, _)| *answered == device) {
                return state.answers.swap_remove(place).1;
            }
            drop(state);
            std::thread::sleep(STEP);
        }
        None
    }

    pub(super) fn take(&mut self) -> Vec<(u64, Option<Pair>)> {
        #[cfg(test)]
        if let Some(driven) = &mut self.driven {
            return driven.take();
        }
        self.shared.as_ref().map(|shared| std::mem::take(&mut shared.lock().answers)).unwrap_or_default()
    }

    /// Waits briefly for a running reading and allows no more: the runtime is about to shut down.
    pub(super) fn rest(&mut self) {
        let Some(shared) = &self.shared else { return };
        let begin = Instant::now();
        let mut state = shared.lock();
        state.is_over = true;
        while (state.is_busy || state.request.is_some()) && begin.elapsed() < PATIENCE {
            let waited = shared.changed.wait_timeout(state, PATIENCE);
            state = waited.map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state);
        }
        state.request = None;
        shared.changed.notify_all();
    }
}

fn begin() -> Option<Arc<Shared>> {
    static FORKS: Once = Once::new();
    FORKS.call_once(|| os::at_fork(before_fork, after_fork, after_fork));
    let shared = Arc::new(Shared::default());
    let of_thread = Arc::clone(&shared);
    let thread = std::thread::Builder::new().name("syclscope-clock".to_owned()).stack_size(1 << 20);
    thread.spawn(move || run(&of_thread)).ok()?;
    Some(shared)
}

fn run(shared: &Shared) {
    os::block_signals();
    loop {
        let mut state = shared.lock();
        let (api, device) = loop {
            if let Some(request) = state.request.take() {
                break request;
            }
            if state.is_over {
                return;
            }
            let woken = shared.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        };
        state.is_busy = true;
        drop(state);
        let pair = without_notifications(|| read(&api, device));
        let mut state = shared.lock();
        state.is_busy = false;
        state.answers.push((device, pair));
        shared.changed.notify_all();
    }
}

fn read(api: &UrApi, device: u64) -> Option<Pair> {
    IS_READING.store(true, Ordering::SeqCst);
    let mut best: Option<Pair> = None;
    for _ in 0..READINGS {
        if IS_HELD.load(Ordering::SeqCst) {
            break;
        }
        let before = os::monotonic_ns();
        // A later reading may succeed.
        let Some((on_device, _)) = api.device_and_host_time(device) else { continue };
        let uncertainty = (os::monotonic_ns() - before) / 2;
        let pair = Pair { device: on_device, host: before + uncertainty, uncertainty };
        if best.is_none_or(|best| uncertainty < best.uncertainty) {
            best = Some(pair);
        }
        if uncertainty > LONG_NS {
            break;
        }
    }
    IS_READING.store(false, Ordering::SeqCst);
    best
}

/// A lock held by a reading would stay locked in the child forever.
extern "C" fn before_fork() {
    IS_HELD.store(true, Ordering::SeqCst);
    let begin = Instant::now();
    while IS_READING.load(Ordering::SeqCst) && begin.elapsed() < FORK_PATIENCE {
        std::thread::sleep(Duration::from_micros(100));
    }
}

extern "C" fn after_fork() {
    IS_HELD.store(false, Ordering::SeqCst);
    IS_READING.store(false, Ordering::SeqCst);
}
