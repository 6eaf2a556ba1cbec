//! Share links of traces.

use reqwest::Method;
use syclscope_language::api::{MadeLink, NewLink};

use super::{Client, ShareError, Shared};

/// Creates a share link, which opens a trace without an account, and returns its URL.
///
/// # Errors
/// Returns an error if the server can't be reached or refuses.
pub async fn link(client: &Client, shared: &Shared, options: &NewLink) -> Result<String, ShareError> {
    let place = format!("traces/{}/links", shared.id);
    let made: MadeLink = client.ask_json(Method::POST, &place, options).await?.value()?;
    // The URL is printed and sent to others, so check it.
    if !made.address.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(ShareError::NotOurs(
            client.server().clone(),
            "it sent a malformed share link".to_owned(),
        ));
    }
    Ok(client.server().below(&made.address))
}
