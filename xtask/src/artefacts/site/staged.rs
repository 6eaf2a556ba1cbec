//! Input of mdBook: a folder with the documents, the contents and the template in mdBook's layout.

use std::collections::BTreeMap;

use super::links::resolved;
use crate::prelude::*;

/// User documents outside docs/, with their names in the site.
pub(super) const DOCUMENTS: &[(&str, &str)] = &[
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("CONTRIBUTING.md", "CONTRIBUTING.md"),
    ("SECURITY.md", "SECURITY.md"),
];
pub(super) const ASSETS: &[&str] = &["assets/icon.svg", "assets/theme.js", "assets/tokens.css"];
/// Settings, contents, template, style and script of the site.
const OWN: &str = "docs/site";
/// mdBook reads the contents from a file of this name, so the document with that name in docs/ is renamed.
const CONTENTS: &str = "SUMMARY.md";
const RENAMED: (&str, &str) = ("SUMMARY.md", "SUMMARY-OF-A-RUN.md");
/// Place of the command reference in docs/COMMANDS.md.
const COMMANDS: (&str, &str) =
    ("docs/COMMANDS.md", "<!-- the program's own list stands here in the site -->");

pub(super) struct Staged {
    pub(super) folder: PathBuf,
    /// The pages' paths in the site, with their documents' paths in the repository.
    pub(super) pages: BTreeMap<String, String>,
}

impl Staged {
    pub(super) fn make(workspace: &Workspace, commands: &Path) -> Result<Self> {
        let folder = workspace.target.join("xtask/site");
        files::empty(&folder)?;
        let own = workspace.root.join(OWN);
        files::copy(&own.join("book.toml"), &folder.join("book.toml"))?;
        files::copy(&own.join("index.hbs"), &folder.join("theme/index.hbs"))?;
        let source = folder.join("src");
        for name in ["site.css", "site.js"] {
            files::copy(&own.join(name), &source.join(name))?;
        }
        for asset in ASSETS {
            let path = workspace.root.join(asset);
            files::copy(&path, &source.join(files::name(&path)))?;
        }
        let mut documents: BTreeMap<String, String> = BTreeMap::new();
        documents.extend(DOCUMENTS.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())));
        let docs = workspace.root.join("docs");
        for path in files::below(&docs)?.iter().filter(|path| !path.starts_with(&own)) {
            let below = path.strip_prefix(&docs).unwrap_or(path).display().to_string();
            let to = if below == RENAMED.0 { RENAMED.1 } else { &below };
            documents.insert(format!("docs/{below}"), to.to_owned());
        }
        for (from, to) in &documents {
            files::copy(&workspace.root.join(from), &source.join(to))?;
        }
        documents.retain(|from, _| from.ends_with(".md"));
        insert_commands(&source, commands)?;
        files::write(&source.join(CONTENTS), contents(&workspace.root, &documents)?)?;
        let pages = documents.into_iter().map(|(from, to)| (page_of(&to), from)).collect();
        Ok(Self { folder, pages })
    }
}

fn page_of(document: &str) -> String {
    let stem = document.trim_end_matches(".md");
    match stem.strip_suffix("README") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => format!("{folder}index.html"),
        _ => format!("{stem}.html"),
    }
}

fn insert_commands(source: &Path, commands: &Path) -> Result<()> {
    let (document, place) = COMMANDS;
    let file = source.join(document.trim_start_matches("docs/"));
    let text = files::read(&file)?;
    if !text.contains(place) {
        return Err(Failure::new(format!("{document} has no line `{place}`")));
    }
    files::write(&file, text.replace(place, &files::read(commands)?))
}

/// Returns the contents with the documents' names in the site. Other documents of a folder are below its README.md; a
/// folder whose README.md is not in the contents is last.
fn contents(root: &Path, documents: &BTreeMap<String, String>) -> Result<String> {
    let path = root.join(OWN).join("CONTENTS.md");
    let mut named = Vec::new();
    let mut text = String::new();
    for line in files::read(&path)?.lines() {
        let Some((target, from)) = chapter(line) else {
            text += &format!("{line}\n");
            continue;
        };
        let to = documents
            .get(&from)
            .ok_or_else(|| Failure::new(format!("{}: there is no document {target}", path.display())))?;
        text += &format!("{}\n", line.replace(target, to));
        let indent = line.len() - line.trim_start().len() + 2;
        named.push(from.clone());
        text += &folder(root, documents, &from, indent, &mut named)?;
    }
    for (from, to) in documents.iter().filter(|(from, _)| from.ends_with("/README.md")) {
        if !named.contains(from) {
            text += &entry(root, from, to, 0)?;
            named.push(from.clone());
            text += &folder(root, documents, from, 2, &mut named)?;
        }
    }
    let missing: Vec<&str> =
        documents.keys().filter(|from| !named.contains(from)).map(String::as_str).collect();
    if missing.is_empty() {
        return Ok(text);
    }
    Err(Failure::new(format!("{} lacks {}", path.display(), missing.join(", "))))
}

fn folder(
    root: &Path,
    documents: &BTreeMap<String, String>,
    readme: &str,
    indent: usize,
    named: &mut Vec<String>,
) -> Result<String> {
    let mut text = String::new();
    let Some(folder) = readme.strip_suffix("README.md").filter(|folder| *folder != "docs/") else {
        return Ok(text);
    };
    for (other, to) in documents.iter().filter(|(other, _)| other.starts_with(folder) && *other != readme) {
        text.push_str(&entry(root, other, to, indent)?);
        named.push(other.clone());
    }
    Ok(text)
}

fn entry(root: &Path, from: &str, to: &str, indent: usize) -> Result<String> {
    let title = title(&files::read(&root.join(from))?);
    let title = title.ok_or_else(|| Failure::new(format!("{from} does not begin with a heading")))?;
    Ok(format!("{:indent$}- [{title}]({to})\n", ""))
}

fn chapter(line: &str) -> Option<(&str, String)> {
    let target = line.trim_start().strip_prefix("- [").or(line.strip_prefix('['))?.split_once("](")?.1;
    let target = target.strip_suffix(')')?;
    Some((target, resolved(OWN, target)?))
}

/// Returns the first heading of a document, without markup that a link's text can't contain.
fn title(text: &str) -> Option<String> {
    let heading = text.lines().find_map(|line| line.strip_prefix("# "))?;
    Some(heading.trim().replace(['[', ']'], ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_s_documents_stand_below_its_first() {
        let root = files::Scratch::for_test("contents");
        let write = |name: &str, text: &str| files::write(&root.join(name), text).unwrap();
        write(
            "docs/site/CONTENTS.md",
            "# Contents\n\n[Front](../README.md)\n\n- [Parts](../parts/README.md)\n",
        );
        write("docs/parts/one.md", "# `One` [of] them\n");
        let documents = ["README.md", "parts/README.md", "parts/one.md"];
        let documents = documents.map(|name| (format!("docs/{name}"), name.to_owned()));
        let mut documents = BTreeMap::from(documents);
        assert_eq!(
            contents(&root, &documents).unwrap(),
            "# Contents\n\n[Front](README.md)\n\n- [Parts](parts/README.md)\n  - [`One` of them](parts/one.md)\n"
        );
        for (name, text) in [("docs/more/README.md", "# More\n"), ("docs/more/two.md", "# Two\n")] {
            write(name, text);
            documents.insert(name.to_owned(), name.trim_start_matches("docs/").to_owned());
        }
        let last = "- [More](more/README.md)\n  - [Two](more/two.md)\n";
        assert!(contents(&root, &documents).unwrap().ends_with(last));
        documents.insert("docs/LOST.md".to_owned(), "LOST.md".to_owned());
        assert!(contents(&root, &documents).unwrap_err().to_string().contains("lacks docs/LOST.md"));
        documents.remove("docs/README.md");
        assert!(contents(&root, &documents).unwrap_err().to_string().contains("no document ../README.md"));
    }

    #[test]
    fn a_readme_is_its_folder_s_page() {
        assert_eq!(
            ["README.md", "a/README.md", "a/B.md", "NOREADME.md"].map(page_of),
            ["index.html", "a/index.html", "a/B.html", "NOREADME.html"]
        );
    }
}
