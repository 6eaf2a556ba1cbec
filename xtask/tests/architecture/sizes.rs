//! One idea per file: a file that has grown long holds more than one.

use crate::sources::{assert_none, files_below, rust_files};

/// No file is longer.
const HARD_LIMIT: usize = 800;
/// Longer ones are listed, to be thought about.
const SOFT_LIMIT: usize = 400;

#[test]
fn no_file_is_too_long() {
    let mut sizes: Vec<(usize, String)> = Vec::new();
    for file in rust_files().into_iter().chain(files_below("e2e", &["mjs", "cpp", "py"])) {
        sizes.push((file.text.lines().count(), file.path));
    }
    sizes.sort();
    println!("{} files, median {} lines", sizes.len(), sizes[sizes.len() / 2].0);
    for (lines, path) in sizes.iter().filter(|(lines, _)| *lines > SOFT_LIMIT) {
        println!("  long: {lines:>4} {path}");
    }
    let too_long: Vec<String> = sizes
        .iter()
        .filter(|(lines, _)| *lines > HARD_LIMIT)
        .map(|(lines, path)| format!("{path}: {lines} lines"))
        .collect();
    assert_none(&format!("a file holds at most {HARD_LIMIT} lines:"), &too_long);
}

#[test]
fn modules_are_named_by_their_file() {
    let broken: Vec<String> =
        rust_files().into_iter().map(|file| file.path).filter(|path| path.ends_with("/mod.rs")).collect();
    assert_none("a module is foo.rs beside foo/, never a mod.rs:", &broken);
}
