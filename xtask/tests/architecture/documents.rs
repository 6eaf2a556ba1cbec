//! Links and file names in documents must exist.

use std::path::Path;

use crate::sources::{CRATES, Source, assert_none, files_below, root};

#[test]
fn relative_links_lead_somewhere() {
    let broken: Vec<String> = files_below("", &["md"]).iter().flat_map(dead_links).collect();
    assert_none("a link leads to no file, or to no heading in it:", &broken);
}

fn dead_links(file: &Source) -> Vec<String> {
    let folder = root().join(&file.path).parent().map(Path::to_owned).unwrap_or_default();
    let is_dead = |target: &&str| {
        let (path, heading) = target.split_once('#').unwrap_or((target, ""));
        if path.contains("://") || path.starts_with("mailto:") {
            return false;
        }
        let text = if path.is_empty() {
            Some(file.text.clone())
        } else {
            std::fs::read_to_string(folder.join(path)).ok()
        };
        let is_there = path.is_empty() || folder.join(path).exists();
        let is_heading = |text: &String| headings(text).any(|known| known == heading);
        !is_there || !(heading.is_empty() || text.as_ref().is_some_and(is_heading))
    };
    let dead = link_targets(&file.text).into_iter().filter(is_dead);
    dead.map(|target| format!("{}: {target}", file.path)).collect()
}

/// Returns the anchors of a document's headings: `## What it costs` is `what-it-costs`.
fn headings(text: &str) -> impl Iterator<Item = String> {
    let mut is_code = false;
    let lines = text.lines().filter(move |line| {
        is_code ^= line.starts_with("```");
        !is_code && line.starts_with('#')
    });
    lines.map(|line| {
        let letters = line.trim_start_matches('#').trim().to_lowercase();
        let kept = letters.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    })
}

#[test]
fn the_architecture_names_every_crate() {
    let text = std::fs::read_to_string(root().join("docs/ARCHITECTURE.md")).expect("docs/ARCHITECTURE.md");
    assert_none("docs/ARCHITECTURE.md doesn't say what these are:", &unnamed(CRATES, &text));
}

#[test]
fn every_crate_says_what_it_is() {
    let missing = CRATES.iter().filter(|name| !root().join(name).join("README.md").is_file());
    let missing: Vec<String> = missing.map(|name| (*name).to_owned()).collect();
    assert_none("no README.md in:", &missing);
}

fn unnamed(crates: &[&str], text: &str) -> Vec<String> {
    let missing = crates.iter().filter(|name| !text.contains(&format!("{name}/")));
    missing.map(|name| (*name).to_owned()).collect()
}

/// Returns the targets in `](…)`.
fn link_targets(text: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    for rest in text.split("](").skip(1) {
        if let Some((target, _)) = rest.split_once(')') {
            targets.push(target.split_whitespace().next().unwrap_or_default());
        }
    }
    targets
}

/// docs/COVERAGE.md names the tests that prove each row, as `[file](path)` followed by names in backticks.
#[test]
fn the_coverage_names_tests_that_are_there() {
    let text = std::fs::read_to_string(root().join("docs/COVERAGE.md")).expect("docs/COVERAGE.md");
    let read = |file: &str| std::fs::read_to_string(root().join("docs").join(file)).unwrap_or_default();
    assert_none("docs/COVERAGE.md names what is not there:", &without_tests(&text, &read));
}

/// Returns the rows of `text` without a test, and tests that are missing in their file, which `read` returns.
fn without_tests(text: &str, read: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut broken = Vec::new();
    let below = text.lines().skip(1).chain([""]);
    for (number, (line, below)) in text.lines().zip(below).enumerate() {
        let is_row = line.starts_with("| ") && !below.starts_with("|---");
        if is_row && named_tests(line).is_empty() {
            broken.push(format!("line {}: no test is named", number + 1));
        }
    }
    for (file, names) in text.split("\n\n").flat_map(named_tests) {
        let source = read(&file).replace("\\'", "'");
        if names.is_empty() {
            broken.push(format!("{file}: which test?"));
        }
        let is_there = |name: &&str| {
            if file.ends_with(".rs") {
                source.contains(&format!("fn {name}("))
            } else {
                source.contains(*name)
            }
        };
        broken.extend(names.iter().filter(|name| !is_there(name)).map(|name| format!("{file}: {name}")));
    }
    broken
}

/// Returns the test files that `text` links to, each with the names in backticks after it.
fn named_tests(text: &str) -> Vec<(String, Vec<&str>)> {
    let mut found = Vec::new();
    for rest in text.split("](").skip(1) {
        let Some((target, rest)) = rest.split_once(')') else { continue };
        let is_test = target.ends_with(".test.mjs")
            || target.contains("/tests/") && [".rs", ".py"].iter().any(|end| target.ends_with(end));
        if is_test {
            // Up to the next link or the end of the cell.
            let names = rest.split(['[', '|']).next().unwrap_or_default();
            found.push((target.to_owned(), names.split('`').skip(1).step_by(2).collect()));
        }
    }
    found
}

#[test]
fn headings_are_named_as_links_name_them() {
    let text = "# A trace\n```\n# no heading\n```\n## What it costs: time, `bytes`\n### `Alt ←`";
    let found: Vec<String> = headings(text).collect();
    assert_eq!(found, ["a-trace", "what-it-costs-time-bytes", "alt-"]);
}

/// Recipes name files in backticks; `NAME` and `{…}` are placeholders.
#[test]
fn recipes_name_files_that_are_there() {
    let text = std::fs::read_to_string(root().join("CONTRIBUTING.md")).expect("CONTRIBUTING.md");
    let named = named_files(&text);
    assert!(named.len() > 20, "CONTRIBUTING.md names only {} files", named.len());
    let missing = named.iter().filter(|name| !root().join(name).exists());
    let broken: Vec<String> = missing.map(|name| (*name).to_owned()).collect();
    assert_none("CONTRIBUTING.md names what is not there:", &broken);
}

fn named_files(text: &str) -> Vec<&str> {
    let tops =
        ["trace/", "subscriber/", "server/", "frontend/", "xtask/", "e2e/", "bench/", "fuzz/", "docs/"];
    let mut named: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    named.retain(|name| tops.iter().any(|top| name.starts_with(top)));
    named.retain(|name| !name.contains("NAME") && !name.contains('{'));
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let text = "# A part\n[a](#a-part) [b](#no-part) [c](../README.md) [d](GONE.md) \
            [e](https://example.org/gone) [f](GLOSSARY.md#no-heading)";
        let broken = dead_links(&Source::new("docs/MADE_UP.md", text));
        assert_eq!(
            broken,
            ["#no-part", "GONE.md", "GLOSSARY.md#no-heading"].map(|link| format!("docs/MADE_UP.md: {link}"))
        );
    }

    #[test]
    fn a_crate_that_is_not_named_is_found() {
        assert_eq!(unnamed(&["server", "trace/engine"], "`server/`: hosts traces"), ["trace/engine"]);
    }

    #[test]
    fn a_row_without_its_test_is_found() {
        let text = "| row | proof |\n|---|---|\n| a | [b.rs](../c/tests/b.rs) `d`, `e` |\n| f | none |\n| g | [h.test.mjs](h.test.mjs) |";
        let read =
            |file: &str| if file == "../c/tests/b.rs" { "fn d() {}".to_owned() } else { String::new() };
        let broken = without_tests(text, &read);
        assert_eq!(broken, ["line 4: no test is named", "../c/tests/b.rs: e", "h.test.mjs: which test?"]);
    }

    #[test]
    fn files_that_a_recipe_names_are_found() {
        let text = "Edit `server/src/http/router.rs` and `trace/engine/src/query/NAME.rs`, run `cargo test`.";
        assert_eq!(named_files(text), ["server/src/http/router.rs"]);
    }
}
