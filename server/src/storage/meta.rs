//! Description stored with a trace's bytes, from which rows can be recovered if a database is new or was
//! lost.

use std::io;

use serde::{Deserialize, Serialize};
use syclscope_language::api::{IdentityKind, TraceEntry};

use crate::auth::identity::Identity;
use crate::db::labels::Labels;
use crate::db::projects::ProjectId;
use crate::db::traces::TraceRow;

pub(super) const META_FILE: &str = "meta.json";
/// Format version. The first had no project, digest, user name or labels.
const VERSION: u32 = 2;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Meta {
    version: u32,
    #[serde(flatten)]
    entry: TraceEntry,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uploaded_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_kind: Option<IdentityKind>,
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    labels: Labels,
}

impl Meta {
    pub(super) fn new(row: &TraceRow, labels: &Labels) -> Self {
        Self {
            version: VERSION,
            entry: entry(row),
            project: Some(row.project.to_string()),
            sha256: row.sha256.clone(),
            uploaded_by: row.uploaded_by.as_ref().map(|by| by.name.clone()),
            by_kind: row.uploaded_by.as_ref().and_then(|by| by.kind),
            labels: labels.clone(),
        }
    }

    pub(super) fn bytes(&self) -> io::Result<Vec<u8>> {
        Ok(serde_json::to_vec(self)?)
    }

    /// Parses a description.
    ///
    /// # Errors
    /// Returns an error if the file is invalid, or from a newer program.
    pub(super) fn read(bytes: &[u8]) -> io::Result<(TraceRow, Labels)> {
        let meta: Self = serde_json::from_slice(bytes)?;
        if meta.version > VERSION {
            return Err(io::Error::other(format!("a newer syclscope wrote it (version {})", meta.version)));
        }
        let project = meta.project.map_or_else(|| Ok(ProjectId::default()), |project| project.parse());
        let row = TraceRow {
            id: meta.entry.id.parse().map_err(io::Error::other)?,
            project: project.map_err(io::Error::other)?,
            name: meta.entry.name,
            size_bytes: meta.entry.size_bytes,
            sha256: meta.sha256,
            stored_unix_ns: meta.entry.stored_unix_ns,
            uploaded_by: meta.uploaded_by.map(|name| Identity { kind: meta.by_kind, name }),
            is_pinned: false,
        };
        Ok((row, meta.labels))
    }
}

pub(super) fn entry(row: &TraceRow) -> TraceEntry {
    TraceEntry {
        id: row.id.to_string(),
        name: row.name.clone(),
        size_bytes: row.size_bytes,
        stored_unix_ns: row.stored_unix_ns,
    }
}
