use syclscope_language::api::{LinkEntry, LinkRange, LinkState, MadeLink, NewLink};
use wasm_bindgen::JsValue;

use super::{ClientError, delete_at, get, post};
use crate::data::json::{members, words};

members! {
    LinkEntry { id, name, made_by, made_unix_ns, expires_unix_ns, openings, opened, range, state };
    LinkRange { start_ns, end_ns };
    MadeLink { link, address };
}

words!(LinkState);

fn address(id: &str) -> String {
    format!("./api/v1/traces/{id}/links")
}

pub async fn list(id: &str) -> Result<Vec<LinkEntry>, ClientError> {
    get(&address(id)).await
}

pub async fn make(id: &str, link: &NewLink) -> Result<MadeLink, ClientError> {
    let body = js_sys::Object::new();
    let set = |name: &str, value: Option<JsValue>| {
        if let Some(value) = value {
            // Setting a field of a plain object can't fail.
            let _ = js_sys::Reflect::set(&body, &name.into(), &value);
        }
    };
    let range = link.range.map(|range| {
        let [start, end] = [range.start_ns, range.end_ns].map(|ns| ns as f64);
        js_sys::JSON::parse(&format!("{{\"start_ns\":{start},\"end_ns\":{end}}}")).unwrap_or_default()
    });
    set("range", range);
    set("name", link.name.as_deref().map(JsValue::from));
    set("expires_unix_ns", link.expires_unix_ns.map(|ns| JsValue::from(ns as f64)));
    set("openings", link.openings.map(JsValue::from));
    // A plain object always serializes.
    let text = js_sys::JSON::stringify(&body).unwrap_or_default();
    post(&address(id), &String::from(text)).await
}

pub async fn withdraw(id: &str, link: &str) -> Result<(), ClientError> {
    delete_at(&format!("{}/{link}", address(id))).await
}
