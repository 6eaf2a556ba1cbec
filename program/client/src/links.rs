//! Links to traces that are on the server.

use reqwest::Method;
use syclscope_language::api::{MadeLink, NewLink};

use super::{Client, ShareError, Shared};

/// Makes a link that opens a trace without an account, and returns its address.
///
/// # Errors
/// When nobody answers, or the server refuses.
pub async fn link(client: &Client, shared: &Shared, wanted: &NewLink) -> Result<String, ShareError> {
    let place = format!("traces/{}/links", shared.id);
    let made: MadeLink = client.ask_json(Method::POST, &place, wanted).await?.value()?;
    // The address is printed and sent to others.
    if !made.address.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(ShareError::NotOurs(client.server().clone(), "it sent a malformed link".to_owned()));
    }
    Ok(client.server().below(&made.address))
}
