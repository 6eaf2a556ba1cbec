//! Marks of unfinished work, and names that docs/GLOSSARY.md replaces.

use crate::sources::{Source, assert_none, files_below, product_of, rust_files};

/// Marks of unfinished work. Written in two halves, so that this file contains none of them.
const MARKS: &[&str] = &[
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("d", "bg!("),
    concat!("FIX", "ME"),
    concat!("TO", "DO"),
    concat!("#[ig", "nore"),
    concat!("#[al", "low("),
    concat!("#![al", "low("),
];

const FORMATS: &[&str] = &["trace/engine/src/proto", "trace/engine/src/import/", "trace/engine/src/export/"];

/// Words with another meaning here, with the replacement.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("capture", "record"),
    ("dag", "graph"),
    ("gauge", "counter"),
    ("shader", "kernel"),
    ("span", "slice"),
    ("topic", "stream"),
    ("uuid", "universal id"),
    ("vertex", "node"),
    ("vertices", "nodes"),
];

/// Marks of tests that are skipped, or that skip others.
const LEFT_OUT: &[&str] =
    &["test.skip(", "test.only(", "describe.skip(", "describe.only(", "it.skip(", "it.only("];

fn marked(files: &[Source], marks: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        for (number, line) in file.lines() {
            for mark in marks.iter().filter(|mark| line.contains(**mark)) {
                found.push(format!("{}:{number}: {mark}", file.path));
            }
        }
    }
    found
}

/// Returns the names declared in `files`, the product's code, that the glossary replaces.
fn misnamed(files: &[Source]) -> Vec<String> {
    let mut broken = Vec::new();
    for file in files.iter().filter(|file| !FORMATS.iter().any(|folder| file.path.starts_with(folder))) {
        for (number, name) in declared_names(file) {
            // A value may well be a span of time; a type with that name would be a slice.
            let is_type = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
            // Pointer capture is the browser's own term.
            let is_page = file.path.starts_with("frontend/");
            let applies = |word: &str| match word {
                "span" => is_type,
                "capture" => !is_page,
                _ => true,
            };
            for (word, instead) in OTHER_WORDS.iter().filter(|(word, _)| applies(word)) {
                if words_of(&name).iter().any(|part| part == word) {
                    broken.push(format!("{}:{number}: {name} (say {instead})", file.path));
                }
            }
        }
    }
    broken
}

#[test]
fn nothing_is_left_unfinished() {
    let mut files = rust_files();
    files.extend(files_below("e2e", &["mjs", "cpp", "py"]));
    assert_none(
        "finish it, or say what is missing in the documentation (lints: #[expect(…, reason = …)]):",
        &marked(&files, MARKS),
    );
}

#[test]
fn no_test_is_left_out_or_alone() {
    assert_none("a test runs, or it goes:", &marked(&files_below("e2e", &["mjs"]), LEFT_OUT));
}

#[test]
fn one_thing_has_one_name() {
    assert_none("docs/GLOSSARY.md has another word for it:", &misnamed(&product_of(rust_files())));
}

fn declared_names(file: &Source) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    for (number, line) in file.lines() {
        let mut parts = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        while let Some(part) = parts.next() {
            if matches!(part, "struct" | "enum" | "trait" | "fn" | "mod" | "type" | "const" | "static") {
                names.extend(
                    parts.next().filter(|name| !name.is_empty()).map(|name| (number, name.to_owned())),
                );
            }
        }
    }
    names
}

/// `TraceBuilder` and `trace_builder` are both `trace`, `builder`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        let is_capital_after_small =
            letter.is_uppercase() && words.last().is_some_and(|word| word.ends_with(char::is_lowercase));
        if letter == '_' || is_capital_after_small {
            words.push(String::new());
        }
        if letter != '_' {
            // The next decision needs the last letter's case, so lower-casing waits.
            words.last_mut().expect("there is one").push(letter);
        }
    }
    words.into_iter().filter(|word| !word.is_empty()).map(|word| word.to_lowercase()).collect()
}

#[test]
fn marks_and_other_words_are_found() {
    let file = |text: &str| vec![Source::new("trace/src/a.rs", text)];
    assert_eq!(marked(&file("fn a() { 1 }"), MARKS), Vec::<String>::new());
    let unfinished = format!("fn a() {{ {}) }}", MARKS[0]);
    assert_eq!(marked(&file(&unfinished), MARKS), [format!("trace/src/a.rs:1: {}", MARKS[0])]);
    assert_eq!(marked(&file("test.only(() => {})"), LEFT_OUT).len(), 1);
    assert_eq!(misnamed(&product_of(file("struct TimeRange; fn span() {}"))), Vec::<String>::new());
    let declared = "#[cfg(test)]\nstruct Dag;\nstruct VertexOf;";
    assert_eq!(misnamed(&product_of(file(declared))), ["trace/src/a.rs:3: VertexOf (say node)"]);
}

#[test]
fn names_are_cut_into_words() {
    assert_eq!(words_of("TraceBuilder"), ["trace", "builder"]);
    assert_eq!(words_of("trace_builder"), ["trace", "builder"]);
    assert_eq!(words_of("URCall"), ["urcall"]);
    assert_eq!(words_of("MAX_LEVEL"), ["max", "level"]);
}
