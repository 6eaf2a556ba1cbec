//! Licences of everything inside the program, with their texts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::dependencies::{Crate, Dependencies};
use crate::failure::{AtPath, Result};

const NAMES: &[&str] = &["licen", "copying", "notice", "unlicense", "copyright"];
/// Licence of the font of our pictures.
const FONT: &str = include_str!("../../../program/report/font/LICENSE");
const LINE: &str = "================================================================================";

/// A list of the crates with their licences, and then each text once, below its crates.
pub(super) fn text(dependencies: &Dependencies) -> Result<String> {
    let mut out = String::from(
        "syclscope is licensed under MIT or Apache-2.0. The program, its page and its recorder hold these crates:\n\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in dependencies.foreign() {
        let _ = writeln!(out, "{} {}: {}", one.name, one.version, or_file(&one.licence));
        for file in files(&one.folder)? {
            // A text in an outdated encoding is shown as far as possible.
            let text =
                String::from_utf8_lossy(&std::fs::read(&file).at("read", &file)?).replace("\r\n", "\n");
            texts.entry(text.trim().to_owned()).or_default().push(named(one));
        }
    }
    let mut texts: Vec<_> = texts
        .into_iter()
        .map(|(text, mut crates)| {
            crates.dedup();
            (crates, text)
        })
        .collect();
    texts.sort();
    texts.push((vec!["DejaVu Sans 2.37".to_owned()], FONT.trim().to_owned()));
    for (crates, text) in texts {
        let _ = write!(out, "\n{LINE}\n{}\n{LINE}\n\n{text}\n", crates.join(", "));
    }
    Ok(out)
}

fn named(one: &Crate) -> String {
    format!("{} {}", one.name, one.version)
}

fn or_file(licence: &str) -> &str {
    if licence.is_empty() { "see its file" } else { licence }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).at("list", folder)? {
        let path = entry.at("list", folder)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if path.is_file() && NAMES.iter().any(|start| name.starts_with(start)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
