//! Documents that point at files which are there.

use std::path::Path;

use crate::sources::{CRATES, Source, assert_none, files_below, root};

#[test]
fn relative_links_lead_somewhere() {
    let mut broken = Vec::new();
    for file in documents() {
        let folder = root().join(&file.path).parent().map(Path::to_owned).unwrap_or_default();
        for target in link_targets(&file.text) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            if path.contains("://") || path.starts_with("mailto:") {
                continue;
            }
            let text = if path.is_empty() {
                Some(file.text.clone())
            } else {
                std::fs::read_to_string(folder.join(path)).ok()
            };
            let is_there = path.is_empty() || folder.join(path).exists();
            let is_heading = |text: &String| headings(text).any(|known| known == heading);
            if !is_there || !(heading.is_empty() || text.as_ref().is_some_and(is_heading)) {
                broken.push(format!("{}: {target}", file.path));
            }
        }
    }
    assert_none("a link leads to no file, or to no heading in it:", &broken);
}

/// The headings of a document, as links name them: `## What it costs` is `what-it-costs`.
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
    let missing: Vec<String> = CRATES
        .iter()
        .filter(|name| !text.contains(&format!("{name}/")))
        .map(|name| name.to_string())
        .collect();
    assert_none("docs/ARCHITECTURE.md doesn't say what these are:", &missing);
}

fn documents() -> Vec<Source> {
    files_below("", &["md"])
}

/// What stands in `](…)`.
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
    let path = root().join("docs/COVERAGE.md");
    let text = std::fs::read_to_string(&path).expect("docs/COVERAGE.md");
    let mut broken = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with("| ")).skip(1) {
        let tests = named_tests(line);
        if tests.is_empty() {
            broken.push(format!("line {}: no test is named", number + 1));
        }
    }
    for (file, names) in text.split("\n\n").flat_map(named_tests) {
        let source = std::fs::read_to_string(root().join("docs").join(&file)).unwrap_or_default();
        let source = source.replace("\\'", "'");
        if names.is_empty() {
            broken.push(format!("{file}: which test?"));
        }
        let is_there = |name: &&str| {
            if file.ends_with(".rs") {
                source.contains(&format!("fn {name}()"))
            } else {
                source.contains(*name)
            }
        };
        broken.extend(names.iter().filter(|name| !is_there(name)).map(|name| format!("{file}: {name}")));
    }
    assert_none("docs/COVERAGE.md names what is not there:", &broken);
}

/// Files of tests that `text` links to, each with the names in backticks behind it.
fn named_tests(text: &str) -> Vec<(String, Vec<&str>)> {
    let mut found = Vec::new();
    for rest in text.split("](").skip(1) {
        let Some((target, rest)) = rest.split_once(')') else { continue };
        let is_test =
            target.ends_with(".test.mjs") || (target.contains("/tests/") && target.ends_with(".rs"));
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

/// Recipes name files in backticks; `NAME` and `{…}` stand for what the reader chooses.
#[test]
fn recipes_name_files_that_are_there() {
    let text = std::fs::read_to_string(root().join("CONTRIBUTING.md")).expect("CONTRIBUTING.md");
    let tops =
        ["trace/", "subscriber/", "server/", "frontend/", "xtask/", "e2e/", "bench/", "fuzz/", "docs/"];
    let mut named: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    named.retain(|name| tops.iter().any(|top| name.starts_with(top)));
    named.retain(|name| !name.contains("NAME") && !name.contains('{'));
    assert!(named.len() > 20, "CONTRIBUTING.md names only {} files", named.len());
    let broken: Vec<String> =
        named.iter().filter(|name| !root().join(name).exists()).map(|name| (*name).to_owned()).collect();
    assert_none("CONTRIBUTING.md names what is not there:", &broken);
}
