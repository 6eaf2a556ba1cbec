//! A value that notifies its readers of changes.

use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;

use leptos::prelude::{ArcTrigger, GetValue as _, LocalStorage, Notify as _, StoredValue, Track as _};

/// A copyable handle on a value, which is disposed with its owner.
pub(crate) struct RwSignal<T: 'static> {
    place: SlotHandle,
    marker: PhantomData<fn() -> T>,
}

type SlotHandle = StoredValue<Slot, LocalStorage>;

/// A value, as an untyped `RefCell<T>`, and its subscribers.
#[derive(Clone)]
struct Slot {
    readers: ArcTrigger,
    value: Rc<dyn Any>,
}

#[derive(Clone, Copy)]
enum Reader {
    /// A read that tracks the value: the current effect or memo reruns when it changes.
    Follows,
    /// A read without tracking.
    Looks,
}

// The code below is independent of the value's type, so that it is compiled once.

fn new_slot(value: Rc<dyn Any>) -> SlotHandle {
    StoredValue::new_local(Slot { readers: ArcTrigger::new(), value })
}

fn read(place: SlotHandle, reader: Reader) -> Option<Rc<dyn Any>> {
    let slot = place.try_get_value()?;
    if matches!(reader, Reader::Follows) {
        slot.readers.track();
    }
    Some(slot.value)
}

fn changed(place: SlotHandle) {
    if let Some(slot) = place.try_get_value() {
        slot.readers.notify();
    }
}

impl<T> Clone for RwSignal<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RwSignal<T> {}

#[derive(Clone, Copy)]
pub(crate) struct AnySignal(SlotHandle);

impl AnySignal {
    /// Returns the typed signal. With a wrong type, it reads as disposed.
    pub(crate) fn typed<T>(self) -> RwSignal<T> {
        RwSignal { place: self.0, marker: PhantomData }
    }
}

impl<T> From<RwSignal<T>> for AnySignal {
    fn from(signal: RwSignal<T>) -> Self {
        Self(signal.place)
    }
}

impl<T: Default> Default for RwSignal<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> RwSignal<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { place: new_slot(Rc::new(RefCell::new(value))), marker: PhantomData }
    }

    fn reads<U>(self, reader: Reader, act: impl FnOnce(&T) -> U) -> Option<U> {
        let value = read(self.place, reader)?;
        let value = value.downcast_ref::<RefCell<T>>()?;
        Some(act(&value.borrow()))
    }

    fn writes<U>(self, act: impl FnOnce(&mut T) -> U) -> Option<U> {
        let value = read(self.place, Reader::Looks)?;
        let value = value.downcast_ref::<RefCell<T>>()?;
        Some(act(&mut value.borrow_mut()))
    }

    /// Reads the value and tracks it.
    pub(crate) fn with<U>(self, act: impl FnOnce(&T) -> U) -> U {
        self.reads(Reader::Follows, act).unwrap_or_else(|| super::gone())
    }

    /// Reads the value without tracking; `None` if it is disposed.
    pub(crate) fn try_with_untracked<U>(self, act: impl FnOnce(&T) -> U) -> Option<U> {
        self.reads(Reader::Looks, act)
    }

    pub(crate) fn with_untracked<U>(self, act: impl FnOnce(&T) -> U) -> U {
        self.reads(Reader::Looks, act).unwrap_or_else(|| super::gone())
    }

    pub(crate) fn track(self) {
        read(self.place, Reader::Follows);
    }

    /// Changes the value and notifies subscribers; `None` if it is disposed.
    pub(crate) fn try_update<U>(self, act: impl FnOnce(&mut T) -> U) -> Option<U> {
        let result = self.writes(act);
        changed(self.place);
        result
    }

    pub(crate) fn update(self, act: impl FnOnce(&mut T)) {
        self.try_update(act);
    }

    pub(crate) fn update_untracked(self, act: impl FnOnce(&mut T)) {
        self.writes(act);
    }

    /// Replaces the value and notifies subscribers; returns `value` if the signal is disposed.
    pub(crate) fn try_set(self, value: T) -> Option<T> {
        let mut value = Some(value);
        self.writes(|old| value.take().map(|value| std::mem::replace(old, value)));
        changed(self.place);
        value
    }

    pub(crate) fn set(self, value: T) {
        self.try_set(value);
    }
}

impl<T: PartialEq> RwSignal<T> {
    /// Replaces the value if it differs, so that equal values rerun no reader. True if it differed.
    pub(crate) fn set_if_changed(self, value: T) -> bool {
        let differs = self.with_untracked(|old| *old != value);
        if differs {
            self.set(value);
        }
        differs
    }
}

impl<T: Clone> RwSignal<T> {
    pub(crate) fn get(self) -> T {
        self.with(T::clone)
    }

    pub(crate) fn get_untracked(self) -> T {
        self.with_untracked(T::clone)
    }
}
