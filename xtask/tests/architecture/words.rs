//! Marks that must not be left behind, and names that docs/GLOSSARY.md gives another word for.

use crate::sources::{Source, assert_none, files_below, rust_files};

/// Marks of unfinished work. Written in two halves, so that this file holds none of them.
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

/// Folders that speak a format's own language.
const FORMATS: &[&str] = &["trace/src/proto", "trace/src/import/", "trace/src/export/"];

/// Words that name something else here, with the word to use.
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

#[test]
fn nothing_is_left_unfinished() {
    let mut broken = Vec::new();
    let tests = files_below("e2e", &["mjs", "cpp", "py"]);
    for file in rust_files().iter().chain(&tests) {
        for (number, line) in file.text.lines().enumerate() {
            for mark in MARKS.iter().filter(|mark| line.contains(**mark)) {
                broken.push(format!("{}:{}: {mark}", file.path, number + 1));
            }
        }
    }
    assert_none(
        "finish it, or say what is missing in the documentation (lints: #[expect(…, reason = …)]):",
        &broken,
    );
}

#[test]
fn no_test_is_left_out_or_alone() {
    let marks = ["test.skip(", "test.only(", "describe.skip(", "describe.only(", "it.skip(", "it.only("];
    let mut broken = Vec::new();
    for file in files_below("e2e", &["mjs"]) {
        for mark in marks.iter().filter(|mark| file.text.contains(**mark)) {
            broken.push(format!("{}: {mark}", file.path));
        }
    }
    assert_none("a test runs, or it goes:", &broken);
}

#[test]
fn one_thing_has_one_name() {
    let mut broken = Vec::new();
    for file in rust_files().iter().filter(|file| !FORMATS.iter().any(|folder| file.path.starts_with(folder)))
    {
        for (number, name) in declared_names(file) {
            // A value may well be a span of time; a type called so would be a slice.
            let is_type = name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase);
            // The browser's own word for pointers that a part of the page keeps to itself is capture.
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
    assert_none("docs/GLOSSARY.md has another word for it:", &broken);
}

/// The names of types, functions, modules and constants that a file declares.
fn declared_names(file: &Source) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    for (number, line) in file.product_lines() {
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

/// `TraceSource` and `trace_source` are both `trace`, `source`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        let is_capital_after_small =
            letter.is_uppercase() && words.last().is_some_and(|word| word.ends_with(char::is_lowercase));
        if letter == '_' || is_capital_after_small {
            words.push(String::new());
        }
        if letter != '_' {
            // The last letter's own case is needed for the next decision, so lower-casing waits.
            words.last_mut().expect("there is one").push(letter);
        }
    }
    words.into_iter().filter(|word| !word.is_empty()).map(|word| word.to_lowercase()).collect()
}

#[test]
fn names_are_cut_into_words() {
    assert_eq!(words_of("TraceSource"), ["trace", "source"]);
    assert_eq!(words_of("trace_source"), ["trace", "source"]);
    assert_eq!(words_of("URCall"), ["urcall"]);
    assert_eq!(words_of("MAX_LEVEL"), ["max", "level"]);
}
