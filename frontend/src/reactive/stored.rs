//! A value that tells nobody when it changes, and one that is worked out whenever somebody looks at it.

use std::rc::Rc;

use leptos::prelude::untrack;

use super::{Memo, RwSignal};

/// A handle on a value of `T` that can be copied; the value goes with the part of the page that made it.
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

    /// Looks at the value, where it is still there.
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
        // What was there before may look at its own place when it goes, so it goes when the place is free again.
        let mut old = Some(value);
        self.0.update_untracked(|held| {
            if let Some(new) = old.take() {
                old = Some(std::mem::replace(held, new));
            }
        });
    }
}

impl<T: Clone> StoredValue<T> {
    /// The value, where it is still there.
    pub(crate) fn try_get_value(self) -> Option<T> {
        self.try_with_value(T::clone)
    }

    pub(crate) fn get_value(self) -> T {
        self.with_value(T::clone)
    }
}

/// A value of any origin, for parts that only want to follow it: another signal's, a memo's, or one worked out from them.
pub(crate) struct Signal<T: 'static>(StoredValue<Rc<dyn Fn() -> T>>);

impl<T> Clone for Signal<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Signal<T> {}

impl<T> Signal<T> {
    /// What `compute` gives; whoever asks follows what it reads.
    pub(crate) fn derive(compute: impl Fn() -> T + 'static) -> Self {
        Self(StoredValue::new(Rc::new(compute)))
    }

    pub(crate) fn get(self) -> T {
        self.0.get_value()()
    }

    /// What it gives now; nothing is followed.
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
    /// A value that stays.
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
