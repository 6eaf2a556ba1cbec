//! Downloads recordings: one by the address of its page, or the newest of a project by the address of its
//! `latest` page.

use std::path::Path;
use std::str::FromStr;

use bytes::Bytes;
use reqwest::{Method, Url};
use syclscope_language::api::ListedTrace;

use super::{Client, NotAServer, ServerAddress, ShareError};

/// Number of runs of a `latest` address without `runs=N`.
const DEFAULT_RUNS: u32 = 5;
const MAX_RUNS: u32 = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub server: ServerAddress,
    selection: Selection,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Selection {
    One(String),
    /// The newest runs that match a query.
    Newest {
        query: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAPlace {
    #[error(transparent)]
    Server(#[from] NotAServer),
    #[error(
        "not the address of a recording; copy it from the trace's page (https://traces.example/t/ID), or name the newest runs \
         of a project: https://traces.example/latest/PROJECT?label=branch:main&runs=5"
    )]
    Unknown,
}

impl FromStr for Place {
    type Err = NotAPlace;

    fn from_str(text: &str) -> Result<Self, NotAPlace> {
        let mut url = Url::parse(text).map_err(|_| NotAServer::Malformed)?;
        url.set_fragment(None);
        let (path, query) = (url.path().to_owned(), url.query().unwrap_or_default().to_owned());
        url.set_query(None);
        let found = ["/t/", "/latest/"].into_iter().find_map(|mark| Some((mark, path.rfind(mark)?)));
        let (mark, at) = found.ok_or(NotAPlace::Unknown)?;
        let name = path[at + mark.len()..].trim_end_matches('/');
        if name.is_empty() || name.contains('/') {
            return Err(NotAPlace::Unknown);
        }
        url.set_path(&path[..at]);
        let server = url.as_str().parse()?;
        let selection = match mark {
            "/t/" => Selection::One(name.to_owned()),
            _ => Selection::Newest { query: newest(name, &query)? },
        };
        Ok(Self { server, selection })
    }
}

fn newest(project: &str, query: &str) -> Result<String, NotAPlace> {
    let mut runs = DEFAULT_RUNS;
    // Links to parts of traces show copies, which are no runs.
    let mut parts = vec![format!("project={project}"), "whole=true".to_owned()];
    for part in query.split('&').filter(|part| !part.is_empty()) {
        match part.split_once('=') {
            Some(("runs", number)) => {
                let number = number.parse().ok().filter(|number| (1..=MAX_RUNS).contains(number));
                runs = number.ok_or(NotAPlace::Unknown)?;
            }
            Some(("label" | "program", _)) => parts.push(part.to_owned()),
            _ => return Err(NotAPlace::Unknown),
        }
    }
    parts.push(format!("limit={runs}"));
    Ok(parts.join("&"))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    pub name: String,
    /// Id on the server.
    pub id: String,
}

/// Returns the recordings at an address, the oldest first.
///
/// # Errors
/// Returns an error if the server can't be reached or refuses.
pub async fn runs_at(client: &Client, place: &Place) -> Result<Vec<Remote>, ShareError> {
    match &place.selection {
        Selection::One(id) => Ok(vec![Remote { name: id.clone(), id: id.clone() }]),
        Selection::Newest { query } => {
            let path = format!("traces?{query}");
            let listed: Vec<ListedTrace> = client.ask(Method::GET, &path, "", Bytes::new()).await?.value()?;
            let remote = |trace: ListedTrace| {
                client.check_id(&trace.id)?;
                Ok(Remote { name: trace.name, id: trace.id })
            };
            listed.into_iter().rev().map(remote).collect()
        }
    }
}

/// Writes a recording to a file piece by piece, since it may not fit into memory.
///
/// # Errors
/// Returns an error if the server can't be reached or refuses, or the file can't be written.
pub async fn fetch(client: &Client, run: &Remote, file: &Path) -> Result<(), ShareError> {
    client.save(&format!("traces/{}/file", run.id), file).await?.success().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_pages_and_the_latest() {
        let of = |text: &str| text.parse::<Place>().map(|place| (place.server.to_string(), place.selection));
        let server = "https://traces.example/tools".to_owned();
        assert_eq!(
            of("https://traces.example/tools/t/abc?x=1#y"),
            Ok((server.clone(), Selection::One("abc".into())))
        );
        let query = "project=heat&whole=true&label=branch:main&limit=7".to_owned();
        let latest = "https://traces.example/tools/latest/heat?label=branch:main&runs=7";
        assert_eq!(of(latest), Ok((server, Selection::Newest { query })));
        for wrong in [
            "https://traces.example",
            "https://a/t/",
            "https://a/latest/p?runs=0",
            "https://a/latest/p?q=x",
            "x",
        ] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
