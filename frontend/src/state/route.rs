//! Pages by address.

use crate::state::url::PageState;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    List,
    Local(String),
    Trace(String),
    Unknown(String),
}

impl Route {
    /// Returns the page at a path below the application's folder, with this query.
    pub fn parse(path: &str, query: &str) -> Self {
        let mut parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
        match (parts.next(), parts.next(), parts.next()) {
            (None | Some("index.html"), None, _) => {
                PageState::from_query(query, &[]).file.map_or(Self::List, Self::Local)
            }
            (Some("t"), Some(id), None) if is_key(id) => Self::Trace(id.to_owned()),
            _ => Self::Unknown(path.to_owned()),
        }
    }
}

/// Address of the trace list. Addresses are relative to the application's folder, wherever that is.
pub const LIST_PATH: &str = "./";

pub fn trace_path(id: &str) -> String {
    format!("{LIST_PATH}t/{id}")
}

pub fn local_path(name: &str) -> String {
    format!(
        "{LIST_PATH}{}",
        PageState { file: Some(name.to_owned()), ..PageState::default() }.to_query(&|_| ())
    )
}

/// True for a trace's key, which needs no URL encoding.
fn is_key(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)) && !id.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_pages() {
        for path in ["", "/", LIST_PATH, "/index.html"] {
            assert_eq!(Route::parse(path, ""), Route::List);
        }
        assert_eq!(Route::parse(&trace_path("a1-b2"), ""), Route::Trace("a1-b2".into()));
        assert_eq!(Route::parse("/t/abc/", ""), Route::Trace("abc".into()));
        for path in ["/t", "/t/a/b", "/x", "/index.html/x", "/t/..", "/t/a%2Fb"] {
            assert_eq!(Route::parse(path, ""), Route::Unknown(path.into()));
        }
    }

    #[test]
    fn a_local_files_name_stands_in_the_query() {
        let local = Route::Local("my run.pftrace".into());
        assert_eq!(Route::parse("/", "?file=my%20run.pftrace&s=3"), local);
        let path = local_path("my run.pftrace");
        let (path, query) = path.split_at(path.find('?').unwrap());
        assert_eq!(Route::parse(path, query), local);
    }
}
