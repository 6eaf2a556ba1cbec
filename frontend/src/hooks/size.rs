use std::cell::RefCell;

use crate::reactive::*;
use leptos::html;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};

type Observation = (ResizeObserver, Closure<dyn FnMut()>);

#[derive(Default)]
pub(crate) struct SizeWatch {
    observation: RefCell<Option<Observation>>,
}

impl SizeWatch {
    /// Calls `changed` now and whenever the element's size changes; an earlier element is no longer observed.
    pub(crate) fn watch(&self, element: &Element, changed: Box<dyn FnMut()>) {
        self.stop();
        let callback = Closure::wrap(changed);
        if let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) {
            observer.observe(element);
            self.observation.replace(Some((observer, callback)));
        }
    }

    pub(crate) fn stop(&self) {
        if let Some((observer, _)) = self.observation.take() {
            observer.disconnect();
        }
    }
}

impl Drop for SizeWatch {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Calls `changed` whenever an element's size changes, and once when it is mounted.
pub(crate) fn watch_size(element: NodeRef<html::Div>, changed: impl Fn() + Clone + 'static) {
    let watch = StoredValue::new(SizeWatch::default());
    Effect::new(move |_| {
        let Some(element) = element.get() else { return };
        let changed = changed.clone();
        watch.try_with_value(|watch| watch.watch(&element, Box::new(changed)));
    });
    on_cleanup(move || {
        watch.try_with_value(SizeWatch::stop);
    });
}
