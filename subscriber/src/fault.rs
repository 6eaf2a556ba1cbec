//! Mistakes that tests ask for, to see that ours never become the program's. There are none in a release build.

/// Makes a mistake if this is the place that `SYCLSCOPE_FAULT` names.
#[inline(always)]
pub(crate) fn at(place: &str) {
    assert!(!is_at(place), "a mistake that a test asked for");
}

/// Whether this is the place.
#[cfg(debug_assertions)]
pub(crate) fn is_at(place: &str) -> bool {
    use std::sync::OnceLock;
    static PLACE: OnceLock<String> = OnceLock::new();
    PLACE.get_or_init(|| std::env::var("SYCLSCOPE_FAULT").unwrap_or_default()) == place
}

#[cfg(not(debug_assertions))]
#[inline(always)]
pub(crate) fn is_at(_place: &str) -> bool {
    false
}
