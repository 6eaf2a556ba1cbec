//! A value without notifications, and one that is recomputed at each read.

use std::rc::Rc;

use leptos::prelude::untrack;

use super::{Memo, RwSignal};

pub(crate) struct StoredValue<T: 'static>(RwSignal<T>);

impl<T> Clone for StoredValue<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for StoredValue<T> {}

impl<T> StoredValue<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(RwSignal::new(value))
    }

    /// Reads the value; `None` if it is disposed.
    pub(crate) fn try_with_value<U>(self, act: impl FnOnce(&T) -> U) -> Option<U> {
        self.0.try_with_untracked(act)
    }

    pub(crate) fn with_value<U>(self, act: impl FnOnce(&T) -> U) -> U {
        self.0.with_untracked(act)
    }

    pub(crate) fn update_value(self, act: impl FnOnce(&mut T)) {
        self.0.update_untracked(act);
    }

    pub(crate) fn set_value(self, value: T) {
        // Dropping the old value may access this slot, so drop it after the borrow ends.
        let mut old = Some(value);
        self.0.update_untracked(|value| {
            if let Some(new) = old.take() {
                old = Some(std::mem::replace(value, new));
            }
        });
    }
}

impl<T: Clone> StoredValue<T> {
    pub(crate) fn try_get_value(self) -> Option<T> {
        self.try_with_value(T::clone)
    }

    pub(crate) fn get_value(self) -> T {
        self.with_value(T::clone)
    }
}

/// A read-only value from a signal, a memo, or a computation on them.
pub(crate) struct Signal<T: 'static>(StoredValue<Rc<dyn Fn() -> T>>);

impl<T> Clone for Signal<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Signal<T> {}

impl<T> Signal<T> {
    /// Creates a value that is recomputed at each read; the reader tracks the dependencies.
    pub(crate) fn derive(compute: impl Fn() -> T + 'static) -> Self {
        Self(StoredValue::new(Rc::new(compute)))
    }

    pub(crate) fn get(self) -> T {
        self.0.get_value()()
    }

    pub(crate) fn get_untracked(self) -> T {
        untrack(|| self.get())
    }

    pub(crate) fn with<U>(self, act: impl FnOnce(&T) -> U) -> U {
        act(&self.get())
    }

    pub(crate) fn with_untracked<U>(self, act: impl FnOnce(&T) -> U) -> U {
        act(&self.get_untracked())
    }
}

impl From<&'static str> for Signal<String> {
    fn from(text: &'static str) -> Self {
        Self::derive(move || text.to_owned())
    }
}

impl<T: Clone> Signal<T> {
    pub(crate) fn stored(value: T) -> Self {
        Self::derive(move || value.clone())
    }
}

impl<T: Clone> From<RwSignal<T>> for Signal<T> {
    fn from(signal: RwSignal<T>) -> Self {
        Self::derive(move || signal.get())
    }
}

impl<T: Clone> From<Memo<T>> for Signal<T> {
    fn from(memo: Memo<T>) -> Self {
        Self::derive(move || memo.get())
    }
}
