//! Interface for browser tests: `window.__syclscope`. Only `syclscope-page-testing` has it.

use std::any::Any;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

use wasm_bindgen::JsValue;
use wasm_bindgen::closure::Closure;

use crate::browser::window;
use crate::idle::{begun, is_idle};
use crate::stage::log;
use crate::views::graph::view::Controller as Graph;
use crate::views::memory::view::SharedMap as Map;
use crate::views::timeline::view::Controller as Timeline;

thread_local! {
    /// The page's own timeline first, then the guests' timelines.
    static TIMELINES: RefCell<Vec<Weak<Timeline>>> = const { RefCell::new(Vec::new()) };
    static GRAPH: RefCell<Weak<Graph>> = const { RefCell::new(Weak::new()) };
    static MAP: RefCell<Weak<Map>> = const { RefCell::new(Weak::new()) };
}

/// Sets `version`, `idle()`, `begun()`, `drawLog()`, `drawLogs()`, `graphLog()`, `memoryLog()`, `slicesPainted()`,
/// `frameMs()` and `graphFrameMs()` on the window object.
pub(crate) fn install() {
    log::watch(note);
    let page = js_sys::Object::new();
    let set = |name: &str, value: &JsValue| {
        // Setting a field of a plain object can't fail.
        let _ = js_sys::Reflect::set(&page, &name.into(), value);
    };
    set("version", &env!("CARGO_PKG_VERSION").into());
    set("idle", &Closure::<dyn Fn() -> bool>::new(is_idle).into_js_value());
    set("begun", &Closure::<dyn Fn() -> u32>::new(begun).into_js_value());
    for (name, log) in [
        ("drawLog", draw_log as fn() -> String),
        ("drawLogs", draw_logs),
        ("graphLog", graph_log),
        ("memoryLog", memory_log),
    ] {
        set(name, &Closure::<dyn Fn() -> String>::new(log).into_js_value());
    }
    set("slicesPainted", &Closure::<dyn Fn() -> usize>::new(slices_painted).into_js_value());
    set("frameMs", &Closure::<dyn Fn() -> f64>::new(log::frame_ms).into_js_value());
    set("graphFrameMs", &Closure::<dyn Fn() -> f64>::new(log::frame_ms).into_js_value());
    let _ = js_sys::Reflect::set(&window(), &"__syclscope".into(), &page);
}

fn note(drawer: &dyn Any) {
    if let Some(timeline) = drawer.downcast_ref() {
        TIMELINES.with_borrow_mut(|all| {
            all.retain(|all| all.strong_count() > 0);
            all.push(Rc::downgrade(timeline));
        });
    } else if let Some(graph) = drawer.downcast_ref() {
        GRAPH.set(Rc::downgrade(graph));
    } else if let Some(map) = drawer.downcast_ref() {
        MAP.set(Rc::downgrade(map));
    }
}

fn draw_log() -> String {
    or_null(timelines().next().map(|timeline| timeline.draw_log()))
}

fn draw_logs() -> String {
    format!("[{}]", timelines().map(|timeline| timeline.draw_log()).collect::<Vec<_>>().join(","))
}

fn timelines() -> impl Iterator<Item = Rc<Timeline>> {
    let all = TIMELINES.with_borrow(Clone::clone);
    all.into_iter().filter_map(|timeline| timeline.upgrade())
}

fn graph_log() -> String {
    or_null(GRAPH.with_borrow(Weak::upgrade).map(|graph| graph.log()))
}

fn memory_log() -> String {
    or_null(MAP.with_borrow(Weak::upgrade).map(|map| map.borrow().log()))
}

fn or_null(log: Option<String>) -> String {
    log.unwrap_or_else(|| "null".to_owned())
}

fn slices_painted() -> usize {
    timelines().next().map_or(0, |timeline| timeline.slices_painted())
}
