//! A value that is computed from others, and tells its readers when it differs from before.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use leptos::prelude::{Get as _, GetUntracked as _};

/// A handle on a computed value of `T` that can be copied.
pub(crate) struct Memo<T: 'static> {
    held: Erased,
    of: PhantomData<fn() -> T>,
}

type Erased = leptos::prelude::Memo<Held>;
type Compute = dyn Fn() -> Held + Send + Sync;

/// A value, and how it is compared with another of its kind.
#[derive(Clone)]
struct Held {
    value: Arc<dyn Any + Send + Sync>,
    is_same: fn(&dyn Any, &dyn Any) -> bool,
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        (self.is_same)(&*self.value, &*other.value)
    }
}

fn erased(compute: Box<Compute>) -> Erased {
    Erased::new(move |_| compute())
}

fn is_same<T: PartialEq + 'static>(one: &dyn Any, other: &dyn Any) -> bool {
    one.downcast_ref::<T>() == other.downcast_ref::<T>()
}

impl<T> Clone for Memo<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Memo<T> {}

impl<T: PartialEq + Send + Sync> Memo<T> {
    /// A value that `compute` gives, anew when something changes that it has read.
    pub(crate) fn new(compute: impl Fn(()) -> T + Send + Sync + 'static) -> Self {
        let compute = move || Held { value: Arc::new(compute(())), is_same: is_same::<T> };
        Self { held: erased(Box::new(compute)), of: PhantomData }
    }
}

impl<T> Memo<T> {
    /// Looks at the value and follows it.
    pub(crate) fn with<U>(self, act: impl FnOnce(&T) -> U) -> U {
        act(of(&self.held.get()))
    }

    /// Looks at the value once.
    pub(crate) fn with_untracked<U>(self, act: impl FnOnce(&T) -> U) -> U {
        act(of(&self.held.get_untracked()))
    }
}

impl<T: Clone> Memo<T> {
    /// The value, which is followed.
    pub(crate) fn get(self) -> T {
        self.with(T::clone)
    }

    /// The value as it is now.
    pub(crate) fn get_untracked(self) -> T {
        self.with_untracked(T::clone)
    }
}

fn of<T: 'static>(held: &Held) -> &T {
    held.value.downcast_ref().unwrap_or_else(|| super::gone())
}
