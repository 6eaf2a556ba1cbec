//! Transfer of the trace to another viewer: a separate window that receives the trace in a message. No bytes leave the
//! browser.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, Object, Reflect};
use leptos::task::spawn_local;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageEvent, Url, Window};

use super::{progress, words};
use crate::browser::{attribute, sleep, window};
use crate::data::export::export;
use crate::data::trace_source::TraceSource;
use crate::idle::Busy;
use crate::state::session::Session;
use crate::state::time::SharedTime;
use crate::state::viewers::Viewer;

/// Interval between pings of the viewer, in ms, and the number of attempts: half a minute in total.
const REQUEST_INTERVAL_MS: i32 = 150;
const MAX_REQUESTS: u32 = 200;

pub(crate) fn hand_over(session: Session, viewer: Viewer) {
    let Some(home) = session.home() else { return };
    let base = base(viewer);
    let range_ns = SharedTime::range_of(&session.viewport());
    let address = viewer.address(&base, range_ns, session.info().duration_ns);
    let name = viewer.name();
    // Popup blockers only allow windows opened by the user's own press, so the window is opened before the export.
    let Ok(Some(opened)) = window().open_with_url_and_target(&address, "_blank") else {
        return session.fail(format!(
            "The browser blocked the window for {name}. Allow pop-ups for this page, then try again."
        ));
    };
    session.tell(format!("Opening in {name}…"));
    spawn_local(async move {
        let _busy = Busy::start();
        match deliver(session, &home, viewer, &opened, &base).await {
            Ok(()) => session.tell(format!("Opened the trace in {name}")),
            Err(message) => session.fail(message),
        }
    });
}

/// Returns the address of a viewer: from the server's settings, else its public one.
fn base(viewer: Viewer) -> String {
    let named = match viewer {
        Viewer::Perfetto => "data-perfetto",
        Viewer::Firefox => "data-firefox",
    };
    attribute("meta[name=\"syclscope-viewers\"]", named)
        .unwrap_or_else(|| viewer.standard_address().to_owned())
}

async fn deliver(
    session: Session,
    home: &TraceSource,
    viewer: Viewer,
    opened: &Window,
    base: &str,
) -> Result<(), String> {
    let unsent = |_| format!("The browser could not send the trace to {}.", viewer.name());
    // Times count from zero, as in the viewer's address.
    let bytes = export(home, viewer.format(), true, progress(session, home, words(viewer.format()))).await;
    let bytes = bytes.map_err(|error| error.message)?;
    let buffer = JsFuture::from(bytes.array_buffer()).await.map_err(unsent)?;
    let origin = Url::new(base).map_err(unsent)?.origin();
    wait_for(viewer, opened, &origin).await?;
    let message = match viewer {
        Viewer::Perfetto => {
            let own_title = session.info().program.clone();
            let title = if own_title.is_empty() { "syclscope" } else { &own_title };
            object(&[("perfetto", &object(&[("buffer", &buffer), ("title", &title.into())]))])
        }
        Viewer::Firefox => object(&[("name", &"inject-profile".into()), ("profile", &buffer)]),
    };
    opened.post_message_with_transfer(&message, &origin, &Array::of1(&buffer)).map_err(unsent)
}

/// Waits until the viewer responds; it would miss an earlier message.
async fn wait_for(viewer: Viewer, opened: &Window, origin: &str) -> Result<(), String> {
    let name = viewer.name();
    let (message, answer) = match viewer {
        Viewer::Perfetto => ("PING".into(), "PONG"),
        Viewer::Firefox => (object(&[("name", &"ready:request".into())]), "ready:response"),
    };
    let is_there = Rc::new(Cell::new(false));
    let hear = {
        let (is_there, opened) = (is_there.clone(), opened.clone());
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let data = event.data();
            let said = Reflect::get(&data, &"name".into()).ok().and_then(|name| name.as_string());
            let is_own = event.source().is_some_and(|source| Object::is(&source, &opened));
            if is_own && said.or_else(|| data.as_string()).as_deref() == Some(answer) {
                is_there.set(true);
            }
        })
    };
    let listener = hear.as_ref().unchecked_ref();
    // A window accepts any number of listeners.
    let _ = window().add_event_listener_with_callback("message", listener);
    let mut left = MAX_REQUESTS;
    while !is_there.get() && left > 0 && !opened.closed().unwrap_or(true) {
        // Until the viewer is loaded the window has another origin, and the browser drops the message.
        let _ = opened.post_message(&message, origin);
        sleep(REQUEST_INTERVAL_MS).await;
        left -= 1;
    }
    let _ = window().remove_event_listener_with_callback("message", listener);
    if is_there.get() {
        return Ok(());
    }
    if left > 0 {
        return Err(format!("The window of {name} was closed before the trace arrived."));
    }
    Err(format!(
        "{name} at {origin} does not answer. Without internet, host it yourself, and start the server with {} \
         and its address.",
        viewer.option()
    ))
}

fn object(members: &[(&str, &JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in members {
        // Setting a field of a plain object can't fail.
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object.into()
}
