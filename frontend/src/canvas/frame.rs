//! Animation frames for canvases.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;

use crate::browser::window;
use crate::idle::Busy;

/// Calls back once before the next paint, whatever the number of requests. Dropping it cancels a pending request.
pub struct FrameLoop {
    inner: Rc<Inner>,
}

type Callback = Closure<dyn FnMut(f64)>;

struct Inner {
    requested: Cell<Option<(i32, Busy)>>,
    callback: RefCell<Option<Callback>>,
}

impl FrameLoop {
    /// Creates a loop that calls `on_frame` with the frame's time in milliseconds.
    pub fn new(mut on_frame: Box<dyn FnMut(f64)>) -> Self {
        let inner = Rc::new(Inner { requested: Cell::new(None), callback: RefCell::new(None) });
        let weak = Rc::downgrade(&inner);
        let callback = Closure::new(move |now_ms: f64| {
            if let Some(inner) = weak.upgrade() {
                // Dropped after the callback: if the callback requests the next frame, the page is not idle in between.
                let _busy = inner.requested.take();
                on_frame(now_ms);
            }
        });
        *inner.callback.borrow_mut() = Some(callback);
        Self { inner }
    }

    pub fn request(&self) {
        let mut requested = self.inner.requested.take();
        if requested.is_none()
            && let Some(callback) = self.inner.callback.borrow().as_ref()
        {
            let handle = window().request_animation_frame(callback.as_ref().unchecked_ref());
            requested = handle.ok().map(|handle| (handle, Busy::start()));
        }
        self.inner.requested.set(requested);
    }
}

impl Drop for FrameLoop {
    fn drop(&mut self) {
        if let Some((handle, _busy)) = self.inner.requested.take() {
            // The window may be closed already.
            let _ = window().cancel_animation_frame(handle);
        }
    }
}
