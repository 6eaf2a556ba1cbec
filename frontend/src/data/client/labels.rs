use syclscope_language::api::LabelKey;

use super::{ClientError, delete_at, get, object, send_text};
use crate::data::json::members;

members! {
    LabelKey { key, values };
}

pub async fn list(project: &str) -> Result<Vec<LabelKey>, ClientError> {
    get(&format!("./api/v1/projects/{project}/labels")).await
}

/// Sets a label of a trace, or removes it without a value.
pub async fn set(id: &str, key: &str, value: Option<&str>) -> Result<(), ClientError> {
    let key: String = js_sys::encode_uri_component(key).into();
    let path = format!("./api/v1/traces/{id}/labels/{key}");
    match value {
        Some(_) => send_text("PUT", &path, &object(&[("value", value)])).await.map(drop),
        None => delete_at(&path).await,
    }
}
