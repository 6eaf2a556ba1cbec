//! Replacement of this machine's folders in compiler output: artefacts have the same bytes wherever the clone, cargo's
//! folder and the compiler's are.

use crate::prelude::*;

/// Folders with their replacements. A nested folder is after its enclosing one, since the last match counts.
pub(crate) struct Paths(Vec<(PathBuf, String)>);

impl Paths {
    pub(crate) fn new(workspace: &Workspace) -> Result<Self> {
        let home = process::path_variable("HOME");
        let of_cargo =
            || process::path_variable("CARGO_HOME").or_else(|| Some(home.as_ref()?.join(".cargo")));
        let rustc = |arguments: &[&str]| {
            process::answer(Command::new("rustc").args(arguments).current_dir(&workspace.root))
        };
        let sysroot = PathBuf::from(rustc(&["--print", "sysroot"])?.trim());
        let about = rustc(&["--version", "--verbose"])?;
        let commit = about.lines().find_map(|line| line.strip_prefix("commit-hash: "));
        // If the library's sources are installed, their paths replace the library's own name for them.
        let library = commit.map(|commit| (sysroot.join("lib/rustlib/src/rust"), format!("/rustc/{commit}")));
        let mut all: Vec<(PathBuf, String)> = [
            (home.clone(), "/home"),
            (Some(workspace.cache.clone()), "/cache"),
            (of_cargo(), "/cargo"),
            (Some(sysroot), "/rust"),
            (Some(workspace.root.clone()), "/syclscope"),
            (Some(workspace.target.clone()), "/target"),
        ]
        .into_iter()
        .filter_map(|(folder, name)| Some((folder?, name.to_owned())))
        .chain(library)
        .filter(|(folder, _)| folder.parent().is_some())
        .collect();
        // Nested folders have more components.
        all.sort_by_key(|(folder, _)| folder.components().count());
        Ok(Self(all))
    }

    /// Options for rustc. (A folder with a space in its name is left out, because spaces separate the flags in the
    /// environment.)
    pub(crate) fn rust_flags(&self) -> Vec<String> {
        self.flags("--remap-path-prefix")
    }

    pub(crate) fn c_flags(&self) -> Vec<String> {
        self.flags("-ffile-prefix-map")
    }

    fn flags(&self, option: &str) -> Vec<String> {
        let flags = self.0.iter().map(|(from, to)| format!("{option}={}={to}", from.display()));
        flags.filter(|flag| !flag.contains(char::is_whitespace)).collect()
    }

    /// Returns the first occurrence of one of the folders in `bytes`, with its context.
    pub(crate) fn find_in(&self, bytes: &[u8]) -> Option<String> {
        let is_of = |place: usize, folder: &Path| {
            let name = folder.as_os_str().as_encoded_bytes();
            // `/root/.cargo` contains `/root`; `/rooted` does not, nor does a list of common folders (`/root//tmp/`).
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
            let behind = &bytes[place..];
            behind.starts_with(name)
                && behind.get(name.len()) == Some(&b'/')
                && behind.get(name.len() + 1).is_some_and(is_name)
        };
        let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(place, _)| place);
        let found =
            starts.into_iter().find(|place| self.0.iter().any(|(folder, _)| is_of(*place, folder)))?;
        Some(String::from_utf8_lossy(&bytes[found..bytes.len().min(found + 120)]).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths() -> Paths {
        Paths(
            [("/root", "/home"), ("/root/.cargo", "/cargo"), ("/a b", "/syclscope")]
                .map(|(a, b)| (a.into(), b.to_owned()))
                .into(),
        )
    }

    #[test]
    fn compilers_are_told_in_the_order_in_which_the_last_counts() {
        assert_eq!(
            paths().rust_flags(),
            ["--remap-path-prefix=/root=/home", "--remap-path-prefix=/root/.cargo=/cargo"]
        );
        assert_eq!(paths().c_flags()[1], "-ffile-prefix-map=/root/.cargo=/cargo");
    }

    #[test]
    fn a_folder_of_this_machine_is_found_in_what_was_made() {
        assert_eq!(paths().find_in(b"x\0/root/.cargo/a.rs"), Some("/root/.cargo/a.rs".to_owned()));
        assert_eq!(paths().find_in(b"/a b/c").as_deref(), Some("/a b/c"));
        assert_eq!(paths().find_in(b"/rooted/x /cargo/a.rs /home//root//tmp/ /root"), None);
    }
}
