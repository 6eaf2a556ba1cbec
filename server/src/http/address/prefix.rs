//! The path prefix that a proxy does not strip from requests.

use std::str::FromStr;

/// A path like `/tools/syclscope`; empty if there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefix(String);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a path like /tools/syclscope")]
pub struct NoPrefix;

impl FromStr for Prefix {
    type Err = NoPrefix;

    fn from_str(text: &str) -> Result<Self, NoPrefix> {
        let path = text.trim_end_matches('/');
        let is_plain = |part: &str| {
            !matches!(part, "" | "." | "..")
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%@+,=:".contains(&byte))
        };
        match path.strip_prefix('/') {
            Some(parts) if parts.split('/').all(is_plain) => Ok(Self(path.to_owned())),
            None if text == "/" => Ok(Self::default()),
            _ => Err(NoPrefix),
        }
    }
}

impl Prefix {
    /// Returns the path without a trailing `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Strips this prefix from a path: the rest is empty, or begins with `/`.
    pub(crate) fn strip<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.strip_prefix(&self.0).filter(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns the folder, relative to its own path without a trailing `/`.
    pub(crate) fn folder(&self) -> String {
        format!("./{}/", self.0.rsplit('/').next().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_are_prefixes() {
        for (text, path) in [
            ("/tools/syclscope", "/tools/syclscope"),
            ("/a/", "/a"),
            ("/user/j%40x", "/user/j%40x"),
            ("/", ""),
        ] {
            assert_eq!(text.parse::<Prefix>().as_ref().map(Prefix::as_str), Ok(path));
        }
        for text in
            ["", "a", "a/b", "//a", "/a//b", "/a/../b", "/a?b", "/a b", "/\"", "/<a", "/a\\b", "http://a"]
        {
            assert_eq!(text.parse::<Prefix>(), Err(NoPrefix), "{text}");
        }
    }

    #[test]
    fn only_whole_parts_of_a_path_are_taken_off() {
        let prefix: Prefix = "/a/b".parse().unwrap();
        for (path, rest) in
            [("/a/b", Some("")), ("/a/b/", Some("/")), ("/a/b/c", Some("/c")), ("/a/bc", None), ("/a", None)]
        {
            assert_eq!(prefix.strip(path), rest, "{path}");
        }
        assert_eq!(prefix.folder(), "./b/");
    }
}
