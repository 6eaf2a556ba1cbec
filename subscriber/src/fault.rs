//! Panics of the recorder, and faults that tests inject to show that they never affect the program. A release build has
//! no injected faults.

use std::sync::Mutex;

static PANIC: Mutex<String> = Mutex::new(String::new());

/// Stores panic messages for the status file: the recorder must not write to the program's terminal.
pub(crate) fn store_panic_messages() {
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut last) = PANIC.lock() {
            *last = panic.to_string().replace('\n', " ");
        }
    }));
}

pub(crate) fn failure(place: &str) -> String {
    with_panic(&format!("an internal error in {place}"))
}

pub(crate) fn with_panic(words: &str) -> String {
    let panic = PANIC.lock().map(|panic| panic.clone()).unwrap_or_default();
    if panic.is_empty() { words.to_owned() } else { format!("{words}: {panic}") }
}

/// Panics if `SYCLSCOPE_FAULT` names this place.
#[inline(always)]
pub(crate) fn at(place: &str) {
    assert!(!is_at(place), "a mistake that a test asked for");
}

/// True if a test requests unlimited patience, so that it behaves the same on any machine.
#[inline(always)]
pub(crate) fn is_patient() -> bool {
    is_at("patience_never_ends")
}

/// True if `place` is in the comma-separated list.
#[cfg(debug_assertions)]
pub(crate) fn is_at(place: &str) -> bool {
    use std::sync::OnceLock;
    static PLACES: OnceLock<String> = OnceLock::new();
    let places = PLACES.get_or_init(|| std::env::var("SYCLSCOPE_FAULT").unwrap_or_default());
    places.split(',').any(|name| name == place)
}

#[cfg(not(debug_assertions))]
#[inline(always)]
pub(crate) fn is_at(_place: &str) -> bool {
    false
}
