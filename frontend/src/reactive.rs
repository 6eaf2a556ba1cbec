//! Signals, memos and effects for the page's many types.
//!
//! Leptos compiles its own versions again for every type and every closure, which makes the page large. The types here
//! store values behind an untyped pointer, and use leptos' machinery with that one type. `use crate::reactive::*` is
//! leptos' prelude with these replacements.

mod effect;
mod memo;
mod signal;
mod stored;

pub(crate) use leptos::prelude::*;
pub(crate) use leptos::reactive::owner::WeakOwner;

pub(crate) use effect::Effect;
pub(crate) use memo::Memo;
pub(crate) use signal::{AnySignal, RwSignal};
pub(crate) use stored::{Signal, StoredValue};

/// Returns the attribute `aria-level`, which leptos lacks.
pub(crate) fn aria_level(depth: usize) -> impl leptos::attr::Attribute {
    leptos::attr::custom::custom_attribute("aria-level", (depth + 1).to_string())
}

/// Panics because a value is read after its owner was disposed.
#[cold]
#[inline(never)]
#[track_caller]
fn gone() -> ! {
    panic!("a signal is used after the part of the page that held it")
}
