//! What tests in a browser see of the page: `window.__syclscope`.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;

use crate::browser::window;
use crate::data::client;
use crate::state::session::Session;
use crate::views::graph::view::Controller as GraphController;
use crate::views::timeline::view::Controller;

/// Tells what was drawn, as JSON.
type Log = Box<dyn Fn() -> String>;

thread_local! {
    static TIMELINE: RefCell<Weak<Controller>> = const { RefCell::new(Weak::new()) };
    static GRAPH: RefCell<Weak<GraphController>> = const { RefCell::new(Weak::new()) };
    static MEMORY: RefCell<Option<Log>> = const { RefCell::new(None) };
    static SESSION: Cell<Option<Session>> = const { Cell::new(None) };
}

/// The timeline that the page shows now.
pub(crate) fn set_timeline(controller: &Rc<Controller>) {
    TIMELINE.with_borrow_mut(|timeline| *timeline = Rc::downgrade(controller));
}

/// The graph that the page shows now.
pub(crate) fn set_graph(controller: &Rc<GraphController>) {
    GRAPH.with_borrow_mut(|graph| *graph = Rc::downgrade(controller));
}

/// The store of the trace that the page shows now.
pub(crate) fn set_session(session: Session) {
    SESSION.set(Some(session));
}

/// Who tells what the memory view drew last.
pub(crate) fn set_memory(log: impl Fn() -> String + 'static) {
    MEMORY.with_borrow_mut(|memory| *memory = Some(Box::new(log)));
}

/// Puts `version`, `idle()`, `drawLog()`, `graphLog()`, `memoryLog()`, `slicesPainted()`, `frameMs()` and
/// `graphFrameMs()` on the window.
pub(crate) fn install() {
    let page = js_sys::Object::new();
    let set = |name: &str, value: &JsValue| {
        // Setting a field of a plain object can't fail.
        let _ = js_sys::Reflect::set(&page, &name.into(), value);
    };
    set("version", &env!("CARGO_PKG_VERSION").into());
    set("idle", &Closure::<dyn Fn() -> bool>::new(is_idle).into_js_value());
    set("drawLog", &Closure::<dyn Fn() -> String>::new(draw_log).into_js_value());
    set("memoryLog", &Closure::<dyn Fn() -> String>::new(memory_log).into_js_value());
    set("slicesPainted", &Closure::<dyn Fn() -> usize>::new(slices_painted).into_js_value());
    set("frameMs", &Closure::<dyn Fn() -> f64>::new(frame_ms).into_js_value());
    set("graphLog", &Closure::<dyn Fn() -> String>::new(graph_log).into_js_value());
    set("graphFrameMs", &Closure::<dyn Fn() -> f64>::new(graph_frame_ms).into_js_value());
    let _ = js_sys::Reflect::set(&window(), &"__syclscope".into(), &page);
}

fn timeline() -> Option<Rc<Controller>> {
    TIMELINE.with_borrow(Weak::upgrade)
}

/// Whether nothing is loading, moving or about to be painted.
fn is_idle() -> bool {
    let is_written = SESSION.get().is_none_or(Session::is_written);
    is_written
        && client::pending() == 0
        && timeline().is_none_or(|timeline| timeline.is_idle())
        && graph().is_none_or(|graph| graph.is_idle())
}

fn graph() -> Option<Rc<GraphController>> {
    GRAPH.with_borrow(Weak::upgrade)
}

fn graph_log() -> String {
    graph().map_or_else(|| "null".to_owned(), |graph| graph.log())
}

fn graph_frame_ms() -> f64 {
    graph().map_or(0.0, |graph| graph.frame_ms())
}

fn draw_log() -> String {
    timeline().map_or_else(|| "null".to_owned(), |timeline| timeline.draw_log())
}

fn memory_log() -> String {
    MEMORY.with_borrow(|memory| memory.as_ref().map_or_else(|| "null".to_owned(), |log| log()))
}

fn slices_painted() -> usize {
    timeline().map_or(0, |timeline| timeline.slices_painted())
}

fn frame_ms() -> f64 {
    timeline().map_or(0.0, |timeline| timeline.frame_ms())
}
