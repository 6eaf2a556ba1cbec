//! Hidden modules inside a crate.

use crate::modules::Crate;
use crate::sources::{CRATES, Source, assert_none, files_below, product_files, root};

/// Interfaces that language and engine must not use: they run in a browser and inside of other programs.
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

const LANGUAGE: &str = "trace/language/src";
const ENGINE: &str = "trace/engine/src";

/// Modules of the language that a module must not use: `time ← event ← filter ← question`, `event ← api`.
const LANGUAGE_WALLS: &[(&str, &[&str])] = &[
    ("time", &["api", "event", "filter", "names", "question"]),
    ("event", &["api", "filter", "names", "question"]),
    ("filter", &["api", "names", "question"]),
    ("api", &["question"]),
    ("names", &["api", "event", "filter", "question", "time"]),
];

/// Modules of the engine that a module must not use: `import → builder → store ← graph ← query ← compare`, `export`
/// apart.
const ENGINE_WALLS: &[(&str, &[&str])] = &[
    ("store", &["builder", "import", "export", "graph", "query", "compare", "merge", "emit", "dump"]),
    ("builder", &["import", "export", "graph", "query", "compare", "merge", "emit", "dump"]),
    ("graph", &["builder", "import", "export", "query", "compare", "merge", "emit", "dump"]),
    ("import", &["export", "graph", "query", "compare", "merge", "emit", "dump"]),
    ("export", &["import", "builder", "store", "graph", "query", "compare", "merge", "emit", "dump"]),
    ("query", &["builder", "import", "export", "compare", "merge", "emit", "dump"]),
    ("compare", &["builder", "import", "export", "merge", "emit", "dump"]),
    (
        "privacy_scan",
        &[
            "builder", "import", "export", "store", "graph", "query", "compare", "merge", "emit", "dump",
            "clean",
        ],
    ),
    ("clean", &["builder", "graph", "query", "merge", "dump"]),
    ("merge", &["builder", "export", "graph", "query", "emit", "dump"]),
    ("emit", &["builder", "import", "export", "graph", "query", "merge", "dump"]),
];

/// The recorder's modules above `os`; an earlier one does not use a later one.
const LADDER: &[&str] = &[
    "shared_page",
    "buffer",
    "xpti",
    "record",
    "vendor",
    "device_time",
    "model",
    "writer",
    "device_time_reader",
    "drain",
    "sampler",
    "recorder",
    "handlers",
    "ranges",
    "entry",
];

/// Modules of the recorder that a module must not use: `os ← shared_page ← buffer ← xpti ← record ← vendor ← model ←
/// writer ← drain, sampler, recorder`, and above them `handlers ← ranges, entry`.
const RECORDER_WALLS: &[(&str, &[&str])] = &[
    ("os", LADDER),
    ("shared_page", LADDER.split_at(1).1),
    ("buffer", LADDER.split_at(2).1),
    ("xpti", LADDER.split_at(3).1),
    ("record", LADDER.split_at(4).1),
    (
        "vendor",
        &[
            "device_time",
            "model",
            "writer",
            "drain",
            "device_time_reader",
            "recorder",
            "handlers",
            "ranges",
            "entry",
        ],
    ),
    ("device_time", &["vendor", "model", "writer", "recorder", "handlers", "ranges", "entry"]),
    ("model", &["writer", "drain", "device_time_reader", "recorder", "handlers", "ranges", "entry"]),
    ("writer", &["drain", "device_time_reader", "recorder", "handlers", "ranges", "entry"]),
    ("device_time_reader", &["xpti", "vendor", "model", "drain", "recorder", "handlers", "ranges", "entry"]),
    ("drain", &["xpti", "record", "vendor", "model", "recorder", "handlers", "ranges", "entry"]),
    (
        "sampler",
        &[
            "xpti",
            "vendor",
            "device_time",
            "model",
            "writer",
            "device_time_reader",
            "drain",
            "recorder",
            "handlers",
            "ranges",
            "entry",
        ],
    ),
    ("recorder", &["drain", "handlers", "ranges", "entry"]),
    ("handlers", &["model", "writer", "drain", "ranges", "entry"]),
    ("ranges", &["model", "writer", "drain", "vendor", "entry"]),
];

/// Path prefixes of code that may be unsafe.
const UNSAFE: &[&str] = &[
    "e2e/driver/src",
    "subscriber/src/entry.rs",
    "subscriber/src/os",
    "subscriber/src/ranges",
    "subscriber/src/vendor/cupti",
    "subscriber/src/vendor/level_zero",
    "subscriber/src/xpti",
    "program/launcher/src/sys",
    "program/sql/src/heap.rs",
    "program/system/src/memory/thread_alloc.rs",
    "server/src/storage/mapped.rs",
];

/// Calls that create files, or write through a path that may be a link.
const MAKING: &[&str] =
    &["File::create(", "File::create_new(", "fs::write(", "fs::copy(", ".create(true)", ".create_new(true)"];

/// Files with such calls, for folders shared with other users.
const MAKERS: &[&str] = &["program/system/src/private_files.rs", "subscriber/src/os/files.rs"];

fn made_elsewhere(files: Vec<Source>) -> Vec<String> {
    let others: Vec<Source> =
        files.into_iter().filter(|file| !MAKERS.contains(&file.path.as_str())).collect();
    let mut found = Vec::new();
    for file in &others {
        for (number, line) in file.lines() {
            // `TraceFile::create` is another function.
            let is_whole =
                |at: usize| !line[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
            let makes =
                |word: &&str| line.match_indices(*word).any(|(at, _)| word.starts_with('.') || is_whole(at));
            found.extend(
                MAKING
                    .iter()
                    .filter(|word| makes(word))
                    .map(|word| format!("{}:{number}: {word}: {}", file.path, line.trim())),
            );
        }
    }
    found
}

pub(crate) fn mentions(files: &[Source], words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        for (number, line) in file.lines() {
            for word in words.iter().filter(|word| line.contains(**word)) {
                found.push(format!("{}:{number}: {word}: {}", file.path, line.trim()));
            }
        }
    }
    found
}

/// Returns the arrows of `all` into modules hidden by `walls`, except through `doors`.
pub(crate) fn through_walls(all: &Crate, walls: &[(&str, &[&str])], doors: &[(&str, &str)]) -> Vec<String> {
    let is_hidden = |from: &str, to: &str| {
        let behind = walls.iter().filter(|(name, _)| is_below(from, name));
        behind.flat_map(|(_, hidden)| *hidden).any(|hidden| is_below(to, hidden))
    };
    let mut broken = Vec::new();
    for arrow in all.arrows() {
        let [from, to] = [arrow.from, arrow.to].map(|file| all.files[file].path.join("/"));
        let is_door = doors.iter().any(|door| is_below(&from, door.0) && to.starts_with(door.1));
        if is_hidden(&from, &to) && !is_door {
            broken.push(all.described(&arrow));
        }
    }
    broken
}

/// Returns the arrows of a crate through its walls, and walls for modules that don't exist.
pub(crate) fn broken_walls(folder: &str, walls: &[(&str, &[&str])]) -> Vec<String> {
    let all = Crate::read(folder, &files_below(folder, &["rs"]));
    let mut broken = through_walls(&all, walls, &[]);
    for (name, hidden) in walls {
        broken.extend(without_module(&all, &[&[*name], *hidden].concat()));
    }
    broken
}

/// True for a module and everything in it.
pub(crate) fn is_below(module: &str, outer: &str) -> bool {
    module.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn without_module(all: &Crate, names: &[&str]) -> Vec<String> {
    let is_there = |name: &str| all.files.iter().any(|file| file.path.join("/") == name);
    names.iter().filter(|name| !is_there(name)).map(|name| format!("there is no module {name}")).collect()
}

/// Returns the files of one format, below `folder`, that use the other one.
fn formats_that_see_each_other(files: &[Source], folder: &str) -> Vec<String> {
    let mut broken = Vec::new();
    for file in files {
        for side in ["import", "export"] {
            for (format, other) in [("perfetto", "chrome_json"), ("chrome_json", "perfetto")] {
                if file.module(folder).starts_with(&format!("{side}/{format}")) {
                    let names = [format!("{other}::"), format!("::{other}")];
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    broken.extend(mentions(std::slice::from_ref(file), &names));
                }
            }
        }
    }
    broken
}

fn unsafe_elsewhere(files: Vec<Source>, allowed: &[&str]) -> Vec<String> {
    let elsewhere: Vec<Source> = files
        .into_iter()
        .filter(|file| !allowed.iter().any(|prefix| file.path.starts_with(prefix)))
        .collect();
    mentions(&elsewhere, &["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"])
}

#[test]
fn the_trace_engine_takes_bytes_and_gives_values() {
    let files: Vec<Source> = [LANGUAGE, ENGINE].into_iter().flat_map(product_files).collect();
    let broken = mentions(&files, OUTSIDE_WORLD);
    assert_none(
        "language and engine must not know files, sockets, threads, clocks or the environment:",
        &broken,
    );
}

#[test]
fn modules_of_language_and_engine_keep_to_their_direction() {
    let broken = [(LANGUAGE, LANGUAGE_WALLS), (ENGINE, ENGINE_WALLS)];
    let broken: Vec<String> =
        broken.into_iter().flat_map(|(folder, walls)| broken_walls(folder, walls)).collect();
    assert_none("a module sees what it must not see:", &broken);
}

#[test]
fn modules_of_the_recorder_keep_to_their_direction() {
    let broken = broken_walls("subscriber/src", RECORDER_WALLS);
    assert_none("a module of the recorder sees what it must not see:", &broken);
}

#[test]
fn formats_do_not_see_each_other() {
    let broken = formats_that_see_each_other(&product_files(ENGINE), ENGINE);
    assert_none("one format sees another:", &broken);
}

#[test]
fn only_bindings_to_c_are_unsafe() {
    let folders = CRATES.iter().map(|name| format!("{name}/src"));
    let mut broken = unsafe_elsewhere(folders.flat_map(|folder| product_files(&folder)).collect(), UNSAFE);
    broken.extend(unused_prefixes(UNSAFE));
    assert_none("unsafe code has no place here:", &broken);
}

#[test]
fn files_are_made_where_no_link_is_followed() {
    let mut broken: Vec<String> = [
        "server",
        "program/cli",
        "program/client",
        "program/launcher",
        "program/report",
        "program/sql",
        "program/system",
        "subscriber",
    ]
    .into_iter()
    .flat_map(|name| made_elsewhere(product_files(&format!("{name}/src"))))
    .collect();
    broken.extend(unused_prefixes(MAKERS));
    assert_none(
        "make files with program/system/src/private_files.rs or subscriber/src/os/files.rs:",
        &broken,
    );
}

fn unused_prefixes(prefixes: &[&str]) -> Vec<String> {
    let is_there = |prefix: &str| {
        let path = root().join(prefix);
        path.is_file() || path.is_dir() || path.with_extension("rs").is_file()
    };
    prefixes.iter().filter(|prefix| !is_there(prefix)).map(|prefix| format!("there is no {prefix}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::product_of;

    fn made_up(files: &[(&str, &str)]) -> Vec<Source> {
        files.iter().map(|(path, text)| Source::new(path, text)).collect()
    }

    #[test]
    fn a_mention_counts_in_code_only_and_behind_tests_too() {
        let text = "// std::fs\nconst A: &str = \"std::fs\";\n#[cfg(test)]\nuse std::fs;\nfn b() {}\n";
        assert_eq!(
            mentions(&product_of(made_up(&[("trace/src/a.rs", text)])), OUTSIDE_WORLD),
            Vec::<String>::new()
        );
        let text = format!("{text}#[cfg(test)]\nmod tests {{}}\nuse std::fs::File;\n");
        let found = mentions(&product_of(made_up(&[("trace/src/a.rs", &text)])), OUTSIDE_WORLD);
        assert_eq!(found, ["trace/src/a.rs:8: std::fs: use std::fs::File;"]);
    }

    #[test]
    fn a_grouped_use_does_not_climb_a_wall() {
        let walls: &[(&str, &[&str])] = &[("store", &["query"])];
        let tree = |store: &str| {
            let query = ("src/query.rs", "pub mod sums; pub struct Answer;");
            let lib = ("src/lib.rs", "mod store; mod query; mod time;");
            let rest =
                [("src/query/sums.rs", "pub struct Sum;"), ("src/time.rs", "pub struct Ns;"), query, lib];
            Crate::read("src", &made_up(&[&[("src/store.rs", store)], &rest[..]].concat()))
        };
        assert_eq!(through_walls(&tree("use crate::time::Ns;"), walls, &[]), Vec::<String>::new());
        let broken = tree("use crate::{time::Ns, query::{Answer, sums::Sum}};");
        assert_eq!(
            through_walls(&broken, walls, &[("store", "query/sums")]),
            ["src/store.rs:1: crate::query::Answer"]
        );
        assert_eq!(without_module(&broken, &["store", "shop"]), ["there is no module shop"]);
    }

    #[test]
    fn a_file_that_is_made_in_another_place_is_found() {
        for line in [
            "std::fs::File::create(a)",
            "File::create(a)",
            "fs::write(a, b)",
            "std::fs::copy(a, b)",
            "tokio::fs::write(a, b)",
            "File::options().create(true).open(a)",
            "x.create_new(true)",
        ] {
            let text = format!("fn c() {{ {line} }}");
            assert_eq!(made_elsewhere(made_up(&[("server/src/a.rs", &text)])).len(), 1, "{line}");
            assert_eq!(
                made_elsewhere(made_up(&[("program/system/src/private_files.rs", &text)])),
                Vec::<String>::new()
            );
        }
        let text = "fn c() { TraceFile::create(a); File::open(b); options.create(a); }";
        assert_eq!(made_elsewhere(made_up(&[("server/src/a.rs", text)])), Vec::<String>::new());
    }

    #[test]
    fn formats_apart_and_formats_that_meet() {
        let apart = made_up(&[("trace/src/import/perfetto/wire.rs", "use super::super::Event;")]);
        assert_eq!(formats_that_see_each_other(&apart, "trace/src"), Vec::<String>::new());
        let meeting = made_up(&[("trace/src/import/perfetto.rs", "use super::chrome_json::Parser;")]);
        assert_eq!(formats_that_see_each_other(&meeting, "trace/src").len(), 2);
    }

    #[test]
    fn unsafe_code_is_found_where_it_may_not_be() {
        let files =
            || made_up(&[("a/src/sys/b.rs", "unsafe { c() }"), ("a/src/d.rs", "fn e() { unsafe { f() } }")]);
        assert_eq!(unsafe_elsewhere(files(), &["a/src/sys", "a/src/d.rs"]), Vec::<String>::new());
        assert_eq!(
            unsafe_elsewhere(files(), &["a/src/sys"]),
            ["a/src/d.rs:1: unsafe {: fn e() { unsafe { f() } }"]
        );
    }
}
