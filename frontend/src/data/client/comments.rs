use syclscope_language::api::{CommentEntry, Comments, Mention};
use syclscope_language::entity::Entity;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::Closure;
use web_sys::{EventSource, MessageEvent};

use super::{ClientError, delete_at, get, object, send_json};
use crate::data::json::{self, JsonError, Reader, Value, members};

members! {
    Comments { comments, change, is_kept, name, may_comment, may_moderate };
    CommentEntry {
        id, reply_to, pin, about, text, mentions, by, made_unix_ns, edited_unix_ns, is_deleted, change,
    };
    Mention { trace, trace_name, comment };
}

impl Value for Entity {
    fn blank() -> Self {
        Self::Slice(0)
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError> {
        *self = reader.string()?.parse().map_err(|_| JsonError::new("it names no thing"))?;
        Ok(())
    }
}

fn address(id: &str) -> String {
    format!("./api/v1/traces/{id}/comments")
}

pub async fn list(id: &str) -> Result<Comments, ClientError> {
    get(&address(id)).await
}

pub async fn mentions() -> Result<Vec<Mention>, ClientError> {
    get("./api/v1/mentions").await
}

/// Adds a comment on an entity, or on the whole trace.
pub async fn make(
    id: &str,
    text: &str,
    pin: Option<&Entity>,
    about: &str,
) -> Result<CommentEntry, ClientError> {
    let pin = pin.map(ToString::to_string);
    let about = pin.as_ref().map(|_| about);
    let body = object(&[("text", Some(text)), ("pin", pin.as_deref()), ("about", about)]);
    send_json("POST", &address(id), &body).await
}

pub async fn answer(id: &str, text: &str, to: &str) -> Result<CommentEntry, ClientError> {
    send_json("POST", &address(id), &object(&[("text", Some(text)), ("reply_to", Some(to))])).await
}

/// Replaces a comment's text, also of a deleted one.
pub async fn change(id: &str, comment: &str, text: &str) -> Result<CommentEntry, ClientError> {
    send_json("PUT", &format!("{}/{comment}", address(id)), &object(&[("text", Some(text))])).await
}

pub async fn delete(id: &str, comment: &str) -> Result<(), ClientError> {
    delete_at(&format!("{}/{comment}", address(id))).await
}

/// Subscription to changes, until it is dropped.
pub struct Listening {
    source: EventSource,
    _heard: Closure<dyn Fn(MessageEvent)>,
    _lost: Closure<dyn Fn()>,
}

impl Listening {
    /// Subscribes to the changes after one. `lost` is called when the browser stops reconnecting. `None` if the browser
    /// lacks `EventSource`.
    pub fn start(
        id: &str,
        after: u64,
        heard: impl Fn(CommentEntry) + 'static,
        lost: impl Fn() + 'static,
    ) -> Option<Self> {
        let source = EventSource::new(&format!("{}/events?after={after}", address(id))).ok()?;
        let heard = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            // An unreadable entry is repeated in the next list.
            if let Ok(entry) = json::read(&event.data().as_string().unwrap_or_default()) {
                heard(entry);
            }
        });
        let state = source.clone();
        let lost = Closure::<dyn Fn()>::new(move || {
            if state.ready_state() == EventSource::CLOSED {
                lost();
            }
        });
        source.add_event_listener_with_callback("comment", heard.as_ref().unchecked_ref()).ok()?;
        source.set_onerror(Some(lost.as_ref().unchecked_ref()));
        Some(Self { source, _heard: heard, _lost: lost })
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.source.set_onerror(None);
        self.source.close();
    }
}
