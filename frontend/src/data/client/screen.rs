//! Reports of the page's state to the server, for the program that opened the page.

use super::{ClientError, object, send_text};

/// Reports the query string of the page's current state, under the name of the program that listens.
pub async fn tell(id: &str, name: &str, query: &str) -> Result<(), ClientError> {
    let name: String = js_sys::encode_uri_component(name).into();
    let path = format!("./api/v1/traces/{id}/shown/{name}");
    send_text("PUT", &path, &object(&[("query", Some(query))])).await.map(drop)
}
