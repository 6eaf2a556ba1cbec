//! The project's own files, and what of them a rule looks at.

use std::path::{Path, PathBuf};

/// The crates of the workspace, by folder.
pub(crate) const CRATES: &[&str] = &["trace", "subscriber", "server", "frontend", "xtask"];

/// One of the project's files.
pub(crate) struct Source {
    /// Relative to the clone, with `/` between folders.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    /// The text without test modules, which may reach further than the code that they test.
    ///
    /// Everything behind the first `#[cfg(test)]` is taken for tests: they stand at the end of a file here.
    pub(crate) fn product_text(&self) -> &str {
        self.text.split("#[cfg(test)]").next().unwrap_or_default()
    }

    /// Product lines with their numbers, without line comments.
    pub(crate) fn product_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let code = |line: &'_ str| line.trim_start().starts_with("//");
        self.product_text()
            .lines()
            .enumerate()
            .filter(move |(_, line)| !code(line))
            .map(|(n, line)| (n + 1, line))
    }

    /// Whether the whole file is a test module.
    pub(crate) fn is_test_module(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("/tests/") || self.path.contains("/testing")
    }
}

/// The folder of the clone.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the clone").to_owned()
}

/// Every Rust file of every crate: sources, tests, examples and build scripts.
pub(crate) fn rust_files() -> Vec<Source> {
    let mut found = Vec::new();
    for name in CRATES {
        found.extend(files_below(name, &["rs"]));
    }
    assert!(found.len() > CRATES.len(), "found only {} Rust files below {}", found.len(), root().display());
    found
}

/// Every file below `folder` of the clone with one of the `extensions`, sorted by path.
pub(crate) fn files_below(folder: &str, extensions: &[&str]) -> Vec<Source> {
    let root = root();
    let mut found = Vec::new();
    let mut waiting = vec![root.join(folder)];
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let has_extension =
                path.extension().is_some_and(|it| extensions.iter().any(|wanted| it == *wanted));
            if path.is_dir() && !["target", "node_modules", "dist", ".git"].contains(&name.as_str()) {
                waiting.push(path);
            } else if path.is_file() && has_extension {
                let relative = path.strip_prefix(&root).expect("below the root").display().to_string();
                let text =
                    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{relative}: {error}"));
                found.push(Source { path: relative, text });
            }
        }
    }
    found.sort_by(|left, right| left.path.cmp(&right.path));
    found
}

/// Fails with every line of `broken` and the rule that they break.
#[track_caller]
pub(crate) fn assert_none(rule: &str, broken: &[String]) {
    assert!(broken.is_empty(), "{rule}\n  {}", broken.join("\n  "));
}
