//! A value that tells its readers when it changes.

use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;

use leptos::prelude::{ArcTrigger, GetValue as _, LocalStorage, Notify as _, StoredValue, Track as _};

/// A handle on a value of `T` that can be copied; the value goes with the part of the page that made it.
pub(crate) struct RwSignal<T: 'static> {
    place: SlotHandle,
    of: PhantomData<fn() -> T>,
}

type SlotHandle = StoredValue<Slot, LocalStorage>;

/// The value, a `RefCell<T>`, and who reads it.
#[derive(Clone)]
struct Slot {
    readers: ArcTrigger,
    value: Rc<dyn Any>,
}

/// Who reads a value.
#[derive(Clone, Copy)]
enum Reader {
    /// Whatever runs now: it runs again when the value changes.
    Follows,
    /// Somebody who wants to know it once.
    Looks,
}

// Nothing below knows what the value is: it is there once, not for every type.

fn kept(value: Rc<dyn Any>) -> SlotHandle {
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

/// A handle on a value of any type.
#[derive(Clone, Copy)]
pub(crate) struct AnySignal(SlotHandle);

impl AnySignal {
    /// The signal that it was; with another type it reads as one that is gone.
    pub(crate) fn of<T>(self) -> RwSignal<T> {
        RwSignal { place: self.0, of: PhantomData }
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
    /// A signal that holds `value`.
    pub(crate) fn new(value: T) -> Self {
        Self { place: kept(Rc::new(RefCell::new(value))), of: PhantomData }
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

    /// Looks at the value and follows it.
    pub(crate) fn with<U>(self, act: impl FnOnce(&T) -> U) -> U {
        self.reads(Reader::Follows, act).unwrap_or_else(|| super::gone())
    }

    /// Looks at the value once, where it is still there.
    pub(crate) fn try_with_untracked<U>(self, act: impl FnOnce(&T) -> U) -> Option<U> {
        self.reads(Reader::Looks, act)
    }

    /// Looks at the value once.
    pub(crate) fn with_untracked<U>(self, act: impl FnOnce(&T) -> U) -> U {
        self.reads(Reader::Looks, act).unwrap_or_else(|| super::gone())
    }

    /// Follows the value without looking at it.
    pub(crate) fn track(self) {
        read(self.place, Reader::Follows);
    }

    /// Changes the value, and tells who follows it; `None` if it is gone.
    pub(crate) fn try_update<U>(self, act: impl FnOnce(&mut T) -> U) -> Option<U> {
        let result = self.writes(act);
        changed(self.place);
        result
    }

    /// Changes the value, and tells who follows it.
    pub(crate) fn update(self, act: impl FnOnce(&mut T)) {
        self.try_update(act);
    }

    /// Changes the value and tells nobody.
    pub(crate) fn update_untracked(self, act: impl FnOnce(&mut T)) {
        self.writes(act);
    }

    /// Puts another value in its place, and tells who follows it; gives `value` back if there is no place any more.
    pub(crate) fn try_set(self, value: T) -> Option<T> {
        let mut value = Some(value);
        self.writes(|old| value.take().map(|value| std::mem::replace(old, value)));
        changed(self.place);
        value
    }

    /// Puts another value in its place, and tells who follows it.
    pub(crate) fn set(self, value: T) {
        self.try_set(value);
    }
}

impl<T: PartialEq> RwSignal<T> {
    /// Puts another value in its place only where it differs, so that readers run once; says whether it did.
    pub(crate) fn set_if_changed(self, value: T) -> bool {
        let differs = self.with_untracked(|old| *old != value);
        if differs {
            self.set(value);
        }
        differs
    }
}

impl<T: Clone> RwSignal<T> {
    /// The value, which is followed.
    pub(crate) fn get(self) -> T {
        self.with(T::clone)
    }

    /// The value as it is now.
    pub(crate) fn get_untracked(self) -> T {
        self.with_untracked(T::clone)
    }
}
