//! One idea per file: a long file has more than one.

use crate::sources::{Source, assert_none, files_below, rust_files};

const HARD_LIMIT: usize = 800;
/// Longer files are listed for review.
const SOFT_LIMIT: usize = 400;

fn longer_than(limit: usize, files: &[Source]) -> Vec<String> {
    let with_lines = files.iter().map(|file| (file.text.lines().count(), &file.path));
    with_lines
        .filter(|(lines, _)| *lines > limit)
        .map(|(lines, path)| format!("{path}: {lines} lines"))
        .collect()
}

fn named_by_folder(files: &[Source]) -> Vec<&str> {
    files.iter().map(|file| file.path.as_str()).filter(|path| path.ends_with("/mod.rs")).collect()
}

#[test]
fn no_file_is_too_long() {
    let mut files = rust_files();
    files.extend(files_below("e2e", &["mjs", "cpp", "py"]));
    files.sort_by_key(|file| file.text.lines().count());
    println!("{} files, median {} lines", files.len(), files[files.len() / 2].text.lines().count());
    for line in longer_than(SOFT_LIMIT, &files) {
        println!("  long: {line}");
    }
    assert_none(&format!("a file holds at most {HARD_LIMIT} lines:"), &longer_than(HARD_LIMIT, &files));
}

#[test]
fn modules_are_named_by_their_file() {
    let files = rust_files();
    let broken: Vec<String> = named_by_folder(&files).into_iter().map(str::to_owned).collect();
    assert_none("a module is foo.rs beside foo/, never a mod.rs:", &broken);
}

#[test]
fn long_files_and_folders_as_names_are_found() {
    let files = [
        Source::new("a/src/b.rs", &"\n".repeat(3)),
        Source::new("a/src/c/mod.rs", &"\n".repeat(4)),
        Source::new("a/src/mod.rs.rs", ""),
    ];
    assert_eq!(longer_than(3, &files), ["a/src/c/mod.rs: 4 lines"]);
    assert_eq!(longer_than(4, &files), [""; 0]);
    assert_eq!(named_by_folder(&files), ["a/src/c/mod.rs"]);
}
