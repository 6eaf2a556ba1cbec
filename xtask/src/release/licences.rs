//! Licences of everything inside the program, with their texts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::dependencies::Dependencies;
use crate::prelude::*;

const NAMES: &[&str] = &["licen", "copying", "notice", "unlicense", "copyright"];
const FONT: &str = include_str!("../../../program/report/font/LICENSE");
const LINE: &str = "================================================================================";

/// Returns a list of the crates with their licences, and then each text once, below its crates.
pub(super) fn text(dependencies: &Dependencies) -> Result<String> {
    let mut out = String::from(
        "syclscope is licensed under MIT or Apache-2.0. The program, its page and its recorder hold these crates:\n\n",
    );
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for one in dependencies.foreign() {
        let name = format!("{} {}", one.name, one.version);
        let licence = if one.licence.is_empty() { "see its file" } else { &one.licence };
        let _ = writeln!(out, "{name}: {licence}");
        let mut own = files::entries(&one.folder)?;
        own.retain(|path| {
            let file = files::name(path).to_lowercase();
            path.is_file() && NAMES.iter().any(|start| file.starts_with(start))
        });
        for file in own {
            // A text in an outdated encoding is shown as far as possible.
            let text = String::from_utf8_lossy(&files::bytes(&file)?).replace("\r\n", "\n");
            texts.entry(text.trim().to_owned()).or_default().push(name.clone());
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
