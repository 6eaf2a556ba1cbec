//! The project's own files, and the parts that a rule checks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::code;

pub(crate) const CRATES: &[&str] = &[
    "trace/language",
    "trace/engine",
    "subscriber",
    "server",
    "program/cli",
    "program/client",
    "program/launcher",
    "program/report",
    "program/sql",
    "program/system",
    "program/text",
    "frontend",
    "frontend/worker",
    "frontend/exporter",
    "bench",
    "fuzz",
    "e2e/driver",
    "xtask",
];

pub(crate) struct Source {
    /// Relative to the clone, with `/` between folders.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(number, line)| (number + 1, line))
    }

    /// `trace/engine/src/import/perfetto/wire.rs` is `import/perfetto/wire`, with `trace/engine/src` for the folder.
    pub(crate) fn module(&self, folder: &str) -> &str {
        let inner = self.path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        inner.unwrap_or(&self.path).trim_end_matches(".rs")
    }
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the clone").to_owned()
}

/// Returns every Rust file of every crate: sources, tests, examples and build scripts.
pub(crate) fn rust_files() -> Vec<Source> {
    let is_inside_another = |name: &str| CRATES.iter().any(|outer| name.starts_with(&format!("{outer}/")));
    let folders = CRATES.iter().filter(|name| !is_inside_another(name));
    folders.flat_map(|name| files_below(name, &["rs"])).collect()
}

/// Returns the product's code below `folder`, a crate's `src`: without comments, literals, and test-only parts.
pub(crate) fn product_files(folder: &str) -> Vec<Source> {
    product_of(files_below(folder, &["rs"]))
}

/// Returns the product's code in `files`. Lines keep their numbers.
pub(crate) fn product_of(files: Vec<Source>) -> Vec<Source> {
    let mut for_tests = BTreeSet::new();
    let mut product = Vec::new();
    for file in files {
        let (code, tests) = code::without_tests(&code::layers(&file.text).code);
        let folder = folder_of_modules(&file.path);
        for_tests.extend(tests.into_iter().map(|name| format!("{folder}/{name}")));
        product.push(Source { path: file.path, text: code });
    }
    let is_test = |path: &str| {
        let module = path.trim_end_matches(".rs");
        for_tests.iter().any(|test| {
            module.strip_prefix(test).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    product.retain(|file| !is_test(&file.path));
    product
}

fn folder_of_modules(path: &str) -> &str {
    let module = path.trim_end_matches(".rs");
    let root = ["/lib", "/main"].iter().find_map(|name| module.strip_suffix(name));
    root.unwrap_or(module)
}

/// Returns every file below `folder` of the clone with one of the `extensions`, sorted by path. The folder must exist.
pub(crate) fn files_below(folder: &str, extensions: &[&str]) -> Vec<Source> {
    let root = root();
    let mut found = Vec::new();
    let mut waiting = vec![root.join(folder)];
    while let Some(folder) = waiting.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| {
            panic!("a rule names {}, which can't be listed: {error}", folder.display())
        });
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

#[track_caller]
pub(crate) fn assert_none(rule: &str, broken: &[String]) {
    assert!(broken.is_empty(), "{rule}\n  {}", broken.join("\n  "));
}

#[test]
#[should_panic(expected = "a rule names")]
fn a_folder_that_is_not_there_is_no_empty_folder() {
    files_below("trace/no-such-folder", &["rs"]);
}

#[test]
fn files_for_tests_are_known_by_their_declaration() {
    let files = vec![
        Source::new("a/src/lib.rs", "#[cfg(test)]\nmod testing;\nmod b;\nfn c() {}"),
        Source::new("a/src/b.rs", "#[cfg(test)]\nmod tests;\n/// d\nfn e() { f(\"g\") }"),
        Source::new("a/src/b/tests.rs", "fn h() {}"),
        Source::new("a/src/testing.rs", "fn i() {}"),
        Source::new("a/src/testing/more.rs", "fn j() {}"),
    ];
    let product = product_of(files);
    let paths: Vec<&str> = product.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a/src/lib.rs", "a/src/b.rs"]);
    assert_eq!(product[1].lines().last(), Some((4, "fn e() { f(\" \") }")));
}
