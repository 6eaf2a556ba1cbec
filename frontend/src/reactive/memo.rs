//! A value computed from others. It notifies its readers only when it differs.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use leptos::prelude::{Get as _, GetUntracked as _};

pub(crate) struct Memo<T: 'static> {
    inner: Erased,
    marker: PhantomData<fn() -> T>,
}

type Erased = leptos::prelude::Memo<ComparedValue>;
type Compute = dyn Fn() -> ComparedValue + Send + Sync;

#[derive(Clone)]
struct ComparedValue {
    value: Arc<dyn Any + Send + Sync>,
    is_same: fn(&dyn Any, &dyn Any) -> bool,
}

impl PartialEq for ComparedValue {
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
    pub(crate) fn new(compute: impl Fn(()) -> T + Send + Sync + 'static) -> Self {
        let compute = move || ComparedValue { value: Arc::new(compute(())), is_same: is_same::<T> };
        Self { inner: erased(Box::new(compute)), marker: PhantomData }
    }
}

impl<T> Memo<T> {
    pub(crate) fn with<U>(self, act: impl FnOnce(&T) -> U) -> U {
        act(downcast(&self.inner.get()))
    }

    pub(crate) fn with_untracked<U>(self, act: impl FnOnce(&T) -> U) -> U {
        act(downcast(&self.inner.get_untracked()))
    }
}

impl<T: Clone> Memo<T> {
    pub(crate) fn get(self) -> T {
        self.with(T::clone)
    }

    pub(crate) fn get_untracked(self) -> T {
        self.with_untracked(T::clone)
    }
}

fn downcast<T: 'static>(inner: &ComparedValue) -> &T {
    inner.value.downcast_ref().unwrap_or_else(|| super::gone())
}
