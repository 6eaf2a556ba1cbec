//! Sizes of elements.

use crate::reactive::*;
use leptos::html;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::ResizeObserver;

/// Calls `changed` whenever an element's size changes, and once when it comes into the document.
pub(crate) fn watch_size(element: NodeRef<html::Div>, changed: impl Fn() + Clone + 'static) {
    let kept = StoredValue::new_local(None::<(ResizeObserver, Closure<dyn FnMut()>)>);
    Effect::new(move |_| {
        let Some(element) = element.get() else { return };
        let callback = Closure::<dyn FnMut()>::new(changed.clone());
        if let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) {
            observer.observe(&element);
            kept.set_value(Some((observer, callback)));
        }
    });
    on_cleanup(move || {
        kept.try_update_value(|kept| {
            if let Some((observer, _)) = kept.take() {
                observer.disconnect();
            }
        });
    });
}
