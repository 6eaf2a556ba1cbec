//! Files of a crate and the arrows between them: use of another file's names.

use std::collections::{BTreeMap, BTreeSet};

use crate::code;
use crate::paths::{self, Contents, Import, UsePath};
use crate::sources::Source;

/// A crate's product files, without test-only ones.
pub(crate) struct Crate {
    pub(crate) files: Vec<Module>,
    by_path: BTreeMap<Vec<String>, usize>,
}

pub(crate) struct Module {
    pub(crate) file: String,
    /// `a`, `b` for `src/a/b.rs`; empty for `src/lib.rs`.
    pub(crate) path: Vec<String>,
    contents: Contents,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Arrow {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) line: usize,
    /// As written, with `super` and `self` unresolved.
    pub(crate) named: String,
}

/// Maximum length of a chain of `use`; a longer one is a cycle.
const MAX_CHAIN: usize = 12;

impl Crate {
    pub(crate) fn read(folder: &str, sources: &[Source]) -> Self {
        let prefix = format!("{folder}/");
        let has_library = sources.iter().any(|file| file.path == format!("{prefix}lib.rs"));
        let mut files = Vec::new();
        let mut for_tests = BTreeSet::new();
        for source in sources {
            let Some(inner) = source.path.strip_prefix(&prefix) else { continue };
            let path = module_path(inner, has_library);
            let (code, tests) = code::without_tests(&code::layers(&source.text).code);
            for_tests.extend(tests.into_iter().map(|name| [path.clone(), vec![name]].concat()));
            files.push(Module { file: source.path.clone(), path, contents: paths::contents(&code) });
        }
        let is_test = |path: &[String]| (1..=path.len()).any(|length| for_tests.contains(&path[..length]));
        files.retain(|file| !is_test(&file.path));
        let by_path = files.iter().enumerate().map(|(number, file)| (file.path.clone(), number)).collect();
        Crate { files, by_path }
    }

    /// Returns every arrow between two files, the first line for each pair.
    pub(crate) fn arrows(&self) -> Vec<Arrow> {
        let mut found: BTreeMap<(usize, usize), Arrow> = BTreeMap::new();
        for (from, file) in self.files.iter().enumerate() {
            for named in &file.contents.named {
                if self.is_only_passed_on(file, named) {
                    continue;
                }
                let written = named.segments.join("::");
                for to in self.meant_by(from, named).into_iter().filter(|to| *to != from) {
                    let arrow = Arrow { from, to, line: named.line, named: written.clone() };
                    found.entry((from, to)).or_insert(arrow);
                }
            }
        }
        found.into_values().collect()
    }

    /// Returns `path:line` of an arrow and its name.
    pub(crate) fn described(&self, arrow: &Arrow) -> String {
        format!("{}:{}: {}", self.files[arrow.from].file, arrow.line, arrow.named)
    }

    /// True for a `pub use` whose name the file itself doesn't use: users of the name depend on its definition, the
    /// file does not.
    fn is_only_passed_on(&self, file: &Module, named: &UsePath) -> bool {
        match &named.import {
            Import::Public(name) => !file.contents.words.contains(name),
            Import::Glob { is_public } => *is_public,
            _ => false,
        }
    }

    fn meant_by(&self, from: usize, named: &UsePath) -> Vec<usize> {
        match self.start(from, named) {
            Some((at, rest)) => self.follow(at, rest, 0),
            None => Vec::new(),
        }
    }

    /// Returns the start file of a path, and the rest of the path; `None` for another crate's.
    fn start<'a>(&self, from: usize, named: &'a UsePath) -> Option<(usize, &'a [String])> {
        let (first, rest) = named.segments.split_first()?;
        match first.as_str() {
            "crate" => self.root_of(from).map(|root| (root, rest)),
            "self" => Some((from, rest)),
            "super" => {
                let ups = named.segments.iter().take_while(|segment| *segment == "super").count();
                // Inline modules are left first.
                let up = ups.saturating_sub(named.depth);
                let path = &self.files[from].path;
                let above = path.get(..path.len().checked_sub(up)?)?;
                Some((*self.by_path.get(above)?, &named.segments[ups..]))
            }
            _ if self.child(from, first).is_some() => Some((from, &named.segments)),
            _ if named.import == Import::Inline => {
                self.imported_module(from, first).map(|module| (module, rest))
            }
            _ => None,
        }
    }

    /// Returns the root of a file's crate. A program next to a library is a separate crate.
    fn root_of(&self, from: usize) -> Option<usize> {
        let path = &self.files[from].path;
        if path.len() == 1 && is_program(&path[0]) {
            Some(from)
        } else {
            self.by_path.get(&Vec::new()).copied()
        }
    }

    fn child(&self, of: usize, name: &str) -> Option<usize> {
        let path = [&self.files[of].path[..], &[name.to_owned()]].concat();
        self.by_path.get(&path).copied()
    }

    fn imported_module(&self, from: usize, name: &str) -> Option<usize> {
        let is_it =
            |import: &Import| matches!(import, Import::Private(it) | Import::Public(it) if it == name);
        let named = self.files[from].contents.named.iter().find(|named| is_it(&named.import))?;
        let last = named.segments.last()?;
        self.meant_by(from, named).into_iter().find(|file| self.files[*file].path.last() == Some(last))
    }

    /// Resolves `rest` from the file `at`, through re-exports.
    fn follow(&self, at: usize, rest: &[String], steps: usize) -> Vec<usize> {
        let Some((name, behind)) = rest.split_first() else { return vec![at] };
        if let Some(child) = self.child(at, name) {
            return self.follow(child, behind, steps);
        }
        let contents = &self.files[at].contents;
        if steps == MAX_CHAIN || contents.declared.contains(name) {
            return vec![at];
        }
        for named in &contents.named {
            let is_it = matches!(&named.import, Import::Private(it) | Import::Public(it) if it == name);
            if is_it && let Some((next, path)) = self.start(at, named) {
                return self.follow(next, &[path, behind].concat(), steps + 1);
            }
        }
        for named in contents.named.iter().filter(|named| matches!(named.import, Import::Glob { .. })) {
            for module in self.meant_by(at, named).into_iter().filter(|module| *module != at) {
                let found = self.follow(module, rest, steps + 1);
                if found.iter().any(|file| self.files[*file].contents.declared.contains(name)) {
                    return found;
                }
            }
        }
        vec![at]
    }
}

/// True if a file of this name at the top is a program: `main.rs`, `testing_main.rs`.
pub(crate) fn is_program(name: &str) -> bool {
    name == "main" || name.ends_with("_main")
}

/// `a/b.rs` is `a`, `b`; the root is empty.
fn module_path(inner: &str, has_library: bool) -> Vec<String> {
    let path: Vec<String> = inner.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    let is_root = path == ["lib"] || (path == ["main"] && !has_library);
    if is_root { Vec::new() } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the arrows of an invented crate, as `from → to`.
    fn arrows(files: &[(&str, &str)]) -> Vec<String> {
        let sources: Vec<Source> = files.iter().map(|(path, text)| Source::new(path, text)).collect();
        let all = Crate::read("src", &sources);
        let name = |number: usize| all.files[number].file.trim_start_matches("src/").to_owned();
        all.arrows().iter().map(|arrow| format!("{} → {}", name(arrow.from), name(arrow.to))).collect()
    }

    #[test]
    fn paths_of_every_kind_lead_to_their_file() {
        let found = arrows(&[
            ("src/lib.rs", "mod a; mod b;"),
            ("src/a.rs", "mod c; use crate::b::{self, d::E}; fn f() { c::g() }"),
            ("src/a/c.rs", "use super::f; fn g() { crate::b::h() }"),
            ("src/b.rs", "pub mod d; pub fn h() {}"),
            ("src/b/d.rs", "pub struct E; use other::crate_of_somebody;"),
        ]);
        assert_eq!(
            found,
            ["a.rs → a/c.rs", "a.rs → b.rs", "a.rs → b/d.rs", "a/c.rs → a.rs", "a/c.rs → b.rs"]
        );
    }

    #[test]
    fn what_is_passed_on_is_an_arrow_of_who_asks_for_it() {
        let found = arrows(&[
            ("src/lib.rs", "mod a; mod b; mod c;"),
            ("src/a.rs", "use crate::b::{D, F};"),
            ("src/b.rs", "mod d; mod e; pub use d::D; pub use e::*;"),
            ("src/b/d.rs", "pub struct D;"),
            ("src/b/e.rs", "pub struct F;"),
            ("src/c.rs", "pub use crate::b::D; fn g() -> D { D }"),
        ]);
        assert_eq!(found, ["a.rs → b/d.rs", "a.rs → b/e.rs", "c.rs → b/d.rs"]);
    }

    #[test]
    fn an_imported_module_is_followed_to_what_is_taken_from_it() {
        let found = arrows(&[
            ("src/lib.rs", "mod a; mod b;"),
            ("src/a.rs", "use crate::b; fn c() { b::d::e() }"),
            ("src/b.rs", "pub mod d;"),
            ("src/b/d.rs", "pub fn e() {}"),
        ]);
        assert_eq!(found, ["a.rs → b.rs", "a.rs → b/d.rs"]);
    }

    #[test]
    fn tests_make_no_arrows_and_what_stands_behind_them_does() {
        let found = arrows(&[
            ("src/lib.rs", "mod a; mod b; mod c;"),
            ("src/a.rs", "#[cfg(test)] use crate::b::D; #[cfg(test)] mod tests; use crate::c::E;"),
            ("src/a/tests.rs", "use crate::b::D;"),
            ("src/b.rs", "pub struct D;"),
            ("src/c.rs", "pub struct E; mod inner { use super::super::b::D; }"),
        ]);
        assert_eq!(found, ["a.rs → c.rs", "c.rs → b.rs"]);
    }
}
