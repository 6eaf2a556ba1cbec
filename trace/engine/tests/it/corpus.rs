//! The corpus of the fuzz targets: nothing panics, and every input ends.

use std::path::Path;

/// The functions of the fuzz targets.
#[expect(unreachable_pub, reason = "it is a crate of its own where it fuzzes")]
#[path = "../../../../fuzz/src/lib.rs"]
mod fuzz;

#[test]
fn nothing_in_the_corpus_does_harm() {
    for (target, run) in fuzz::TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        assert!(!files.is_empty(), "{} is empty", folder.display());
        for file in files {
            println!("{}", file.display());
            run(&std::fs::read(&file).unwrap());
        }
    }
}
