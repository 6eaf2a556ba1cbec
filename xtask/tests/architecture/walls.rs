//! What a module inside a crate must not know.

use crate::sources::{Source, assert_none, files_below};

/// What `trace` is not to touch: it runs in a browser and inside somebody else's program.
const OUTSIDE_WORLD: &[&str] = &[
    "std::fs",
    "std::net",
    "std::thread",
    "std::process",
    "std::env",
    "std::time::Instant",
    "std::time::SystemTime",
    "std::os",
    "thread::spawn",
    "Instant::now",
    "SystemTime::now",
    "println!",
    "eprintln!",
];

/// Which modules of `trace` a module must not see: `import → builder → store ← query`, `event ← export`.
const TRACE_WALLS: &[(&str, &[&str])] = &[
    ("time", &["event", "store", "builder", "import", "export", "query", "source", "api"]),
    ("event", &["store", "builder", "import", "export", "query", "source", "api"]),
    ("store", &["builder", "import", "export"]),
    ("builder", &["import", "export", "query"]),
    ("import", &["export", "query"]),
    ("export", &["import", "builder", "store", "query", "source", "api"]),
    ("query", &["builder", "import", "export"]),
];

/// Sums over kernels and findings are made once, when a trace is built, by the code that knows how to ask for them.
const TRACE_DOORS: &[(&str, &str)] =
    &[("builder", "crate::query::summary"), ("builder", "crate::query::findings")];

/// The folders of the page that may name Leptos or the browser; what else there is, is plain Rust.
const PAGE_EDGE: &[&str] = &[
    "main",
    "lib",
    "app",
    "browser",
    "testing",
    "pages",
    "components",
    "hooks",
    "shell",
    "reactive",
    "state",
    "canvas/surface",
    "canvas/frame",
    "canvas/paint",
    "data/client",
    "data/upload",
    "data/worker",
];
const BROWSER: &[&str] = &["leptos", "crate::reactive", "web_sys", "js_sys", "wasm_bindgen", "gloo"];

#[test]
fn the_trace_engine_takes_bytes_and_gives_values() {
    let mut broken = Vec::new();
    for file in product_files("trace/src") {
        broken.extend(mentions(&file, OUTSIDE_WORLD));
    }
    assert_none("trace must not know files, sockets, threads, clocks or the environment:", &broken);
}

#[test]
fn modules_of_the_trace_engine_keep_to_their_direction() {
    let mut broken = Vec::new();
    for file in product_files("trace/src") {
        let module = module_of(&file, "trace/src/");
        let top = module.split('/').next().unwrap_or_default();
        for (_, hidden) in TRACE_WALLS.iter().filter(|(name, _)| *name == top) {
            let paths: Vec<String> = hidden.iter().map(|name| format!("crate::{name}")).collect();
            let found = mentions(&file, &paths.iter().map(String::as_str).collect::<Vec<_>>());
            broken.extend(
                found.into_iter().filter(|line| !TRACE_DOORS.iter().any(|door| opens(door, top, line))),
            );
        }
    }
    assert_none("a module sees what it must not see:", &broken);
}

#[test]
fn formats_do_not_see_each_other() {
    let mut broken = Vec::new();
    for side in ["import", "export"] {
        for (format, other) in [("perfetto", "chrome_json"), ("chrome_json", "perfetto")] {
            for file in product_files("trace/src") {
                if module_of(&file, "trace/src/").starts_with(&format!("{side}/{format}")) {
                    broken.extend(mentions(&file, &[&format!("{other}::"), &format!("::{other}")]));
                }
            }
        }
    }
    assert_none("one format sees another:", &broken);
}

#[test]
fn only_the_edge_of_the_page_names_the_browser() {
    let mut broken = Vec::new();
    for file in product_files("frontend/src") {
        let module = module_of(&file, "frontend/src/");
        let is_edge = PAGE_EDGE.iter().any(|edge| module == *edge || module.starts_with(&format!("{edge}/")));
        let is_view =
            module.starts_with("views/") && module.split('/').any(|part| part == "view" || part == "input");
        if !is_edge && !is_view {
            broken.extend(mentions(&file, BROWSER));
        }
    }
    assert_none("models, layouts, queries and draw functions are plain Rust, tested on the host:", &broken);
}

#[test]
fn signals_of_the_page_are_its_own() {
    let mut broken = Vec::new();
    for file in product_files("frontend/src") {
        if !module_of(&file, "frontend/src/").starts_with("reactive") {
            broken.extend(mentions(&file, &["leptos::prelude", "leptos::reactive"]));
        }
    }
    assert_none("`use crate::reactive::*` instead: what leptos makes anew for every type is large:", &broken);
}

#[test]
fn only_bindings_to_c_are_unsafe() {
    let allowed = [
        "subscriber/src/xpti",
        "subscriber/src/lib.rs",
        "subscriber/src/ur",
        "server/src/launch/sys",
        "server/src/storage/mapped.rs",
    ];
    let mut broken = Vec::new();
    for folder in
        ["trace/src", "frontend/src", "frontend/worker/src", "subscriber/src", "server/src", "xtask/src"]
    {
        for file in product_files(folder) {
            if !allowed.iter().any(|prefix| file.path.starts_with(prefix)) {
                broken.extend(mentions(&file, &["unsafe {", "unsafe fn", "unsafe impl"]));
            }
        }
    }
    assert_none("unsafe code has no place here:", &broken);
}

fn product_files(folder: &str) -> Vec<Source> {
    files_below(folder, &["rs"]).into_iter().filter(|file| !file.is_test_module()).collect()
}

/// `trace/src/import/perfetto/wire.rs` is `import/perfetto/wire`.
fn module_of(file: &Source, prefix: &str) -> String {
    file.path.strip_prefix(prefix).unwrap_or(&file.path).trim_end_matches(".rs").to_owned()
}

/// Whether `line`, found in the module `top`, uses the door.
fn opens((module, path): &(&str, &str), top: &str, line: &str) -> bool {
    *module == top && line.contains(path)
}

fn mentions(file: &Source, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in file.product_lines() {
        for word in words.iter().filter(|word| line.contains(**word)) {
            found.push(format!("{}:{number}: {word}: {}", file.path, line.trim()));
        }
    }
    found
}
