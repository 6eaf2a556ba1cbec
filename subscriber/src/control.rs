//! State of the recording: pause, resume, stop.
//!
//! The state is one byte that every notification reads. Changes may come from any thread and from a signal handler:
//! they are appended to a small lock-free log, which the writer's thread merges by time.

mod schedule;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub(crate) use schedule::Schedule;

use crate::clock;
use crate::flags::FLAGS;
use crate::shared_page::{self, Field, LOG_WORDS};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Recording,
    /// Only records that later ones depend on are written.
    Paused,
    /// Recording has stopped for good.
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Settings,
    StartAfter,
    Duration,
    ControlFile,
    Signal,
    Program,
}

impl Reason {
    const ALL: [Self; 6] =
        [Self::Settings, Self::StartAfter, Self::Duration, Self::ControlFile, Self::Signal, Self::Program];

    pub(crate) fn at(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Settings => "SYCLSCOPE_PAUSED",
            Self::StartAfter => "SYCLSCOPE_START_AFTER",
            Self::Duration => "SYCLSCOPE_DURATION",
            Self::ControlFile => "the launcher",
            Self::Signal => "a signal",
            Self::Program => "the program",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) ticks: u64,
    pub(crate) is_paused: bool,
    pub(crate) reason: Reason,
}

impl Change {
    // Ticks since boot fit in 60 bits for some ten years.
    fn pack(self) -> u64 {
        self.ticks << 4 | (self.reason as u64) << 1 | u64::from(self.is_paused)
    }

    fn unpack(word: u64) -> Self {
        let reason = Reason::ALL[(word >> 1) as usize % 8 % Reason::ALL.len()];
        Self { ticks: word >> 4, is_paused: word & 1 != 0, reason }
    }
}

const RECORDING: u8 = 0;
const PAUSED: u8 = 1;
const OFF: u8 = 2;

/// True if the recording began paused: the log's changes alternate from there.
static BEGAN_PAUSED: AtomicBool = AtomicBool::new(false);
/// True if the program has paused the recording, or has requested that it start paused.
static IS_PAUSED_BY_PROGRAM: AtomicBool = AtomicBool::new(false);
/// True if nothing can resume the recording.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// True if forked children are not recorded.
static IS_ALONE: AtomicBool = AtomicBool::new(false);

/// Number of changes lost in a full log, since the log was last read.
static LOST_CHANGES: AtomicU64 = AtomicU64::new(0);

#[inline(always)]
pub(crate) fn state() -> State {
    match FLAGS.state.load(Ordering::Relaxed) {
        RECORDING => State::Recording,
        PAUSED => State::Paused,
        _ => State::Off,
    }
}

#[inline]
pub(crate) fn is_paused() -> bool {
    state() == State::Paused
}

/// True if the process is about to exit, when lookups in the framework's tables are no longer safe.
#[inline]
pub(crate) fn is_ending() -> bool {
    FLAGS.is_ending.load(Ordering::Relaxed)
}

pub(crate) fn set_ending() {
    FLAGS.is_ending.store(true, Ordering::Relaxed);
}

pub(crate) fn begin(is_paused: bool, waits_when_full: bool) {
    shared_page::log().iter().for_each(|place| place.store(0, Ordering::Relaxed));
    for field in [Field::LOGGED, Field::TAKEN, Field::HAS_GIVEN_UP_WAITING, Field::IS_OFF] {
        field.set(0);
    }
    Field::WAITS.set(waits_when_full.into());
    IS_OVER.store(false, Ordering::Relaxed);
    FLAGS.is_ending.store(false, Ordering::Relaxed);
    BEGAN_PAUSED.store(is_paused, Ordering::Relaxed);
    FLAGS.state.store(if is_paused { PAUSED } else { RECORDING }, Ordering::Release);
}

/// Stops recording for good; false if it was stopped before.
pub(crate) fn switch_off() -> bool {
    Field::IS_OFF.set(1);
    FLAGS.state.swap(OFF, Ordering::Relaxed) != OFF
}

pub(crate) fn is_off() -> bool {
    Field::IS_OFF.get() != 0
}

/// Pauses or resumes. Safe in a signal handler.
pub(crate) fn set_paused(is_paused: bool, reason: Reason) {
    if !is_paused && IS_OVER.load(Ordering::Relaxed) {
        return;
    }
    if change_state(is_paused) {
        log(reason);
    }
}

/// Changes the state. Returns false if that has no effect.
fn change_state(is_paused: bool) -> bool {
    let (from, to) = if is_paused { (RECORDING, PAUSED) } else { (PAUSED, RECORDING) };
    FLAGS.state.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok()
}

/// Logs a change of the state. A signal or another thread may change the state again before this one is logged. Pauses
/// and resumptions alternate, so the position in the log decides which of them an entry is.
fn log(reason: Reason) {
    let number = Field::LOGGED.word().fetch_add(1, Ordering::Relaxed);
    let is_paused = number.is_multiple_of(2) != BEGAN_PAUSED.load(Ordering::Relaxed);
    shared_page::log()[number as usize % LOG_WORDS]
        .store(Change { ticks: clock::ticks(), is_paused, reason }.pack(), Ordering::Release);
}

/// Pauses or resumes for the program, possibly before the recording starts.
pub(crate) fn set_paused_by_program(is_paused: bool) {
    IS_PAUSED_BY_PROGRAM.store(is_paused, Ordering::Relaxed);
    set_paused(is_paused, Reason::Program);
}

pub(crate) fn is_paused_by_program() -> bool {
    IS_PAUSED_BY_PROGRAM.load(Ordering::Relaxed)
}

/// Records no forked child from now on.
pub(crate) fn set_alone() {
    IS_ALONE.store(true, Ordering::Relaxed);
}

pub(crate) fn is_alone() -> bool {
    IS_ALONE.load(Ordering::Relaxed)
}

/// Toggles the pause. Safe in a signal handler.
pub(crate) fn toggle(reason: Reason) {
    set_paused(state() == State::Recording, reason);
}

pub(crate) fn end(reason: Reason) {
    IS_OVER.store(true, Ordering::Relaxed);
    set_paused(true, reason);
}

pub(crate) fn take_change() -> Option<Change> {
    // If the log overflows, the oldest changes are lost.
    let (first, taken) = (Field::LOGGED.get().saturating_sub(LOG_WORDS as u64), Field::TAKEN.get());
    if taken < first {
        LOST_CHANGES.fetch_add(first - taken, Ordering::Relaxed);
        Field::TAKEN.set(first);
    }
    let place = &shared_page::log()[Field::TAKEN.get() as usize % LOG_WORDS];
    match place.swap(0, Ordering::Acquire) {
        0 => None,
        word => {
            Field::TAKEN.word().fetch_add(1, Ordering::Relaxed);
            Some(Change::unpack(word))
        }
    }
}

pub(crate) fn take_lost_changes() -> u64 {
    LOST_CHANGES.swap(0, Ordering::Relaxed)
}

pub(crate) fn waits_when_full() -> bool {
    Field::WAITS.get() != 0
}

/// True while the writer waits for the disk: it makes no progress then, but is alive.
pub(crate) fn is_at_disk() -> bool {
    Field::IS_AT_DISK.get() != 0
}

pub(crate) fn set_at_disk(is_at_disk: bool) {
    Field::IS_AT_DISK.set(is_at_disk.into());
}

/// Stops all waiting, after a thread has waited in vain.
pub(crate) fn give_up_waiting() {
    Field::WAITS.set(0);
    Field::HAS_GIVEN_UP_WAITING.set(1);
}

pub(crate) fn has_given_up_waiting() -> bool {
    Field::HAS_GIVEN_UP_WAITING.get() != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_logged_in_their_order() {
        begin(false, false);
        set_paused(false, Reason::Signal);
        assert_eq!((state(), take_change()), (State::Recording, None), "nothing has changed");
        toggle(Reason::Signal);
        toggle(Reason::Program);
        set_paused(true, Reason::ControlFile);
        assert_eq!(state(), State::Paused);
        let changes: Vec<_> = std::iter::from_fn(take_change).collect();
        let seen: Vec<_> = changes.iter().map(|change| (change.is_paused, change.reason)).collect();
        assert_eq!(seen, [(true, Reason::Signal), (false, Reason::Program), (true, Reason::ControlFile)]);
        assert!(changes.is_sorted_by_key(|change| change.ticks));

        // A signal arrives between a change of the state and its entry in the log.
        for is_paused in [false, true] {
            begin(is_paused, false);
            assert!(change_state(!is_paused));
            toggle(Reason::Signal);
            log(Reason::Program);
            let logged: Vec<_> = std::iter::from_fn(take_change).map(|change| change.is_paused).collect();
            assert_eq!(logged, [!is_paused, is_paused]);
            assert_eq!(super::is_paused(), is_paused);
        }

        begin(false, false);
        end(Reason::Duration);
        set_paused(false, Reason::Program);
        assert_eq!(state(), State::Paused, "what is over does not go on");
        assert!(switch_off() && !switch_off());
        toggle(Reason::Signal);
        assert_eq!(state(), State::Off);

        begin(false, false);
        (0..LOG_WORDS + 2).for_each(|_| toggle(Reason::Program));
        assert_eq!(std::iter::from_fn(take_change).count(), LOG_WORDS);
        assert_eq!((take_lost_changes(), take_lost_changes()), (2, 0));
        begin(false, false);
    }
}
