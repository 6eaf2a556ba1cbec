//! Addresses that hold wherever a proxy shows this server.
//!
//! What the server sends to a browser names no path from the host's root: it is relative to the address that was asked for.
//! A proxy may then put the server below any path and take that path off what it passes on, and nobody has to be told. One
//! that leaves the path on is what [`Prefix`] is for.

mod prefix;
mod public;

pub use self::prefix::{NoPrefix, Prefix};
pub use self::public::{NoPublicUrl, PublicUrl};

/// Returns the depth of a path below the application's folder.
pub(crate) fn folders(path: &str) -> usize {
    path.matches('/').count().saturating_sub(1)
}

/// The application's folder, as a browser finds it from so many folders below.
pub(crate) fn root_from(folders: usize) -> String {
    if folders == 0 { "./".to_owned() } else { "../".repeat(folders) }
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
            assert_eq!(root_from(folders(path)), root, "{path}");
        }
    }
}
