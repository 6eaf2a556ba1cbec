//! Thin wrappers around the browser's API.

use std::cell::Cell;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Document, Element, HtmlElement, KeyboardEvent, Window};

/// Returns the window. The page's code never runs without one.
pub(crate) fn window() -> Window {
    web_sys::window().expect("a page has a window")
}

pub(crate) fn document() -> Document {
    window().document().expect("a window of a page has a document")
}

/// Adopts `rules` as an additional style sheet, or removes it.
pub(crate) fn adopt_style(rules: Option<&str>) {
    let sheets = js_sys::Array::new();
    if let (Some(rules), Ok(sheet)) = (rules, web_sys::CssStyleSheet::new()) {
        // A browser that rejects the rules shows no style.
        let _ = sheet.replace_sync(rules);
        sheets.push(&sheet);
    }
    document().set_adopted_style_sheets(&sheets);
}

pub(crate) fn now_ms() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

thread_local! {
    static ACTS: Cell<u32> = const { Cell::new(0) };
}

/// Returns the number of input events since the call of [`count_acts`]. One act of the user may cause several.
pub(crate) fn acts() -> u32 {
    ACTS.get()
}

/// Counts the user's input events for the life of the page. These listeners run before all others, so that the work of
/// later listeners belongs to the counted event.
pub(crate) fn count_acts() {
    let count = Closure::<dyn Fn()>::new(|| ACTS.set(ACTS.get().wrapping_add(1))).into_js_value();
    for event in ["keydown", "pointerdown", "click", "input", "change"] {
        // Adding a listener to a window can't fail.
        let _ = window().add_event_listener_with_callback_and_bool(event, count.unchecked_ref(), true);
    }
}

/// Leaves the keys with which an input method composes a text to it, for the life of the page.
pub(crate) fn leave_composition() {
    let leave = Closure::<dyn Fn(KeyboardEvent)>::new(|event: KeyboardEvent| {
        // Safari ends the composition before its last key, which has this code there.
        if event.is_composing() || event.key_code() == 229 {
            event.stop_propagation();
        }
    });
    let leave = leave.into_js_value();
    // Adding a listener to a window can't fail.
    let _ = window().add_event_listener_with_callback_and_bool("keydown", leave.unchecked_ref(), true);
}

/// Calls `hear` with each key before any other listener, until the caller runs the returned function.
pub(crate) fn capture_keys(hear: impl Fn(KeyboardEvent) + 'static) -> impl Fn() {
    let hear = Closure::<dyn Fn(KeyboardEvent)>::new(hear);
    // Adding a listener to a window can't fail.
    let _ =
        window().add_event_listener_with_callback_and_bool("keydown", hear.as_ref().unchecked_ref(), true);
    move || {
        let listener = hear.as_ref().unchecked_ref();
        let _ = window().remove_event_listener_with_callback_and_bool("keydown", listener, true);
    }
}

/// Yields to the browser: input, painting, other responses.
pub(crate) async fn pause() {
    sleep(0).await;
}

pub(crate) async fn sleep(ms: i32) {
    let turn = js_sys::Promise::new(&mut |resolve, _| {
        // If the browser can't set a timer, it continues immediately.
        if window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms).is_err() {
            let _ = resolve.call0(&wasm_bindgen::JsValue::NULL);
        }
    });
    // This promise never fails.
    let _ = wasm_bindgen_futures::JsFuture::from(turn).await;
}

/// Copies a text to the clipboard and returns true on success. Pages loaded over plain HTTP from another computer have
/// no clipboard.
pub(crate) async fn copy(text: &str) -> bool {
    let clipboard = window().navigator().clipboard();
    if AsRef::<wasm_bindgen::JsValue>::as_ref(&clipboard).is_undefined() {
        return false;
    }
    wasm_bindgen_futures::JsFuture::from(clipboard.write_text(text)).await.is_ok()
}

pub(crate) fn attribute(selector: &str, name: &str) -> Option<String> {
    document().query_selector(selector).ok()??.get_attribute(name)
}

pub(crate) fn unix_seconds() -> f64 {
    js_sys::Date::now() / 1_000.0
}

pub(crate) fn local_time(unix_ns: u64) -> String {
    let date = js_sys::Date::new(&(unix_ns as f64 / 1e6).into());
    let options = js_sys::Object::new();
    let set = |name: &str, value: &str| {
        // Setting a field of a plain object can't fail.
        let _ = js_sys::Reflect::set(&options, &name.into(), &value.into());
    };
    set("dateStyle", "medium");
    set("timeStyle", "short");
    date.to_locale_string("default", &options).into()
}

pub(crate) fn load(key: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(key).ok()?
}

/// Stores or removes a value. A browser that forbids storage ignores this.
pub(crate) fn store(key: &str, value: Option<&str>) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = match value {
            Some(value) => storage.set_item(key, value),
            None => storage.remove_item(key),
        };
    }
}

/// Stores a value that may be large. If the storage is full, evicts values whose names begin with `others`. True if the
/// value is stored.
pub(crate) fn store_large(key: &str, value: &str, others: &str) -> bool {
    let Ok(Some(storage)) = window().local_storage() else { return false };
    if storage.set_item(key, value).is_ok() {
        return true;
    }
    for number in (0..storage.length().unwrap_or(0)).rev() {
        if let Ok(Some(name)) = storage.key(number)
            && name.starts_with(others)
        {
            let _ = storage.remove_item(&name);
        }
    }
    storage.set_item(key, value).is_ok()
}

pub(crate) fn path() -> String {
    window().location().pathname().unwrap_or_default()
}

/// Returns the path of the current address below the application's folder: `/`, or `/t/…`.
pub(crate) fn page_path() -> String {
    let path = path();
    let folder =
        web_sys::Url::new(&folder_address()).map_or_else(|_| String::new(), |folder| folder.pathname());
    path.strip_prefix(&folder).map_or_else(|| path.clone(), |rest| format!("/{rest}"))
}

/// Returns the address of the application's folder, with a `/` at its end.
pub(crate) fn folder_address() -> String {
    let base = document().base_uri().ok().flatten().unwrap_or_default();
    base.rsplit_once('/').map_or_else(String::new, |(folder, _)| format!("{folder}/"))
}

/// Returns the query of the current address, with its `?`.
pub(crate) fn query() -> String {
    window().location().search().unwrap_or_default()
}

pub(crate) fn wants_less_motion() -> bool {
    has_media("(prefers-reduced-motion: reduce)")
}

/// True on a Mac, where Option writes symbols and moves by words in a text.
pub(crate) fn is_mac() -> bool {
    window().navigator().platform().is_ok_and(|platform| platform.starts_with("Mac"))
}

pub(crate) fn prefers_dark() -> bool {
    has_media("(prefers-color-scheme: dark)")
}

/// True if the primary pointer is a finger.
pub(crate) fn has_fingers() -> bool {
    has_media("(pointer: coarse)")
}

/// Returns the text about a mouse and keys, or the one for fingers.
pub(crate) fn hint(keys: &'static str, fingers: &'static str) -> &'static str {
    if has_fingers() { fingers } else { keys }
}

pub(crate) fn is_narrow() -> bool {
    has_media("(max-width: 600px)")
}

fn has_media(query: &str) -> bool {
    let query = window().match_media(query);
    query.ok().flatten().is_some_and(|query| query.matches())
}

pub(crate) fn focus(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector)
        && let Ok(element) = element.dyn_into::<HtmlElement>()
    {
        // An element that can't take the focus is skipped.
        let _ = element.focus();
    }
}

/// True if the focus is nowhere or in an overlay.
pub(crate) fn focus_is_free() -> bool {
    document().active_element().is_none_or(|active| {
        active.tag_name() == "BODY"
            || active.closest(".overlay, .context-menu").is_ok_and(|over| over.is_some())
    })
}

/// Centres an element in its scroll area, if it exists.
pub(crate) fn scroll_to(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector) {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Center);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Scrolls just far enough to show an element, if it exists.
pub(crate) fn scroll_into_sight(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector) {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// True if the focused element handles the key: fields take text, controls take Enter and Space.
pub(crate) fn key_is_taken(event: &KeyboardEvent) -> bool {
    let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else {
        return false;
    };
    match target.tag_name().to_ascii_lowercase().as_str() {
        "input" if target.get_attribute("type").as_deref() == Some("checkbox") => event.key() == " ",
        "input" | "textarea" | "select" => true,
        "button" | "a" | "summary" => matches!(event.key().as_str(), "Enter" | " "),
        _ => false,
    }
}

/// True if a modifier other than Shift is held.
pub(crate) fn is_chord(event: &KeyboardEvent) -> bool {
    event.ctrl_key() || event.alt_key() || event.meta_key()
}

pub(crate) fn save_bytes(name: &str, bytes: &web_sys::Blob) {
    if let Ok(address) = web_sys::Url::create_object_url_with_blob(bytes) {
        // The address stays valid until the page closes, because a browser may still ask where to save the file.
        save(name, &address);
    }
}

/// Downloads the file at a `data:`, `blob:` or other address.
pub(crate) fn save(name: &str, address: &str) {
    let Ok(Ok(link)) = document().create_element("a").map(JsCast::dyn_into::<web_sys::HtmlAnchorElement>)
    else {
        return;
    };
    link.set_href(address);
    link.set_download(name);
    link.click();
}

pub(crate) fn text_address(media_type: &str, text: &str) -> String {
    let encoded: String = js_sys::encode_uri_component(text).into();
    format!("data:{media_type};charset=utf-8,{encoded}")
}

pub(crate) fn set_title(title: &str) {
    if let Some(document) = window().document() {
        document.set_title(title);
    }
}

/// Key of a history entry's state: the number of earlier entries for the same trace.
pub(crate) const HISTORY_DEPTH: &str = "depth";

pub(crate) fn history_depth() -> u32 {
    let state = window().history().and_then(|history| history.state()).unwrap_or(wasm_bindgen::JsValue::NULL);
    let depth = js_sys::Reflect::get(&state, &HISTORY_DEPTH.into()).ok().and_then(|depth| depth.as_f64());
    depth.map_or(0, |depth| depth as u32)
}
