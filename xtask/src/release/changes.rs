//! What the changelog says of a version.

use crate::failure::{AtPath, Failure, Result};
use crate::workspace::Workspace;

/// Where changes stand until they have a version.
const UNRELEASED: &str = "Unreleased";

/// Whether the changelog has a section of this version.
pub(super) fn has_section(workspace: &Workspace, version: &str) -> Result<bool> {
    Ok(section(&changelog(workspace)?, version).is_some())
}

/// The section of this version, or of what has none yet.
pub(super) fn of(workspace: &Workspace, version: &str) -> Result<String> {
    let text = changelog(workspace)?;
    let found = section(&text, version).or_else(|| section(&text, UNRELEASED));
    found
        .map(str::to_owned)
        .ok_or_else(|| Failure::new("CHANGELOG.md has neither this version nor what is unreleased"))
}

fn changelog(workspace: &Workspace) -> Result<String> {
    let path = workspace.root.join("CHANGELOG.md");
    std::fs::read_to_string(&path).at("read", &path)
}

/// The part from a heading `## VERSION` (and whatever follows behind a space) to the next one.
fn section<'a>(text: &'a str, version: &str) -> Option<&'a str> {
    let is_heading =
        |line: &str| line.strip_prefix("## ").and_then(|rest| rest.split(' ').next()) == Some(version);
    let mut place = 0;
    let mut begin = None;
    for line in text.split_inclusive('\n') {
        match begin {
            None if is_heading(line.trim_end()) => begin = Some(place),
            Some(begin) if line.starts_with("## ") => return Some(&text[begin..place]),
            _ => {}
        }
        place += line.len();
    }
    begin.map(|begin| &text[begin..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_where_the_next_begins() {
        let text =
            "# Changelog\n\n## Unreleased\n\n- c\n\n## 0.2.0 (May)\n\n- b\n### More\n\n## 0.2\n\n- a\n";
        assert_eq!(section(text, "Unreleased"), Some("## Unreleased\n\n- c\n\n"));
        assert_eq!(section(text, "0.2.0"), Some("## 0.2.0 (May)\n\n- b\n### More\n\n"));
        assert_eq!(section(text, "0.2"), Some("## 0.2\n\n- a\n"));
        assert_eq!(section(text, "0.3"), None);
    }
}
