//! Faults that tests request.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::answer::{Answer, Code};
use crate::settings::Settings;

/// Number of calls so far, for each function with a requested failure.
static CALLS: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());
static COMMANDS: AtomicU64 = AtomicU64::new(0);
static IS_LOST: AtomicBool = AtomicBool::new(false);

/// Fate of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Runs,
    /// It never ends.
    Stuck,
}

/// Applies the settings to a call before its body runs: crash, delay and failure.
pub(crate) fn before(name: &str) -> Answer {
    let settings = Settings::get();
    if settings.crash.as_deref() == Some(name) {
        std::process::abort();
    }
    for late in settings.late.iter().filter(|late| late.call == name) {
        std::thread::sleep(Duration::from_micros(late.by_us));
    }
    if settings.fails.iter().any(|fail| fail.call == name) {
        let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
        let number = calls.entry(name.to_owned()).or_default();
        *number += 1;
        let is_it = |fail: &&crate::settings::Fail| fail.call == name && fail.number == *number;
        if let Some(fail) = settings.fails.iter().find(is_it) {
            return Err(Code(fail.code));
        }
    }
    Ok(())
}

/// Returns an error if the device is lost.
pub(crate) fn device_is_there() -> Answer {
    if is_lost() { Err(Code::DEVICE_LOST) } else { Ok(()) }
}

/// True if the device is lost.
pub(crate) fn is_lost() -> bool {
    IS_LOST.load(Ordering::Acquire)
}

/// Returns the fate of a command that is about to run.
pub(crate) fn of_command() -> Fate {
    let settings = Settings::get();
    let number = COMMANDS.fetch_add(1, Ordering::AcqRel) + 1;
    if settings.lost_after.is_some_and(|after| number > after) {
        IS_LOST.store(true, Ordering::Release);
    }
    if is_lost() || settings.stuck_at == Some(number) { Fate::Stuck } else { Fate::Runs }
}
