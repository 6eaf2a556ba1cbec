//! A draggable line between two parts.

use syclscope_language::decimal::float;
use web_sys::PointerEvent;

use crate::browser::{load, store};
use crate::reactive::*;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    /// Parts side by side; the size is the left part's.
    Horizontal,
    /// Parts one above the other; the size is the lower part's.
    Vertical,
}

/// A size stored in the browser.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    value: RwSignal<f64>,
    key: &'static str,
    limits: (f64, f64),
}

/// Returns a stored size in CSS pixels, clamped to limits.
pub(crate) fn use_size(key: &'static str, standard: f64, limits: (f64, f64)) -> Size {
    let value = load(key).and_then(|text| float(&text)).filter(|value| value.is_finite());
    Size { value: RwSignal::new(value.unwrap_or(standard).clamp(limits.0, limits.1)), key, limits }
}

impl Size {
    pub(crate) fn get(&self) -> f64 {
        self.value.get()
    }

    fn set(&self, css_px: f64) {
        let css_px = css_px.clamp(self.limits.0, self.limits.1).round();
        self.value.set(css_px);
        store(self.key, Some(&css_px.to_string()));
    }
}

#[component]
pub(crate) fn Splitter(axis: Axis, size: Size, label: &'static str) -> impl IntoView {
    // Pointer position and size at the start of the drag.
    let drag = RwSignal::new(None::<(f64, f64)>);
    let position = move |event: &PointerEvent| match axis {
        Axis::Horizontal => f64::from(event.client_x()),
        Axis::Vertical => -f64::from(event.client_y()),
    };
    let (class, orientation) = match axis {
        Axis::Horizontal => ("splitter splitter-horizontal", "vertical"),
        Axis::Vertical => ("splitter splitter-vertical", "horizontal"),
    };
    view! {
        <div
            class=class
            class:is-dragging=move || drag.get().is_some()
            role="separator"
            aria-orientation=orientation
            aria-label=label
            aria-valuenow=move || size.get().to_string()
            aria-valuemin=size.limits.0.to_string()
            aria-valuemax=size.limits.1.to_string()
            tabindex="0"
            on:pointerdown=move |event| {
                event.prevent_default();
                let line: web_sys::Element = event_target(&event);
                // Without capture the drag ends when the pointer leaves the line.
                let _ = line.set_pointer_capture(event.pointer_id());
                drag.set(Some((position(&event), size.value.get_untracked())));
            }
            on:pointermove=move |event| {
                if let Some((from, css_px)) = drag.get_untracked() {
                    size.set(css_px + position(&event) - from);
                }
            }
            on:pointerup=move |_| drag.set(None)
            on:pointercancel=move |_| drag.set(None)
            on:keydown=move |event| {
                let step = match (axis, event.key().as_str()) {
                    (Axis::Horizontal, "ArrowLeft") | (Axis::Vertical, "ArrowDown") => -16.0,
                    (Axis::Horizontal, "ArrowRight") | (Axis::Vertical, "ArrowUp") => 16.0,
                    _ => return,
                };
                event.prevent_default();
                event.stop_propagation();
                size.set(size.value.get_untracked() + step);
            }
        ></div>
    }
}
