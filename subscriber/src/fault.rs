//! Mistakes of the recorder: what they said, and those that tests ask for, to see that ours never become the program's. There
//! are none of these in a release build.

use std::sync::Mutex;

/// What the last panic of ours said.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Keeps what a panic says for the status file: the program's terminal is not ours to write to.
pub(crate) fn keep_what_panics_say() {
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut last) = PANIC.lock() {
            *last = panic.to_string().replace('\n', " ");
        }
    }));
}

/// What is said of a panic at a place.
pub(crate) fn failure(place: &str) -> String {
    with_panic(&format!("an internal error in {place}"))
}

/// Words with what the last panic said, if there was one.
pub(crate) fn with_panic(words: &str) -> String {
    let panic = PANIC.lock().map(|panic| panic.clone()).unwrap_or_default();
    if panic.is_empty() { words.to_owned() } else { format!("{words}: {panic}") }
}

/// Makes a mistake if this is the place that `SYCLSCOPE_FAULT` names.
#[inline(always)]
pub(crate) fn at(place: &str) {
    assert!(!is_at(place), "a mistake that a test asked for");
}

/// True if a test asks for endless patience: it then sees the same on any machine.
#[inline(always)]
pub(crate) fn is_patient() -> bool {
    is_at("patience_never_ends")
}

/// True if this is one of the places; commas separate them.
#[cfg(debug_assertions)]
pub(crate) fn is_at(place: &str) -> bool {
    use std::sync::OnceLock;
    static PLACES: OnceLock<String> = OnceLock::new();
    let places = PLACES.get_or_init(|| std::env::var("SYCLSCOPE_FAULT").unwrap_or_default());
    places.split(',').any(|known| known == place)
}

#[cfg(not(debug_assertions))]
#[inline(always)]
pub(crate) fn is_at(_place: &str) -> bool {
    false
}
