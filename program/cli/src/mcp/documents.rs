//! Manuals for assistants, as resources.

use serde_json::{Value, json};

use crate::skill;

const BASE: &str = "syclscope://docs/";

struct Document {
    name: &'static str,
    description: &'static str,
    text: &'static str,
}

macro_rules! document {
    ($name:literal, $description:literal) => {
        Document {
            name: $name,
            description: $description,
            text: include_str!(concat!("../../../../docs/", $name)),
        }
    };
}

const DOCUMENTS: [Document; 11] = [
    Document {
        name: "SKILL.md",
        description: "Steps from a recording to the cause of its idle time and the proof of a remedy",
        text: skill::TEXT,
    },
    document!("QUERIES.md", "Queries, their parameters and filters"),
    document!("QUESTIONS.md", "Ten questions, and the command for each"),
    document!("FINDINGS.md", "Findings, their rules and bounds"),
    document!("SUMMARY.md", "Sections and columns of a summary"),
    document!("COMPARE.md", "Comparisons of runs, and their verdicts"),
    document!("TRY.md", "Predicted and achieved gains of changes"),
    document!("SQL.md", "SQL over a recording, with examples"),
    document!("TABLES.md", "Tables of a recording, for SQL and data frames"),
    document!("RECORDING.md", "Options of the recorder, and its cost"),
    document!("GLOSSARY.md", "Terms"),
];

/// Returns the manuals in the format of `resources/list`.
pub(super) fn list() -> Value {
    let entry = |document: &Document| {
        json!({
            "uri": format!("{BASE}{}", document.name),
            "name": document.name,
            "description": document.description,
            "mimeType": "text/markdown",
            "size": document.text.len(),
        })
    };
    DOCUMENTS.iter().map(entry).collect()
}

/// Returns the manual at a URI in the format of `resources/read`.
pub(super) fn read(uri: &str) -> Option<Value> {
    let text = text(uri.strip_prefix(BASE)?)?;
    Some(json!([{"uri": uri, "mimeType": "text/markdown", "text": text}]))
}

pub(super) fn text(name: &str) -> Option<&'static str> {
    DOCUMENTS.iter().find(|document| document.name == name).map(|document| document.text)
}

pub(super) fn names() -> [&'static str; DOCUMENTS.len()] {
    DOCUMENTS.each_ref().map(|document| document.name)
}
