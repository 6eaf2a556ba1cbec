//! The folders of the page: arrows between them have one direction, and only its edge uses the browser.

use crate::modules::{Crate, is_program};
use crate::sources::{Source, assert_none, files_below, product_files};
use crate::walls::mentions;

const PAGE: &str = "frontend/src";

/// The page's top folders and files, lowest first. Those on one line may use each other.
const LAYERS: &[&[&str]] = &[
    &["browser", "canvas", "data", "format", "idle", "ordered", "reactive"],
    &["state"],
    &["components", "hooks"],
    &["stage"],
    &["views"],
    &["shell"],
    &["pages"],
    &["app", "testing"],
];

/// Modules that may use Leptos, our signals or the browser; everything else is plain Rust.
const EDGE: &[&str] = &[
    "",
    "app",
    "browser",
    "testing",
    "pages",
    "components",
    "hooks",
    "reactive",
    "shell",
    "canvas/surface",
    "canvas/frame",
    "canvas/paint",
    "data/client",
    "data/export",
    "data/upload",
    "data/worker",
    "stage/tooltip",
    "stage/board",
    "stage/canvas",
    "stage/saving",
];

/// Single files, without their folders, that may use them, too, since the views' shared state consists of signals.
const EDGE_FILES: &[&str] = &[
    "state/view_descriptor",
    "state/session",
    "state/session/address",
    "state/session/comments",
    "state/session/telling",
    "state/session/detail",
    "state/session/guest",
    "state/session/notice",
    "state/session/slots",
    "state/slot",
];

/// Parts of a view that are also at the edge: mounting and listeners.
const EDGE_OF_VIEWS: &[&str] = &["view", "input"];

const BROWSER: &[&str] = &["leptos", "crate::reactive", "web_sys", "js_sys", "wasm_bindgen", "gloo"];

struct Page<'a> {
    all: Crate,
    layers: &'a [&'a [&'a str]],
}

impl<'a> Page<'a> {
    fn new(sources: &[Source], layers: &'a [&'a [&'a str]]) -> Self {
        Page { all: Crate::read(PAGE, sources), layers }
    }

    fn top(&self, file: usize) -> &str {
        self.all.files[file].path.first().map_or("", String::as_str)
    }

    /// Returns the index of a file's layer; the root is above them all.
    fn height(&self, file: usize) -> Option<usize> {
        let top = self.top(file);
        if top.is_empty() || is_program(top) {
            return Some(self.layers.len());
        }
        self.layers.iter().position(|layer| layer.contains(&top))
    }

    fn misnamed(&self) -> Vec<String> {
        let mut broken: Vec<String> = (0..self.all.files.len())
            .filter(|file| self.height(*file).is_none())
            .map(|file| format!("{}: no layer names {}", self.all.files[file].file, self.top(file)))
            .collect();
        for name in self.layers.iter().copied().flatten() {
            if !(0..self.all.files.len()).any(|file| self.top(file) == *name) {
                broken.push(format!("a layer names {name}, which is not there"));
            }
        }
        broken
    }

    fn arrows(&self, is_broken: impl Fn(usize, usize) -> bool) -> Vec<String> {
        let mut arrows = self.all.arrows();
        arrows.retain(|arrow| is_broken(arrow.from, arrow.to));
        arrows.iter().map(|arrow| self.all.described(arrow)).collect()
    }

    fn upward(&self) -> Vec<String> {
        self.arrows(|from, to| self.height(from) < self.height(to))
    }

    fn between_views(&self) -> Vec<String> {
        let view = |file: usize| match &self.all.files[file].path[..] {
            [top, view, ..] if top == "views" => Some(view),
            _ => None,
        };
        self.arrows(|from, to| matches!((view(from), view(to)), (Some(from), Some(to)) if from != to))
    }
}

/// Returns the lines of `files`, the product's code, that use the browser outside of `edge`.
fn browser_away_from(files: Vec<Source>, edge: &[&str], edge_files: &[&str]) -> Vec<String> {
    let is_edge = |module: &str| is_edge(module, edge) || edge_files.contains(&module);
    let plain: Vec<Source> = files.into_iter().filter(|file| !is_edge(file.module(PAGE))).collect();
    mentions(&plain, BROWSER)
}

fn is_edge(module: &str, edge: &[&str]) -> bool {
    let is_named = edge.iter().any(|name| is_in(module, name));
    let is_view = module.starts_with("views/") && module.split('/').any(|part| EDGE_OF_VIEWS.contains(&part));
    is_named || is_view
}

fn is_in(module: &str, name: &str) -> bool {
    module == name || (name.is_empty() && module == "lib") || module.starts_with(&format!("{name}/"))
}

/// Returns the entries of `edge` that don't exist, or don't use the browser.
fn needless(files: &[Source], edge: &[&str]) -> Vec<String> {
    let names_browser =
        |file: &Source| file.lines().any(|(_, line)| BROWSER.iter().any(|word| line.contains(word)));
    let is_needed =
        |name: &str| files.iter().any(|file| is_in(file.module(PAGE), name) && names_browser(file));
    edge.iter()
        .filter(|name| !is_needed(name))
        .map(|name| format!("nothing in {name:?} names the browser"))
        .collect()
}

#[test]
fn every_folder_of_the_page_has_its_layer() {
    assert_none("LAYERS:", &Page::new(&files_below(PAGE, &["rs"]), LAYERS).misnamed());
}

#[test]
fn arrows_between_folders_of_the_page_run_down() {
    let broken = Page::new(&files_below(PAGE, &["rs"]), LAYERS).upward();
    assert_none("a folder of the page names one above it:", &broken);
}

#[test]
fn no_view_names_another_view() {
    let broken = Page::new(&files_below(PAGE, &["rs"]), LAYERS).between_views();
    assert_none("what two views need stands below both:", &broken);
}

#[test]
fn only_the_edge_of_the_page_names_the_browser() {
    let broken = browser_away_from(product_files(PAGE), EDGE, EDGE_FILES);
    assert_none("models, layouts, queries and draw functions are plain Rust, tested on the host:", &broken);
    assert_none("EDGE:", &needless(&product_files(PAGE), EDGE));
    let alone: Vec<Source> =
        product_files(PAGE).into_iter().filter(|file| EDGE_FILES.contains(&file.module(PAGE))).collect();
    assert_none("EDGE_FILES:", &needless(&alone, EDGE_FILES));
}

#[test]
fn signals_of_the_page_are_its_own() {
    let files = product_files(PAGE)
        .into_iter()
        .filter(|file| !is_in(file.module(PAGE), "reactive"))
        .collect::<Vec<_>>();
    let broken = mentions(&files, &["leptos::prelude", "leptos::reactive"]);
    assert_none("`use crate::reactive::*` instead: what Leptos generates for every type is large:", &broken);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::product_of;

    const MADE_UP: &[&[&str]] = &[&["data", "format"], &["state"], &["views"], &["shell"]];

    fn sources(changed: &str, text: &str) -> Vec<Source> {
        let tree = [
            ("lib.rs", "mod data; mod format; mod shell; mod state; mod views; fn a() { shell::b() }"),
            ("data.rs", "use crate::format::c; pub struct Tile;"),
            ("format.rs", "use crate::data::Tile; pub fn c() {}"),
            ("state.rs", "mod d; use crate::data::Tile;"),
            ("state/d.rs", "pub struct E;"),
            ("views.rs", "mod calls; mod graph; pub fn all() { calls::f(); graph::f() }"),
            ("views/calls.rs", "use crate::{data::Tile, state::d::E}; pub fn f() {}"),
            ("views/graph.rs", "mod view; pub fn f() {}"),
            ("views/graph/view.rs", "use leptos::g; use super::f;"),
            ("shell.rs", "use crate::views; use web_sys::Window; pub fn b() {}"),
        ];
        let mut found = Vec::new();
        for (path, usual) in tree {
            found.push(Source::new(&format!("{PAGE}/{path}"), if path == changed { text } else { usual }));
        }
        found
    }

    fn page(changed: &str, text: &str) -> Page<'static> {
        Page::new(&sources(changed, text), MADE_UP)
    }

    #[test]
    fn a_page_that_keeps_the_rules() {
        let page = page("", "");
        assert_eq!((page.misnamed(), page.upward(), page.between_views()), (vec![], vec![], vec![]));
    }

    #[test]
    fn an_arrow_that_runs_up_is_found() {
        let broken = page("state/d.rs", "use crate::{data::Tile, views::{self, calls::f}};").upward();
        let expected = ["state/d.rs:1: crate::views", "state/d.rs:1: crate::views::calls::f"];
        assert_eq!(broken, expected.map(|line| format!("{PAGE}/{line}")));
        assert_eq!(page("views/calls.rs", "fn h() { crate::shell::b() }").upward().len(), 1);
        assert_eq!(page("shell.rs", "use super::a;").upward().len(), 1);
    }

    #[test]
    fn a_view_that_names_another_is_found() {
        let broken = page("views/graph/view.rs", "use super::super::calls::f;").between_views();
        assert_eq!(broken, [format!("{PAGE}/views/graph/view.rs:1: super::super::calls::f")]);
    }

    #[test]
    fn folders_and_layers_must_match() {
        let mut sources = sources("", "");
        sources.push(Source::new("frontend/src/extra.rs", ""));
        sources.retain(|file| !file.path.ends_with("/format.rs"));
        let broken = Page::new(&sources, MADE_UP).misnamed();
        assert_eq!(
            broken,
            ["frontend/src/extra.rs: no layer names extra", "a layer names format, which is not there"]
        );
    }

    #[test]
    fn the_browser_is_named_at_the_edge_only() {
        let edge = &["shell"];
        assert_eq!(browser_away_from(product_of(sources("", "")), edge, &[]), Vec::<String>::new());
        let broken = product_of(sources("state/d.rs", "#[cfg(test)]\nuse web_sys::A;\nuse web_sys::Window;"));
        assert_eq!(
            browser_away_from(broken, edge, &["state"]),
            ["frontend/src/state/d.rs:3: web_sys: use web_sys::Window;"]
        );
        assert_eq!(
            needless(&product_of(sources("", "")), &["shell", "state/d"]),
            ["nothing in \"state/d\" names the browser"]
        );
    }
}

/// The tests link only the page with hooks, so the users' page must be the same without its hooks.
#[test]
fn only_the_page_for_tests_has_hooks() {
    let has_hooks = |file: &Source| {
        ["__syclscope", "start_testing", "testing::"].iter().any(|hook| file.text.contains(hook))
    };
    let files = files_below(PAGE, &["rs"]).into_iter().chain(files_below("assets", &["js"]));
    let mut names: Vec<_> = files.filter(has_hooks).map(|file| file.path).collect();
    names.sort();
    assert_eq!(names, ["frontend/src/lib.rs", "frontend/src/testing.rs", "frontend/src/testing_main.rs"]);
}
