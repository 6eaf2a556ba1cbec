//! Links of the built pages.
//!
//! Documents use links that work in the repository, where people read them as well. In the site, a link to another of
//! its pages leads there, one to a source becomes plain text, and everything else is an error. Files that no page
//! references are deleted, such as mdBook's own scripts and fonts.

use std::collections::{BTreeMap, BTreeSet};

use super::markup;
use crate::prelude::*;

/// Delimiters of the contents in the template, whose links are relative to the site's folder.
const CONTENTS: (&str, &str) = ("<!-- contents -->", "<!-- /contents -->");

pub(super) struct Site {
    /// Root of the repository.
    root: PathBuf,
    folder: PathBuf,
    origins: BTreeMap<String, String>,
    html: BTreeMap<String, String>,
    files: BTreeSet<String>,
}

#[derive(Default)]
struct Finished {
    html: String,
    broken: Vec<String>,
    mentions: BTreeSet<String>,
}

enum Goal {
    /// A file of the site.
    Within(String),
    /// A file of the repository outside of the site.
    Source(String),
    Nowhere,
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Template,
    Contents,
    Document,
}

impl Site {
    pub(super) fn read(root: &Path, folder: &Path, origins: &BTreeMap<String, String>) -> Result<Self> {
        let mut html = BTreeMap::new();
        for page in origins.keys() {
            html.insert(page.clone(), markup::with_plain_pictures(&files::read(&folder.join(page))?));
        }
        let name = |path: PathBuf| Some(path.strip_prefix(folder).ok()?.to_string_lossy().into_owned());
        let files = files::below(folder)?.into_iter().filter_map(name).collect();
        Ok(Self { root: root.into(), folder: folder.into(), origins: origins.clone(), html, files })
    }

    /// Writes every page with its final links, and deletes files without references.
    pub(super) fn finish(&self) -> Result<()> {
        let ids = self.html.iter().map(|(page, html)| (page.as_str(), markup::ids(html))).collect();
        let mut mentions: BTreeSet<String> = self.html.keys().cloned().collect();
        let mut broken = Vec::new();
        let mut pages = Vec::new();
        for page in self.html.keys() {
            let finished = self.finished(page, &ids);
            broken.extend(finished.broken.iter().map(|what| format!("{}: {what}", self.origins[page])));
            mentions.extend(finished.mentions);
            pages.push((page, finished.html));
        }
        if !broken.is_empty() {
            let text = format!("the documents' site has broken links:\n  {}", broken.join("\n  "));
            return Err(Failure::new(text));
        }
        for (page, html) in pages {
            files::write(&self.folder.join(page), html)?;
        }
        for file in self.files.iter().filter(|file| !mentions.contains(*file)) {
            files::remove(&self.folder.join(file))?;
        }
        Ok(())
    }

    fn finished(&self, page: &str, ids: &BTreeMap<&str, BTreeSet<String>>) -> Finished {
        let mut made = Finished::default();
        let mut part = Part::Template;
        // True inside the text of a link to a source.
        let mut is_source = false;
        for tag in markup::pieces(&self.html[page]) {
            if !tag.starts_with('<') {
                made.html.push_str(tag);
                continue;
            }
            match markup::name(tag) {
                _ if tag == CONTENTS.0 => part = Part::Contents,
                _ if tag == CONTENTS.1 => part = Part::Template,
                "main" => part = Part::Document,
                "/main" => part = Part::Template,
                _ => {}
            }
            if tag.starts_with("<!--") {
                continue;
            }
            if is_source && tag == "</a>" {
                is_source = false;
                made.html.push_str("</span>");
                continue;
            }
            let tag = styled(tag, &mut made.broken);
            let name = if matches!(markup::name(&tag), "a" | "link") { "href" } else { "src" };
            let Some(link) = markup::attribute(&tag, name) else {
                if markup::name(&tag) == "script" {
                    made.broken.push("a script stands in the page".to_owned());
                }
                if tag.contains(&format!(" {name}='")) {
                    made.broken.push(format!("{tag} (an address needs double quotes)"));
                }
                made.html.push_str(&tag);
                continue;
            };
            if is_elsewhere(link) {
                // The server's policy forbids pictures and scripts of other hosts.
                if name == "src" {
                    made.broken.push(link.to_owned());
                }
                made.html.push_str(&tag);
                continue;
            }
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            match self.goal(page, part, path) {
                Goal::Within(goal) => {
                    let known = ids.get(goal.as_str());
                    if !heading.is_empty() && !known.is_some_and(|known| known.contains(heading)) {
                        made.broken.push(format!("{link} (no such heading)"));
                    }
                    let is_here = part == Part::Contents && goal == page;
                    let address = address(page, &goal, heading);
                    let mut tag = markup::with_attribute(&tag, name, link, &address);
                    if is_here {
                        tag = tag.replacen("<a ", "<a aria-current=\"page\" ", 1);
                    }
                    made.html.push_str(&tag);
                    made.mentions.insert(goal);
                }
                Goal::Source(path) if name == "href" => {
                    is_source = true;
                    made.html
                        .push_str(&format!("<span class=\"source\" title=\"{path}, in the repository\">"));
                }
                Goal::Source(_) | Goal::Nowhere => {
                    made.broken.push(link.to_owned());
                    made.html.push_str(&tag);
                }
            }
        }
        made
    }

    fn goal(&self, page: &str, part: Part, path: &str) -> Goal {
        if path.is_empty() {
            return Goal::Within(page.to_owned());
        }
        // In the repository, such a path begins at the root, on a server at its host.
        if path.starts_with('/') {
            return Goal::Nowhere;
        }
        if part != Part::Document {
            let folder = if part == Part::Contents { "" } else { folder_of(page) };
            let goal = resolved(folder, path).filter(|goal| self.files.contains(goal));
            return goal.map_or(Goal::Nowhere, Goal::Within);
        }
        let Some(origin) = self.origins.get(page) else { return Goal::Nowhere };
        let goal = resolved(folder_of(origin), path).filter(|goal| !goal.is_empty());
        let Some(goal) = goal else { return Goal::Nowhere };
        // mdBook has replaced the extension of pages, which the repository does not have.
        let stem = goal.strip_suffix(".html").unwrap_or(&goal);
        let document = [format!("{stem}.md"), format!("{goal}/README.md"), goal.clone()];
        let found = |wanted: &String| self.origins.iter().find(|(_, origin)| *origin == wanted);
        if let Some((page, _)) = document.iter().find_map(found) {
            return Goal::Within(page.clone());
        }
        if let Some(file) = goal.strip_prefix("docs/").filter(|file| self.files.contains(*file)) {
            return Goal::Within(file.to_owned());
        }
        let there = document.into_iter().find(|path| self.root.join(path).exists());
        there.map_or(Goal::Nowhere, Goal::Source)
    }
}

/// Replaces the alignment style of a table cell by a class: the server's policy forbids inline styles.
fn styled(tag: &str, broken: &mut Vec<String>) -> String {
    let Some(style) = markup::attribute(tag, "style") else { return tag.to_owned() };
    let old = format!(" style=\"{style}\"");
    match style.trim_end_matches(';').replace(' ', "").strip_prefix("text-align:") {
        Some("left") => tag.replacen(&old, "", 1),
        Some(side) => tag.replacen(&old, &format!(" class=\"is-{side}\""), 1),
        None => {
            broken.push(format!("a style stands in the page: {style}"));
            tag.to_owned()
        }
    }
}

fn is_elsewhere(link: &str) -> bool {
    let scheme = link.split(':').next().unwrap_or_default();
    scheme.len() < link.len() && scheme.chars().all(|letter| letter.is_ascii_alphanumeric())
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Normalizes `path` relative to `folder`, without a trailing slash; `None` if it leads out of the root.
pub(super) fn resolved(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Returns the address of a file of the site, relative to one of its pages.
fn address(page: &str, goal: &str, heading: &str) -> String {
    let mark = if heading.is_empty() { String::new() } else { format!("#{heading}") };
    if goal == page && !heading.is_empty() {
        return mark;
    }
    format!("{}{goal}{mark}", "../".repeat(page.matches('/').count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(pages: &[(&str, &str, &str)], files: &[&str]) -> Site {
        let own = |text: &&str| (*text).to_owned();
        let files = pages.iter().map(|(page, _, _)| page).chain(files).map(own).collect();
        Site {
            root: Workspace::of_this_clone().root,
            folder: PathBuf::new(),
            origins: pages.iter().map(|(page, origin, _)| (own(page), own(origin))).collect(),
            html: pages.iter().map(|(page, _, html)| (own(page), own(html))).collect(),
            files,
        }
    }

    fn finished(site: &Site, page: &str) -> Finished {
        let ids = site.html.iter().map(|(page, html)| (page.as_str(), markup::ids(html))).collect();
        site.finished(page, &ids)
    }

    #[test]
    fn links_lead_to_pages_of_the_site_and_sources_are_only_named() {
        let html = "<link href=\"../site.css\"><nav><!-- contents --><a href=\"index.html\">i</a>\
            <a href=\"b/c.html\">c</a><!-- /contents --></nav><main><a href=\"../README.html\">f</a>\
            <a href=\"../A.html#x\">a</a><a href=\"#y\">y</a><h2 id=\"y\"></h2><img src=\"../images/p.png\">\
            <a href=\"../../xtask/src/main.rs\"><code>main.rs</code></a> <a href=\"https://example.org/a.md\">e</a>\
            <td style=\"text-align: right\"></main>";
        let made = finished(
            &site(
                &[
                    ("b/c.html", "docs/b/c.md", html),
                    ("index.html", "docs/README.md", ""),
                    ("a.html", "docs/A.md", "<h1 id=\"x\">"),
                ],
                &["site.css", "images/p.png", "highlight.js"],
            ),
            "b/c.html",
        );
        assert_eq!(made.broken, [] as [&str; 0]);
        assert_eq!(
            made.html,
            "<link href=\"../site.css\"><nav><a href=\"../index.html\">i</a>\
            <a aria-current=\"page\" href=\"../b/c.html\">c</a></nav><main><a href=\"../index.html\">f</a>\
            <a href=\"../a.html#x\">a</a><a href=\"#y\">y</a><h2 id=\"y\"></h2><img src=\"../images/p.png\">\
            <span class=\"source\" title=\"xtask/src/main.rs, in the repository\"><code>main.rs</code></span> \
            <a href=\"https://example.org/a.md\">e</a><td class=\"is-right\"></main>"
        );
        assert!(made.mentions.contains("images/p.png") && !made.mentions.contains("highlight.js"));
    }

    #[test]
    fn what_leads_nowhere_or_is_not_allowed_is_an_error() {
        for (html, what) in [
            ("<main><a href=\"GONE.html\">x</a></main>", "GONE.html"),
            ("<main><a href=\"A.html#gone\">x</a></main>", "A.html#gone (no such heading)"),
            ("<main><a href=\"../../outside\">x</a></main>", "../../outside"),
            ("<main><a href=\"..\">x</a></main>", ".."),
            ("<main><a href=\"/A.md\">x</a></main>", "/A.md"),
            ("<main><a href='A.md'>x</a></main>", "<a href='A.md'> (an address needs double quotes)"),
            ("<main><img src=\"../README.md\"></main>", "../README.md"),
            ("<main><img src=\"https://example.org/a.png\"></main>", "https://example.org/a.png"),
            ("<script src=\"gone.js\"></script>", "gone.js"),
            ("<!-- contents --><a href=\"gone.html\">x</a>", "gone.html"),
            ("<script>alert()</script>", "a script stands in the page"),
            ("<main><p style=\"color: red\"></p></main>", "a style stands in the page: color: red"),
        ] {
            let site = site(&[("a.html", "docs/A.md", html)], &[]);
            assert_eq!(finished(&site, "a.html").broken, [what], "{html}");
        }
    }
}
