//! A version's section of the changelog.

use crate::prelude::*;

const UNRELEASED: &str = "Unreleased";

/// True if the changelog has a section of this version, and no unreleased changes above it.
pub(super) fn is_ready(workspace: &Workspace, version: &str) -> Result<bool> {
    let text = changelog(workspace)?;
    Ok(unreleased(&text).is_none() && section(&text, version).is_some())
}

/// Reads the section of unreleased changes, if any, or that of this version.
pub(super) fn read(workspace: &Workspace, version: &str) -> Result<String> {
    let text = changelog(workspace)?;
    unreleased(&text)
        .or_else(|| section(&text, version))
        .map(str::to_owned)
        .ok_or_else(|| Failure::new("CHANGELOG.md has no section of this version, and no unreleased changes"))
}

fn unreleased(text: &str) -> Option<&str> {
    section(text, UNRELEASED).filter(|section| section.lines().any(|line| line.starts_with("- ")))
}

fn changelog(workspace: &Workspace) -> Result<String> {
    files::read(&workspace.root.join("CHANGELOG.md"))
}

/// Returns the part from a heading `## VERSION` (optionally followed by a space and more) to the next one.
fn section<'a>(text: &'a str, version: &str) -> Option<&'a str> {
    let mut headings = text.match_indices("\n## ").map(|(place, _)| place + 1);
    let is_heading = |place: &usize| text[place + 3..].split([' ', '\n']).next() == Some(version);
    let begin = headings.find(is_heading)?;
    Some(&text[begin..headings.next().unwrap_or(text.len())])
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
        assert_eq!(unreleased(text), section(text, "Unreleased"));
        assert_eq!(unreleased("# Changelog\n## Unreleased\n\n## 0.2.0\n\n- b\n"), None);
    }
}
