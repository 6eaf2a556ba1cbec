//! Relative URLs, which work at any path below which a proxy serves this server.
//!
//! Nothing sent to a browser contains an absolute path: URLs are relative to the requested one. So a proxy
//! may serve the server below any path that it strips from requests, without configuration. [`Prefix`] is for
//! proxies that do not strip it.

mod prefix;
mod public;

pub use self::prefix::{NoPrefix, Prefix};
pub use self::public::{NoPublicUrl, PublicUrl};

/// Returns the depth of a path below the application's folder.
pub(crate) fn depth(path: &str) -> usize {
    path.matches('/').count().saturating_sub(1)
}

/// Returns the relative path to the application's folder from this depth below it.
pub(crate) fn root_from(depth: usize) -> String {
    if depth == 0 { "./".to_owned() } else { "../".repeat(depth) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_found_from_every_folder() {
        for (path, root) in [
            ("/", "./"),
            ("/x", "./"),
            ("/t/a", "../"),
            ("/t/a/", "../../"),
            ("/a/b/c", "../../"),
            ("", "./"),
        ] {
            assert_eq!(root_from(depth(path)), root, "{path}");
        }
    }
}
