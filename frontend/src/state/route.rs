//! Which page an address names.

/// A page of the application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// The list of traces.
    List,
    /// The timeline of one trace.
    Trace(String),
    /// No page has this address.
    Unknown(String),
}

impl Route {
    /// The page at a path.
    pub fn parse(path: &str) -> Self {
        let mut parts = path.split('/').filter(|part| !part.is_empty());
        match (parts.next(), parts.next(), parts.next()) {
            (None, _, _) => Self::List,
            (Some("t"), Some(id), None) if is_key(id) => Self::Trace(id.to_owned()),
            _ => Self::Unknown(path.to_owned()),
        }
    }
}

/// The path of a trace's page.
pub fn trace_path(id: &str) -> String {
    format!("/t/{id}")
}

/// A trace's key is safe in a URL as it is; anything else is no key.
fn is_key(id: &str) -> bool {
    id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)) && !id.starts_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_pages() {
        assert_eq!(Route::parse("/"), Route::List);
        assert_eq!(Route::parse(&trace_path("a1-b2")), Route::Trace("a1-b2".into()));
        assert_eq!(Route::parse("/t/abc/"), Route::Trace("abc".into()));
        for path in ["/t", "/t/a/b", "/x", "/t/..", "/t/a%2Fb"] {
            assert_eq!(Route::parse(path), Route::Unknown(path.into()));
        }
    }
}
