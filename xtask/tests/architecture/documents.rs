//! Documents that point at files which are there.

use crate::sources::{CRATES, Source, assert_none, files_below, root};

#[test]
fn relative_links_lead_somewhere() {
    let mut broken = Vec::new();
    for file in documents() {
        let folder = root().join(&file.path).parent().map(std::path::Path::to_owned).unwrap_or_default();
        for target in link_targets(&file.text) {
            let path = target.split('#').next().unwrap_or_default();
            if !path.is_empty()
                && !path.contains("://")
                && !path.starts_with("mailto:")
                && !folder.join(path).exists()
            {
                broken.push(format!("{}: {target}", file.path));
            }
        }
    }
    assert_none("a link leads to no file:", &broken);
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
